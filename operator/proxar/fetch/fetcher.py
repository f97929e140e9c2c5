"""Reads the tool list of any MCP server: one object that owns all connections."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, nullcontext
from dataclasses import replace
from functools import partial
from types import TracebackType
from typing import Any, Self

from proxar import __version__
from proxar.errors import FetchError
from proxar.fetch.auth.credentials import ClientCredentials
from proxar.fetch.auth.tokens import Tokens
from proxar.fetch.egress import EgressPolicy, Guard, LookUp, Resolver, look_up
from proxar.fetch.exchange.body import Budget
from proxar.fetch.exchange.http import Line
from proxar.fetch.exchange.reading import Reading
from proxar.fetch.exchange.wire import Wire
from proxar.fetch.identity import Identity
from proxar.fetch.lanes import Lane, Lanes
from proxar.fetch.listen import LONGEST, STREAM_LIMITS, listen
from proxar.fetch.pool import Connector, Pool
from proxar.fetch.reasons import Reason, failure
from proxar.fetch.recall import Recall
from proxar.fetch.redirects import Redirects
from proxar.fetch.room import Room
from proxar.fetch.target import Era, Fetched, Limits, Target
from proxar.fetch.tls import Contexts, default_ssl_context

__all__ = ["Fetcher", "default_ssl_context"]

KEEP_ALIVE = 15.0
"""Seconds that an idle connection is kept.

