"""The egress policy of a cluster."""

from typing import Any

import pytest
from kubernetes.aio.client import Configuration

from proxar.controller.egress import egress_policy
from proxar.controller.settings import OperatorSettings
from proxar.errors import KubernetesError, UsageError
from proxar.kube.client import Connection
from tests.support.fakecluster import FakeCluster

RANGES = "/apis/networking.k8s.io/v1/servicecidrs"
API_SERVERS = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes"


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> FakeCluster:
    """A cluster that tells its Service ranges, seen from outside of it."""
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    cluster = FakeCluster()
    cluster.connection = Connection(Configuration(host="https://127.0.0.1:6443"), "default")
    item: dict[str, Any] = {"metadata": {}, "spec": {"cidrs": ["10.96.0.0/12"]}}
    cluster.put(f"{RANGES}/kubernetes", item)
    return cluster


async def test_the_cluster_is_asked_for_its_ranges(cluster: FakeCluster) -> None:
    """Once, at the start; and for its API servers."""
    assert await egress_policy(OperatorSettings(), cluster)
    assert cluster.calls == [("GET", RANGES), ("GET", API_SERVERS)]


async def test_no_api_server_may_be_asked_for_tools(cluster: FakeCluster) -> None:
    """Of several, the operator dials one."""
    endpoints: list[dict[str, Any]] = [{"addresses": ["10.1.0.1", "fd00::1"]}, {"addresses": []}]
    cluster.put(
        API_SERVERS, {"metadata": {}, "endpoints": endpoints, "ports": [{"port": 6443}, {}]}
    )

    policy = await egress_policy(OperatorSettings(), cluster)

    assert set(policy.api_server) == {"127.0.0.1:6443", "10.1.0.1:6443", "[fd00::1]:6443"}
    assert "API server" in (policy.refusal("x", "fd00::1", 6443) or "")
    assert policy.refusal("x", "10.1.0.1", 443) is None


async def test_without_the_right_the_one_that_is_dialled_is_refused(cluster: FakeCluster) -> None:
    """The guard is no worse for it than the right that it was given."""
    cluster.refuse("GET", "endpointslices", KubernetesError("Forbidden", "403", status=403))

    policy = await egress_policy(OperatorSettings(), cluster)

    assert policy.api_server == ("127.0.0.1:6443",)


async def test_namespaces_by_flag_may_name_urls_of_services(cluster: FakeCluster) -> None:
    """No other."""
    settings = OperatorSettings(service_egress_namespaces=("gateway",))

    policy = await egress_policy(settings, cluster)

    assert policy.opens_services("gateway")
    assert not policy.opens_services("default")


async def test_ranges_by_flag_are_believed(cluster: FakeCluster) -> None:
    """The cluster is not asked for them then."""
    await egress_policy(OperatorSettings(service_cidrs=("10.0.0.0/16",)), cluster)

    assert ("GET", RANGES) not in cluster.calls


async def test_a_cluster_that_does_not_tell_is_warned_of(
    cluster: FakeCluster, caplog: pytest.LogCaptureFixture
) -> None:
    """With the flag to use."""
    cluster.refuse("GET", "servicecidrs", KubernetesError("NotFound", "404", status=404))

    await egress_policy(OperatorSettings(), cluster)

    assert "--service-cidr" in caplog.text


@pytest.mark.parametrize(
    "settings",
    [OperatorSettings(allow_egress=("10.0.0.0/99",)), OperatorSettings(service_cidrs=("x y",))],
)
async def test_a_flag_that_names_nothing_is_a_usage_error(
    cluster: FakeCluster, settings: OperatorSettings
) -> None:
    """Before anything is looked at."""
    with pytest.raises(UsageError, match="--allow-egress or --service-cidr"):
        await egress_policy(settings, cluster)
