"""Announcements of changed tools: heard where they are offered, asked for nowhere else."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest
from mcp.server.subscriptions import InMemorySubscriptionBus, ToolsListChanged

from proxar.fetch import Era, Fetcher, FetchError, NotOffered, Reason, Target
from proxar.fetch.listen import STREAM_LIMITS, announces
from tests.support.conversation import SERVER_INFO, SESSION, Behaviour, Serve, Talk
from tests.support.faultserver import FaultServer
from tests.unit.fetch.test_real_servers import serving

CHANGED = "notifications/tools/list_changed"
ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"


def event(method: str, **params: Any) -> str:
    """A notification on a stream."""
    message = {"jsonrpc": "2.0", "method": method} | ({"params": params} if params else {})
    return f"event: message\ndata: {json.dumps(message)}\n\n"


def stamped(method: str, id_: Any = 1, **params: Any) -> str:
    """A notification of 2026-07-28 that carries the id of our request."""
    return event(method, _meta={SUBSCRIPTION: id_}, **params)


GRANTED = stamped(ACKNOWLEDGED, notifications={"toolsListChanged": True})


@dataclass
class Ears:
    """What was heard."""

    opened: int = 0
    changed: int = 0
    moved: asyncio.Event = field(default_factory=asyncio.Event)

    def open(self) -> None:
        self.opened += 1
        self.moved.set()

    def change(self) -> None:
        self.changed += 1
        self.moved.set()

    def has_heard(self, number: int) -> bool:
        """Whether so many announcements were."""
        return self.changed == number

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something was heard that makes it hold."""
        async with asyncio.timeout(5):
            while not holds():
                self.moved.clear()
                await self.moved.wait()


@asynccontextmanager
async def serving_as(serve: Serve) -> AsyncIterator[tuple[FaultServer, Target]]:
    """A server that answers everything so."""
    async with FaultServer(behaviours={"it": Behaviour("it", serve, 0)}) as server:
        yield server, Target(server.url("it"), timeout=2.0)


def streaming(*events: str, end: bool = False) -> Serve:
    """Answer subscriptions/listen with a stream of these events."""

    async def serve(talk: Talk) -> None:
        await talk.events(*events, end=end)
        if not end:
            await talk.hang()

    return serve


def announcing(*events: str, capability: Any = True, get_status: int = 200) -> Serve:
    """Be a legacy server with a session that announces these events on its GET stream."""

    async def serve(talk: Talk) -> None:
        match talk.method:
            case "initialize":
                result = {
                    "protocolVersion": "2025-11-25",
                    "capabilities": {"tools": {"listChanged": capability}},
                    "serverInfo": SERVER_INFO,
                }
                await talk.result(result, Mcp_Session_Id=SESSION)
            case "GET" if get_status == 200:
                await talk.events(*events, end=False)
                await talk.hang()
            case "GET":
                await talk.send(get_status)
            case "DELETE":
                await talk.send(200)
            case _:
                await talk.send(202)

    return serve


async def test_a_modern_server_is_asked_to_tell(fetcher: Fetcher) -> None:
    """By one POST; each notification has to carry the id of that request."""
    ears = Ears()
    others = (stamped(CHANGED, 7), event(CHANGED), stamped("notifications/message"), ": ping\n\n")
    serve = streaming(GRANTED, stamped(CHANGED), *others, stamped(CHANGED, "1"))
    async with serving_as(serve) as (server, target):
        task = asyncio.create_task(
            fetcher.listen(target, era=Era.MODERN, opened=ears.open, changed=ears.change)
        )
        await ears.until(lambda: ears.changed == 2)
        task.cancel()
        await asyncio.wait([task])

        (talk,) = server.requests
    assert (talk.verb, talk.method) == ("POST", "subscriptions/listen")
    assert talk.headers["mcp-method"] == "subscriptions/listen"
    assert talk.headers["mcp-protocol-version"] == "2026-07-28"
    assert talk.message["params"]["notifications"] == {"toolsListChanged": True}
    assert ears.opened == 1


