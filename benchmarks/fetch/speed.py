"""Fetches a second and processor time a fetch: all clients in turns, in one process."""

import asyncio
import time
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass

from benchmarks.fetch.clients import CLIENTS, OURS, RAW, Fetch
from benchmarks.fetch.server import TOOLS, running

__all__ = ["MOST", "Run", "measure", "report"]

ROUNDS = 6

AT_ONCE = (1, 16)
MOST = 2.5
"""Times the processor time of raw aiohttp that the fetcher may take, where both hash."""

BARE = "/empty"
FULL = "/new"
SAME = "/same"


@dataclass(frozen=True, slots=True)
class Run:
    """The best of all rounds: a busy machine makes some worse, and none better."""

    per_second: float
    processor: float
    """Seconds a fetch, of the client's process alone."""


Key = tuple[str, str, int]
"""Client, path, and how many fetches at once."""


def measure(fetches: int) -> dict[Key, Run]:
    """Measure every client on both paths, so many fetches in each round."""
    return asyncio.run(_measure(fetches))


async def _measure(fetches: int) -> dict[Key, Run]:
    best: dict[Key, Run] = {}
    with running() as server:
        for path in (FULL, BARE, SAME):
            async with AsyncExitStack() as stack:
                clients = {
                    name: await stack.enter_async_context(client(server + path))
                    for name, client in CLIENTS.items()
                }
                hashes = {await fetch() for fetch in clients.values()}
                assert len(hashes) == 1, "the clients do not agree on the list"
                for _ in range(ROUNDS):
                    for at_once in AT_ONCE:
                        for name, fetch in clients.items():
                            run = await _run(fetch, fetches, at_once)
                            key = (name, path, at_once)
                            best[key] = _better(run, best.get(key, run))
    return best


async def _run(fetch: Fetch, fetches: int, at_once: int) -> Run:
    async def some() -> None:
        for _ in range(-(-fetches // at_once)):
            await fetch()

    processor, wall = time.process_time(), time.perf_counter()
    await asyncio.gather(*(some() for _ in range(at_once)))
    done = -(-fetches // at_once) * at_once
    return Run(done / (time.perf_counter() - wall), (time.process_time() - processor) / done)


def _better(one: Run, other: Run) -> Run:
    return Run(max(one.per_second, other.per_second), min(one.processor, other.processor))


def report(runs: Mapping[Key, Run]) -> tuple[str, bool]:
    """The table, and whether the fetcher keeps its promise."""
    parts = [f"{many} at once" for many in AT_ONCE]
    header = ("client", *(f"{what}, {part}" for part in parts for what in COLUMNS))
    rows = [header, tuple("---" for _ in header)]
    for name in CLIENTS:
        row = [name]
        for many in AT_ONCE:
            row.append(f"{runs[name, FULL, many].per_second:,.0f}")
            for path in (FULL, SAME, BARE):
                own, least = runs[name, path, many], runs[RAW, path, many]
                row.append(
                    f"{own.processor * 1000:.2f} ms ({own.processor / least.processor:.2f}x)"
                )
        rows.append(tuple(row))
    worst = max(
        runs[OURS, FULL, many].processor / runs[RAW, FULL, many].processor for many in AT_ONCE
    )
    table = "\n".join("| " + " | ".join(row) + " |" for row in rows)
    verdict = f"{OURS} takes {worst:.2f} times the processor of {RAW}; {MOST} are allowed"
    return f"{table}\n\n{NOTES}\n\n{verdict}", worst <= MOST


COLUMNS = ("fetches/s", "CPU", "CPU of same bytes", "CPU of empty")

NOTES = f"""\
The best of {ROUNDS} rounds over kept-alive connections; a list of {TOOLS} tools from a server in
another process. CPU is the client's, a fetch: exchange, strict reading, canonical form and hash,
the same function for all. Of same bytes: the answer is the one before, as it nearly always is, and
{OURS} does not read it again. Of empty: no tools, so little more than the exchange."""
