"""What an endpoint of a spec means just now: the address behind it, and all that is sent to it."""

from proxar.api import Endpoint, MCPServer
from proxar.fetch import Target
from proxar.kube.client import KubeClient
from proxar.kube.services import service_url

__all__ = ["target_of"]


async def target_of(client: KubeClient, server: MCPServer, endpoint: Endpoint) -> Target:
    """Gather what a look at one endpoint needs, fresh each time.

    Raises:
        FetchError: It leads nowhere, or to where it must not.
        KubernetesError: Could not look.
    """
    spec = server.spec
    headers = tuple((header.name, header.value) for header in spec.headers)
    timeout = spec.effective_timeout.total_seconds()
    if endpoint.service_ref is None:
        return Target(url=endpoint.url or "", headers=headers, timeout=timeout)
    reference = endpoint.service_ref
    url = await service_url(
        client,
        server.metadata.namespace,
        reference.name,
        port=reference.port,
        path=reference.path,
        scheme=reference.scheme,
    )
    return Target(url=url, headers=headers, timeout=timeout, in_cluster=True)
