"""Misbehaviours of event streams: HTTP+SSE of 2024-11-05, and streams of 2025-11-25 that are closed
to be taken up again.

Written like those of `tests.support.behaviours`, which takes them in.
"""

import json
from collections.abc import Callable
from typing import Any

from proxar.fetch import Era, Limits, Reason, Transport
from tests.support.conversation import (
    SESSION,
    TOOLS,
    Serve,
    Talk,
    behaviour,
    http_sse,
    initialized,
    legacy,
    modern,
    open_stream,
    with_session,
    with_stream,
)

__all__: list[str] = []

SMALL = Limits(size_bytes=100_000)


async def accepted(talk: Talk, tools: Any = TOOLS, **more: Any) -> None:
    """Answer as HTTP+SSE does: 202 to the POST, the list on the stream."""
    await talk.send(202, b"Accepted", "text/plain")
    await talk.push(talk.answer(talk.tools(tools, **more)))


def is_post(talk: Talk) -> bool:
    return talk.path.partition("?")[0].endswith("/messages")


# --- HTTP+SSE: lists that have to be read


@http_sse(2)
async def http_sse_server(talk: Talk) -> None:
    """Speaks HTTP+SSE of 2024-11-05 and nothing else."""
    await accepted(talk)


@http_sse(2, transport=Transport.SSE)
async def http_sse_asked_for(talk: Talk) -> None:
    """Speaks HTTP+SSE, and `transport: SSE` says so."""
    await accepted(talk)


@http_sse(2, era=Era.SSE)
async def http_sse_known(talk: Talk) -> None:
    """Spoke HTTP+SSE before."""
    await accepted(talk)


@http_sse(2, version="2025-11-25")
async def http_sse_2025(talk: Talk) -> None:
    """Speaks 2025-11-25 over HTTP+SSE, as server-everything does."""
    await accepted(talk)


@http_sse(3)
async def http_sse_pages(talk: Talk) -> None:
    """Sends pages over HTTP+SSE."""
    number = int(talk.cursor or "0")
    more = {"nextCursor": str(number + 1)} if number < 2 else {}
    await accepted(talk, [{"name": f"tool-{number}"}], **more)


@http_sse(0)
async def http_sse_empty(talk: Talk) -> None:
    """Has no tools, over HTTP+SSE."""
    await accepted(talk, [])


@http_sse(2)
async def http_sse_answer_first(talk: Talk) -> None:
    """Sends the answer on the stream, and only then takes the POST."""
    await talk.push(talk.answer(talk.tools()))
    await talk.send(202)


@http_sse(3000)
async def http_sse_large_answer_first(talk: Talk) -> None:
    """Takes the POST only once its client has read a large answer."""
    tools = [{"name": str(number), "description": "x" * 1000} for number in range(3000)]
    await talk.push(talk.answer(talk.tools(tools)))
    await talk.send(202)


@http_sse(2)
async def http_sse_answer_in_post(talk: Talk) -> None:
    """Answers the POST with the list itself."""
    await talk.result(talk.tools())


@http_sse(2)
async def http_sse_word_in_post(talk: Talk) -> None:
    """Answers the POST with JSON of its own, and with the list on the stream."""
    await talk.json({"status": "accepted"})
    await talk.push(talk.answer(talk.tools()))


