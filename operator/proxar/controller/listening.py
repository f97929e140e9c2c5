"""Streams on which servers announce that their tools changed, one for each endpoint that is to be
listened to.

An announcement makes the next look come sooner and does nothing else: polling stays the truth. So a
stream may break, be refused or say nonsense, and nothing is lost but haste. What a server can make
the operator do is bounded: a look a `least_gap`, however often it announces something, a stream an
endpoint, and `MOST_STREAMS` in all.
"""

import asyncio
import logging
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta

from proxar.api import ChangeNotifications, Endpoint, MCPServer
from proxar.controller.targets import target_of
from proxar.errors import FetchError, KubernetesError
from proxar.fetch import Era, Fetcher, NotOffered
from proxar.kube.client import KubeClient

__all__ = ["Hints", "Listeners", "least_gap"]

log = logging.getLogger(__name__)

Key = tuple[str, str]

DEBOUNCE = 1.0
"""Seconds from an announcement to the look. A server that registers ten tools announces ten times.
"""

GAP_SHARE = 20
LEAST_GAP, MOST_GAP = timedelta(seconds=2), timedelta(minutes=1)

MOST_STREAMS = 500
"""Each is a connection, and at an earlier server a session, for as long as it lasts."""

FIRST_BACKOFF, MOST_BACKOFF = 1.0, 300.0
"""Seconds until a stream that broke is opened again, doubled each time."""

STOOD = 60.0
"""Seconds after which a stream that breaks is not blamed for those that broke before it."""

NOT_OFFERED = 3600.0
"""Seconds until a server that announces nothing is asked again: it may have been updated."""


def least_gap(interval: timedelta) -> timedelta:
    """How far apart two looks are at least that a server's announcements bring about."""
    return min(max(interval / GAP_SHARE, LEAST_GAP), MOST_GAP)


class Hints:
    """Turns announcements of one server into looks, soon but not often."""

    def __init__(self, gap: timedelta) -> None:
        self._gap = gap.total_seconds()
        self._due: float | None = None
        """When the last look that a hint asked for is or was due."""

    def delay(self, now: float) -> float | None:
        """Seconds until the look that an announcement at `now` asks for; `None` when one is due
        anyway."""
        if self._due is not None and self._due > now:
            return None
        earliest = now if self._due is None else self._due + self._gap
        self._due = max(now + DEBOUNCE, earliest)
        return self._due - now


@dataclass(frozen=True, slots=True)
class Stream:
    """What is listened to, and the task that does."""

    wanted: tuple[str, str, timedelta, Era]
    """Whose it is and of what: another one is another stream."""
    task: asyncio.Task[None]


class Listeners:
    """All streams of the operator.

    Args:
        look_in: Has a server looked at in so many seconds.
        clock: Counts seconds and never goes back.
    """

    def __init__(
        self,
        client: KubeClient,
        fetcher: Fetcher,
        look_in: Callable[[Key, float], None],
        clock: Callable[[], float],
    ) -> None:
        self._client = client
        self._fetcher = fetcher
        self._look_in = look_in
        self._clock = clock
        self._servers: dict[Key, MCPServer] = {}
        """As they were when they were last looked at."""
        self._streams: dict[Key, dict[str, Stream]] = {}
        self._ending: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        """How many streams are kept."""
        return sum(map(len, self._streams.values()))

    def follow(self, server: MCPServer, eras: Mapping[str, Era]) -> None:
        """After a look: open the streams that the spec wants, and close the others.

        Args:
            eras: Of the endpoints that were reached, by name. One that was not keeps its stream.
        """
        self._servers[server.key] = server
        kept = self._streams.setdefault(server.key, {})
        is_wanted = server.spec.change_notifications is ChangeNotifications.LISTEN
        endpoints = {} if server.spec.suspend or not is_wanted else _by_name(server)
        for name in [name for name in kept if name not in endpoints]:
            self._end(kept.pop(name))
        for name, endpoint in endpoints.items():
            stream = kept.get(name)
            era = eras.get(name) or (stream.wanted[-1] if stream is not None else None)
            if stream is not None and (
                era is None or stream.wanted != _wanted(server, endpoint, era)
            ):
                self._end(kept.pop(name))
            if name in kept or era not in (Era.MODERN, Era.LEGACY):
                continue
            if len(self) >= MOST_STREAMS:
                log.warning("%s/%s: not listened to: there are %d streams", *server.key, len(self))
                continue
            kept[name] = self._start(server, endpoint, era)
        if not kept:
            del self._streams[server.key], self._servers[server.key]

    def stop(self, key: Key) -> None:
        """The server is gone, or is not to be looked at."""
        self._servers.pop(key, None)
        for stream in self._streams.pop(key, {}).values():
            self._end(stream)

    async def aclose(self) -> None:
        """End all streams, with the goodbyes that are due."""
        for key in list(self._streams):
            self.stop(key)
        await asyncio.gather(*self._ending, return_exceptions=True)

    def _start(self, server: MCPServer, endpoint: Endpoint, era: Era) -> Stream:
        name = f"listening to {'/'.join(server.key)} {endpoint.name}"
        task = asyncio.create_task(self._keep(server, endpoint.name, era), name=name)
        return Stream(_wanted(server, endpoint, era), task)

    def _end(self, stream: Stream) -> None:
        self._ending.add(stream.task)
        stream.task.add_done_callback(self._ending.discard)
        stream.task.cancel()

    async def _keep(self, server: MCPServer, name: str, era: Era) -> None:
        """Keep a stream open, again and again, until cancelled."""
        key = server.key
        hints, failures, was_open = Hints(least_gap(server.spec.interval)), 0, False

        def changed() -> None:
            delay = hints.delay(self._clock())
            if delay is not None:
                self._look_in(key, delay)

        def opened() -> None:
            nonlocal was_open
            if was_open:
                changed()  # nobody heard what was announced meanwhile
            was_open = True

        while True:
            started, wait = self._clock(), None
            try:
                server = self._servers[key]
                target = await target_of(self._client, server, _by_name(server)[name])
                await self._fetcher.listen(target, era=era, changed=changed, opened=opened)
            except NotOffered:
                log.info("%s/%s: %s announces no changes", *key, name)
                failures, wait = 0, NOT_OFFERED
            except (FetchError, KubernetesError) as error:
                # The looks tell of what ails the server; this is only about a stream.
                log.debug("%s/%s: listening to %s: %s", *key, name, error)
                wait = error.retry_after if isinstance(error, FetchError) else None
            if self._clock() - started >= STOOD:
                failures = 0
            if wait is None:
                wait = min(FIRST_BACKOFF * 2.0 ** min(failures, 30), MOST_BACKOFF)
                failures += 1
            await asyncio.sleep(wait * random.uniform(1.0, 1.25))  # noqa: S311


def _wanted(server: MCPServer, endpoint: Endpoint, era: Era) -> tuple[str, str, timedelta, Era]:
    spec = server.spec
    return server.metadata.uid, spec.digest_of(endpoint), least_gap(spec.interval), era


def _by_name(server: MCPServer) -> dict[str, Endpoint]:
    return {endpoint.name: endpoint for endpoint in server.spec.endpoints}
