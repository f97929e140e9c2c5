"""The HTTP side of the operator: probes for the kubelet, metrics for Prometheus. Nothing is ever
changed through it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager

from aiohttp import web
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from proxar.errors import UsageError

__all__ = ["Handler", "metrics_handler", "probe", "serving"]

Handler = Callable[[web.Request], Awaitable[web.Response]]


def probe(fault: Callable[[], str | None]) -> Handler:
    """A probe that answers 503 with the fault in words while there is one."""

    async def handle(_: web.Request) -> web.Response:
        told = fault()
        return (
            web.Response(text="ok\n")
            if told is None
            else web.Response(text=f"{told}\n", status=503)
        )

    return handle


def metrics_handler(page: Callable[[], bytes], measure: Callable[[], None]) -> Handler:
    """Serve what Prometheus reads; `measure` brings its gauges up to date first, in the event loop.

    The page is made in a thread: with thousands of servers it takes so long that the watch and the
    probes would stand still. One at a time, whoever asks how often.
    """
    turn = asyncio.Lock()

    async def handle(_: web.Request) -> web.Response:
        async with turn:
            measure()
            made = await asyncio.to_thread(page)
        return web.Response(body=made, headers={"Content-Type": CONTENT_TYPE_LATEST})

    return handle


@asynccontextmanager
async def serving(address: str, routes: Mapping[str, Handler]) -> AsyncIterator[None]:
    """Serve GET routes at `host:port` for as long as the context lasts.

    Raises:
        UsageError: The address is not one, or is taken.
    """
    host, colon, port = address.rpartition(":")
    if not colon or not port.isdecimal() or int(port) > 65535:
        raise UsageError(f"address {address!r}: write it as host:port, such as 0.0.0.0:8080")
    application = web.Application()
    for path, handler in routes.items():
        application.router.add_get(path, handler)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, host.strip("[]") or None, int(port)).start()
        except OSError as error:
            raise UsageError(
                f"address {address}: cannot listen there ({error.strerror})"
            ) from error
        yield
    finally:
        await runner.cleanup()
