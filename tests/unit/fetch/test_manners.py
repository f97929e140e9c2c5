"""What a server gets to see: headers, sessions, connections, and nothing of other servers."""

import asyncio
import gc
import ssl
import warnings
from collections.abc import Callable
from contextlib import suppress
from itertools import cycle, islice

import pytest

import proxar
from proxar.fetch import Era, Fetcher, FetchError, Reason, Target
from tests.support.behaviours import BEHAVIOURS
from tests.support.conversation import Behaviour, Talk
from tests.support.faultserver import TOOLS, FaultServer


async def test_the_headers_of_a_modern_request(server: FaultServer, fetcher: Fetcher) -> None:
    target = Target(server.url("modern-json"), headers=(("X-MCP-Toolsets", "issues"),))

    await fetcher.fetch(target, era=Era.MODERN)

    (talk,) = server.seen("modern-json")
    assert talk.headers == {
        "host": f"127.0.0.1:{server.port}",
        "x-mcp-toolsets": "issues",
        "accept": "application/json, text/event-stream",
        "accept-encoding": "identity",
        "user-agent": f"proxar/{proxar.__version__}",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/list",
        "content-type": "application/json",
        "content-length": talk.headers["content-length"],
    }
    meta = talk.message["params"]["_meta"]
    assert meta["io.modelcontextprotocol/protocolVersion"] == "2026-07-28"
    assert meta["io.modelcontextprotocol/clientCapabilities"] == {}


async def test_what_proxar_sets_cannot_be_set_but_the_host_can(
    server: FaultServer, fetcher: Fetcher
) -> None:
    headers = (("mcp-method", "tools/call"), ("ACCEPT", "text/html"), ("Host", "mcp.example"))

    await fetcher.fetch(Target(server.url("modern-json"), headers=headers), era=Era.MODERN)

    (talk,) = server.seen("modern-json")
    assert talk.headers["mcp-method"] == "tools/list"
    assert talk.headers["accept"] == "application/json, text/event-stream"
    assert talk.headers["host"] == "mcp.example"


@pytest.mark.parametrize("name", ["legacy-json", "legacy-bad-request", "legacy-stuck"])
async def test_a_session_is_ended_whatever_happened(
    server: FaultServer, trust: ssl.SSLContext, name: str
) -> None:
    async with Fetcher(egress=None, ssl_context=trust) as fetcher:
        try:
            await fetcher.fetch(Target(server.url(name), timeout=1.5), era=Era.LEGACY)
        except FetchError as error:
            assert error.reason in (Reason.RPC_ERROR, Reason.TIMEOUT)  # noqa: PT017

    assert server.memory[name]["deleted"] == 1


async def test_a_session_keeps_to_one_connection(server: FaultServer, fetcher: Fetcher) -> None:
    """Behind a Service each connection may reach another replica."""
    await fetcher.fetch(Target(server.url("legacy-priming-event")), era=Era.LEGACY)

    assert len(server.seen("legacy-priming-event")) == 4
    assert server.connections == 1


async def test_connections_are_kept_between_fetches(server: FaultServer, fetcher: Fetcher) -> None:
    for name in ("modern-json", "sse", "status-401", "redirect-to-slash", "status-500") * 3:
        with suppress(FetchError):
            await fetcher.fetch(Target(server.url(name)), era=Era.MODERN)

    assert server.connections == 1


async def test_a_connection_that_the_server_closed_meanwhile_is_no_fault(
    trust: ssl.SSLContext,
) -> None:
    """The request raced with the server's idle timeout; it is asked again on a new connection."""

    async def serve(talk: Talk) -> None:
        if talk.count("requests") == 2:
            talk.drop()
        else:
            await talk.result(talk.tools())

    behaviours = {"idle": Behaviour("idle", serve, len(TOOLS))}
    async with (
        FaultServer(behaviours=behaviours) as server,
        Fetcher(egress=None, ssl_context=trust) as fetcher,
    ):
        for _ in range(2):
            await fetcher.fetch(Target(server.url("idle")), era=Era.MODERN)

    assert len(server.requests) == 3
    assert server.connections == 2


async def test_cookies_are_not_kept(trust: ssl.SSLContext) -> None:
    """Not even for the same host: another target there may have another bearer."""

    async def serve(talk: Talk) -> None:
        await talk.result(talk.tools(), Set_Cookie="owner=A; Path=/")

    behaviours = {"cookies": Behaviour("cookies", serve, len(TOOLS))}
    async with (
        FaultServer(behaviours=behaviours) as server,
        Fetcher(egress=None, ssl_context=trust) as fetcher,
    ):
        for bearer in "AB":
            headers = (("Authorization", f"Bearer {bearer}"),)
            await fetcher.fetch(Target(server.url("cookies"), headers=headers), era=Era.MODERN)

    assert [talk.headers["authorization"] for talk in server.requests] == ["Bearer A", "Bearer B"]
    assert [talk for talk in server.requests if "cookie" in talk.headers] == []


async def test_nothing_is_followed_to_another_origin(server: FaultServer, fetcher: Fetcher) -> None:
    headers = (("Authorization", "Bearer A"),)

    with pytest.raises(FetchError):
        await fetcher.fetch(Target(server.url("redirect-elsewhere"), headers=headers))

    assert server.seen("modern-json") == []


