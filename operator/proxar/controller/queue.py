"""A work queue with the semantics of client-go's: a key waits once, and is never worked on twice at
a time.

A key added while it is being worked on is worked on once more afterwards. Delays live in one heap;
the earliest wins. Failures back off per key, and a token bucket bounds the retries of all keys
together. Of the keys that ask one host only a few are in work at a time; the others wait aside, so
that a slow host with many keys holds up no other.
"""

import asyncio
import heapq
import itertools
import math
import random
from collections import Counter, deque
from collections.abc import Callable, Hashable
from typing import Generic, Protocol, TypeVar

__all__ = ["BASE_DELAY", "MAX_DELAY", "PER_HOST", "QueueObserver", "WorkQueue"]

PER_HOST = 4
"""Keys of one host in work at a time: a hundred servers behind one gateway are not asked at once.
"""

BASE_DELAY = 0.75
MAX_DELAY = 900.0
"""Seconds of backoff after the first failure, doubled by each further one up to the second number
(as Flux does)."""

LONG_WAIT = 5.0
"""Seconds. Who waits so long is due at a full second of the clock. The keys of one second are then
worked on one after another, which takes two thirds of the processor time that they take one by one
(measured): what the processor needs for it is still at hand.
"""

LEAST_WAIT = 0.001
"""Seconds. The loop adds a wait to its own clock, where less than the last digit of a float is
lost: it would wake before the key is due, and spin until the clock moved on.
"""

RETRY_RATE = 10.0
RETRY_BURST = 100.0
"""Retries a second over all keys, and how many may come at once: client-go's default controller
limits."""

SLACK = 100
"""Places given up that may stay in the heap; of a key with a long interval that is asked for often,
they would be many."""

Key = TypeVar("Key", bound=Hashable)


class QueueObserver(Protocol):
    """What metrics want to know of a queue; times in seconds."""

    def added(self) -> None:
        """A key began to wait."""

    def retried(self) -> None:
        """A key was put back after a failure."""

    def taken(self, waited: float) -> None:
        """A key went into work after waiting so long."""

    def finished(self, worked: float) -> None:
        """A key was worked on for so long."""