@pytest.mark.parametrize(
    "serve",
    [
        streaming(stamped(ACKNOWLEDGED, notifications={})),
        streaming(stamped(ACKNOWLEDGED, notifications={"toolsListChanged": "yes"})),
        streaming(stamped(CHANGED)),
        lambda talk: talk.error(-32601, 404),
        lambda talk: talk.error(-32601),
        lambda talk: talk.send(405),
        lambda talk: talk.result({"resultType": "complete"}),
    ],
    ids=["granted nothing", "granted oddly", "no grant", "404", "json error", "405", "json"],
)
async def test_a_modern_server_that_does_not_tell_is_left_alone(
    fetcher: Fetcher, serve: Serve
) -> None:
    """That is no fault."""
    ears = Ears()
    async with serving_as(serve) as (server, target):
        with pytest.raises(NotOffered):
            await fetcher.listen(target, era=Era.MODERN, opened=ears.open, changed=ears.change)

    assert [talk.verb for talk in server.requests] == ["POST"]
    assert (ears.opened, ears.changed) == (0, 0)


async def test_a_modern_server_may_end_the_stream(fetcher: Fetcher) -> None:
    """By the answer to our request; that is no fault either."""
    ears = Ears()
    answer = {"jsonrpc": "2.0", "id": 1, "result": {"_meta": {SUBSCRIPTION: 1}}}
    serve = streaming(GRANTED, f"data: {json.dumps(answer)}\n\n")
    async with serving_as(serve) as (_, target):
        await fetcher.listen(target, era=Era.MODERN, opened=ears.open, changed=ears.change)

    assert ears.opened == 1


async def test_a_legacy_server_is_listened_to_in_a_session(fetcher: Fetcher) -> None:
    """One, opened and ended, also when nobody wants to hear any more."""
    ears = Ears()
    serve = announcing(": hello\n\n", event(CHANGED), event("notifications/message"))
    async with serving_as(serve) as (server, target):
        task = asyncio.create_task(
            fetcher.listen(target, era=Era.LEGACY, opened=ears.open, changed=ears.change)
        )
        await ears.until(lambda: ears.changed == 1)
        task.cancel()
        await asyncio.wait([task])

    assert task.cancelled()
    assert [talk.method for talk in server.requests] == [
        "initialize",
        "notifications/initialized",
        "GET",
        "DELETE",
    ]
    for talk in server.requests[1:]:
        assert talk.headers["mcp-session-id"] == SESSION
        assert talk.headers["mcp-protocol-version"] == "2025-11-25"


@pytest.mark.parametrize("capability", [False, None, "true"])
async def test_no_get_is_sent_where_nothing_is_offered(fetcher: Fetcher, capability: Any) -> None:
    """A GET leaves a session behind in some servers. Ours is ended."""
    ears = Ears()
    async with serving_as(announcing(capability=capability)) as (server, target):
        with pytest.raises(NotOffered):
            await fetcher.listen(target, era=Era.LEGACY, opened=ears.open, changed=ears.change)

    assert [talk.method for talk in server.requests] == ["initialize", "DELETE"]


async def test_a_get_that_is_refused_is_not_offered(fetcher: Fetcher) -> None:
    """Whatever the capabilities say."""
    ears = Ears()
    async with serving_as(announcing(get_status=405)) as (server, target):
        with pytest.raises(NotOffered):
            await fetcher.listen(target, era=Era.LEGACY, opened=ears.open, changed=ears.change)

    assert server.requests[-1].method == "DELETE"


@pytest.mark.parametrize(("status", "reason"), [(401, Reason.UNAUTHORIZED), (503, "ServerError")])
async def test_a_refusal_has_its_reason(fetcher: Fetcher, status: int, reason: str) -> None:
    """It may be over the next time."""
    ears = Ears()
    async with serving_as(lambda talk: talk.send(status)) as (_, target):
        for era in (Era.MODERN, Era.LEGACY):
            with pytest.raises(FetchError) as caught:
                await fetcher.listen(target, era=era, opened=ears.open, changed=ears.change)
            assert caught.value.reason == reason