async def test_later_requests_go_straight_to_where_the_first_was_sent(
    server: FaultServer, fetcher: Fetcher
) -> None:
    await fetcher.fetch(Target(server.url("redirect-to-slash")), era=Era.MODERN)
    paths = [talk.path for talk in server.seen("redirect-to-slash")]

    assert paths == ["/redirect-to-slash/mcp", "/redirect-to-slash/mcp/"]


async def test_the_tools_are_what_the_server_sent(server: FaultServer, fetcher: Fetcher) -> None:
    """Unknown members and exact numbers survive, the same over JSON, events and both eras."""
    names = ("modern-json", "sse-byte-by-byte", "gzip-unasked", "legacy-json", "legacy-batch")
    fetched = [await fetcher.fetch(Target(server.url(name))) for name in names]

    definition = fetched[0].tools.tools[0].definition
    assert isinstance(definition, dict)
    assert definition["x-unknown"] == {"kept": [1, 2.5, None]}
    assert len({each.tools.hash for each in fetched}) == 1


async def test_many_fetches_with_faults_leave_nothing_behind(
    server: FaultServer, trust: ssl.SSLContext
) -> None:
    """No connection, no task, no warning about something that was not closed."""
    tasks = asyncio.all_tasks()
    names = [name for name in BEHAVIOURS if "bomb" not in name and name != "delete-hangs"]
    asked = list(islice(cycle(names), 200))

    gc.collect()  # what earlier tests left is not ours
    with warnings.catch_warnings():
        warnings.simplefilter("error", ResourceWarning)
        async with Fetcher(egress=None, ssl_context=trust) as fetcher:
            for start in range(0, len(asked), 20):
                targets = [
                    Target(server.url(name), timeout=0.5) for name in asked[start : start + 20]
                ]
                await asyncio.gather(*map(fetcher.fetch, targets), return_exceptions=True)
        gc.collect()
        await until(lambda: server.open == 0)

    assert {task for task in asyncio.all_tasks() - tasks if task not in server.tasks} == set()


@pytest.mark.parametrize("name", ["silent", "stuck-in-body", "stuck-in-events", "legacy-stuck"])
async def test_cancelling_a_fetch_closes_its_connection(
    server: FaultServer, fetcher: Fetcher, name: str
) -> None:
    era = Era.LEGACY if name.startswith("legacy") else Era.MODERN
    task = asyncio.create_task(fetcher.fetch(Target(server.url(name)), era=era))
    await until(lambda: any(talk.method == "tools/list" for talk in server.requests))

    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    # A goodbye may still be on its way over a connection of its own.
    await until(lambda: server.connections - server.open >= 1)


async def until(happened: Callable[[], bool]) -> None:
    """Let the loop run until it has happened."""
    async with asyncio.timeout(3):
        while not happened():  # noqa: ASYNC110 - the other side of a socket sets no event
            await asyncio.sleep(0)


async def test_an_event_stream_is_closed_with_the_fetch(
    server: FaultServer, fetcher: Fetcher
) -> None:
    """A stream that is left open is a session that is never forgotten."""
    await fetcher.fetch(Target(server.url("http-sse-server")), era=Era.SSE)

    async with asyncio.timeout(5):
        while server.open > 1:  # noqa: ASYNC110 - that of the POSTs is kept for the next fetch
            await asyncio.sleep(0.01)


async def test_credentials_go_with_the_stream_and_its_requests(
    server: FaultServer, fetcher: Fetcher
) -> None:
    target = Target(server.url("http-sse-server"), headers=(("Authorization", "Bearer x"),))

    await fetcher.fetch(target, era=Era.SSE)

    seen = server.seen("http-sse-server")
    assert {talk.headers.get("authorization") for talk in seen} == {"Bearer x"}
    assert {"text/event-stream" in talk.headers["accept"] for talk in seen} == {True}


async def test_nothing_is_sent_to_another_host_that_an_endpoint_event_names(
    server: FaultServer, fetcher: Fetcher
) -> None:
    with pytest.raises(FetchError):
        await fetcher.fetch(Target(server.url("http-sse-other-host")), era=Era.SSE)

    assert server.seen("http-sse-server") == []


async def test_a_broken_connection_is_replaced_once_where_nothing_is_left_behind(
    server: FaultServer, fetcher: Fetcher
) -> None:
    """A session may have been opened by an initialize whose answer was lost."""
    url = server.url("closed-without-answer")
    for era in (Era.MODERN, Era.LEGACY):
        with pytest.raises(FetchError):
            await fetcher.fetch(Target(url), era=era)

    seen = [talk.method for talk in server.seen("closed-without-answer")]
    assert seen == ["tools/list", "tools/list", "initialize"]


async def test_an_answer_that_breaks_off_is_asked_for_once_more(
    server: FaultServer, fetcher: Fetcher
) -> None:
    """With another id, since a session takes each but once."""
    with pytest.raises(FetchError):
        await fetcher.fetch(Target(server.url("reset-in-body")), era=Era.MODERN)

    assert [talk.id for talk in server.seen("reset-in-body")] == [1, 2]
