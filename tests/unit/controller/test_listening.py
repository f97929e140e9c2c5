"""Which streams are kept, how they come back, and what an announcement may bring about."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from typing import Any

import pytest
import pytest_asyncio
from hypothesis import given
from hypothesis import strategies as st

from proxar.api import MCPServer
from proxar.controller import listening
from proxar.controller.listening import DEBOUNCE, NOT_OFFERED, Hints, Listeners, least_gap
from proxar.errors import FetchError
from proxar.fetch import Era, Fetcher, NotOffered, Target
from tests.support.fakecluster import FakeCluster
from tests.unit.controller.world import World

pytestmark = pytest.mark.looptime

Key = tuple[str, str]
MODERN = {"primary": Era.MODERN}


class Radio(Fetcher):
    """Streams that are opened at once and stay until a test ends them."""

    def __init__(self) -> None:
        self.on_air: dict[str, Callable[[], None]] = {}
        """What to call to announce something, by url."""
        self.tried: list[float] = []
        self.eras: list[Era] = []
        self.ended = 0
        self.fails: Exception | None = None
        self.breaks = asyncio.Event()

    async def listen(
        self, target: Target, *, era: Era, changed: Callable[[], None], opened: Callable[[], None]
    ) -> None:
        """Be a stream."""
        self.eras.append(era)
        self.tried.append(asyncio.get_running_loop().time())
        if self.fails is not None:
            raise self.fails
        self.on_air[target.url] = changed
        opened()
        try:
            await self.breaks.wait()
        finally:
            self.ended += 1
            del self.on_air[target.url]


class Stand:
    """Listeners, what they listen to, and the looks that they asked for."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.radio = Radio()
        self.looks: list[tuple[float, float]] = []
        """When they were asked for, and when they are due."""
        self.listeners = Listeners(FakeCluster(), self.radio, self._look_in, loop.time)

    def _look_in(self, _: Key, seconds: float) -> None:
        now = asyncio.get_running_loop().time()
        self.looks.append((now, now + seconds))


@pytest_asyncio.fixture
async def stand() -> AsyncIterator[Stand]:
    """Nobody is listened to yet."""
    stand = Stand()
    yield stand
    await stand.listeners.aclose()
    assert stand.radio.on_air == {}


def server_of(*names: str, **spec: Any) -> MCPServer:
    """A server that is to be listened to, with these endpoints."""
    listed = [
        {"name": name, "url": f"https://{name}.example.com/mcp"} for name in names or ("primary",)
    ]
    return World.new(**({"endpoints": listed, "changeNotifications": "Listen"} | spec)).server


URL = "https://primary.example.com/mcp"


async def settled() -> None:
    """Let tasks begin and end."""
    await asyncio.sleep(0.001)


async def test_a_server_that_wants_it_is_listened_to(stand: Stand) -> None:
    """On one stream, however often it is looked at."""
    for _ in range(3):
        stand.listeners.follow(server_of(), MODERN)
        await settled()

    assert len(stand.listeners) == 1
    assert len(stand.radio.tried) == 1
    assert list(stand.radio.on_air) == [URL]


async def test_an_announcement_brings_a_look_within_a_second(stand: Stand) -> None:
    """One for all that come at once."""
    stand.listeners.follow(server_of(interval="1h"), MODERN)
    await settled()
    for _ in range(10):
        stand.radio.on_air[URL]()

    ((asked, due),) = stand.looks
    assert due - asked == pytest.approx(DEBOUNCE)


@pytest.mark.parametrize(
    "spec", [{"changeNotifications": "Ignore"}, {"changeNotifications": None}, {"suspend": True}]
)
async def test_nobody_else_is_listened_to(stand: Stand, spec: dict[str, Any]) -> None:
    """And a stream ends when it is not wanted any more."""
    wanted = {key: value for key, value in spec.items() if value is not None}
    unwanted = World.new(**wanted).server
    stand.listeners.follow(unwanted, MODERN)
    await settled()
    assert stand.radio.tried == []
    stand.listeners.follow(server_of(), MODERN)
    await settled()
    stand.listeners.follow(unwanted, MODERN)
    await settled()

    assert (len(stand.listeners), stand.radio.ended) == (0, 1)


async def test_a_server_that_is_gone_is_not_listened_to(stand: Stand) -> None:
    """Nor one that is not to be looked at."""
    server = server_of()
    stand.listeners.follow(server, MODERN)
    await settled()
    stand.listeners.stop(server.key)
    await settled()

    assert (len(stand.listeners), stand.radio.ended) == (0, 1)


