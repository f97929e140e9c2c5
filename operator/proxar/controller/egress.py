"""The egress policy of this cluster: what the flags allow, and where the API server and the
Services are."""

import asyncio
import logging
import os
import socket
from urllib.parse import urlsplit

from proxar.controller.settings import OperatorSettings
from proxar.errors import UsageError
from proxar.fetch import EgressPolicy
from proxar.kube.client import KubeClient
from proxar.kube.services import api_server_endpoints, service_ranges

__all__ = ["egress_policy"]

log = logging.getLogger(__name__)


async def egress_policy(settings: OperatorSettings, client: KubeClient) -> EgressPolicy:
    """Gather the policy once, at start-up.

    Raises:
        UsageError: A flag names no network, address or host.
        KubernetesError: The API server did not tell its Service ranges.
    """
    ranges = settings.service_cidrs or await service_ranges(client)
    if not ranges:
        log.warning(
            "this API server does not tell its Service ranges; name them with --service-cidr"
        )
    try:
        return EgressPolicy(
            allow=settings.allow_egress,
            api_server=(
                *await _api_server(client.connection.server),
                *await api_server_endpoints(client),
            ),
            service_ranges=ranges,
            service_namespaces=frozenset(settings.service_egress_namespaces),
        )
    except ValueError as error:
        raise UsageError(f"--allow-egress or --service-cidr: {error}") from error


async def _api_server(url: str) -> tuple[str, ...]:
    """Its addresses with port: the one that is dialled, and the Service in front of it."""
    parts = urlsplit(url)
    addresses = [(parts.hostname or "", parts.port or 443)]
    if "KUBERNETES_SERVICE_HOST" in os.environ:
        addresses.append(
            (
                os.environ["KUBERNETES_SERVICE_HOST"],
                int(os.environ.get("KUBERNETES_SERVICE_PORT", "443")),
            )
        )
    loop = asyncio.get_running_loop()
    found = [
        await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM) for host, port in addresses
    ]
    literal = {(str(info[4][0]), int(info[4][1])) for infos in found for info in infos}
    return tuple(
        sorted(f"[{host}]:{port}" if ":" in host else f"{host}:{port}" for host, port in literal)
    )
