"""The watch of MCPServers: kopf as informer and life cycle, and nothing else of kopf.

Its handler only notes that an object changed; no timer, daemon, index, change handler or finalizer
is used, so kopf writes nothing to the API. If its watcher dies kopf does not notice
(nolar/kopf#1276), so `is_watching` looks for the task itself.
"""

import asyncio
import signal
from collections.abc import Callable
from typing import Any

import kopf

from proxar.api import GROUP, PLURAL, VERSION
from proxar.kube.client import Connection, KubeClient

__all__ = ["is_watching", "watch"]

OnObject = Callable[[bool, dict[str, Any]], None]
"""Called with whether the object is gone, and the object."""


async def watch(
    connection: Connection,
    namespaces: tuple[str, ...],
    on_object: OnObject,
    *,
    stop: asyncio.Event,
    synced: asyncio.Event,
) -> None:
    """Tell of every MCPServer, first all there are, then each change, until `stop` is set.

    SIGTERM and SIGINT set it. `synced` is set once kopf runs. Returning without `stop` means that
    the watch is lost for good.
    """
    registry = kopf.OperatorRegistry()

    @kopf.on.login(registry=registry)
    async def login(**_: Any) -> kopf.ConnectionInfo:
        return await _login(connection)

    @kopf.on.event(GROUP, VERSION, PLURAL, registry=registry)
    async def note(event: kopf.RawEvent, **_: Any) -> None:
        on_object(event["type"] == "DELETED", dict(event["object"]))

    signals = asyncio.create_task(_take_signals(stop, synced))
    try:
        await kopf.operator(
            registry=registry,
            settings=_settings(),
            standalone=True,
            clusterwide=not namespaces,
            namespaces=namespaces,
            stop_flag=stop,
            ready_flag=synced,
        )
    finally:
        signals.cancel()


class _NoDiffs(kopf.DiffBaseStorage):
    """Keeps kopf from looking for changes, for which nobody has a handler: it copies each object
    three times for that, which was half of what an event cost (measured)."""

    def build(self, **_: Any) -> kopf.BodyEssence:
        return kopf.BodyEssence()

    def fetch(self, **_: Any) -> None:
        return None

    def store(self, **_: Any) -> None:
        """Write nothing onto the object."""


async def _take_signals(stop: asyncio.Event, synced: asyncio.Event) -> None:
    """Take the signals over from kopf, whose own handlers do not say that it was told to stop."""
    await synced.wait()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)


def is_watching() -> bool:
    """Whether kopf's watcher task is alive in this loop."""
    return any(task.get_name().startswith(f"watcher for {PLURAL}.") for task in asyncio.all_tasks())


async def _login(connection: Connection) -> kopf.ConnectionInfo:
    """Hand kopf the very connection that the rest uses: its own default would take the current
    context."""
    configuration = connection.configuration
    headers: dict[str, str] = {}
    async with KubeClient(connection) as client:
        await client.authorize(headers)
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return kopf.ConnectionInfo(
        server=connection.server,
        ca_path=configuration.ssl_ca_cert,
        insecure=not configuration.verify_ssl,
        scheme=scheme or None,
        token=token or None,
        certificate_path=configuration.cert_file,
        private_key_path=configuration.key_file,
    )


def _settings() -> kopf.OperatorSettings:
    settings = kopf.OperatorSettings()
    settings.posting.enabled = False  # Events are ours: proxar.kube.events
    settings.scanning.disabled = True  # else kopf lists and watches CRDs and namespaces
    settings.peering.standalone = True
    settings.watching.server_timeout = 300  # Kubernetes closes first, the client a little later
    settings.watching.client_timeout = 330
    settings.watching.connect_timeout = 10
    settings.watching.reconnect_backoff = 1.0
    settings.watching.chunk_size = 500
    settings.networking.connect_timeout = 10
    settings.networking.request_timeout = 30  # the default of 300 s outlives any patience
    settings.networking.enforce_retry_after = True
    settings.persistence.diffbase_storage = _NoDiffs()
    settings.process.ultimate_exiting_timeout = 25  # below terminationGracePeriodSeconds
    return settings