async def test_a_change_of_what_is_listened_to_is_another_stream(stand: Stand) -> None:
    """Of the address, of a header, of the protocol."""
    header = [{"name": "X-MCP-Toolsets", "value": "all"}]
    for count, (server, eras) in enumerate(
        [
            (server_of(), MODERN),
            (server_of(), {"primary": Era.LEGACY}),
            (server_of(headers=header), {"primary": Era.LEGACY}),
            (server_of(headers=header, historyLimit=3), {"primary": Era.LEGACY}),
        ],
        1,
    ):
        stand.listeners.follow(server, eras)
        await settled()
        assert len(stand.radio.tried) == min(count, 3)
        assert len(stand.radio.on_air) == 1
    assert stand.radio.eras == [Era.MODERN, Era.LEGACY, Era.LEGACY]


async def test_an_endpoint_that_was_not_reached_keeps_its_stream(stand: Stand) -> None:
    """And one whose protocol is not known, or has no such stream, gets none."""
    stand.listeners.follow(server_of("a", "b", "c"), {"a": Era.MODERN, "c": Era.SSE})
    await settled()
    stand.listeners.follow(server_of("a", "b", "c"), {})
    await settled()

    assert list(stand.radio.on_air) == ["https://a.example.com/mcp"]
    assert len(stand.radio.tried) == 1


async def test_a_stream_that_breaks_is_opened_again_ever_more_slowly(stand: Stand) -> None:
    """Five minutes at the slowest."""
    stand.radio.fails = FetchError("ConnectFailed", "connection refused")
    stand.listeners.follow(server_of(), MODERN)
    await asyncio.sleep(7200)

    gaps = [after - before for before, after in itertools.pairwise(stand.radio.tried)]
    assert 1 <= gaps[0] <= 1.3
    assert all(300 <= gap <= 376 for gap in gaps[9:])
    assert len(stand.radio.tried) < 40


async def test_a_stream_that_came_back_brings_a_look(stand: Stand) -> None:
    """Nobody heard what was announced meanwhile; the first opening brings none."""
    stand.listeners.follow(server_of(), MODERN)
    await asyncio.sleep(100)
    assert stand.looks == []
    stand.radio.breaks.set()
    await settled()
    stand.radio.breaks.clear()
    await asyncio.sleep(2)

    assert len(stand.radio.on_air) == 1
    assert len(stand.looks) == 1


async def test_a_server_that_announces_nothing_is_asked_again_in_an_hour(stand: Stand) -> None:
    """It may have been updated."""
    stand.radio.fails = NotOffered()
    stand.listeners.follow(server_of(), MODERN)
    await asyncio.sleep(2 * NOT_OFFERED)

    assert len(stand.radio.tried) == 2


async def test_patience_that_was_asked_for_is_had(stand: Stand) -> None:
    """Retry-After holds for streams too."""
    stand.radio.fails = FetchError("RateLimited", "429", retry_after=600)
    stand.listeners.follow(server_of(), MODERN)
    await asyncio.sleep(599)

    assert len(stand.radio.tried) == 1


async def test_streams_are_bounded_in_number(
    stand: Stand, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Who comes too late is told so in the log, and looked at all the same."""
    monkeypatch.setattr(listening, "MOST_STREAMS", 2)
    stand.listeners.follow(server_of("a", "b", "c"), dict.fromkeys("abc", Era.MODERN))
    await settled()

    assert len(stand.listeners) == 2
    assert "not listened to: there are 2 streams" in caplog.text


async def test_a_server_that_floods_brings_a_look_a_minute(stand: Stand) -> None:
    """With an interval of an hour."""
    stand.listeners.follow(server_of(interval="1h"), MODERN)
    for _ in range(1200):
        await asyncio.sleep(0.5)
        stand.radio.on_air[URL]()

    dues = [due for _, due in stand.looks]
    assert len(dues) <= 11
    assert all(after - before >= 59.9 for before, after in itertools.pairwise(dues))


@pytest.mark.parametrize(
    ("interval", "seconds"), [("5s", 2), ("1m", 3), ("10m", 30), ("1h", 60), ("24h", 60)]
)
def test_the_gap_follows_the_interval(interval: str, seconds: int) -> None:
    """Within bounds."""
    server = server_of(interval=interval, timeout="1s")

    assert least_gap(server.spec.interval) == timedelta(seconds=seconds)


@given(st.lists(st.floats(0, 30), max_size=60))
def test_every_announcement_has_a_look_after_it(waits: list[float]) -> None:
    """Not before it, and none closer to the next than the gap."""
    hints, now, dues = Hints(timedelta(seconds=10)), 0.0, list[float]()
    for wait in waits:
        now += wait
        delay = hints.delay(now)
        if delay is not None:
            dues.append(now + delay)
        assert dues[-1] > now
        assert dues[-1] - now <= 10 + DEBOUNCE

    assert all(after - before >= 10 - 1e-6 for before, after in itertools.pairwise(dues))
