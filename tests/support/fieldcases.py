"""Misbehaviours that public reports tell of, where no other behaviour has them.

Written like those of `tests.support.behaviours`, which takes them in.
"""

import json

from proxar.fetch import Era, Reason
from tests.support.conversation import (
    SESSION,
    TOOLS,
    Talk,
    behaviour,
    initialization,
    legacy,
    modern,
    with_session,
)

__all__: list[str] = []

# --- Raw JSON: what is kept, and what is not


@modern(2)
async def json_duplicate_keys(talk: Talk) -> None:
    """Gives members twice; the last one counts."""
    body = talk.body().replace(b'"name": "close_issue"', b'"name": "x", "name": "close_issue"')
    await talk.send(200, body, "application/json")


@modern(2)
async def json_large_numbers(talk: Talk) -> None:
    """Has numbers that fit neither 64 bits nor a float."""
    body = talk.body().replace(b"2.5", b"123456789012345678901234567890, 1e400, -0.0, 1E+2")
    await talk.send(200, body, "application/json")


@modern(2)
async def json_lone_surrogates(talk: Talk) -> None:
    """Has escaped halves of characters in names and texts."""
    body = talk.body().replace(b"quick", rb"\ud800 quick \udfff")
    await talk.send(200, body, "application/json")


@modern(2)
async def sse_with_bom(talk: Talk) -> None:
    """Begins its event stream with a byte order mark."""
    await talk.events("\ufeff" + talk.event())


@modern(1030)
async def sse_two_megabytes(talk: Talk) -> None:
    """Sends a list of 2 MB in one event."""
    tools = [{"name": f"tool-{number}", "description": "x" * 2000} for number in range(1030)]
    await talk.events(talk.event(tools))


@modern(5)
async def malformed_tools(talk: Talk) -> None:
    """Lists tools with schemas and annotations that are none among good ones."""
    bad = [
        {"name": "a", "inputSchema": []},
        {"name": "b", "inputSchema": "object", "annotations": {"readOnlyHint": "yes"}},
        {"name": 7, "inputSchema": {"type": "object"}},
    ]
    await talk.result(talk.tools([*bad, *TOOLS]))


@modern(Reason.MALFORMED_RESPONSE)
async def json_infinity(talk: Talk) -> None:
    """Has Infinity for a number."""
    body = talk.body().replace(b"2.5", b"-Infinity")
    await talk.send(200, body, "application/json")


@modern(Reason.MALFORMED_RESPONSE)
async def json_utf16(talk: Talk) -> None:
    """Sends its JSON in UTF-16."""
    await talk.send(200, talk.body().decode().encode("utf-16"), "application/json")


@modern(Reason.MALFORMED_RESPONSE)
async def json_surrogate_bytes(talk: Talk) -> None:
    """Sends half a character in bytes, which is no UTF-8."""
    await talk.send(200, talk.body().replace(b"quick", b"\xed\xa0\x80"), "application/json")


# --- Pages


@modern(Reason.PAGINATION_LOOP, "repeats page 1")
async def same_page_same_cursor(talk: Talk) -> None:
    """Sends the same page with the same cursor, whatever it is asked."""
    await talk.result(talk.tools(nextCursor="8"))


@modern(Reason.CONNECT_FAILED, "page 2")
async def second_page_dropped(talk: Talk) -> None:
    """Closes the connection over the second page."""
    if talk.cursor is None:
        await talk.result(talk.tools(nextCursor="2"))
    else:
        talk.drop()


@modern(Reason.TRUNCATED_RESPONSE, "page 2")
async def second_page_cut_off(talk: Talk) -> None:
    """Resets the connection in the middle of the second page."""
    if talk.cursor is None:
        await talk.result(talk.tools(nextCursor="2"))
    else:
        await talk.chunks([talk.body()[:40]], end=False)
        talk.reset()


@modern(Reason.UNAUTHORIZED, "page 2")
async def second_page_401(talk: Talk) -> None:
    """Lets the token expire between two pages."""
    if talk.cursor is None:
        await talk.result(talk.tools(nextCursor="2"))
    else:
        await talk.send(401)


# --- Statuses, headers, errors


@modern(2)
async def both_types_wanted(talk: Talk) -> None:
    """Answers 406 unless both JSON and event streams are accepted."""
    accept = talk.headers["accept"]
    if "application/json" in accept and "text/event-stream" in accept:
        await talk.result(talk.tools())
    else:
        await talk.send(406)


@behaviour(Reason.REDIRECT_REFUSED, "POST into GET")
async def redirect_302(talk: Talk) -> None:
    """Redirects to its login page."""
    await talk.send(302, Location="/login")


@behaviour(Reason.REDIRECT_REFUSED, "without a usable Location")
async def redirect_with_user(talk: Talk) -> None:
    """Redirects to a url with credentials in it."""
    await talk.send(307, Location=f"http://secret:secret@{talk.headers['host']}{talk.path}")


@modern(Reason.RPC_ERROR, "-32603")
async def list_internal_error(talk: Talk) -> None:
    """Fails inside over tools/list."""
    await talk.error(-32603)


@modern(Reason.RPC_ERROR, "429")
async def rate_limit_in_rpc(talk: Talk) -> None:
    """Says in JSON-RPC that it is asked too often."""
    await talk.error(429)


# --- Sessions


@behaviour(2, ends_as=Era.LEGACY)
async def session_lost_with_32600(talk: Talk) -> None:
    """Says 404 and -32600 for a session of another replica, once."""
    if talk.method == "tools/list" and talk.count("lists") == 1:
        await talk.error(-32600, 404, has_id=False)
    else:
        await with_session(talk, lambda talk: talk.result(talk.tools()))


@behaviour(Reason.NOT_FOUND, "session affinity", era=Era.LEGACY)
async def replicas_by_request(talk: Talk) -> None:
    """Is two replicas that answer in turn, each with sessions of its own."""
    replica = talk.count("requests") % 2
    if talk.method == "initialize":
        await initialization(talk, Mcp_Session_Id=f"{SESSION}-{replica}")
    elif talk.headers.get("mcp-session-id") != f"{SESSION}-{replica}":
        await talk.error(-32600, 404, has_id=False)
    else:
        await talk.send(202)


@legacy(Reason.UNAUTHORIZED, "tools/list")
async def legacy_token_expired(talk: Talk) -> None:
    """Wants new credentials in the middle of a session."""
    await talk.send(401, WWW_Authenticate='Bearer error="invalid_token"')


@legacy(2)
async def legacy_ping_first(talk: Talk) -> None:
    """Asks for a sign of life on the stream before it answers."""
    ping = json.dumps({"jsonrpc": "2.0", "id": talk.id, "method": "ping"})
    await talk.events(f"data: {ping}\n\n", talk.event())
