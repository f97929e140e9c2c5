"""The misbehaviours, one function each.

Its docstring says what such a server does, its decorator what a reader has to make of it: a number
of tools, or a reason and words of the message. To add one, write it; the tests go through them all.
"""

import gzip
import json
import zlib
from collections.abc import Callable
from typing import Any

from proxar.fetch import Era, Limits, Reason
from tests.support import fieldcases, streams
from tests.support.conversation import (
    BEHAVIOURS,
    CLOSE,
    MODERN,
    SEARCH,
    SERVER_INFO,
    SESSION,
    TOOLS,
    Serve,
    Talk,
    behaviour,
    discovery,
    initialization,
    legacy,
    modern,
    with_session,
)

__all__ = ["BEHAVIOURS", "fieldcases", "streams"]

# --- Lists that have to be read


@modern(2)
async def modern_json(talk: Talk) -> None:
    """Answers in JSON, as most do."""
    await talk.result(talk.tools())


@modern(2)
async def json_with_charset(talk: Talk) -> None:
    """Says which charset its JSON has."""
    await talk.send(200, talk.body(), "Application/JSON; charset=utf-8")


@modern(2)
async def json_in_chunks(talk: Talk) -> None:
    """Sends its JSON chunked, cut inside characters."""
    await talk.chunks(bytes([byte]) for byte in talk.body())


@modern(2)
async def json_with_bom(talk: Talk) -> None:
    """Begins its JSON with a byte order mark."""
    await talk.send(200, b"\xef\xbb\xbf" + talk.body(), "application/json")


@modern(2)
async def gzip_unasked(talk: Talk) -> None:
    """Compresses although it was asked not to."""
    await talk.send(200, gzip.compress(talk.body()), "application/json", Content_Encoding="gzip")


@modern(2)
async def deflate_unasked(talk: Talk) -> None:
    """Compresses with deflate."""
    body = zlib.compress(talk.body())
    await talk.send(200, body, "application/json", Content_Encoding="deflate")


@modern(2)
async def gzip_in_members(talk: Talk) -> None:
    """Compresses in several gzip members."""
    body = talk.body()
    members = gzip.compress(body[:50]) + gzip.compress(body[50:])
    await talk.send(200, members, "application/json", Content_Encoding="gzip")


@modern(2)
async def sse(talk: Talk) -> None:
    """Answers with an event stream."""
    await talk.events(talk.event())


@modern(2)
async def sse_crlf(talk: Talk) -> None:
    """Ends its lines with CR and LF."""
    await talk.events(talk.event().replace("\n", "\r\n"))


@modern(2)
async def sse_several_data_lines(talk: Talk) -> None:
    """Spreads one event over several data lines."""
    text = json.dumps(talk.answer(talk.tools()), indent=1)
    await talk.events("".join(f"data: {line}\n" for line in text.split("\n")) + "\n")


@modern(2)
async def sse_byte_by_byte(talk: Talk) -> None:
    """Sends its events in chunks of one byte."""
    await talk.chunks((bytes([byte]) for byte in talk.event().encode()), "text/event-stream")


@modern(2)
async def sse_others_first(talk: Talk) -> None:
    """Sends comments, notifications, a request and other events before the answer."""
    await talk.events(
        ": keepalive\n\n",
        'data: {"jsonrpc":"2.0","method":"notifications/message","params":{}}\n\n',
        f'data: {{"jsonrpc":"2.0","id":{talk.id},"method":"ping"}}\n\n',
        "event: ping\ndata: not json\n\n",
        "retry: 100\n\n",
        talk.event(),
    )


@modern(2)
async def sse_left_open(talk: Talk) -> None:
    """Never ends its event stream."""
    await talk.events(talk.event(), end=False)
    await talk.hang()


@modern(2)
async def sse_dropped_after_answer(talk: Talk) -> None:
    """Drops the connection once the answer is sent."""
    await talk.events(talk.event(), end=False)
    talk.drop()


@modern(3)
async def three_pages(talk: Talk) -> None:
    """Sends three pages."""
    number = int(talk.cursor or "0")
    more = {"nextCursor": str(number + 1)} if number < 2 else {"nextCursor": None}
    await talk.result(talk.tools([{"name": f"tool-{number}"}], **more))