class WorkQueue(Generic[Key]):
    """Keys to work on, each at most once in the queue and once in work.

    Belongs to one event loop.

    Args:
        clock: Counts seconds and never goes back.
        hosts: Whom the work on a key asks.
        per_host: How many keys of one host are in work at a time.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        observer: QueueObserver,
        *,
        hosts: Callable[[Key], frozenset[str]] = lambda _: frozenset(),
        per_host: int = PER_HOST,
    ) -> None:
        self._clock = clock
        self._observer = observer
        self._ready: deque[Key] = deque()
        self._since: dict[Key, float] = {}
        self._working: dict[Key, float] = {}
        self._hosts = hosts
        self._per_host = per_host
        self._asked: dict[Key, frozenset[str]] = {}
        """The hosts that the keys in work ask."""
        self._busy: Counter[str] = Counter()
        self._aside: dict[str, deque[Key]] = {}
        """Keys that are due, by a host that has enough of them in work."""
        self._again: set[Key] = set()
        self._due: dict[Key, tuple[float, int, Key]] = {}
        self._heap: list[tuple[float, int, Key]] = []
        self._order = itertools.count()
        self._failures: dict[Key, int] = {}
        self._tokens = RETRY_BURST
        self._refilled = clock()
        self._waiters: deque[asyncio.Future[None]] = deque()
        """Those who wait for a key, for longest first: each key wakes one, not all of them."""
        self._timer: tuple[float, asyncio.TimerHandle] | None = None
        """When the earliest delay ends, while anybody waits for it."""

    @property
    def depth(self) -> int:
        """Keys that wait to be worked on now; delayed ones are not counted."""
        return len(self._ready) + sum(map(len, self._aside.values()))

    def in_work(self) -> dict[Key, float]:
        """Seconds for which each key has been worked on."""
        now = self._clock()
        return {key: now - start for key, start in self._working.items()}

    def add(self, key: Key) -> None:
        """Queue the key now; a delayed place of it is given up."""
        self._due.pop(key, None)
        if key in self._working:
            self._again.add(key)
        elif key not in self._since:
            self._since[key] = self._clock()
            self._ready.append(key)
            self._observer.added()
            self._wake()

    def add_after(self, key: Key, seconds: float) -> None:
        """Queue the key in so many seconds, or sooner if it is due sooner already.

        Never before, and after a long wait up to a second later.
        """
        if seconds <= 0:
            self.add(key)
            return
        due = self._clock() + seconds
        if seconds >= LONG_WAIT:
            due = math.ceil(due)
        if key in self._due and self._due[key][0] <= due:
            return
        place = self._due[key] = (due, next(self._order), key)
        heapq.heappush(self._heap, place)
        if len(self._heap) > 2 * len(self._due) + SLACK:
            self._heap = sorted(self._due.values(), key=lambda place: place[:2])
        if self._waiters:
            self._set_timer()

    def add_failed(self, key: Key) -> float:
        """Queue the key after its backoff and return that in seconds."""
        failures = self._failures.get(key, 0)
        self._failures[key] = failures + 1
        delay = min(BASE_DELAY * 2.0 ** min(failures, 30), MAX_DELAY) + self._bucket_wait()
        self._observer.retried()
        self.add_after(key, delay * random.uniform(1.0, 1.1))  # noqa: S311 - spreads retries, hides nothing
        return delay

    def succeeded(self, key: Key) -> None:
        """Forget the key's failures."""
        self._failures.pop(key, None)

    def forget(self, key: Key) -> None:
        """Drop everything about a key that is gone; a worker that has it finishes."""
        self._due.pop(key, None)
        self._failures.pop(key, None)
        self._again.discard(key)

    async def get(self) -> Key:
        """Wait for a key and take it into work; `done` must follow."""
        while True:
            self._promote()
            while self._ready:
                key = self._ready.popleft()
                if self._take(key):
                    return key
            await self._wait()

    def done(self, key: Key) -> None:
        """Give the key back; it is queued again at once if it was added meanwhile."""
        self._observer.finished(self._clock() - self._working.pop(key))
        for host in self._asked.pop(key):
            self._busy[host] -= 1
            if not self._busy[host]:
                del self._busy[host]
            # All of them: the first may have to wait for another host.
            freed = self._aside.pop(host, ())
            self._ready.extendleft(reversed(freed))
            for _ in freed:
                self._wake()
        if key in self._again:
            self._again.discard(key)
            self.add(key)

    def _take(self, key: Key) -> bool:
        """Take a key into work, or put it aside when one of its hosts has enough of them."""
        hosts = self._hosts(key)
        for host in sorted(hosts):
            if self._busy[host] >= self._per_host:
                self._aside.setdefault(host, deque()).append(key)
                return False
        now = self._clock()
        self._observer.taken(now - self._since.pop(key))
        self._working[key], self._asked[key] = now, hosts
        self._busy.update(hosts)
        return True

    def _promote(self) -> None:
        now = self._clock()
        while self._heap and self._heap[0][0] <= now:
            place = heapq.heappop(self._heap)
            # Entries are not taken out of the heap at once when a place is given up or moved ahead;
            # they are skipped here.
            if self._due.get(place[2]) == place:
                self.add(place[2])

    async def _wait(self) -> None:
        """Wait until there may be a key to take."""
        self._set_timer()
        waiter = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        try:
            await waiter
        except asyncio.CancelledError:
            if waiter in self._waiters:
                self._waiters.remove(waiter)
            elif not waiter.cancelled():
                self._wake()  # it is another one's turn then
            raise

    def _wake(self) -> None:
        """Let one of those who wait look for a key."""
        while self._waiters:
            waiter = self._waiters.popleft()
            if not waiter.done():  # or it was cancelled, and does not know it yet
                waiter.set_result(None)
                return

    def _until_next(self) -> float | None:
        while self._heap and self._due.get(self._heap[0][2]) != self._heap[0]:
            heapq.heappop(self._heap)
        return max(LEAST_WAIT, self._heap[0][0] - self._clock()) if self._heap else None

    def _set_timer(self) -> None:
        """Come back when the earliest delay ends."""
        wait = self._until_next()
        earliest = self._heap[0][0] if self._heap else None
        if self._timer is not None:
            if self._timer[0] == earliest:
                return
            self._timer[1].cancel()
            self._timer = None
        if earliest is not None and wait is not None:
            handle = asyncio.get_running_loop().call_later(wait, self._time_is_up)
            self._timer = earliest, handle

    def _time_is_up(self) -> None:
        self._timer = None
        self._promote()
        if self._waiters:
            self._set_timer()

    def _bucket_wait(self) -> float:
        now = self._clock()
        self._tokens = min(RETRY_BURST, self._tokens + (now - self._refilled) * RETRY_RATE)
        self._refilled = now
        self._tokens -= 1
        return max(0.0, -self._tokens / RETRY_RATE)
