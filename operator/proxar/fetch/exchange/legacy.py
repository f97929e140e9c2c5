"""The eras before 2026-07-28: initialize, a session where the server wants one, and a goodbye."""

import asyncio
import re
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from proxar.contract import JSON
from proxar.errors import FetchError
from proxar.fetch.exchange.channel import Answer, Channel
from proxar.fetch.exchange.messages import METHOD_NOT_FOUND, MODERN_CODES
from proxar.fetch.exchange.pages import page_name, read_pages
from proxar.fetch.exchange.protocol import LEGACY_VERSION, LEGACY_VERSIONS, client_info, server_info
from proxar.fetch.exchange.turn import (
    TAKES_NO_POST,
    Listing,
    OtherEra,
    OtherTransport,
    SessionLost,
)
from proxar.fetch.reasons import Reason, failure

__all__ = ["read_legacy"]

SESSION_UNKNOWN = frozenset({None, -32000, -32001, -32600})
"""Codes that come with a 400 for a session that the server does not know."""

Later = Callable[[Coroutine[Any, Any, None]], None]
"""Runs a goodbye that there is no time left for."""


async def read_legacy(wire: Channel, later: Later) -> Listing:
    """Open a session, read the whole list, and end the session whatever happened.

    Args:
        later: Takes over the goodbye when the fetch was cut short: abandoned sessions have run
            servers out of memory.

    Raises:
        OtherEra: The server does not know initialize, or says that it is modern.
        OtherTransport: It takes no request by POST.
        SessionLost: The session was unknown at once; another replica may have answered.
    """
    answer = await wire.call(
        "initialize",
        {"protocolVersion": LEGACY_VERSION, "capabilities": {}, "clientInfo": client_info()},
        {},
        resume=True,
    )
    if answer.rpc is not None and answer.rpc.code in {*MODERN_CODES, METHOD_NOT_FOUND}:
        raise OtherEra(answer.failed())
    if answer.result is None and answer.status in TAKES_NO_POST:
        raise OtherTransport(answer.failed())
    session = _session_id(wire, answer)
    headers = {"Mcp-Session-Id": session} if session else {}
    try:
        listing = await _read(wire, answer, headers)
    except asyncio.CancelledError:
        if session:
            later(wire.goodbye(headers))
        raise
    except FetchError:
        if session:
            await wire.goodbye(headers, in_time=True)
        raise
    if session:
        await wire.goodbye(headers, in_time=True)
    return listing


async def _read(wire: Channel, initialized: Answer, headers: dict[str, str]) -> Listing:
    result = initialized.value()
    version = result.get("protocolVersion")
    if not isinstance(version, str) or version not in LEGACY_VERSIONS:
        raise failure(
            Reason.PROTOCOL_ERROR,
            f"{wire.label} chose a protocol version that Proxar did not offer; update the "
            "server or Proxar",
        )
    headers["MCP-Protocol-Version"] = version
    capabilities = result.get("capabilities")
    if not isinstance(capabilities, dict) or not isinstance(capabilities.get("tools"), dict):
        raise failure(
            Reason.TOOLS_UNSUPPORTED,
            f"{wire.label} declares no tools capability; it offers no tools",
        )
    _check_session(await wire.notify("notifications/initialized", headers), headers).value()

    async def ask(cursor: str | None, number: int) -> dict[str, JSON]:
        params: dict[str, JSON] | None = None if cursor is None else {"cursor": cursor}
        what = page_name(number)
        answer = await wire.call("tools/list", params, headers, what=what, repeat=True, resume=True)
        return _check_session(answer, headers).value()

    tools = await read_pages(wire, ask)
    return Listing(tools, version, server_info(result.get("serverInfo")))


def _session_id(wire: Channel, answer: Answer) -> str | None:
    session = answer.headers.get("mcp-session-id")
    if session and not re.fullmatch(r"[\x21-\x7e]+", session):
        raise failure(
            Reason.PROTOCOL_ERROR,
            f"{wire.label} gave a session id with characters that the protocol forbids",
        )
    return session or None


def _check_session(answer: Answer, headers: Mapping[str, str]) -> Answer:
    """Pass an answer on, unless it says that the session is unknown."""
    if answer.result is not None or "Mcp-Session-Id" not in headers:
        return answer
    code = answer.rpc.code if answer.rpc is not None else None
    # 404 by the specification; some servers say 400, which without such a code means other things.
    if (answer.status == 404 and code != METHOD_NOT_FOUND) or (
        answer.status == 400 and code in SESSION_UNKNOWN
    ):
        raise SessionLost(answer.failed())
    return answer