@modern(2)
async def empty_cursor(talk: Talk) -> None:
    """Uses the empty string as a cursor like any other."""
    if talk.cursor is None:
        await talk.result(talk.tools([SEARCH], nextCursor=""))
    else:
        await talk.result(talk.tools([CLOSE]))


@modern(2)
async def empty_cursor_for_the_end(talk: Talk) -> None:
    """Means the end by an empty cursor and reads it as the beginning."""
    await talk.result(talk.tools(nextCursor=""))


@modern(3)
async def deep_pages(talk: Talk) -> None:
    """Nests schemas as deep as is allowed, on several pages."""
    number = int(talk.cursor or "0")
    end = b',"nextCursor":"%d"' % (number + 1) if number < 2 else b""
    schema = b'{"a":' * 980 + b"1" + b"}" * 980
    result = b'{"tools":[{"inputSchema":%b,"name":"%d"}]%b}' % (schema, number, end)
    body = b'{"jsonrpc":"2.0","id":%d,"result":%b}' % (talk.id, result)
    await talk.send(200, body, "application/json")


@modern(0)
async def empty_list(talk: Talk) -> None:
    """Has no tools, or none yet."""
    await talk.result(talk.tools([]))


@modern(4)
async def odd_tools(talk: Talk) -> None:
    """Lists tools without a name, without a schema, twice, and things that are none."""
    await talk.result(talk.tools([SEARCH, SEARCH, {"inputSchema": None}, "tool"]))


@modern(2)
async def no_result_type(talk: Talk) -> None:
    """Leaves out what 2026-07-28 requires beside the tools."""
    await talk.result({"tools": TOOLS})


@modern(2)
async def version_refused_once(talk: Talk) -> None:
    """Refuses the version at first, and then says that it supports it."""
    if talk.count("asked") == 1:
        await talk.error(-32022, 400, {"supported": [MODERN], "requested": MODERN})
    else:
        await talk.result(talk.tools())


@modern(2)
async def redirect_to_slash(talk: Talk) -> None:
    """Redirects /mcp to /mcp/ with 307, each request."""
    if talk.path.endswith("/mcp"):
        await talk.send(307, Location=f"{talk.path}/")
    else:
        await talk.result(talk.tools())


@behaviour(2)
async def redirect_absolute(talk: Talk) -> None:
    """Redirects with 308 to an absolute url of the same origin."""
    if talk.path.endswith("/mcp"):
        await talk.send(308, Location=f"http://{talk.headers['host']}{talk.path}/v2?key=1")
    elif talk.method == "server/discover":
        await discovery(talk)
    else:
        await talk.result(talk.tools())


@legacy(2)
async def legacy_json(talk: Talk) -> None:
    """Speaks 2025-11-25, with a session."""
    await talk.result(talk.tools())


@legacy(2, version="2025-06-18")
async def legacy_2025_06_18(talk: Talk) -> None:
    """Speaks 2025-06-18."""
    await talk.result(talk.tools())


@legacy(2, version="2024-11-05")
async def legacy_2024_11_05(talk: Talk) -> None:
    """Speaks 2024-11-05, but over streamable HTTP."""
    await talk.result(talk.tools())


@legacy(2, version="2025-03-26")
async def legacy_batch(talk: Talk) -> None:
    """Speaks 2025-03-26 and answers with an array of messages."""
    note = {"jsonrpc": "2.0", "method": "notifications/message", "params": {}}
    await talk.json([note, talk.answer(talk.tools())])


@legacy(2)
async def legacy_priming_event(talk: Talk) -> None:
    """Begins its streams with an event without data, as 2025-11-25 asks."""
    await talk.events("id: 7/1\nretry: 3000\ndata:\n\n", talk.event())


@legacy(3)
async def legacy_pages(talk: Talk) -> None:
    """Sends pages in one session."""
    await three_pages(talk)


@behaviour(2, ends_as=Era.LEGACY)
async def legacy_stateless(talk: Talk) -> None:
    """Gives no session, and refuses one."""
    if talk.headers.get("mcp-session-id") or talk.verb != "POST":
        await talk.send(405)
    elif talk.method == "initialize":
        await initialization(talk)
    elif talk.method == "notifications/initialized":
        await talk.send(202)
    elif talk.method == "tools/list":
        await talk.result(talk.tools())
    else:
        await talk.error(-32601)


