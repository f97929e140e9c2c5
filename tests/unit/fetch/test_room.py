"""Large lists: few at a time, read in a thread, and no burden to others."""

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from proxar.fetch import Era, Fetcher, FetchError, Limits, Reason, Target
from proxar.fetch import room as module
from proxar.fetch.room import FREE, OFF_LOOP, Room
from tests.support.conversation import Behaviour, Talk
from tests.support.faultserver import FaultServer

LONGEST_STALL = 3.0
"""Seconds. An idle machine needs a tenth; read in the loop, the same lists take many times that."""


def a_large_list() -> bytes:
    """As large and as hard as the limits allow: 16 MiB, and a million values."""
    values = b'{"":0},' * 300_000
    text = b"x" * ((15 << 20) - len(values))
    return b'[{"name":"a","description":"%b","inputSchema":{"x":[%b0]}}]' % (text, values)


@asynccontextmanager
async def serving(**lists: bytes) -> AsyncIterator[FaultServer]:
    """Serve each list under its name, as a server of 2026-07-28."""

    def behaviour(name: str, tools: bytes) -> Behaviour:
        async def serve(talk: Talk) -> None:
            body = b'{"jsonrpc":"2.0","id":%d,"result":{"tools":%b}}' % (talk.id, tools)
            await talk.send(200, body, "application/json")

        return Behaviour(name, serve, 1)

    async with FaultServer(
        behaviours={name: behaviour(name, tools) for name, tools in lists.items()}
    ) as server:
        yield server


async def test_the_loop_goes_on_while_a_large_list_is_read() -> None:
    """Other fetches, the watch and the probes of the kubelet all live in it."""
    stalls: list[float] = []

    async def watch() -> None:
        while True:
            before = time.perf_counter()
            await asyncio.sleep(0.01)
            stalls.append(time.perf_counter() - before)

    async with (
        serving(large=a_large_list(), small=b'[{"name":"b"}]') as server,
        Fetcher(egress=None) as fetcher,
    ):
        watching = asyncio.create_task(watch())
        large = asyncio.create_task(
            fetcher.fetch(Target(server.url("large"), timeout=200), era=Era.MODERN)
        )
        others = 0
        while not large.done():
            await fetcher.fetch(Target(server.url("small"), timeout=60), era=Era.MODERN)
            others += 1
        watching.cancel()

    assert len(large.result().tools.tools) == 1
    assert others > 10
    assert max(stalls) < LONGEST_STALL


async def test_large_lists_come_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """And each is complete."""
    monkeypatch.setattr(module, "FREE", 100_000)
    lists = {
        name: json.dumps([{"name": name, "description": "x" * 400_000}]).encode() for name in "abcd"
    }
    async with serving(**lists) as server, Fetcher(egress=None) as fetcher:
        found = await asyncio.gather(
            *(fetcher.fetch(Target(server.url(name)), era=Era.MODERN) for name in lists)
        )

    assert [fetched.tools.tools[0].name for fetched in found] == list(lists)


async def test_who_waits_for_a_place_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FREE", 100_000)
    async with (
        serving(large=json.dumps([{"name": "x" * 200_000}]).encode()) as server,
        Fetcher(egress=None) as fetcher,
    ):
        with fetcher._room.berth() as taken:
            await taken.take_place()
            with pytest.raises(FetchError) as caught:
                await fetcher.fetch(Target(server.url("large"), timeout=0.3), era=Era.MODERN)
        again = await fetcher.fetch(Target(server.url("large")), era=Era.MODERN)

    assert caught.value.reason == Reason.TIMEOUT
    assert "waiting until other large lists are read" in caught.value.message
    assert len(again.tools.tools) == 1


async def test_a_fetch_that_fails_gives_its_place_back() -> None:
    many = b"[" + b'"xxxxxxxxxxxx",' * 300_000 + b"1]"
    async with (
        serving(large=many) as server,
        Fetcher(egress=None, limits=Limits(tools=5)) as fetcher,
    ):
        for _ in range(3):
            with pytest.raises(FetchError, match="more than 5 tools"):
                await fetcher.fetch(Target(server.url("large"), timeout=60), era=Era.MODERN)


async def test_small_things_are_done_at_once_and_large_ones_in_a_thread() -> None:
    room = Room()
    with room.berth() as berth:
        small = await berth.run(OFF_LOOP, threading.current_thread)
        large = await berth.run(OFF_LOOP + 1, threading.current_thread)
    room.close()

    assert small is threading.main_thread()
    assert large.name.startswith("proxar-read")


async def test_only_what_goes_beyond_the_free_part_needs_a_place() -> None:
    room = Room()
    with room.berth() as berth:
        assert not berth.needs_place(FREE)
        assert berth.needs_place(FREE + 1)
        await berth.take_place()
        assert not berth.needs_place(FREE + 1)
    room.close()


async def test_a_place_is_free_again_only_when_the_thread_is_done() -> None:
    """A thread cannot be stopped, and what it reads stays in memory until it ends."""
    room = Room()
    go_on = threading.Event()

    async def cut_short() -> None:
        with room.berth() as berth:
            await berth.take_place()
            await berth.run(FREE + 1, go_on.wait)

    task = asyncio.create_task(cut_short())
    await asyncio.sleep(0.05)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)

    with room.berth() as berth:
        waiting = asyncio.create_task(berth.take_place())
        await asyncio.sleep(0.05)
        assert not waiting.done()
        go_on.set()
        await waiting
    room.close()
