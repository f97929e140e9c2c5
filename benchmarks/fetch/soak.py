"""Memory over many fetches, of which a fifth goes to servers that misbehave in every known way.

What is measured is the memory that the process holds after a collection, with what the allocator
only keeps for later given back. The first fifth of the fetches is warm-up.
"""

import asyncio
import ctypes
import gc
import itertools
import os
from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass

from benchmarks.fetch.processes import resident_bytes
from benchmarks.fetch.server import running
from proxar.controller.memory import one_arena
from proxar.fetch import Era, Fetcher, FetchError, Limits, Target
from tests.support.behaviours import BEHAVIOURS

__all__ = ["MOST_BYTES", "Sample", "growth", "measure", "report"]

MOST_BYTES = 5 << 20
SAMPLES = 20
WARM_UP = 4
"""Samples that do not count."""

AT_ONCE = 32
FAULTS_EACH = 5
"""One fetch of so many goes to a server that misbehaves."""

PATIENCE_SECONDS = 0.5
"""For servers that never answer."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The state of the process after so many fetches."""

    fetches: int
    failed: int
    size_bytes: int
    objects: int
    """That the collector knows."""


def measure(fetches: int) -> list[Sample]:
    """Fetch so many times, and look at memory twenty times meanwhile.

    In a process that has no threads yet: as the operator's, it gets one heap for all of them.
    """
    one_arena()
    return asyncio.run(_measure(fetches))


async def _measure(fetches: int) -> list[Sample]:
    with running() as good, running("benchmarks.fetch.faults") as bad:
        async with AsyncExitStack() as stack:
            fetchers = {
                limits: await stack.enter_async_context(Fetcher(egress=None, limits=limits))
                for limits in {Limits(), *(each.limits for each in BEHAVIOURS.values())}
            }
            fetch = _Fetching(fetchers, good, bad)
            samples = []
            for number in range(1, SAMPLES + 1):
                until = fetches * number // SAMPLES
                await asyncio.gather(*(fetch.many(until) for _ in range(AT_ONCE)))
                samples.append(
                    Sample(fetch.done, fetch.failed, held_bytes(), len(gc.get_objects()))
                )
    return samples


class _Fetching:
    """The servers in turns: four looks at a good one, then one at the next of the bad ones."""

    def __init__(self, fetchers: dict[Limits, Fetcher], good: str, bad: str) -> None:
        self._fetchers = fetchers
        self._good, self._bad = good, bad
        self._next = itertools.count()
        self._faults = itertools.cycle(BEHAVIOURS.values())
        self.done = 0
        self.failed = 0

    async def many(self, until: int) -> None:
        """Fetch until so many are done in all."""
        while self.done < until:
            await self.once()

    async def once(self) -> None:
        """Fetch from the next server."""
        number = next(self._next)
        if number % FAULTS_EACH:
            # Many servers, as an operator has them; now and then one of an unknown era.
            target = Target(f"{self._good}/{number % 1000}")
            fetcher, era = self._fetchers[Limits()], Era.MODERN if number % 3 else None
        else:
            behaviour = next(self._faults)
            target = Target(
                f"{self._bad}/{behaviour.name}/mcp",
                timeout=min(behaviour.timeout, PATIENCE_SECONDS),
                transport=behaviour.transport,
            )
            fetcher, era = self._fetchers[behaviour.limits], behaviour.era
        try:
            await fetcher.fetch(target, era=era)
        except FetchError:
            self.failed += 1
        self.done += 1


def held_bytes() -> int:
    """Resident memory, of garbage and of the allocator's own stock freed first."""
    gc.collect()
    with suppress(OSError, AttributeError):  # other systems have no such function
        ctypes.CDLL(None).malloc_trim(0)
    return resident_bytes(os.getpid())


def growth(samples: Sequence[Sample]) -> int:
    """Bytes by which the last quarter is above the first one after the warm-up, in the mean."""
    counted = samples[WARM_UP:]
    quarter = max(len(counted) // 4, 1)
    first, last = counted[:quarter], counted[-quarter:]
    return round(
        sum(sample.size_bytes for sample in last) / len(last)
        - sum(sample.size_bytes for sample in first) / len(first)
    )


def report(samples: Sequence[Sample]) -> tuple[str, bool]:
    """The table, and whether memory is flat."""
    rows = [("fetches", "failed", "memory", "objects"), ("---",) * 4]
    rows += [
        (
            f"{sample.fetches:,}",
            f"{sample.failed:,}",
            f"{sample.size_bytes / (1 << 20):.1f} MiB",
            f"{sample.objects:,}",
        )
        for sample in samples
    ]
    table = "\n".join("| " + " | ".join(row) + " |" for row in rows)
    grown = growth(samples)
    verdict = (
        f"memory grew by {grown / (1 << 20):.1f} MiB after the warm-up; "
        f"{MOST_BYTES >> 20} MiB are allowed"
    )
    return f"{table}\n\n{verdict}", grown < MOST_BYTES