def probe(name: str, summary: str, refuse: Serve, **more: Any) -> None:
    """Register a legacy server by the way in which it refuses the probe of a modern client."""

    async def serve(talk: Talk) -> None:
        if talk.method == "server/discover":
            await refuse(talk)
        else:
            await with_session(talk, lambda talk: talk.result(talk.tools()))

    serve.__name__, serve.__doc__ = name, summary
    behaviour(2, ends_as=Era.LEGACY, **more)(serve)


probe("probe_404", "Answers the probe 404.", lambda talk: talk.send(404, b"no", "text/plain"))
probe("probe_405", "Answers the probe 405.", lambda talk: talk.send(405))
probe("probe_406", "Answers the probe 406.", lambda talk: talk.send(406))
probe("probe_400_html", "Answers the probe 400.", lambda talk: talk.send(400, b"<p>", "text/html"))
probe("probe_202", "Takes the probe for a notification.", lambda talk: talk.send(202))
probe("probe_unknown_method", "Does not know the probe.", lambda talk: talk.error(-32601))
probe("probe_invalid", "Misses parameters.", lambda talk: talk.error(-32602, 400))
probe("probe_any_result", "Answers anything with something.", lambda talk: talk.result({}))
probe("probe_other_json", "Has errors of its own.", lambda talk: talk.json({"error": "what?"}))
probe("probe_silent", "Never answers the probe.", lambda talk: talk.hang(), timeout=0.6)


@behaviour(2, ends_as=Era.LEGACY)
async def dual_without_modern(talk: Talk) -> None:
    """Knows server/discover, but names only earlier versions."""
    if talk.method == "server/discover":
        await discovery(talk, supportedVersions=["2025-11-25"])
    else:
        await with_session(talk, lambda talk: talk.result(talk.tools()))


@behaviour(2, era=Era.MODERN, ends_as=Era.LEGACY)
async def rolled_back(talk: Talk) -> None:
    """Was modern, and is legacy since: it misses a session."""
    if talk.method == "tools/list" and "mcp-session-id" not in talk.headers:
        await talk.error(-32600, 400, has_id=False)
    else:
        await with_session(talk, lambda talk: talk.result(talk.tools()))


@behaviour(2, era=Era.MODERN, ends_as=Era.LEGACY)
async def rolled_back_to_sdk_1(talk: Talk) -> None:
    """The same, in the words of the Python SDK 1.x, whose id is a word of its own."""
    if talk.method == "tools/list" and "mcp-session-id" not in talk.headers:
        error = {"code": -32600, "message": "Bad Request: Missing session ID"}
        await talk.json({"jsonrpc": "2.0", "id": "server-error", "error": error}, 400)
    else:
        await with_session(talk, lambda talk: talk.result(talk.tools()))


@behaviour(2, era=Era.LEGACY, ends_as=Era.MODERN)
async def upgraded(talk: Talk) -> None:
    """Was legacy, and no longer knows initialize."""
    if talk.method == "initialize":
        await talk.error(-32601, 404)
    else:
        await talk.result(talk.tools())


@behaviour(2, ends_as=Era.LEGACY)
async def session_lost_once(talk: Talk) -> None:
    """Forgets its first session, as a load balancer over two replicas makes it seem."""
    if talk.method == "tools/list" and talk.count("lists") == 1:
        await talk.error(-32001, 404, has_id=False)
    else:
        await with_session(talk, lambda talk: talk.result(talk.tools()))


@behaviour(2, ends_as=Era.LEGACY)
async def session_lost_with_400(talk: Talk) -> None:
    """Says 400 for a session that it does not know."""
    if talk.method == "notifications/initialized" and talk.count("sessions") == 1:
        await talk.error(-32000, 400, has_id=False)
    else:
        await with_session(talk, lambda talk: talk.result(talk.tools()))


@behaviour(2, timeout=0.5)
async def delete_hangs(talk: Talk) -> None:
    """Never answers DELETE."""
    if talk.method == "DELETE":
        await talk.hang()
    else:
        await with_session(talk, lambda talk: talk.result(talk.tools()))


@behaviour(2)
async def delete_refused(talk: Talk) -> None:
    """Does not let clients end sessions."""
    if talk.method == "DELETE":
        await talk.send(405)
    else:
        await with_session(talk, lambda talk: talk.result(talk.tools()))


