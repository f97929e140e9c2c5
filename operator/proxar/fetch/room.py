"""How much of large answers is in memory at once, and where they are read.

Bodies come in over all fetches together, and a text takes many times its size once it is values: a
few servers with huge lists must not end the operator. So each fetch may read `FREE` bytes as it
likes; one that goes on needs a place, and there are few. And since reading a large body takes a
second or more, it is done in a thread: other fetches, the watch and the probes go on meanwhile.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from types import TracebackType
from typing import Any, Self, TypeVar

__all__ = ["FREE", "OFF_LOOP", "Berth", "Room"]

FREE = 2 << 20
"""Bytes that a fetch may read without a place. The largest lists seen in the field are 2.2 MB, the
largest usual ones 0.14 MB. 16 workers are thus bounded by 32 MiB beside the places."""

PLACES = 1
"""Fetches that may read more at the same time.

The hardest 16 MiB within `Limits` take 200 MiB as values (measured); the chart allows 512.
"""

OFF_LOOP = 256 << 10
"""Bytes that are read at once, in the event loop: 15 ms at most."""

THREADS = 2
"""Python runs one at a time; with a second one a small job does not wait for all of a large one."""

Result = TypeVar("Result")


class Room:
    """Shared by all fetches of one fetcher."""

    def __init__(self) -> None:
        self._places = asyncio.Semaphore(PLACES)
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="proxar-read")

    def berth(self) -> "Berth":
        """What one fetch gets of it; enter it for as long as the fetch takes."""
        return Berth(self._places, self._threads)

    def close(self) -> None:
        """Start nothing more."""
        self._threads.shutdown(wait=False, cancel_futures=True)


class Berth:
    """One fetch's part of the room."""

    def __init__(self, places: asyncio.Semaphore, threads: ThreadPoolExecutor) -> None:
        self._places = places
        self._threads = threads
        self._has_place = False
        self.is_waiting = False
        """For a place: at this moment, or when it was cancelled."""
        self._work: set[Future[Any]] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Give the place back: when a thread is still at it, as soon as it is not."""
        if not self._has_place:
            return
        running = [work for work in self._work if not work.done()]
        if not running:
            self._places.release()
            return
        loop = asyncio.get_running_loop()
        # A cancelled fetch has one at most: it waited for it.
        running[0].add_done_callback(lambda _: _release(loop, self._places))

    def needs_place(self, size_bytes: int) -> bool:
        """Whether a fetch that has read so much has to `take_place` first."""
        return size_bytes > FREE and not self._has_place

    async def take_place(self) -> None:
        """Wait for a place, as long as the fetch may take."""
        self.is_waiting = True
        await self._places.acquire()
        self.is_waiting, self._has_place = False, True

    async def run(
        self, size_bytes: int, function: Callable[..., Result], *arguments: object
    ) -> Result:
        """Call a function whose work is that many bytes, here or in a thread."""
        if size_bytes <= OFF_LOOP:
            return function(*arguments)
        work = self._threads.submit(partial(function, *arguments))
        self._work.add(work)
        try:
            return await asyncio.wrap_future(work)
        finally:
            # One that a cancelled fetch leaves behind runs on; see `__exit__`.
            if work.done():
                self._work.discard(work)


def _release(loop: asyncio.AbstractEventLoop, places: asyncio.Semaphore) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(places.release)