@http_sse(2)
async def http_sse_others_first(talk: Talk) -> None:
    """Sends comments, a ping, a notification and other events before the answer."""
    await talk.send(202)
    await talk.push_text(": keepalive\n\nevent: ping\ndata: not json\n\n")
    await talk.push({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    await talk.push({"jsonrpc": "2.0", "method": "notifications/message", "params": {}})
    await talk.push(talk.answer(talk.tools()))


@http_sse(2)
async def http_sse_complains(talk: Talk) -> None:
    """Answers the notification, which nobody may, with an error without an id."""
    error = {"code": -32601, "message": "Method not found"}
    await talk.push({"jsonrpc": "2.0", "id": None, "error": error})
    await accepted(talk)


@behaviour(2, ends_as=Era.SSE)
async def http_sse_express(talk: Talk) -> None:
    """Has nothing but a GET at its path, so that a POST is answered 404."""
    if talk.verb == "POST" and not is_post(talk):
        await talk.send(404, b"Cannot POST", "text/html")
    else:
        await with_stream(talk, accepted)


@behaviour(2, ends_as=Era.SSE)
async def http_sse_absolute(talk: Talk) -> None:
    """Names an absolute url of its own origin for requests."""
    if talk.verb == "GET":
        name = talk.path.split("/")[1]
        await open_stream(talk, f"http://{talk.headers['host']}/{name}/messages")
    else:
        await with_stream(talk, accepted)


@behaviour(2, ends_as=Era.SSE, transport=Transport.SSE)
async def http_sse_redirect(talk: Talk) -> None:
    """Redirects the GET to a path with a slash, with a status that would spoil a POST."""
    if talk.path.partition("?")[0].endswith("/mcp"):
        await talk.send(301, Location=f"{talk.path.partition('?')[0]}/")
    else:
        await with_stream(talk, accepted)


@behaviour(2, ends_as=Era.SSE, transport=Transport.SSE)
async def http_sse_post_redirect(talk: Talk) -> None:
    """Redirects the POST within its origin."""
    if "/v2/" not in talk.path and is_post(talk):
        await talk.send(307, Location=f"/{talk.path.split('/')[1]}/v2/messages")
    else:
        await with_stream(talk, accepted)


@behaviour(2, ends_as=Era.SSE, transport=Transport.SSE)
async def http_sse_modern(talk: Talk) -> None:
    """Speaks 2026-07-28 over HTTP+SSE, and no longer knows initialize."""
    if not is_post(talk):
        await open_stream(talk)
    elif talk.method == "initialize":
        await talk.send(202)
        error = {"code": -32601, "message": "Method not found"}
        await talk.push({"jsonrpc": "2.0", "id": talk.id, "error": error})
    else:
        assert "io.modelcontextprotocol/protocolVersion" in talk.message["params"]["_meta"]
        await accepted(talk)


@behaviour(2, ends_as=Era.SSE)
async def http_sse_session_lost_once(talk: Talk) -> None:
    """Does not know the session of its stream at first, as two replicas make it seem."""
    if is_post(talk) and talk.count("posts") == 1:
        await talk.send(404, b"Could not find session", "text/plain")
    else:
        await with_stream(talk, accepted)


@behaviour(2, era=Era.SSE, ends_as=Era.LEGACY)
async def http_sse_replaced(talk: Talk) -> None:
    """Spoke HTTP+SSE, and takes a POST instead since."""
    if talk.verb == "GET":
        await talk.send(405)
    else:
        await with_session(talk, lambda talk: talk.result(talk.tools()))


# --- HTTP+SSE: faults


@behaviour(Reason.HTTP_ERROR, "405", transport=Transport.STREAMABLE_HTTP)
async def http_sse_not_wanted(talk: Talk) -> None:
    """Speaks HTTP+SSE only, and `transport: StreamableHTTP` rules that out."""
    assert talk.verb == "POST"
    await with_stream(talk, accepted)


@behaviour(Reason.HTTP_ERROR, "request for an event stream", transport=Transport.SSE)
async def http_sse_not_offered(talk: Talk) -> None:
    """Offers no event stream, and `transport: SSE` asks for one."""
    assert talk.verb == "GET"
    await talk.send(405)


@behaviour(Reason.NOT_FOUND, "/sse", transport=Transport.SSE)
async def http_sse_not_there(talk: Talk) -> None:
    """Has nothing where the event stream should be."""
    await talk.send(404)


@behaviour(Reason.NOT_MCP, "text/html", transport=Transport.SSE)
async def http_sse_html(talk: Talk) -> None:
    """Shows a page instead of an event stream."""
    await talk.send(200, b"<html>", "text/html")


def refused_get(code: int, expects: Reason, says: str, summary: str, **headers: str) -> None:
    """Register a server that takes no POST and refuses the GET in a way that says why."""

    async def serve(talk: Talk) -> None:
        if talk.verb == "GET":
            await talk.send(code, b"", None, **headers)
        else:
            await talk.send(405)

    serve.__name__, serve.__doc__ = f"http_sse_get_{code}", summary
    wait = float(headers["Retry_After"]) if "Retry_After" in headers else None
    behaviour(expects, says, retry_after=wait)(serve)


refused_get(401, Reason.UNAUTHORIZED, "event stream", "Wants credentials for its event stream.")
refused_get(403, Reason.FORBIDDEN, "event stream", "Forbids its event stream.")
refused_get(
    429, Reason.RATE_LIMITED, "event stream", "Is asked too often for a stream.", Retry_After="9"
)
refused_get(503, Reason.SERVER_ERROR, "event stream", "Is not ready to stream.", Retry_After="3")
refused_get(400, Reason.HTTP_ERROR, "405 to initialize", "Takes neither POST nor GET.")


@behaviour(Reason.HTTP_ERROR, "405 to initialize")
async def http_sse_page_instead(talk: Talk) -> None:
    """Takes no POST and shows a page for a GET: another service."""
    if talk.verb == "GET":
        await talk.send(200, b"<html>", "text/html")
    else:
        await talk.send(405)


@behaviour(Reason.HTTP_ERROR, "405 to initialize", timeout=2.0)
async def http_sse_get_hangs(talk: Talk) -> None:
    """Takes no POST and never answers a GET."""
    if talk.verb == "GET":
        await talk.hang()
    else:
        await talk.send(405)


@behaviour(Reason.HTTP_ERROR, "405 to initialize")
async def http_sse_other_stream(talk: Talk) -> None:
    """Takes no POST and streams events that are no MCP, for a moment."""
    if talk.verb == "GET":
        await talk.events("event: price\ndata: 7\n\n")
    else:
        await talk.send(405)


@behaviour(Reason.TRUNCATED_RESPONSE, "endpoint event", transport=Transport.SSE)
async def http_sse_no_endpoint(talk: Talk) -> None:
    """Ends its stream before it names an address for requests."""
    await talk.events(": nothing\n\n")


@behaviour(Reason.TIMEOUT, "event stream to begin", transport=Transport.SSE, timeout=1.5)
async def http_sse_silent(talk: Talk) -> None:
    """Opens its stream and never names an address."""
    await talk.events(": nothing\n\n", end=False)
    await talk.hang()


def elsewhere(name: str, expects: Reason, says: str, address: str, summary: str) -> None:
    """Register a server by the address that it names for requests."""

    async def serve(talk: Talk) -> None:
        if talk.verb == "GET":
            port = talk.headers["host"].rpartition(":")[2]
            await open_stream(talk, address.format(port=port))
        else:
            await talk.send(405)

    serve.__name__, serve.__doc__ = f"http_sse_{name}", summary
    behaviour(expects, says, transport=Transport.SSE)(serve)


elsewhere(
    "other_host",
    Reason.REDIRECT_REFUSED,
    "http://localhost:",
    "http://localhost:{port}/http-sse-server/messages",
    "Names another host for requests, where credentials must not go.",
)
elsewhere(
    "other_scheme",
    Reason.REDIRECT_REFUSED,
    "https://127.0.0.1",
    "https://127.0.0.1:{port}/messages",
    "Names another scheme for requests.",
)
elsewhere(
    "protocol_relative",
    Reason.REDIRECT_REFUSED,
    "http://169.254.169.254",
    "//169.254.169.254/latest/meta-data",
    "Names the metadata service of a cloud for requests.",
)
elsewhere(
    "user_in_endpoint",
    Reason.PROTOCOL_ERROR,
    "no usable address",
    "http://secret:secret@127.0.0.1:{port}/messages",
    "Puts credentials into the address for requests.",
)
elsewhere(
    "bad_endpoint",
    Reason.PROTOCOL_ERROR,
    "no usable address",
    "http://[::1/messages",
    "Names no address for requests that could be used.",
)


@http_sse(Reason.TRUNCATED_RESPONSE, "ended the event stream")
async def http_sse_ends(talk: Talk) -> None:
    """Ends its stream before the answer."""
    await talk.send(202)
    await talk.memory["stream"].raw(b"0\r\n\r\n")


@http_sse(Reason.TRUNCATED_RESPONSE, "middle of its")
async def http_sse_dropped(talk: Talk) -> None:
    """Drops the stream in the middle of the answer."""
    await talk.send(202)
    await talk.push_text(talk.event()[:60])
    talk.memory["stream"].drop()


@http_sse(Reason.PROTOCOL_ERROR, "id of another request")
async def http_sse_wrong_id(talk: Talk) -> None:
    """Answers another request on its stream."""
    await talk.send(202)
    await talk.push(talk.answer(talk.tools()) | {"id": 4711})


@http_sse(Reason.MALFORMED_RESPONSE, "tools/list")
async def http_sse_not_json(talk: Talk) -> None:
    """Sends an event on its stream that is no JSON."""
    await talk.send(202)
    await talk.push_text("data: hello\n\n")


@http_sse(Reason.RPC_ERROR, "-32603")
async def http_sse_rpc_error(talk: Talk) -> None:
    """Answers with an error on its stream."""
    await talk.send(202)
    error = {"code": -32603, "message": "secret-of-the-server"}
    await talk.push({"jsonrpc": "2.0", "id": talk.id, "error": error})


@http_sse(Reason.RPC_ERROR, "-32602")
async def http_sse_error_in_post(talk: Talk) -> None:
    """Answers the POST with the error itself."""
    await talk.error(-32602)


@behaviour(2, ends_as=Era.SSE)
async def http_sse_notification_answered(talk: Talk) -> None:
    """Answers the notification in the body of its POST, with an error."""
    if is_post(talk) and talk.method == "notifications/initialized":
        await talk.error(-32601, has_id=False)
    else:
        await with_stream(talk, accepted)


@http_sse(Reason.TIMEOUT, "waiting for the answer to tools/list", timeout=1.5)
async def http_sse_no_answer(talk: Talk) -> None:
    """Takes the POST and never answers on its stream."""
    await talk.send(202)


@http_sse(Reason.TIMEOUT, "waiting for the answer to tools/list", timeout=1.5)
async def http_sse_post_hangs(talk: Talk) -> None:
    """Never takes the POST."""
    await talk.hang()


@http_sse(Reason.CONNECT_FAILED, "without an answer to tools/list")
async def http_sse_post_dropped(talk: Talk) -> None:
    """Closes the connection of the POST."""
    talk.drop()


@http_sse(Reason.PAGINATION_LOOP, "given before")
async def http_sse_loop(talk: Talk) -> None:
    """Never ends its pages, over HTTP+SSE."""
    await accepted(talk, [{"name": str(talk.count("page"))}], nextCursor="8")


@http_sse(Reason.TOO_LARGE, "100000 bytes", limits=SMALL)
async def http_sse_endless(talk: Talk) -> None:
    """Sends notifications on its stream for ever."""
    await talk.send(202)
    while True:
        await talk.push_text('data: {"jsonrpc":"2.0","method":"notifications/message"}\n\n' * 50)


def refused_post(code: int, expects: Reason, says: str, summary: str, **headers: str) -> None:
    """Register a server that refuses the POST of tools/list with one status."""

    async def listing(talk: Talk) -> None:
        await talk.send(code, b"", None, **headers)

    listing.__name__, listing.__doc__ = f"http_sse_post_{code}", summary
    wait = float(headers["Retry_After"]) if "Retry_After" in headers else None
    http_sse(expects, says, retry_after=wait)(listing)


refused_post(401, Reason.UNAUTHORIZED, "tools/list", "Wants credentials for each POST.")
refused_post(404, Reason.NOT_FOUND, "session affinity", "Never knows the session of its stream.")
refused_post(405, Reason.HTTP_ERROR, "405 to tools/list", "Takes no POST at its own address.")
refused_post(
    429, Reason.RATE_LIMITED, "poll less often", "Is sent too many POSTs.", Retry_After="11"
)
refused_post(500, Reason.SERVER_ERROR, "500", "Crashes over a POST.")


# --- 2025-11-25: streams that are closed to be taken up again (SEP-1699)


def resumable(expects: Reason | int, says: str = "", **more: Any) -> Callable[[Serve], Serve]:
    """Register a legacy server whose listing also gets the GET that takes a stream up again."""

    def register(listing: Serve) -> Serve:
        more.setdefault("era", Era.LEGACY)
        return legacy(expects, says, **more)(listing)

    return register


PRIMING = "id: 7/1\nretry: 10\ndata:\n\n"


@resumable(2)
async def stream_resumed(talk: Talk) -> None:
    """Closes the stream before the answer, which waits for a GET."""
    if talk.verb == "POST":
        talk.memory["id"] = talk.id
        await talk.events(PRIMING)
        return
    assert talk.headers["last-event-id"] == "7/1"
    await talk.events(late(talk))


@resumable(2)
async def stream_resumed_twice(talk: Talk) -> None:
    """Closes the stream again and again, each time with another id."""
    number = talk.count("streams")
    if talk.verb == "POST":
        talk.memory["id"] = talk.id
    else:
        assert talk.headers["last-event-id"] == f"e{number - 1}"
    await talk.events(late(talk) if number == 4 else f"id: e{number}\nretry: 1\ndata:\n\n")


@resumable(2)
async def stream_dropped_and_resumed(talk: Talk) -> None:
    """Drops the stream in the middle of an event: the last whole one counts."""
    if talk.verb == "POST":
        talk.memory["id"] = talk.id
        await talk.events(PRIMING, f"id: 7/2\n{talk.event()[:60]}", end=False)
        talk.drop()
        return
    assert talk.headers["last-event-id"] == "7/1"
    await talk.events(late(talk))


@behaviour(2, ends_as=Era.LEGACY)
async def initialize_resumed(talk: Talk) -> None:
    """Closes the stream before the answer to initialize."""
    if talk.method == "initialize":
        talk.memory["id"] = talk.id
        await talk.head(
            200,
            {
                "Content-Type": "text/event-stream",
                "Mcp-Session-Id": SESSION,
                "Transfer-Encoding": "chunked",
            },
        )
        await talk.chunk(PRIMING.encode())
        await talk.raw(b"0\r\n\r\n")
    elif talk.verb == "GET":
        assert talk.headers["mcp-session-id"] == SESSION
        answer = {"jsonrpc": "2.0", "id": talk.memory["id"], "result": initialized("2025-11-25")}
        await talk.events(f"data: {json.dumps(answer)}\n\n")
    else:
        await with_session(talk, lambda talk: talk.result(talk.tools()))


def late(talk: Talk) -> str:
    """The answer to the request whose stream was closed."""
    answer = {"jsonrpc": "2.0", "id": talk.memory["id"], "result": talk.tools()}
    return f"data: {json.dumps(answer)}\n\n"


@resumable(Reason.TRUNCATED_RESPONSE, "ended the event stream")
async def stream_closed_without_id(talk: Talk) -> None:
    """Closes the stream before the answer, and names no id to take it up with."""
    assert talk.verb == "POST"
    await talk.events("retry: 10\ndata:\n\n")


@resumable(Reason.TRUNCATED_RESPONSE, "ended the event stream")
async def stream_closed_for_ever(talk: Talk) -> None:
    """Closes the stream each time it is taken up."""
    await talk.events(f"id: {talk.count('streams')}\nretry: 1\ndata:\n\n")


@resumable(Reason.TRUNCATED_RESPONSE, "ended the event stream")
async def stream_not_kept(talk: Talk) -> None:
    """Closes the stream before the answer, and takes no GET."""
    await (talk.events(PRIMING) if talk.verb == "POST" else talk.send(405))


@resumable(Reason.TRUNCATED_RESPONSE, "ended the event stream")
async def stream_page_instead(talk: Talk) -> None:
    """Closes the stream before the answer, and shows a page for the GET."""
    if talk.verb == "POST":
        await talk.events(PRIMING)
    else:
        await talk.send(200, b"<html>", "text/html")


@resumable(Reason.RATE_LIMITED, "poll less often", retry_after=5.0)
async def stream_resumed_too_often(talk: Talk) -> None:
    """Closes the stream, and finds the GET one too many."""
    if talk.verb == "POST":
        await talk.events(PRIMING)
    else:
        await talk.send(429, Retry_After="5")


@resumable(Reason.TIMEOUT, "rest of its answer", timeout=2.0)
async def stream_resumed_too_late(talk: Talk) -> None:
    """Closes the stream and wants to be asked again in an hour."""
    assert talk.verb == "POST"
    await talk.events("id: 7/1\nretry: 3600000\ndata:\n\n")


@resumable(Reason.TRUNCATED_RESPONSE, "ended the event stream")
async def stream_odd_id(talk: Talk) -> None:
    """Names an id that no header can carry."""
    assert talk.verb == "POST"
    await talk.events("id: 7\x01é\nretry: 1\ndata:\n\n")


@modern(Reason.TRUNCATED_RESPONSE, "ended the event stream")
async def modern_stream_closed(talk: Talk) -> None:
    """Is of 2026-07-28, where no stream can be taken up again, and closes it all the same."""
    assert talk.verb == "POST"
    await talk.events(PRIMING)