@behaviour(2)
async def stream_for_initialized(talk: Talk) -> None:
    """Answers a notification with a stream that it leaves open."""
    if talk.method == "notifications/initialized":
        await talk.events(": nothing\n\n", end=False)
        await talk.hang()
    else:
        await with_session(talk, lambda talk: talk.result(talk.tools()))


# --- Statuses


def status(code: int, expects: Reason, says: str, summary: str, **headers: str) -> None:
    """Register a server that answers everything with one status."""

    async def serve(talk: Talk) -> None:
        await talk.send(code, b'{"secret": 1}', "application/json", **headers)

    serve.__name__, serve.__doc__ = f"status_{code}", summary
    wait = float(headers["Retry_After"]) if "Retry_After" in headers else None
    behaviour(expects, says, retry_after=wait)(serve)


CHALLENGE = 'Bearer realm="secret-realm", error="invalid_token"'
status(401, Reason.UNAUTHORIZED, "invalid_token", "Wants credentials.", WWW_Authenticate=CHALLENGE)
status(403, Reason.FORBIDDEN, "right to list tools", "Forbids it.")
status(404, Reason.NOT_FOUND, "/mcp", "Has nothing there.")
status(410, Reason.NOT_FOUND, "/mcp", "Has nothing there any more.")
status(405, Reason.HTTP_ERROR, "405", "Takes no POST.")
status(406, Reason.HTTP_ERROR, "406", "Dislikes what we accept.")
status(400, Reason.HTTP_ERROR, "400", "Finds every request bad.")
status(418, Reason.HTTP_ERROR, "418", "Is a teapot.")
status(413, Reason.HTTP_ERROR, "413", "Finds requests too large.")
status(421, Reason.HOST_REJECTED, "allowed hosts", "Does not serve the host name.")
status(429, Reason.RATE_LIMITED, "poll less often", "Is asked too often.", Retry_After="7")
status(500, Reason.SERVER_ERROR, "500", "Has crashed.")
status(503, Reason.SERVER_ERROR, "503", "Is not ready.", Retry_After="2")
status(300, Reason.HTTP_ERROR, "300", "Offers a choice.")
status(206, Reason.HTTP_ERROR, "206", "Sends a part.")


@behaviour(Reason.SERVER_ERROR, "500", era=Era.MODERN)
async def rpc_error_in_500(talk: Talk) -> None:
    """Has crashed, and says so in JSON-RPC."""
    await talk.error(-32603, 500)


@behaviour(Reason.RPC_ERROR, "-32603")
async def probe_internal_error(talk: Talk) -> None:
    """Fails inside when probed: that is no sign of another era."""
    if talk.method == "server/discover":
        await talk.error(-32603)
    else:
        await with_session(talk, lambda talk: talk.result(talk.tools()))


@behaviour(Reason.SERVER_ERROR, "503")
async def probe_503(talk: Talk) -> None:
    """Is not ready when probed, although it would take initialize."""
    if talk.method == "server/discover":
        await talk.send(503)
    else:
        await with_session(talk, lambda talk: talk.result(talk.tools()))


@behaviour(Reason.REDIRECT_REFUSED, "POST into GET")
async def redirect_301(talk: Talk) -> None:
    """Redirects in a way that turns POST into GET."""
    await talk.send(301, Location=f"{talk.path}/x")


@behaviour(Reason.REDIRECT_REFUSED, "http://localhost:")
async def redirect_elsewhere(talk: Talk) -> None:
    """Redirects to another host, where credentials must not go."""
    port = talk.headers["host"].rpartition(":")[2]
    await talk.send(307, Location=f"http://localhost:{port}/modern-json/mcp?token=secret")


@behaviour(Reason.REDIRECT_REFUSED, "https://127.0.0.1")
async def redirect_to_https(talk: Talk) -> None:
    """Redirects to another scheme."""
    await talk.send(307, Location=f"https://{talk.headers['host']}{talk.path}")


@behaviour(Reason.REDIRECT_REFUSED, "in circles")
async def redirect_loop(talk: Talk) -> None:
    """Redirects to itself."""
    await talk.send(307, Location=talk.path)


@behaviour(Reason.REDIRECT_REFUSED, "without a usable Location")
async def redirect_nowhere(talk: Talk) -> None:
    """Redirects without saying where to."""
    await talk.send(307)


