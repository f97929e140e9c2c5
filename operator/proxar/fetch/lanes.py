"""Connections by identity: what one set of credentials opened, no other ever uses.

A lane is a pool of kept-alive connections. Targets without credentials share one.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from proxar.fetch.identity import Identity
from proxar.fetch.pool import Pool

__all__ = ["IDLE_LANES", "IDLE_SECONDS", "Lane", "Lanes"]

IDLE_SECONDS = 30.0
"""After which an idle lane is forgotten. Its connections were closed after half of that."""

IDLE_LANES = 256
"""Kept at a time; those idle for longest go first."""


@dataclass(slots=True)
class Lane:
    """A pool of connections, and how many use it."""

    digest: bytes
    """Of its identity."""
    pool: Pool
    users: int = 0
    idle_since: float = 0.0
    """The event loop's time; of a lane without users."""


class Lanes:
    """All lanes of one fetcher."""

    def __init__(self, open_: Callable[[Identity], Pool]) -> None:
        self._open = open_
        self._lanes: dict[bytes, Lane] = {}
        self._idle: OrderedDict[bytes, Lane] = OrderedDict()
        """Those of `_lanes` without users, idle for longest first."""
        self._closing: set[asyncio.Task[None]] = set()
        self._timer: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        return len(self._lanes)

    @contextmanager
    def lend(self, identity: Identity) -> Iterator[Lane]:
        """The lane of an identity. It stays open as long as anybody has it."""
        lane = self.take(identity)
        try:
            yield lane
        finally:
            self.give_back(lane)

    def take(self, identity: Identity) -> Lane:
        """The lane of an identity, with one user more until `give_back`."""
        lane = self._lanes.get(identity.digest)
        if lane is None:
            lane = Lane(identity.digest, self._open(identity))
            self._lanes[identity.digest] = lane
        lane.users += 1
        self._idle.pop(lane.digest, None)
        return lane

    def give_back(self, lane: Lane) -> None:
        """One user less; with the last one the clock starts."""
        lane.users -= 1
        if not lane.users and lane.digest in self._lanes:
            lane.idle_since = asyncio.get_running_loop().time()
            self._idle[lane.digest] = lane
            self._forget_idle()

    async def aclose(self) -> None:
        """Close all of them, used or not."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for lane in self._lanes.values():
            self._close(lane)
        self._lanes.clear()
        self._idle.clear()
        await asyncio.gather(*self._closing)

    def _forget_idle(self) -> None:
        loop = asyncio.get_running_loop()
        oldest = loop.time() - IDLE_SECONDS
        while self._idle:
            first = next(iter(self._idle.values()))
            if len(self._idle) <= IDLE_LANES and first.idle_since > oldest:
                break
            del self._idle[first.digest], self._lanes[first.digest]
            self._close(first)
        if self._idle and self._timer is None:
            self._timer = loop.call_later(IDLE_SECONDS, self._time_is_up)

    def _time_is_up(self) -> None:
        self._timer = None
        self._forget_idle()

    def _close(self, lane: Lane) -> None:
        task = asyncio.get_running_loop().create_task(lane.pool.aclose())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)
