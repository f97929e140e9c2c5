"""Where a `serviceRef` leads."""

from typing import Any

import pytest

from proxar.errors import FetchError, KubernetesError
from proxar.kube.services import service_ranges, service_url
from tests.support.fakecluster import FakeCluster

PLAIN = {"selector": {"app": "issues"}, "ports": [{"port": 8080}]}
TWO_PORTS = PLAIN | {"ports": [{"port": 80}, {"port": 81}]}


def cluster_with(spec: dict[str, Any] | None) -> FakeCluster:
    """A cluster that has this Service, or none."""
    cluster = FakeCluster()
    if spec is not None:
        item = {"metadata": {"name": "issues", "namespace": "team"}, "spec": spec}
        cluster.put("/api/v1/namespaces/team/services/issues", item)
    return cluster


async def url_of(spec: dict[str, Any] | None, port: int | None = None, scheme: str = "HTTP") -> str:
    """The URL of a reference to it."""
    cluster = cluster_with(spec)
    return await service_url(cluster, "team", "issues", port=port, path="/mcp", scheme=scheme)


@pytest.mark.parametrize(
    ("spec", "port", "scheme", "url"),
    [
        (PLAIN, None, "HTTP", "http://issues.team.svc:8080/mcp"),
        (PLAIN, 8080, "HTTPS", "https://issues.team.svc:8080/mcp"),
        (TWO_PORTS, 81, "HTTP", "http://issues.team.svc:81/mcp"),
        (PLAIN | {"clusterIP": "None"}, None, "HTTP", "http://issues.team.svc:8080/mcp"),
    ],
)
async def test_a_service_is_a_url(
    spec: dict[str, Any], port: int | None, scheme: str, url: str
) -> None:
    """By its name within the cluster, whatever the cluster's domain is."""
    assert await url_of(spec, port, scheme) == url


@pytest.mark.parametrize(
    ("spec", "port", "reason", "told"),
    [
        (None, None, "DNSFailed", "does not exist"),
        ({"type": "ExternalName", "externalName": "x"}, None, "EgressDenied", "ExternalName"),
        (PLAIN | {"externalIPs": ["10.0.0.1"]}, None, "EgressDenied", "externalIPs"),
        ({"ports": [{"port": 80}]}, None, "EgressDenied", "no selector"),
        (PLAIN | {"selector": {}}, None, "EgressDenied", "no selector"),
        (TWO_PORTS, None, "ConnectFailed", "set serviceRef.port to one of [80, 81]"),
        (PLAIN | {"ports": []}, None, "ConnectFailed", "has 0 ports"),
        (TWO_PORTS, 82, "ConnectFailed", "set serviceRef.port to one of [80, 81]"),
    ],
)
async def test_a_service_that_leads_elsewhere_is_refused(
    spec: dict[str, Any] | None, port: int | None, reason: str, told: str
) -> None:
    """With what to do about it."""
    with pytest.raises(FetchError) as caught:
        await url_of(spec, port)

    assert caught.value.reason == reason
    assert told in caught.value.message


async def test_not_reached_is_not_missing() -> None:
    """The API server's fault is not the Service's."""
    cluster = cluster_with(PLAIN)
    cluster.refuse("GET", "services", KubernetesError("Timeout", "no answer"))

    with pytest.raises(KubernetesError):
        await service_url(cluster, "team", "issues", port=None, path="/mcp", scheme="HTTP")


async def test_the_ranges_of_services_are_read() -> None:
    """Of both families; an API server before 1.33 tells none."""
    cluster = FakeCluster()
    path = "/apis/networking.k8s.io/v1/servicecidrs"
    item = {"metadata": {}, "spec": {"cidrs": ["10.96.0.0/12", "fd00::/108"]}}
    cluster.put(f"{path}/kubernetes", item)

    assert await service_ranges(cluster) == ("10.96.0.0/12", "fd00::/108")
    cluster.refuse("GET", "servicecidrs", KubernetesError("NotFound", "404", status=404))
    assert await service_ranges(cluster) == ()
    cluster.refuse("GET", "servicecidrs", KubernetesError("Forbidden", "403", status=403))
    with pytest.raises(KubernetesError):
        await service_ranges(cluster)