@legacy(Reason.NOT_FOUND, "session affinity")
async def session_always_lost(talk: Talk) -> None:
    """Forgets every session."""
    await talk.error(-32001, 404, has_id=False)


@legacy(Reason.RPC_ERROR, "-32602")
async def legacy_bad_request(talk: Talk) -> None:
    """Refuses the request itself, which is no lost session."""
    await talk.error(-32602, 400)


# --- Not MCP


@behaviour(Reason.NOT_MCP, "text/html")
async def html(talk: Talk) -> None:
    """Shows a login page."""
    await talk.send(200, b"<html>sign in</html>", "text/html; charset=utf-8")


@behaviour(Reason.NOT_MCP, "text/html")
async def endless_html(talk: Talk) -> None:
    """Shows a page that never ends."""
    await talk.chunks([b"<p>" * 1000], "text/html", end=False)
    await talk.hang()


@behaviour(Reason.NOT_MCP, "without a media type")
async def no_media_type(talk: Talk) -> None:
    """Does not say what it sends."""
    await talk.send(200, talk.body())


@behaviour(Reason.NOT_MCP, "202")
async def accepted_only(talk: Talk) -> None:
    """Takes requests for notifications."""
    await talk.send(202)


@modern(Reason.NOT_MCP, "204")
async def no_content(talk: Talk) -> None:
    """Answers nothing at all."""
    await talk.head(204, {})


@behaviour(Reason.NOT_MCP, "not answer in HTTP")
async def not_http(talk: Talk) -> None:
    """Is an SSH server."""
    await talk.raw(b"SSH-2.0-OpenSSH_9.9\r\n")
    talk.drop()


# --- Answers that break off


@modern(Reason.TRUNCATED_RESPONSE, "middle of its answer")
async def short_of_content_length(talk: Talk) -> None:
    """Closes before its Content-Length is reached."""
    body = talk.body()
    length = str(len(body))
    await talk.head(200, {"Content-Type": "application/json", "Content-Length": length})
    await talk.raw(body[:-20])
    talk.drop()


@modern(Reason.TRUNCATED_RESPONSE, "middle of its answer")
async def chunked_without_end(talk: Talk) -> None:
    """Closes before the last chunk."""
    await talk.chunks([talk.body()], end=False)
    talk.drop()


@modern(Reason.TRUNCATED_RESPONSE, "middle of its")
async def reset_in_body(talk: Talk) -> None:
    """Resets the connection in the middle of its answer."""
    await talk.chunks([talk.body()[:40]], end=False)
    talk.reset()


@modern(Reason.TRUNCATED_RESPONSE, "middle of its JSON")
async def json_cut_off(talk: Talk) -> None:
    """Sends half a JSON document with the length of that half."""
    await talk.send(200, talk.body()[:70], "application/json")


@modern(Reason.TRUNCATED_RESPONSE, "empty body")
async def empty_body(talk: Talk) -> None:
    """Sends no body."""
    await talk.send(200, b"", "application/json")


@modern(Reason.TRUNCATED_RESPONSE, "compressed")
async def gzip_cut_off(talk: Talk) -> None:
    """Sends half of a compressed body."""
    half = gzip.compress(talk.body())[:60]
    await talk.send(200, half, "application/json", Content_Encoding="gzip")


@modern(Reason.TRUNCATED_RESPONSE, "event stream")
async def sse_without_answer(talk: Talk) -> None:
    """Ends its event stream before the answer."""
    await talk.events(": on my way\n\n")


@modern(Reason.TRUNCATED_RESPONSE, "event stream")
async def sse_event_cut_off(talk: Talk) -> None:
    """Ends its event stream before the blank line that completes the event."""
    await talk.events(talk.event().rstrip("\n"))


@modern(Reason.TRUNCATED_RESPONSE, "middle of its")
async def sse_dropped(talk: Talk) -> None:
    """Drops the connection in the middle of an event."""
    await talk.events(talk.event()[:60], end=False)
    talk.drop()


@modern(Reason.CONNECT_FAILED, "without an answer")
async def closed_without_answer(talk: Talk) -> None:
    """Takes the request and closes."""
    talk.drop()


# --- Malformed


