"""Reads the tool list of any MCP server: one object that owns all connections."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import aiohttp
import certifi
import httpx
from httpx_aiohttp import AiohttpTransport

from proxar import __version__
from proxar.contract import ToolList
from proxar.errors import FetchError
from proxar.fetch.dial import DIALLING
from proxar.fetch.egress import EgressPolicy, Guard, LookUp, Resolver, look_up
from proxar.fetch.exchange.http import Line
from proxar.fetch.exchange.legacy import read_legacy
from proxar.fetch.exchange.modern import discover, read_modern
from proxar.fetch.exchange.turn import Listing, OtherEra, SessionLost
from proxar.fetch.exchange.wire import Wire
from proxar.fetch.reasons import Reason, failure
from proxar.fetch.target import Era, Fetched, Limits, Target

__all__ = ["Fetcher", "default_ssl_context"]

KEEP_ALIVE = 15.0
"""Seconds that an idle connection is kept.

Long enough for pages, handshakes and short intervals. Not longer, since behind a Service each new
connection may reach another replica, and a replica with another list has to be noticed some day.
"""

PROBE_SHARE = 0.5
"""Part of the time that the probe of an unknown server may take.

Some servers of earlier versions never answer it.
"""


class Fetcher:
    """Fetches tool lists over connections that it keeps alive and owns.

    No cookies, no proxies from the environment, one TLS context. Use it as an async context
    manager, in one event loop. Fetches may run at once; how many is the caller's affair.
    """

    def __init__(
        self,
        *,
        egress: EgressPolicy | None,
        limits: Limits = Limits(),  # noqa: B008 - frozen
        user_agent: str = f"proxar/{__version__}",
        ssl_context: ssl.SSLContext | None = None,
        look_up: LookUp = look_up,
    ) -> None:
        """Connections are opened on first use.

        Args:
            egress: Where connections may go; ``None`` for anywhere, on the command line only.
            ssl_context: What to trust; by default the system's authorities.
            look_up: How host names become addresses; called in a thread.
        """
        self._egress = egress
        self._limits = limits
        self._user_agent = user_agent
        self._ssl_context = ssl_context or default_ssl_context()
        self._resolver = Resolver(look_up)
        self._lanes: dict[bool, AiohttpTransport] = {}
        self._goodbyes: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Say the goodbyes that are due, two seconds at most, and close all connections."""
        await asyncio.gather(*self._goodbyes, return_exceptions=True)
        for lane in self._lanes.values():
            await lane.aclose()
        self._lanes.clear()
        await self._resolver.close()

    async def fetch(self, target: Target, *, era: Era | None = None) -> Fetched:
        """Read every page of ``tools/list``.

        Complete or nothing. The order is the server's, and an empty list is a list.

        Args:
            era: The era that an earlier `Fetched` told. It is kept unless the server itself gives
                evidence of another; a server that is down, slow or refuses us never does. Without
                it the server is probed, which costs one request more.

        Raises:
            FetchError: With a `Reason`. Nothing else but cancellation comes out.
        """
        wire = self._wire(target)
        try:
            async with asyncio.timeout(target.timeout) as clock:
                return await self._read(wire, target, era)
        except TimeoutError:
            if not clock.expired():
                raise
            raise failure(
                Reason.TIMEOUT,
                f"{wire.label} took longer than {target.timeout:g} s while {wire.phase}; "
                "raise the timeout if it is always that slow",
            ) from None

    async def _read(self, wire: Wire, target: Target, era: Era | None) -> Fetched:
        first = era or await self._first_contact(wire, target)
        try:
            return await self._read_as(first, wire, target)
        except OtherEra as turn:
            other = Era.LEGACY if first is Era.MODERN else Era.MODERN
            try:
                return await self._read_as(other, wire, target)
            except (FetchError, OtherEra):
                # The evidence was none: what the server said first is what ails it.
                raise turn.fault from None

    def _wire(self, target: Target) -> Wire:
        line = Line(self._lane(target), target, self._user_agent)
        now = asyncio.get_running_loop().time()
        return Wire(line, self._limits, deadline=now + target.timeout)

    async def _first_contact(self, wire: Wire, target: Target) -> Era:
        """The era of a server that nothing is known of."""
        try:
            if not await self._probe(wire, target.timeout * PROBE_SHARE):
                await discover(wire)
        except OtherEra:
            return Era.LEGACY
        return Era.MODERN

    @staticmethod
    async def _probe(wire: Wire, seconds: float) -> bool:
        """Whether the server turned out to be modern; ``False`` when there is no connection yet.

        Raises:
            OtherEra: It turned out to be legacy, or took the request and stayed silent.
        """
        try:
            async with asyncio.timeout(seconds) as clock:
                await discover(wire)
        except TimeoutError:
            if not clock.expired():
                raise
            if wire.line.is_connecting:
                return False
            raise OtherEra(
                failure(Reason.TIMEOUT, f"{wire.label} does not answer server/discover")
            ) from None
        return True

    async def _read_as(self, era: Era, wire: Wire, target: Target) -> Fetched:
        listing = (
            await read_modern(wire) if era is Era.MODERN else await self._read_legacy(wire, target)
        )
        name, version = listing.server
        return Fetched(
            tools=ToolList.of(listing.tools, protocol_version=listing.protocol_version),
            protocol_version=listing.protocol_version,
            server_name=name,
            server_version=version,
            transport="StreamableHTTP",
            era=era,
        )

    async def _read_legacy(self, wire: Wire, target: Target) -> Listing:
        """Read through a session, and once more if the server forgets it.

        The second time on one new connection that nobody else uses: behind a Service each
        connection may reach another replica, and most servers keep sessions in memory.
        """
        try:
            return await read_legacy(wire, self._later)
        except SessionLost:
            pass  # so that nothing of it is chained to what comes next
        async with self._private_lane(target, wire.line):
            try:
                return await read_legacy(wire, _never)
            except SessionLost as again:
                raise failure(
                    Reason(again.fault.reason),
                    f"{again.fault.message}; it forgets its sessions, so if it has "
                    "several replicas they need session affinity",
                ) from again

    def _later(self, goodbye: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(goodbye)
        self._goodbyes.add(task)
        task.add_done_callback(self._goodbyes.discard)

    def _lane(self, target: Target) -> httpx.AsyncBaseTransport:
        """The connections that a target may use. Those for serviceRefs are not lent to urls."""
        if target.in_cluster not in self._lanes:
            self._lanes[target.in_cluster] = self._open(in_cluster=target.in_cluster)
        return self._lanes[target.in_cluster]

    @asynccontextmanager
    async def _private_lane(self, target: Target, line: Line) -> AsyncIterator[None]:
        """Let a line use connections of its own for a while."""
        shared = line.transport
        lane = line.transport = self._open(in_cluster=target.in_cluster)
        try:
            yield
        finally:
            line.transport = shared
            await lane.aclose()

    def _open(self, *, in_cluster: bool) -> AiohttpTransport:
        guard = Guard(self._egress, in_cluster=in_cluster) if self._egress is not None else None
        connector = aiohttp.TCPConnector(
            resolver=self._resolver.guarded(guard),
            socket_factory=guard.socket if guard is not None else None,
            # With a cache, names are looked up in a task that does not know for which request.
            use_dns_cache=False,
            ssl=self._ssl_context,
            keepalive_timeout=KEEP_ALIVE,
            limit=0,
        )
        session = aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            trust_env=False,
            trace_configs=[_tracing()],
        )
        # Without `verify` the transport loads all authorities again, 20 ms each time.
        return AiohttpTransport(client=session, verify=self._ssl_context)


def _never(goodbye: Coroutine[Any, Any, None]) -> None:
    """The connection is closed with the fetch, and the session with it or never."""
    goodbye.close()


def _tracing() -> aiohttp.TraceConfig:
    """Keeps each request's `Dial` up to date."""

    async def connecting(*_: object) -> None:
        DIALLING.get().connecting = True

    async def connected(*_: object) -> None:
        DIALLING.get().connecting = False

    async def reused(*_: object) -> None:
        DIALLING.get().reused = True

    config = aiohttp.TraceConfig()
    config.on_connection_create_start.append(connecting)
    config.on_connection_create_end.append(connected)
    config.on_connection_reuseconn.append(reused)
    return config


def default_ssl_context() -> ssl.SSLContext:
    """The system's authorities, or those of the package `certifi` where the system has none.

    Takes about 20 ms.
    """
    paths = ssl.get_default_verify_paths()
    has_own = any(path and Path(path).exists() for path in (paths.cafile, paths.capath))
    context = ssl.create_default_context(cafile=None if has_own else certifi.where())
    context.set_alpn_protocols(["http/1.1"])
    return context
