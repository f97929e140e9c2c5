"""Every bound of a fetch, over real sockets: at it, one past it, and the flag that moves it."""

import gzip
import json
from typing import Any

import pytest

from proxar.fetch import Era, Fetched, Fetcher, FetchError, Limits, Reason, Target
from tests.support.conversation import Behaviour, Talk
from tests.support.faultserver import FaultServer


def page(*tools: dict[str, Any]) -> bytes:
    return json.dumps(tools).encode()


def numbered(*numbers: int) -> bytes:
    return page(*({"name": str(number)} for number in numbers))


def nested(levels: int) -> bytes:
    """A tool in an answer that is so deep; answer, result, list and tool are four of them."""
    return b'[{"name":"deep","x":%b1%b}]' % (b"[" * (levels - 4), b"]" * (levels - 4))


async def fetched(limits: Limits, *pages: bytes, packed: bool = False) -> Fetched:
    """Fetch from a server that sends these pages."""

    async def serve(talk: Talk) -> None:
        number = int(talk.cursor or 0)
        more = b',"nextCursor":"%d"' % (number + 1) if number + 1 < len(pages) else b""
        result = b'{"tools":%b%b}' % (pages[number], more)
        body = b'{"jsonrpc":"2.0","id":%d,"result":%b}' % (talk.id, result)
        if packed:
            await talk.send(200, gzip.compress(body), "application/json", Content_Encoding="gzip")
        else:
            await talk.send(200, body, "application/json")

    async with (
        FaultServer(behaviours={"pages": Behaviour("pages", serve, 0)}) as server,
        Fetcher(egress=None, limits=limits) as fetcher,
    ):
        return await fetcher.fetch(Target(server.url("pages")), era=Era.MODERN)


async def refused(limits: Limits, *pages: bytes, packed: bool = False) -> str:
    with pytest.raises(FetchError) as caught:
        await fetched(limits, *pages, packed=packed)
    assert caught.value.reason == Reason.TOO_LARGE
    return caught.value.message


async def test_tools() -> None:
    assert (
        len((await fetched(Limits(tools=6), numbered(0, 1, 2), numbered(3, 4, 5))).tools.tools) == 6
    )

    message = await refused(Limits(tools=5), numbered(0, 1, 2), numbered(3, 4, 5))

    assert "more than 5 tools" in message
    assert "--max-tools" in message


async def test_pages() -> None:
    pages = [numbered(each) for each in range(3)]
    assert len((await fetched(Limits(pages=3), *pages)).tools.tools) == 3

    message = await refused(Limits(pages=2), *pages)

    assert "more than 2 pages" in message
    assert "--max-pages" in message


@pytest.mark.parametrize("packed", [False, True])
async def test_bytes_are_those_that_come_out_of_the_decompressor(packed: bool) -> None:
    long = page({"name": "long", "description": "x" * 3000})
    assert await fetched(Limits(size_bytes=3200), long, packed=packed)

    message = await refused(Limits(size_bytes=2999), long, packed=packed)

    assert "larger than 2999 bytes" in message
    assert "--max-list-bytes" in message


async def test_bytes_are_counted_over_all_pages() -> None:
    pages = [page({"name": name, "description": "x" * 3000}) for name in "ab"]

    assert "--max-list-bytes" in await refused(Limits(size_bytes=5000), *pages)


async def test_values_whatever_their_size() -> None:
    """Small values take a hundred times their bytes of memory."""
    many = page({"name": "many", "x": [1] * 30_000})
    assert await fetched(Limits(values=31_000), many)

    message = await refused(Limits(values=29_000), many)

    assert "more than 29000 JSON values" in message
    assert "--max-values" in message


@pytest.mark.parametrize("limit", [20, 128, 400])
async def test_nesting(limit: int) -> None:
    assert await fetched(Limits(depth=limit), nested(limit))

    message = await refused(Limits(depth=limit), nested(limit + 1))

    assert f"deeper than {limit} levels" in message
    assert "--max-depth" in message


async def test_a_thousand_levels_are_the_end_whatever_the_limit() -> None:
    """There is no flag to recommend then."""
    assert await fetched(Limits(depth=5000), nested(1000))

    message = await refused(Limits(depth=5000), nested(1001))

    assert "deeper than 1000 levels" in message
    assert "--max-depth" not in message


async def test_a_tool_deeper_than_the_proofs_go_is_kept() -> None:
    (tool,) = (await fetched(Limits(), nested(200))).tools.tools

    assert tool.name == "deep"