def malformed(name: str, body: Callable[[Talk], bytes], summary: str) -> None:
    """Register a server whose JSON is none."""

    async def listing(talk: Talk) -> None:
        await talk.send(200, body(talk), "application/json")

    listing.__name__, listing.__doc__ = name, summary
    modern(Reason.MALFORMED_RESPONSE)(listing)


malformed("not_json", lambda _: b"Internal error", "Sends text as JSON.")
malformed("json_nan", lambda talk: talk.body().replace(b'"ttlMs": 0', b'"ttlMs": NaN'), "Has NaN.")
malformed("json_twice", lambda talk: talk.body() * 2, "Sends two documents in one.")
malformed("log_line_first", lambda talk: b"INFO ok\n" + talk.body(), "Logs into the answer.")
malformed("bad_utf8", lambda talk: talk.body().replace(b"quick", b"qu\xff"), "Is not in UTF-8.")


@modern(Reason.MALFORMED_RESPONSE)
async def sse_not_json(talk: Talk) -> None:
    """Sends an event that is no JSON."""
    await talk.events("data: hello\n\n")


@modern(Reason.MALFORMED_RESPONSE, "gzip but is not")
async def not_gzip(talk: Talk) -> None:
    """Says that its body is compressed, and it is not."""
    await talk.send(200, talk.body(), "application/json", Content_Encoding="gzip")


@modern(Reason.MALFORMED_RESPONSE, "'br'")
async def brotli_unasked(talk: Talk) -> None:
    """Compresses in a way that nobody asked for."""
    await talk.send(200, b"\x0b\x02", "application/json", Content_Encoding="br")


@modern(Reason.MALFORMED_RESPONSE, "rules of HTTP")
async def bad_chunk(talk: Talk) -> None:
    """Sends a chunk without a size."""
    await talk.head(200, {"Content-Type": "application/json", "Transfer-Encoding": "chunked"})
    await talk.raw(b"many\r\n{}\r\n0\r\n\r\n")


# --- Against the protocol


@modern(Reason.PROTOCOL_ERROR, "id of another request")
async def wrong_id(talk: Talk) -> None:
    """Answers a request that was not asked."""
    await talk.json(talk.answer(talk.tools()) | {"id": 4711})


@modern(Reason.PROTOCOL_ERROR, "id of another request")
async def id_as_text(talk: Talk) -> None:
    """Answers with the id as a string."""
    await talk.json(talk.answer(talk.tools()) | {"id": str(talk.id)})


@modern(Reason.PROTOCOL_ERROR, "id of another request")
async def sse_wrong_id(talk: Talk) -> None:
    """Answers another request, and leaves the stream open."""
    await talk.events('data: {"jsonrpc":"2.0","id":4711,"result":{}}\n\n', end=False)
    await talk.hang()


@behaviour(Reason.PROTOCOL_ERROR, "not a JSON-RPC message")
async def other_json(talk: Talk) -> None:
    """Is another service that speaks JSON."""
    await talk.json({"status": "ok"})


@modern(Reason.PROTOCOL_ERROR, "notification only")
async def notification_only(talk: Talk) -> None:
    """Answers with a notification."""
    await talk.json({"jsonrpc": "2.0", "method": "notifications/message"})


@modern(Reason.PROTOCOL_ERROR, "not an object")
async def result_is_array(talk: Talk) -> None:
    """Has an array for a result."""
    await talk.result(TOOLS)


@modern(Reason.PROTOCOL_ERROR, "no list of tools")
async def no_tools_member(talk: Talk) -> None:
    """Leaves the tools out."""
    await talk.result({"resultType": "complete"})


@modern(Reason.PROTOCOL_ERROR, "no list of tools")
async def tools_null(talk: Talk) -> None:
    """Has null for tools."""
    await talk.result({"tools": None})


@modern(Reason.PROTOCOL_ERROR, "not a string")
async def cursor_is_number(talk: Talk) -> None:
    """Has a number for a cursor."""
    await talk.result(talk.tools(nextCursor=2))


@modern(Reason.PROTOCOL_ERROR, "resultType")
async def input_required(talk: Talk) -> None:
    """Wants input before it lists its tools, which the protocol forbids."""
    await talk.result(talk.tools(resultType="input_required"))


@modern(Reason.PROTOCOL_ERROR, "numeric code")
async def error_without_code(talk: Talk) -> None:
    """Sends an error without a code."""
    await talk.json({"jsonrpc": "2.0", "id": talk.id, "error": {"message": "no"}})


