"""Hearing from a server that its tools changed: a hint to look, never the look itself.

Asked for only where it is offered. A server of 2026-07-28 is asked by `subscriptions/listen`, whose
answer says whether it will tell. An earlier one says so in its answer to initialize; then a session
is kept open, a GET opens its stream, and a DELETE ends it. No stream is ever opened on trial.
"""

import re
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing

from proxar.contract import JSON
from proxar.fetch import faults
from proxar.fetch.exchange.channel import Answer
from proxar.fetch.exchange.messages import (
    METHOD_NOT_FOUND,
    RPCFault,
    encode,
    read_json,
)
from proxar.fetch.exchange.modern import META
from proxar.fetch.exchange.protocol import (
    LEGACY_VERSION,
    LEGACY_VERSIONS,
    MODERN_VERSION,
    client_info,
)
from proxar.fetch.exchange.responses import media_type, pieces, read_refusal
from proxar.fetch.exchange.sse import EventParser
from proxar.fetch.exchange.wire import Wire
from proxar.fetch.pool import Response
from proxar.fetch.reasons import Reason, failure
from proxar.fetch.target import Era, Limits

__all__ = ["LONGEST", "STREAM_LIMITS", "Heard", "NotOffered", "announces", "listen"]

LONGEST = 3600.0
"""Seconds that a stream is kept. Of a connection that died unheard nothing tells otherwise."""

STREAM_LIMITS = Limits(size_bytes=256 << 10, values=10_000, depth=64)
"""Bounds of one stream from its opening to its end: a sign of life every second for an hour fits,
and a server that floods it is left."""

CHANGED = "notifications/tools/list_changed"
ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
LISTEN = "subscriptions/listen"
LISTEN_ID = 1

NO_STREAM = frozenset({404, 405, 406, 410, 415, 501})
"""Refusals of a stream, or of the request for it, by servers that have none."""

SESSION_ID = re.compile(r"[\x21-\x7e]{1,1024}")

Heard = Callable[[], None]


class NotOffered(Exception):  # noqa: N818 - news, not an error
    """The server does not announce changes."""


async def listen(wire: Wire, era: Era, *, opened: Heard, changed: Heard) -> None:
    """Listen until the stream ends.

    Args:
        opened: Called once the server will announce changes; from then on silence is no fault.
        changed: Called at each announcement.

    Raises:
        NotOffered: It does not.
        FetchError: The stream could not be opened, or broke off.
    """
    match era:
        case Era.MODERN:
            await _listen_modern(wire, opened, changed)
        case Era.LEGACY:
            await _listen_legacy(wire, opened, changed)
        case _:
            # HTTP+SSE: what its one stream carries is heard by fetches only.
            raise NotOffered


def announces(document: JSON, method: str, subscription: int | None) -> bool:
    """Whether a document holds this notification.

    Args:
        subscription: Of 2026-07-28: the id of our request, which each notification has to carry.
    """
    messages = document if isinstance(document, list) else [document]
    return any(_is_ours(message, method, subscription) for message in messages)


def _is_ours(message: JSON, method: str, subscription: int | None) -> bool:
    if not isinstance(message, dict) or message.get("method") != method:
        return False
    if subscription is None:
        return True
    params = message.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    given = meta.get(f"{META}subscriptionId") if isinstance(meta, dict) else None
    # Ids are opaque; some servers keep them as text.
    return not isinstance(given, bool) and given in (subscription, str(subscription))


async def _listen_modern(wire: Wire, opened: Heard, changed: Heard) -> None:
    params: dict[str, JSON] = {
        "notifications": {"toolsListChanged": True},
        "_meta": {
            f"{META}protocolVersion": MODERN_VERSION,
            f"{META}clientInfo": client_info(),
            f"{META}clientCapabilities": {},
        },
    }
    headers = {"MCP-Protocol-Version": MODERN_VERSION, "Mcp-Method": LISTEN}
    content = encode(LISTEN, params, LISTEN_ID)
    async with aclosing(_documents(wire, "POST", headers, content)) as documents:
        is_open = False
        async for document in documents:
            if not is_open:
                if not _is_granted(document):
                    raise NotOffered
                is_open = True
                opened()
            elif announces(document, CHANGED, LISTEN_ID):
                changed()
            elif isinstance(document, dict) and "method" not in document:
                return  # the answer to our request: the server ends the stream


