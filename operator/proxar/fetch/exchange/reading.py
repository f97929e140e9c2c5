"""One fetch from one server: in which era it is asked, over what, and what changes that."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from typing import Any

from proxar.errors import FetchError
from proxar.fetch.exchange.channel import Channel
from proxar.fetch.exchange.httpsse import EventStream
from proxar.fetch.exchange.legacy import read_legacy
from proxar.fetch.exchange.modern import discover, read_modern
from proxar.fetch.exchange.turn import Listing, OtherEra, OtherTransport, SessionLost
from proxar.fetch.exchange.wire import Wire
from proxar.fetch.reasons import Reason, failure
from proxar.fetch.target import Era, Fetched, Target, Transport

__all__ = ["Reading", "fetched"]

PROBE_SHARE = 0.5
"""Part of the time that the probe of an unknown server may take.

Some servers of earlier versions never answer it.
"""

SPEAKS_FOR_ITSELF = frozenset(
    {Reason.UNAUTHORIZED, Reason.FORBIDDEN, Reason.RATE_LIMITED, Reason.SERVER_ERROR}
)
"""What a GET may fail with that says more than the refused POST before it."""


class Reading:
    """Asks one server for its list.

    Args:
        alone: Lets the wire's line use connections of its own for a while.
        later: Takes over a goodbye that there is no time left for.
    """

    def __init__(
        self,
        wire: Wire,
        target: Target,
        alone: Callable[[], AbstractAsyncContextManager[None]],
        later: Callable[[Coroutine[Any, Any, None]], None],
    ) -> None:
        self._wire = wire
        self._target = target
        self._alone = alone
        self._later = later
        self._stream: EventStream | None = None

    @property
    def phase(self) -> str:
        """What a timeout would interrupt just now."""
        if self._wire.budget.berth.is_waiting:
            return "waiting until other large lists are read"
        return self._wire.phase if self._stream is None else self._stream.phase

    async def read(self, era: Era | None) -> Fetched:
        """Read the list in the era that is known, or in the one that the server turns out to be of.

        Raises:
            FetchError: There is no complete list.
        """
        try:
            match self._target.transport:
                case Transport.SSE:
                    return await self._read_sse()
                case Transport.STREAMABLE_HTTP:
                    era = None if era is Era.SSE else era
                    return await self._read_streamable(era)
            if era is Era.SSE:
                return await self._read_known_sse()
            return await self._read_unknown() if era is None else await self._read_streamable(era)
        except (OtherEra, OtherTransport) as turn:
            raise turn.fault from None

    async def _read_unknown(self) -> Fetched:
        """Try streamable HTTP, then HTTP+SSE: but only if nothing at all takes a POST."""
        try:
            return await self._read_streamable(None)
        except OtherTransport as turn:
            try:
                return await self._read_sse(is_try=True)
            except OtherTransport:
                raise turn.fault from None

    async def _read_known_sse(self) -> Fetched:
        try:
            return await self._read_sse()
        except OtherTransport as turn:
            try:
                return await self._read_streamable(None)
            except (FetchError, OtherEra, OtherTransport):
                # The evidence was none: what the server said first is what ails it.
                raise turn.fault from None

    async def _read_streamable(self, era: Era | None) -> Fetched:
        """Raises `OtherTransport` if neither the probe nor initialize was taken."""
        first, takes_post = (era, True) if era is not None else await self._first_contact()
        try:
            return await self._read_as(first)
        except OtherEra as turn:
            other = Era.LEGACY if first is Era.MODERN else Era.MODERN
            try:
                return await self._read_as(other)
            except (FetchError, OtherEra, OtherTransport):
                raise turn.fault from None
        except OtherTransport as turn:
            if takes_post:
                raise turn.fault from None
            raise

    async def _first_contact(self) -> tuple[Era, bool]:
        """The era of a server that nothing is known of, and whether it takes requests by POST."""
        try:
            if not await self._probe(self._target.timeout * PROBE_SHARE):
                await discover(self._wire)
        except OtherEra as turn:
            return Era.LEGACY, not turn.takes_no_post
        return Era.MODERN, True

    async def _probe(self, seconds: float) -> bool:
        """Whether the server turned out to be modern; ``False`` when there is no connection yet.

        Raises:
            OtherEra: It turned out to be legacy, or took the request and stayed silent.
        """
        try:
            async with asyncio.timeout(seconds) as clock:
                await discover(self._wire)
        except TimeoutError:
            if not clock.expired():
                raise
            if self._wire.line.is_connecting:
                return False
            raise OtherEra(
                failure(Reason.TIMEOUT, f"{self._wire.label} does not answer server/discover")
            ) from None
        return True

    async def _read_as(self, era: Era) -> Fetched:
        listing = await read_modern(self._wire) if era is Era.MODERN else await self._read_legacy()
        return await fetched(self._wire, listing, Transport.STREAMABLE_HTTP, era)

    async def _read_legacy(self) -> Listing:
        """Read through a session, and once more if the server forgets it.

        The second time on one new connection that nobody else uses: behind a Service each
        connection may reach another replica, and most servers keep sessions in memory.
        """
        try:
            return await read_legacy(self._wire, self._later)
        except SessionLost:
            pass  # so that nothing of it is chained to what comes next
        async with self._alone():
            try:
                return await read_legacy(self._wire, _never)
            except SessionLost as again:
                raise _without_affinity(again) from again

    async def _read_sse(self, *, is_try: bool = False) -> Fetched:
        """Read over an event stream, and once more if the POST finds no session of it."""
        try:
            return await self._read_stream(is_try=is_try)
        except SessionLost:
            pass
        async with self._alone():
            try:
                return await self._read_stream()
            except SessionLost as again:
                raise _without_affinity(again) from again

    async def _read_stream(self, *, is_try: bool = False) -> Fetched:
        stream = await (self._try_open() if is_try else self._open())
        self._stream = stream
        try:
            # Nearly all servers of this transport know initialize and nothing else. Those that
            # know both give the list that clients of this transport get.
            try:
                listing = await read_legacy(stream, _never)
            except OtherEra as turn:
                try:
                    listing = await read_modern(stream)
                except OtherEra:
                    raise turn.fault from None
            except OtherTransport as turn:
                raise turn.fault from None
            return await fetched(stream, listing, Transport.SSE, Era.SSE)
        finally:
            await stream.aclose()

    async def _open(self) -> EventStream:
        self._wire.activity = "waiting for the event stream to begin"
        return await EventStream.open(self._wire.line, self._wire.budget)

    async def _try_open(self) -> EventStream:
        """Open a stream that may not be there; only what speaks for itself is told."""
        left = self._wire.deadline - asyncio.get_running_loop().time()
        nothing = failure(Reason.TIMEOUT, f"{self._wire.label} opens no event stream")
        try:
            async with asyncio.timeout(left * PROBE_SHARE):
                return await self._open()
        except TimeoutError:
            raise OtherTransport(nothing) from None
        except FetchError as error:
            if error.reason in SPEAKS_FOR_ITSELF:
                raise
            raise OtherTransport(error) from None


async def fetched(channel: Channel, listing: Listing, transport: str, era: Era) -> Fetched:
    """Make of a listing what the caller gets."""
    name, version = listing.server
    return Fetched(
        tools=await channel.budget.hash(listing.tools, listing.protocol_version),
        protocol_version=listing.protocol_version,
        server_name=name,
        server_version=version,
        transport=str(transport),
        era=era,
    )


def _without_affinity(again: SessionLost) -> FetchError:
    return failure(
        Reason(again.fault.reason),
        f"{again.fault.message}; it forgets its sessions, so if it has "
        "several replicas they need session affinity",
    )


def _never(goodbye: Coroutine[Any, Any, None]) -> None:
    """The connection is closed with the fetch, and the session with it or never."""
    goodbye.close()