@modern(Reason.PROTOCOL_ERROR, "numeric code")
async def error_with_huge_code(talk: Talk) -> None:
    """Sends an error whose code has a billion digits."""
    code = b'{"jsonrpc":"2.0","id":%d,"error":{"code":1e999999999}}' % talk.id
    await talk.send(200, code, "application/json")


@modern(Reason.PROTOCOL_ERROR, "id of another request")
async def huge_id(talk: Talk) -> None:
    """Answers with an id that has a billion digits."""
    await talk.send(200, b'{"jsonrpc":"2.0","id":1e999999999,"result":{}}', "application/json")


@behaviour(Reason.PROTOCOL_ERROR, "update Proxar")
async def probe_version_refused(talk: Talk) -> None:
    """Refuses the version of the probe and names none that we know."""
    await talk.error(-32022, 400, {"supported": ["2031-01-01"]})


@behaviour(Reason.PROTOCOL_ERROR, "did not offer", era=Era.LEGACY)
async def unknown_legacy_version(talk: Talk) -> None:
    """Chooses a version that nobody knows."""
    await initialization(talk, "1999-01-01")


@behaviour(Reason.PROTOCOL_ERROR, "update Proxar")
async def unknown_modern_version(talk: Talk) -> None:
    """Supports only versions of the future."""
    await discovery(talk, supportedVersions=["2031-01-01"])


@behaviour(Reason.PROTOCOL_ERROR, "update Proxar", era=Era.MODERN)
async def version_refused(talk: Talk) -> None:
    """Refuses our version and names only those of the future."""
    await talk.error(-32022, 400, {"supported": ["2031-01-01"]})


@modern(Reason.RPC_ERROR, "-32602")
async def rpc_error(talk: Talk) -> None:
    """Answers with an error."""
    await talk.error(-32602)


@modern(Reason.RPC_ERROR, "-32020")
async def header_mismatch(talk: Talk) -> None:
    """Finds headers and body at odds."""
    await talk.error(-32020, 400)


@modern(Reason.RPC_ERROR, "-32700")
async def error_with_null_id(talk: Talk) -> None:
    """Answers with an error that has no id."""
    await talk.error(-32700, has_id=False)


@modern(Reason.TOOLS_UNSUPPORTED, "no tools")
async def list_unknown(talk: Talk) -> None:
    """Does not know tools/list."""
    await talk.error(-32601, 404)


@behaviour(Reason.TOOLS_UNSUPPORTED, "no tools capability")
async def no_tools_capability(talk: Talk) -> None:
    """Declares no tools."""
    await discovery(talk, capabilities={"prompts": {}})


@behaviour(Reason.TOOLS_UNSUPPORTED, "no tools capability", era=Era.LEGACY)
async def legacy_no_tools_capability(talk: Talk) -> None:
    """Declares no tools in initialize."""
    result = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": SERVER_INFO}
    await talk.result(result, Mcp_Session_Id=SESSION)


# --- Pages


@modern(Reason.PAGINATION_LOOP, "given before")
async def same_cursor(talk: Talk) -> None:
    """Sends other tools with the same cursor for ever."""
    await talk.result(talk.tools([{"name": str(talk.count("page"))}], nextCursor="8"))


@modern(Reason.PAGINATION_LOOP, "given before")
async def alternating_cursors(talk: Talk) -> None:
    """Goes from A to B and back."""
    number = talk.count("page")
    await talk.result(talk.tools([{"name": str(number)}], nextCursor="AB"[number % 2]))


@modern(Reason.PAGINATION_LOOP, "repeats page 1")
async def same_page(talk: Talk) -> None:
    """Sends the same page with new cursors for ever."""
    await talk.result(talk.tools(nextCursor=str(talk.count("page"))))


@modern(Reason.TOO_LARGE, "200 pages")
async def endless_pages(talk: Talk) -> None:
    """Sends new pages for ever."""
    number = talk.count("page")
    await talk.result(talk.tools([{"name": str(number)}], nextCursor=str(number)))


@modern(Reason.SERVER_ERROR, "page 2")
async def second_page_500(talk: Talk) -> None:
    """Crashes on the second page."""
    if talk.cursor is None:
        await talk.result(talk.tools(nextCursor="2"))
    else:
        await talk.send(500)