async def test_a_stream_that_is_flooded_is_left(fetcher: Fetcher) -> None:
    """After so many bytes, in events or in one that never ends."""
    ears = Ears()
    half = "x" * (STREAM_LIMITS.size_bytes // 2)
    for flood in (f": {half}\n\n", f"data: {half}"):
        async with serving_as(streaming(GRANTED, flood, flood, flood)) as (_, target):
            with pytest.raises(FetchError) as caught:
                await fetcher.listen(target, era=Era.MODERN, opened=ears.open, changed=ears.change)
        assert caught.value.reason == Reason.TOO_LARGE


@pytest.mark.parametrize("data", ["{", "NaN", "[" * 100])
async def test_nonsense_ends_the_stream(fetcher: Fetcher, data: str) -> None:
    """With a fault, as in any answer."""
    ears = Ears()
    async with serving_as(streaming(GRANTED, f"data: {data}\n\n")) as (_, target):
        with pytest.raises(FetchError):
            await fetcher.listen(target, era=Era.MODERN, opened=ears.open, changed=ears.change)


async def test_silence_before_the_stream_opens_is_a_timeout(fetcher: Fetcher) -> None:
    """Afterwards it is not."""
    ears = Ears()
    async with serving_as(Talk.hang) as (server, _):
        target = Target(server.url("it"), timeout=0.2)
        for era in (Era.MODERN, Era.LEGACY):
            with pytest.raises(FetchError) as caught:
                await fetcher.listen(target, era=era, opened=ears.open, changed=ears.change)
            assert caught.value.reason == Reason.TIMEOUT
    async with serving_as(streaming(GRANTED)) as (server, _):
        target = Target(server.url("it"), timeout=0.2)
        task = asyncio.create_task(
            fetcher.listen(target, era=Era.MODERN, opened=ears.open, changed=ears.change)
        )
        done, _ = await asyncio.wait([task], timeout=0.5)
        task.cancel()

    assert not done


async def test_nothing_stays_open(fetcher: Fetcher) -> None:
    """However a stream ends."""
    ears = Ears()
    for serve in (streaming(GRANTED), announcing(event(CHANGED)), announcing(capability=False)):
        async with serving_as(serve) as (server, target):
            for era in (Era.MODERN, Era.LEGACY):
                task = asyncio.create_task(
                    fetcher.listen(target, era=era, opened=ears.open, changed=ears.change)
                )
                await asyncio.wait([task], timeout=0.1)
                task.cancel()
                await asyncio.wait([task])
            async with asyncio.timeout(3):
                while server.open:  # noqa: ASYNC110 - the other side of a socket sets no event
                    await asyncio.sleep(0)


async def test_http_sse_is_not_listened_to(fetcher: Fetcher) -> None:
    """Its one stream belongs to a fetch."""
    ears = Ears()
    async with serving_as(Talk.hang) as (server, target):
        with pytest.raises(NotOffered):
            await fetcher.listen(target, era=Era.SSE, opened=ears.open, changed=ears.change)

    assert server.requests == []


async def test_the_sdk_tells_in_the_modern_era_and_not_in_the_other(
    fetcher: Fetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As its capabilities say."""
    ears, buses = Ears(), list[InMemorySubscriptionBus]()
    original = InMemorySubscriptionBus.__init__

    def remember(bus: InMemorySubscriptionBus) -> None:
        original(bus)
        buses.append(bus)

    monkeypatch.setattr(InMemorySubscriptionBus, "__init__", remember)
    async with serving() as url:
        with pytest.raises(NotOffered):
            await fetcher.listen(Target(url), era=Era.LEGACY, opened=ears.open, changed=ears.change)
        task = asyncio.create_task(
            fetcher.listen(Target(url), era=Era.MODERN, opened=ears.open, changed=ears.change)
        )
        await ears.until(lambda: ears.opened == 1)
        for number in (1, 2):
            await buses[0].publish(ToolsListChanged())
            await ears.until(partial(ears.has_heard, number))
        task.cancel()
        await asyncio.wait([task])


@pytest.mark.parametrize(
    "document",
    [
        None,
        17,
        [],
        [None, {"method": CHANGED, "params": 3}],
        {"method": CHANGED},
        {"method": CHANGED, "params": {"_meta": {SUBSCRIPTION: True}}},
        {"method": CHANGED, "params": {"_meta": {SUBSCRIPTION: None}}},
        {"method": CHANGED, "params": {"_meta": []}},
        {"method": [CHANGED], "params": {"_meta": {SUBSCRIPTION: 1}}},
        {"method": "notifications/prompts/list_changed", "params": {"_meta": {SUBSCRIPTION: 1}}},
    ],
)
def test_what_is_not_our_notification_is_passed_over(document: Any) -> None:
    """Of whatever shape."""
    assert not announces(document, CHANGED, 1)


def test_messages_of_a_batch_count() -> None:
    """Servers of 2025-03-26 send them."""
    assert announces([{"method": "notifications/message"}, {"method": CHANGED}], CHANGED, None)
