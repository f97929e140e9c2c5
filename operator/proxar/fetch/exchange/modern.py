"""The era of 2026-07-28: one stateless POST a page, and `server/discover` to recognise it."""

from dataclasses import dataclass

from proxar.contract import JSON
from proxar.errors import FetchError
from proxar.fetch.exchange.channel import Answer, Channel
from proxar.fetch.exchange.messages import INTERNAL_ERROR, MODERN_CODES, UNSUPPORTED_VERSION
from proxar.fetch.exchange.pages import page_name, read_pages
from proxar.fetch.exchange.protocol import (
    LEGACY_VERSIONS,
    MODERN_VERSION,
    ServerInfo,
    client_info,
    server_info,
)
from proxar.fetch.exchange.turn import Listing, OtherEra
from proxar.fetch.reasons import Reason, failure

__all__ = ["discover", "read_modern"]

META = "io.modelcontextprotocol/"

NOT_MODERN = frozenset({202, 204, 400, 404, 405, 406, 409, 410, 415, 422})
"""Statuses with which servers that never heard of `server/discover` answer it.

All others say nothing about the era.
"""

SESSION_WANTED = frozenset({-32000, -32600})
"""Codes of a legacy server that misses a handshake or a session, or dislikes the version."""


async def discover(wire: Channel) -> None:
    """Ask an unknown server whether it is modern. Returns when it is.

    Raises:
        OtherEra: It answered as only a server of an earlier version does.
        FetchError: The answer says nothing about the era: 401, 429, 5xx, -32603 or none at all.
    """
    try:
        answer = await _ask(wire, "server/discover", {}, "server/discover")
    except FetchError as error:
        if error.reason == Reason.PROTOCOL_ERROR:
            raise OtherEra(error) from None
        raise
    if answer.result is not None:
        _judge(wire, answer.result)
        return
    fault = answer.failed()
    if answer.rpc is not None:
        if answer.rpc.code == UNSUPPORTED_VERSION:
            raise _unknown_versions(wire, _supported(answer))
        if answer.rpc.code in MODERN_CODES:
            return
        if answer.rpc.code != INTERNAL_ERROR:
            raise OtherEra(fault, answer.status)
    elif answer.status in NOT_MODERN:
        raise OtherEra(fault, answer.status)
    raise fault


def _judge(wire: Channel, result: dict[str, JSON]) -> None:
    versions = result.get("supportedVersions")
    if not isinstance(versions, list):
        # A server that answers anything with something.
        raise OtherEra(
            failure(
                Reason.PROTOCOL_ERROR,
                f"{wire.label} answered server/discover without supportedVersions",
            )
        )
    if MODERN_VERSION not in versions:
        raise _unknown_versions(wire, versions)
    capabilities = result.get("capabilities")
    if not isinstance(capabilities, dict) or not isinstance(capabilities.get("tools"), dict):
        raise failure(
            Reason.TOOLS_UNSUPPORTED,
            f"{wire.label} declares no tools capability; it offers no tools",
        )


def _unknown_versions(wire: Channel, versions: list[JSON]) -> FetchError | OtherEra:
    fault = failure(
        Reason.PROTOCOL_ERROR,
        f"{wire.label} supports none of the protocol versions that Proxar speaks "
        f"({MODERN_VERSION} and before); update Proxar",
    )
    return OtherEra(fault) if any(version in LEGACY_VERSIONS for version in versions) else fault


async def read_modern(wire: Channel) -> Listing:
    """Read the whole list from a modern server.

    Raises:
        OtherEra: The server asks for a handshake or names only earlier versions, so it was
            replaced by an older one.
        FetchError: Anything else. A 5xx, a 429, a 401 or a timeout never is evidence.
    """
    reader = _Reader(wire)
    tools = await read_pages(wire, reader.ask)
    return Listing(tools, MODERN_VERSION, reader.server)


@dataclass(slots=True)
class _Reader:
    wire: Channel
    server: ServerInfo = (None, None)

    async def ask(self, cursor: str | None, number: int) -> dict[str, JSON]:
        params: dict[str, JSON] = {} if cursor is None else {"cursor": cursor}
        answer = await _ask(self.wire, "tools/list", params, page_name(number))
        if number == 1:
            self._look_for_other_era(answer)
        result = answer.value()
        if result.get("resultType", "complete") != "complete":
            raise failure(
                Reason.PROTOCOL_ERROR,
                f"{self.wire.label} answered {page_name(number)} with a resultType other than "
                "complete",
            )
        meta = result.get("_meta")
        if isinstance(meta, dict) and META + "serverInfo" in meta:
            self.server = server_info(meta[META + "serverInfo"])
        return result

    def _look_for_other_era(self, answer: Answer) -> None:
        code = answer.rpc.code if answer.rpc is not None else None
        if code == UNSUPPORTED_VERSION:
            raise _unknown_versions(self.wire, _supported(answer))
        if answer.status == 400 and code in SESSION_WANTED:
            raise OtherEra(answer.failed())


async def _ask(wire: Channel, method: str, params: dict[str, JSON], what: str) -> Answer:
    """Ask once, and once more if the server refuses the version but then says it supports it."""
    body: dict[str, JSON] = {
        **params,
        "_meta": {
            META + "protocolVersion": MODERN_VERSION,
            META + "clientInfo": client_info(),
            # Always none: the list may depend on what a client can do.
            META + "clientCapabilities": {},
        },
    }
    headers = {"MCP-Protocol-Version": MODERN_VERSION, "Mcp-Method": method}
    answer = await wire.call(method, body, headers, what=what, repeat=True)
    if (
        answer.rpc is not None
        and answer.rpc.code == UNSUPPORTED_VERSION
        and MODERN_VERSION in _supported(answer)
    ):
        answer = await wire.call(method, body, headers, what=what, repeat=True)
    return answer


def _supported(answer: Answer) -> list[JSON]:
    data = answer.rpc.data if answer.rpc is not None else None
    versions = data.get("supported") if isinstance(data, dict) else None
    return versions if isinstance(versions, list) else []
