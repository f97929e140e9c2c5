"""Real servers, polled again and again: always the same list, or a fault that says why not."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from proxar.fetch import Era, Fetched, Fetcher, FetchError, Reason, Target
from proxar.fetch.stdio import fetch_command
from tests.servers.process import ServerProcess
from tests.servers.programs import Program, everything, fastmcp, sdk
from tests.support.droppingproxy import DroppingProxy

POLLS = 20

SERVERS: dict[str, tuple[Callable[[], Program], str, str, int]] = {
    "everything": (everything, "StreamableHTTP", "2025-11-25", 13),
    "everything, SSE": (lambda: everything("sse"), "SSE", "2025-11-25", 13),
    "FastMCP 2": (lambda: fastmcp("2.14.7"), "StreamableHTTP", "2025-11-25", 4),
    "FastMCP 3": (lambda: fastmcp("3.4.11"), "StreamableHTTP", "2025-11-25", 4),
    "FastMCP 4": (lambda: fastmcp("4.2.3"), "StreamableHTTP", "2026-07-28", 4),
    "SDK 1": (lambda: sdk("1.30.0"), "StreamableHTTP", "2025-11-25", 2),
    "SDK 1, SSE": (lambda: sdk("1.30.0", "sse"), "SSE", "2025-11-25", 2),
    "SDK 2": (lambda: sdk("2.3.0"), "StreamableHTTP", "2026-07-28", 2),
    "SDK 2, SSE": (lambda: sdk("2.3.0", "sse"), "SSE", "2025-11-25", 2),
}
"""How it is run, and what comes of it: transport, protocol version, number of tools."""

STDIO: dict[str, tuple[Callable[[], Program], str, int]] = {
    "everything": (lambda: everything("stdio"), "2025-11-25", 13),
    "SDK 1": (lambda: sdk("1.30.0", "stdio"), "2025-11-25", 2),
    "SDK 2": (lambda: sdk("2.3.0", "stdio"), "2026-07-28", 2),
}

DROPPED = {Reason.CONNECT_FAILED, Reason.TRUNCATED_RESPONSE}


@pytest.mark.parametrize(
    ("program", "transport", "version", "tools"), SERVERS.values(), ids=SERVERS
)
async def test_every_poll_gives_the_same_list(
    tmp_path: Path, program: Callable[[], Program], transport: str, version: str, tools: int
) -> None:
    """Kept-alive connections and a remembered era, as in the operator.

    Then without either, through a proxy that drops every third connection: a poll may fail with a
    reason that says so, and never with another, nor with another list.
    """
    started = await asyncio.to_thread(program)
    with ServerProcess(started, tmp_path) as real:
        first = await polled(real.url, None)
        assert (first.transport, first.protocol_version) == (transport, version)
        assert len(first.tools.tools) == tools

        async with Fetcher(egress=None) as fetcher:
            target = Target(real.url, timeout=30)
            again = [await fetcher.fetch(target, era=first.era) for _ in range(POLLS)]
        assert {each.tools.hash for each in again} == {first.tools.hash}
        assert {each.era for each in again} == {first.era}

        async with DroppingProxy(real.port, seed=POLLS) as proxy:
            url = f"http://127.0.0.1:{proxy.port}{real.program.path}"
            found = [await polled_or_fault(url, first.era) for _ in range(POLLS)]

    assert proxy.dropped
    faults = {each.reason for each in found if isinstance(each, FetchError)}
    lists = {each.tools.hash for each in found if isinstance(each, Fetched)}
    assert faults <= DROPPED
    assert lists == {first.tools.hash}


@pytest.mark.parametrize(("program", "version", "tools"), STDIO.values(), ids=STDIO)
async def test_a_command_gives_the_list_too(
    tmp_path: Path, program: Callable[[], Program], version: str, tools: int
) -> None:
    """What `proxar snapshot -- COMMAND…` does."""
    command = (await asyncio.to_thread(program)).command(0, tmp_path)

    found = [await fetch_command(command, timeout=60) for _ in range(2)]

    assert {each.protocol_version for each in found} == {version}
    assert [len(each.tools.tools) for each in found] == [tools, tools]
    assert len({each.tools.hash for each in found}) == 1


async def polled(url: str, era: Era | None) -> Fetched:
    """Poll once, over connections of its own."""
    async with Fetcher(egress=None) as fetcher:
        return await fetcher.fetch(Target(url, timeout=30), era=era)


async def polled_or_fault(url: str, era: Era) -> Fetched | FetchError:
    try:
        return await polled(url, era)
    except FetchError as error:
        return error