Long enough for pages, handshakes and short intervals. Not longer, since behind a Service each new
connection may reach another replica, and a replica with another list has to be noticed some day.
"""

WAITING_FOR_TOKEN = "waiting for a token"  # noqa: S105 - a phase, not a secret


class Fetcher:
    """Fetches tool lists over connections that it keeps alive and owns.

    No cookies, no proxies from the environment, one TLS context for all who want nothing special.
    No connection and no token of one identity is ever used for another. Use it as an async context
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
        self._contexts = Contexts(ssl_context)
        self._resolver = Resolver(look_up)
        self._room = Room()
        self._recall = Recall()
        self._redirects = Redirects()
        self._lanes = Lanes(self._open)
        self._tokens = Tokens(self._lanes, user_agent)
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
        await self._tokens.aclose()
        await self._lanes.aclose()
        await self._resolver.close()
        self._room.close()

    async def fetch(
        self, target: Target, *, era: Era | None = None, fresh: bool = False
    ) -> Fetched:
        """Read every page of ``tools/list``.

        Complete or nothing. The order is the server's, and an empty list is a list.

        Args:
            era: The era that an earlier `Fetched` told. It is kept unless the server itself gives
                evidence of another; a server that is down, slow or refuses us never does. Without
                it the server is probed, which costs one request more.
            fresh: Over a new connection, which behind a Service may lead to another replica.

        Raises:
            FetchError: With a `Reason`. Nothing else but cancellation comes out.
        """
        with self._room.berth() as berth:
            budget = Budget(self._limits, berth, self._recall)
            return await self._fetch(target, era, budget, fresh=fresh)

    async def listen(
        self, target: Target, *, era: Era, changed: Callable[[], None], opened: Callable[[], None]
    ) -> None:
        """Hear over a connection of its own that a server's tools changed, until the stream ends.

        Args:
            opened: Called once the server will announce changes; until then the target's timeout
                runs.
            changed: Called at each announcement. It is a hint, and anybody may send it.

        Raises:
            NotOffered: The server does not announce changes.
            FetchError: With a `Reason`.
        """
        pool = self._open(self._identity(target))
        line = Line(pool, target, self._user_agent)
        loop = asyncio.get_running_loop()
        deadline = loop.time() + target.timeout
        try:
            with self._room.berth() as berth:
                wire = Wire(line, Budget(STREAM_LIMITS, berth), deadline=deadline)
                async with asyncio.timeout_at(deadline) as clock:

                    def is_open() -> None:
                        clock.reschedule(loop.time() + LONGEST)
                        opened()

                    await self._listen_as_client(
                        self._client(target),
                        wire,
                        partial(listen, wire, era, opened=is_open, changed=changed),
                    )
        except TimeoutError:
            if not clock.expired():
                raise
            raise failure(
                Reason.TIMEOUT, f"{line.label} was listened to for long, while {wire.phase}"
            ) from None
        finally:
            await pool.aclose()

    async def _fetch(
        self, target: Target, era: Era | None, budget: Budget, *, fresh: bool
    ) -> Fetched:
        with self._lanes.lend(self._identity(target)) as lane:
            return await self._fetch_over(lane, target, era, budget, fresh=fresh)

    async def _fetch_over(
        self, lane: Lane, target: Target, era: Era | None, budget: Budget, *, fresh: bool
    ) -> Fetched:
        wire = self._wire(lane, target, budget)
        alone = partial(self._private_lane, target, wire.line)
        reading = Reading(wire, target, alone, partial(self._later, target))
        try:
            async with (
                asyncio.timeout(target.timeout) as clock,
                alone() if fresh else nullcontext(),
            ):
                return await self._redirects.read(
                    target,
                    wire.line,
                    partial(self._read_as_client, reading, wire, self._client(target), era),
                )
        except TimeoutError:
            if not clock.expired():
                raise
            raise failure(
                Reason.TIMEOUT,
                f"{wire.label} took longer than {target.timeout:g} s while {reading.phase}; "
                "raise the timeout if it is always that slow",
            ) from None

    async def _read_as_client(
        self, reading: Reading, wire: Wire, client: ClientCredentials | None, era: Era | None
    ) -> Fetched:
        """Read with a token where one is wanted; one that the server refuses is renewed, once."""
        if client is None:
            return await reading.read(era)
        wire.activity = WAITING_FOR_TOKEN
        wire.line.authorize(token := await self._tokens.token(client))
        try:
            return await reading.read(era)
        except FetchError as error:
            if error.reason != Reason.UNAUTHORIZED:
                raise
            refusal = error
        wire.activity = WAITING_FOR_TOKEN
        renewed = await self._tokens.token(client, instead_of=token)
        if renewed == token:
            raise refusal
        wire.line.authorize(renewed)
        return await reading.read(era)

    async def _listen_as_client(
        self,
        client: ClientCredentials | None,
        wire: Wire,
        listen_: Callable[[], Awaitable[None]],
    ) -> None:
        """Listen with a token where one is wanted; the next time with another, if it is refused."""
        if client is None:
            return await listen_()
        wire.activity = WAITING_FOR_TOKEN
        wire.line.authorize(token := await self._tokens.token(client))
        try:
            await listen_()
        except FetchError as error:
            if error.reason == Reason.UNAUTHORIZED:
                await self._tokens.token(client, instead_of=token)
            raise

    def _wire(self, lane: Lane, target: Target, budget: Budget) -> Wire:
        line = Line(lane.pool, target, self._user_agent)
        now = asyncio.get_running_loop().time()
        return Wire(line, budget, deadline=now + target.timeout)

    def _later(self, target: Target, goodbye: Coroutine[Any, Any, None]) -> None:
        lane = self._lanes.take(self._identity(target))
        task = asyncio.create_task(goodbye)
        self._goodbyes.add(task)
        task.add_done_callback(self._goodbyes.discard)
        task.add_done_callback(lambda _: self._lanes.give_back(lane))

    @asynccontextmanager
    async def _private_lane(self, target: Target, line: Line) -> AsyncIterator[None]:
        """Let a line use connections of its own for a while."""
        shared = line.pool
        own = line.pool = self._open(self._identity(target))
        try:
            yield
        finally:
            line.pool = shared
            await own.aclose()

    def _identity(self, target: Target) -> Identity:
        """Whose connections it may use. Those for serviceRefs are not lent to urls, but where the
        policy opens the Service ranges to the urls of its namespace."""
        opens = self._opens_services(target)
        return replace(target, in_cluster=True).identity if opens else target.identity

    def _client(self, target: Target) -> ClientCredentials | None:
        """Its credentials; the token endpoint may be where a url of the namespace may be."""
        client = target.client
        return (
            replace(client, in_cluster=True) if client and self._opens_services(target) else client
        )

    def _opens_services(self, target: Target) -> bool:
        return self._egress is not None and self._egress.opens_services(target.namespace)

    def _open(self, identity: Identity) -> Pool:
        """New connections for one identity."""
        policy, in_cluster = self._egress, identity.in_cluster
        guard = Guard(policy, in_cluster=in_cluster) if policy is not None else None
        return Pool(
            Connector(
                resolver=self._resolver.guarded(guard),
                socket_factory=guard.socket if guard is not None else None,
                # With a cache, names are looked up in a task that does not know for which request.
                use_dns_cache=False,
                ssl=self._contexts.of(identity.tls),
                keepalive_timeout=KEEP_ALIVE,
                limit=0,
            )
        )
