"""JSON-RPC as it travels: requests as bytes, answers as values. Pure.

The result stays raw JSON, read by the contract's strict reader. Nothing of an error but its code
goes into a message: the text is the server's, and may hold anything.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from proxar.contract import JSON, ContractError, read
from proxar.contract.reader import MAX_DEPTH
from proxar.errors import FetchError
from proxar.fetch.reasons import Reason, failure

__all__ = [
    "HEADER_MISMATCH",
    "INTERNAL_ERROR",
    "METHOD_NOT_FOUND",
    "MISSING_CAPABILITY",
    "MODERN_CODES",
    "UNSUPPORTED_VERSION",
    "RPCFault",
    "encode",
    "find_answer",
    "read_json",
]

METHOD_NOT_FOUND = -32601
INTERNAL_ERROR = -32603
HEADER_MISMATCH = -32020
MISSING_CAPABILITY = -32021
UNSUPPORTED_VERSION = -32022
MODERN_CODES = frozenset({HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION})
"""Codes that only a server of 2026-07-28 or later sends."""

LARGEST = 1 << 53
"""Beyond the codes that JSON-RPC knows, and beyond what other readers keep exactly."""


@dataclass(frozen=True, slots=True)
class RPCFault:
    """An error object of JSON-RPC."""

    code: int
    data: JSON


def encode(method: str, params: Mapping[str, JSON] | None, request_id: int | None) -> bytes:
    """A request, or a notification when `request_id` is ``None``."""
    message: dict[str, JSON] = {"jsonrpc": "2.0", "method": method}
    if request_id is not None:
        message["id"] = request_id
    if params is not None:
        message["params"] = dict(params)
    return _ENCODER.encode(message).encode("ascii")


_ENCODER = json.JSONEncoder(separators=(",", ":"))


def read_json(data: bytes, what: str, max_depth: int = MAX_DEPTH) -> JSON:
    """Read a body strictly. Large ones take a second; `Budget.read` keeps that off the loop.

    A document that just stops is told apart from one that was never JSON.
    """
    try:
        return read(data, max_depth=max_depth)
    except ContractError as error:
        if Reason(error.reason) is Reason.MALFORMED_RESPONSE and _is_cut_off(data):
            raise failure(
                Reason.TRUNCATED_RESPONSE,
                f"the answer to {what} stops in the middle of its JSON after {len(data)} bytes; "
                "look for a proxy or a limit in front of the server",
            ) from error
        remedy = (
            "; ask the server for flatter schemas, or raise the operator's --max-depth"
            if "nested" in error.message and max_depth < MAX_DEPTH
            else ""
        )
        raise failure(
            Reason(error.reason), f"the answer to {what}: {error.message}{remedy}"
        ) from error


def _is_cut_off(data: bytes) -> bool:
    try:
        text = data.decode("utf-8-sig").rstrip()
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data"
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return bool(text) and (
            error.pos >= len(text) or error.msg.startswith("Unterminated string")
        )
    except RecursionError:
        pass
    return False


def find_answer(document: JSON, request_id: int, what: str) -> "dict[str, JSON] | RPCFault | None":
    """The result or the error that a document holds for our request, ``None`` if it holds neither.

    Notifications and requests of the server are skipped. Servers of 2025-03-26 may put several
    messages into one array.

    Raises:
        FetchError: `ProtocolError` when a message is not JSON-RPC, or answers another request.
    """
    for message in document if isinstance(document, list) else (document,):
        if not isinstance(message, dict) or not message.keys() & {"method", "result", "error"}:
            raise _protocol_error(
                what, "is not a JSON-RPC message; is the url that of an MCP endpoint?"
            )
        if "method" in message:
            continue
        return _answer(message, request_id, what)
    return None


def _answer(message: dict[str, JSON], request_id: int, what: str) -> "dict[str, JSON] | RPCFault":
    answered = message.get("id")
    is_ours = answered == request_id and not isinstance(answered, bool)
    if "error" in message:
        # A server that did not get as far as our id answers `id: null`, or a word of its own:
        # the Python SDK up to 1.x says "server-error". Ids of ours are numbers.
        if not is_ours and isinstance(answered, int | Decimal):
            raise _protocol_error(what, "carries the id of another request")
        return _fault(message["error"], what)
    if not is_ours:
        raise _protocol_error(what, "carries the id of another request")
    result = message["result"]
    if not isinstance(result, dict):
        raise _protocol_error(what, "has a result that is not an object")
    return result


def _fault(error: JSON, what: str) -> RPCFault:
    if isinstance(error, dict):
        code = error.get("code")
        # Bounds first: making an int of 1e999999999 would take all memory.
        if isinstance(code, int | Decimal) and -LARGEST < code < LARGEST and code == int(code):
            return RPCFault(int(code), error.get("data"))
    raise _protocol_error(what, "has an error without a numeric code")


def _protocol_error(what: str, problem: str) -> FetchError:
    return failure(Reason.PROTOCOL_ERROR, f"the answer to {what} {problem}")
