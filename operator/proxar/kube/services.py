"""Where a `serviceRef` leads, where the API servers are, and the address ranges of Services."""

from typing import Any

from proxar.errors import FetchError, KubernetesError
from proxar.kube.client import KubeClient, path_of

__all__ = ["api_server_endpoints", "service_ranges", "service_url"]


async def service_url(
    client: KubeClient, namespace: str, name: str, *, port: int | None, path: str, scheme: str
) -> str:
    """Return the URL of a Service of the same namespace.

    Raises:
        FetchError: `DNSFailed` when there is no such Service, `ConnectFailed` when the port is not
            one of it, `EgressDenied` when the Service leads somewhere that its author chose rather
            than to pods of the namespace.
        KubernetesError: Could not look.
    """
    service = await client.get(path_of("v1", "services", namespace, name))
    if service is None:
        raise FetchError(
            "DNSFailed",
            f"Service {namespace}/{name} does not exist; mend serviceRef.name or create it",
        )
    spec: dict[str, Any] = service.get("spec") or {}
    refusal = _refusal(spec)
    if refusal:
        raise FetchError(
            "EgressDenied",
            f"Service {namespace}/{name} {refusal}; name such a server by url instead",
        )
    offered = [int(entry["port"]) for entry in spec.get("ports") or ()]
    if port is None and len(offered) != 1:
        raise FetchError(
            "ConnectFailed",
            f"Service {namespace}/{name} has {len(offered)} ports; "
            f"set serviceRef.port to one of {offered}",
        )
    if port is not None and port not in offered:
        raise FetchError(
            "ConnectFailed",
            f"Service {namespace}/{name} has no port {port}; "
            f"set serviceRef.port to one of {offered}",
        )
    # Not `.cluster.local`: the cluster's domain is a setting, the pod's search path knows it.
    return f"{scheme.lower()}://{name}.{namespace}.svc:{port or offered[0]}{path}"


def _refusal(spec: dict[str, Any]) -> str | None:
    if spec.get("type") == "ExternalName":
        return "is of type ExternalName"
    if spec.get("externalIPs"):
        return "has externalIPs"
    if not spec.get("selector"):
        return "has no selector, so anybody's addresses can stand behind it"
    return None


async def service_ranges(client: KubeClient) -> tuple[str, ...]:
    """Return the CIDRs that Services take their addresses from; empty where the API (before 1.33)
    does not tell.

    Raises:
        KubernetesError: Could not look.
    """
    try:
        answer = await client.request("GET", path_of("networking.k8s.io/v1", "servicecidrs", None))
    except KubernetesError as error:
        if error.status == 404:
            return ()
        raise
    return tuple(
        str(cidr)
        for item in answer.get("items") or ()
        for cidr in (item.get("spec") or {}).get("cidrs") or ()
    )


async def api_server_endpoints(client: KubeClient) -> tuple[str, ...]:
    """Return `address:port` of every API server behind the Service `kubernetes`; empty where that
    may not be read.

    With several API servers, the one that is dialled is only one of them.

    Raises:
        KubernetesError: Could not look.
    """
    path = path_of("discovery.k8s.io/v1", "endpointslices", "default", "kubernetes")
    try:
        endpoints = await client.get(path)
    except KubernetesError as error:
        if error.status == 403:
            return ()
        raise
    if endpoints is None:
        return ()
    ports = [int(port["port"]) for port in endpoints.get("ports") or () if port.get("port")]
    addresses = [
        str(address)
        for endpoint in endpoints.get("endpoints") or ()
        for address in endpoint.get("addresses") or ()
    ]
    return tuple(
        f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
        for address in addresses
        for port in ports
    )