@modern(Reason.RPC_ERROR, "page 2")
async def second_page_error(talk: Talk) -> None:
    """Has forgotten its cursor."""
    if talk.cursor is None:
        await talk.result(talk.tools(nextCursor="2"))
    else:
        await talk.error(-32602)


@modern(Reason.TIMEOUT, "page 2", timeout=1.5, era=Era.MODERN)
async def second_page_hangs(talk: Talk) -> None:
    """Never sends the second page."""
    if talk.cursor is None:
        await talk.result(talk.tools(nextCursor="2"))
    else:
        await talk.hang()


# --- Too large

SMALL = Limits(size_bytes=100_000, tools=50, pages=5)


@modern(Reason.TOO_LARGE, "100000 bytes", limits=SMALL)
async def large_body_announced(talk: Talk) -> None:
    """Announces a large body, and sends little of it."""
    await talk.head(200, {"Content-Type": "application/json", "Content-Length": "9000000000"})
    await talk.raw(b"{")
    await talk.hang()


@modern(Reason.TOO_LARGE, "100000 bytes", limits=SMALL)
async def large_body(talk: Talk) -> None:
    """Sends and sends."""
    await talk.head(200, {"Content-Type": "application/json", "Transfer-Encoding": "chunked"})
    while True:
        await talk.chunk(b" " * 4096)


@modern(Reason.TOO_LARGE, "100000 bytes", limits=SMALL)
async def gzip_bomb(talk: Talk) -> None:
    """Sends 20 MB of nothing in 90 kB."""
    squeezer = zlib.compressobj(1, wbits=31)
    body = b"".join(squeezer.compress(bytes(1 << 20)) for _ in range(20)) + squeezer.flush()
    await talk.send(200, body, "application/json", Content_Encoding="gzip")


@modern(Reason.TOO_LARGE, "100000 bytes", limits=SMALL)
async def endless_events(talk: Talk) -> None:
    """Sends notifications for ever."""
    await talk.events(end=False)
    while True:
        await talk.chunk(b'data: {"jsonrpc":"2.0","method":"notifications/message"}\n\n' * 50)


@modern(Reason.TOO_LARGE, "100000 bytes", limits=SMALL)
async def large_pages(talk: Talk) -> None:
    """Sends pages that are small one by one."""
    number = talk.count("page")
    tool = {"name": str(number), "description": "x" * 40_000}
    await talk.result(talk.tools([tool], nextCursor=str(number)))


@modern(Reason.TOO_LARGE, "50 tools", limits=SMALL)
async def many_tools(talk: Talk) -> None:
    """Lists one tool too many."""
    await talk.result(talk.tools([{"name": str(number)} for number in range(51)]))


@modern(50, limits=SMALL)
async def just_enough_tools(talk: Talk) -> None:
    """Lists as many tools as are allowed."""
    await talk.result(talk.tools([{"name": str(number)} for number in range(50)]))


@modern(Reason.TOO_LARGE)
async def deep_nesting(talk: Talk) -> None:
    """Nests a schema 100,000 deep."""
    await talk.send(200, b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "application/json")


@modern(Reason.TOO_LARGE, "header")
async def large_header(talk: Talk) -> None:
    """Sends a header of 20 kB."""
    await talk.send(200, talk.body(), "application/json", X_Large="x" * 20_000)


# --- Slow


@behaviour(Reason.TIMEOUT, "waiting for the answer", timeout=1.5)
async def silent(talk: Talk) -> None:
    """Takes requests and never answers."""
    await talk.hang()


@modern(Reason.TIMEOUT, "reading the answer", timeout=1.5, era=Era.MODERN)
async def stuck_in_body(talk: Talk) -> None:
    """Stops in the middle of its answer."""
    await talk.chunks([talk.body()[:40]], end=False)
    await talk.hang()


@modern(Reason.TIMEOUT, "reading the answer", timeout=1.5, era=Era.MODERN)
async def stuck_in_events(talk: Talk) -> None:
    """Sends comments and no answer."""
    await talk.events(": keepalive\n\n", end=False)
    await talk.hang()


@legacy(Reason.TIMEOUT, "tools/list", timeout=1.5, era=Era.LEGACY)
async def legacy_stuck(talk: Talk) -> None:
    """Opens a session and never lists its tools."""
    await talk.hang()