def _is_granted(document: JSON) -> bool:
    """Whether the first message of the stream says that changes of the tools will be told."""
    if not announces(document, ACKNOWLEDGED, LISTEN_ID) or not isinstance(document, dict):
        return False
    params = document.get("params")
    granted = params.get("notifications") if isinstance(params, dict) else None
    return isinstance(granted, dict) and granted.get("toolsListChanged") is True


async def _listen_legacy(wire: Wire, opened: Heard, changed: Heard) -> None:
    answer = await wire.call(
        "initialize",
        {"protocolVersion": LEGACY_VERSION, "capabilities": {}, "clientInfo": client_info()},
        {},
    )
    session = answer.headers.get("mcp-session-id", "")
    headers = {"Mcp-Session-Id": session} if SESSION_ID.fullmatch(session) else {}
    try:
        headers["MCP-Protocol-Version"] = _agreed(wire, answer)
        (await wire.notify("notifications/initialized", headers)).value()
        async with aclosing(_documents(wire, "GET", headers, None, opened)) as documents:
            async for document in documents:
                if announces(document, CHANGED, None):
                    changed()
    finally:
        if "Mcp-Session-Id" in headers:
            # Also when this is cancelled: abandoned sessions have run servers out of memory.
            await wire.goodbye(headers)


def _agreed(wire: Wire, answer: Answer) -> str:
    """The version of the session, of a server that announces changes."""
    result = answer.value()
    version, capabilities = result.get("protocolVersion"), result.get("capabilities")
    if not isinstance(version, str) or version not in LEGACY_VERSIONS:
        raise failure(
            Reason.PROTOCOL_ERROR, f"{wire.label} chose a protocol version that was not offered"
        )
    tools = capabilities.get("tools") if isinstance(capabilities, dict) else None
    if not isinstance(tools, dict) or tools.get("listChanged") is not True:
        raise NotOffered
    return version


async def _documents(
    wire: Wire,
    verb: str,
    headers: Mapping[str, str],
    content: bytes | None,
    opened: Heard | None = None,
) -> AsyncGenerator[JSON, None]:
    """The messages of a stream, each as it comes.

    Raises:
        NotOffered: The server has no such stream.
        FetchError: Something else is wrong, or the stream broke off.
    """
    what = LISTEN if content is not None else "the GET of its stream"
    wire.activity = f"waiting for the answer to {what}"
    response = await wire.line.send(verb, headers, content, what)
    try:
        await _check(wire, response, what)
        if opened is not None:
            opened()
        parser = EventParser()
        async with aclosing(pieces(response, wire.budget, what)) as read:
            async for piece in read:
                for event in parser.feed(piece):
                    if event.kind == "message" and event.data.strip():
                        yield read_json(event.data, what, wire.limits.depth)
    except faults.NETWORK_ERRORS as error:
        raise faults.in_body(error, wire.label, what) from None
    finally:
        # At once: such a stream has no end that could be waited for.
        response.close()


async def _check(wire: Wire, response: Response, what: str) -> None:
    if response.status == 200:
        if media_type(response) != "text/event-stream":
            raise NotOffered
        return
    refusal = await read_refusal(response, LISTEN_ID, wire.budget, what)
    is_unknown = isinstance(refusal, RPCFault) and refusal.code == METHOD_NOT_FOUND
    if is_unknown or response.status in NO_STREAM:
        raise NotOffered
    raise faults.from_status(response.status, response.headers, wire.label, what)
