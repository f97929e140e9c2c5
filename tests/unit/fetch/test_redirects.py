"""A redirect within the server is followed once, and then remembered for as long as it holds."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from proxar.fetch import Era, Fetcher, FetchError, Reason, Target
from proxar.fetch import redirects as module
from tests.support.conversation import Behaviour, Talk
from tests.support.faultserver import FaultServer


class Moving:
    """Serves one path, and redirects the others to it."""

    def __init__(self) -> None:
        self.home = "/moving/mcp/"
        self.is_gone = False
        self.is_down = False

    async def serve(self, talk: Talk) -> None:
        if self.is_down:
            await talk.send(500)
        elif talk.path == self.home:
            await talk.result(talk.tools())
        elif self.is_gone and talk.path.endswith("mcp/"):
            await talk.send(404)
        else:
            await talk.send(307, Location=self.home)


@pytest.fixture
def moving() -> Moving:
    return Moving()


@pytest_asyncio.fixture
async def server(moving: Moving) -> AsyncIterator[FaultServer]:
    behaviours = {"moving": Behaviour("moving", moving.serve, 2)}
    async with FaultServer(behaviours=behaviours) as server:
        yield server


async def paths(server: FaultServer, fetcher: Fetcher, *headers: tuple[str, str]) -> list[str]:
    """Fetch, and return the paths that were asked for meanwhile."""
    before = len(server.requests)
    await fetcher.fetch(Target(server.url("moving"), headers=headers), era=Era.MODERN)
    return [talk.path for talk in server.requests[before:]]


async def test_it_is_paid_once(server: FaultServer, fetcher: Fetcher) -> None:
    assert await paths(server, fetcher) == ["/moving/mcp", "/moving/mcp/"]
    assert await paths(server, fetcher) == ["/moving/mcp/"]
    assert await paths(server, fetcher) == ["/moving/mcp/"]


async def test_others_are_not_led_by_it(server: FaultServer, fetcher: Fetcher) -> None:
    """A server may send each caller another way."""
    await paths(server, fetcher, ("X-API-Key", "one"))

    assert await paths(server, fetcher, ("X-API-Key", "two")) == ["/moving/mcp", "/moving/mcp/"]


async def test_when_the_direction_turns_it_turns(
    server: FaultServer, fetcher: Fetcher, moving: Moving
) -> None:
    """The Python SDK did so from 1.x to 2.x."""
    await paths(server, fetcher)
    moving.home = "/moving/mcp"

    assert await paths(server, fetcher) == ["/moving/mcp/", "/moving/mcp"]
    assert await paths(server, fetcher) == ["/moving/mcp"]


async def test_when_the_way_is_gone_the_url_is_asked_in_the_same_fetch(
    server: FaultServer, fetcher: Fetcher, moving: Moving
) -> None:
    """What is remembered must never make a server unreachable."""
    await paths(server, fetcher)
    moving.home, moving.is_gone = "/moving/new", True

    assert await paths(server, fetcher) == ["/moving/mcp/", "/moving/mcp", "/moving/new"]
    assert await paths(server, fetcher) == ["/moving/new"]


async def test_a_failure_makes_it_forgotten(
    server: FaultServer, fetcher: Fetcher, moving: Moving
) -> None:
    await paths(server, fetcher)
    moving.is_down = True
    with pytest.raises(FetchError) as caught:
        await paths(server, fetcher)
    moving.is_down = False

    assert caught.value.reason == Reason.SERVER_ERROR
    assert await paths(server, fetcher) == ["/moving/mcp", "/moving/mcp/"]


async def test_the_memory_is_bounded(
    server: FaultServer, fetcher: Fetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "REMEMBERED", 3)
    for number in range(10):
        await paths(server, fetcher, ("X-API-Key", str(number)))

    assert len(fetcher._redirects) == 3
    assert await paths(server, fetcher, ("X-API-Key", "9")) == ["/moving/mcp/"]
