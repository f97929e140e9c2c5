"""Strict reading of JSON: what one reader would see, every reader sees, or the document is refused.

UTF-8 only, a byte order mark is skipped, NaN and Infinity do not exist, nothing may follow the
value. Of duplicate keys the last wins. Lone surrogates are kept. Two things are refused for their
size, both as `TooLarge`: nesting beyond `MAX_DEPTH`, and a number of more than `MAX_NUMBER`
characters.

The standard library's scanner reads shallow documents, since it is fast; it recurses on the C
stack, so deep ones are read by a loop of ours.
"""

import re
from decimal import Decimal, InvalidOperation
from itertools import accumulate
from json import JSONDecodeError, JSONDecoder
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import NoReturn, cast

from proxar.contract.value import JSON, ContractError

__all__ = ["MAX_DEPTH", "MAX_NUMBER", "depth_of", "read"]

MAX_DEPTH = 1_000
"""Levels of arrays and objects in a document. Real tool lists need about fifteen."""

MAX_NUMBER = 1_000
"""Characters of one number. Python itself refuses to convert integers of more than 4,300 digits."""

SHALLOW = 100
"""Levels that the recursive scanner may take: a tenth of Python's default limit, whoever calls."""

BOM = b"\xef\xbb\xbf"
NUMBER = re.compile(r"(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?([eE][-+]?[0-9]+)?")
SPACE = re.compile(r"[ \t\n\r]*")
CONSTANTS = ("NaN", "Infinity", "-Infinity")
LITERALS: dict[str, JSON] = {"true": True, "false": False, "null": None}
STEP = [(byte in b"[{") - (byte in b"]}") for byte in range(256)]
NOT_BRACKETS = bytes(byte for byte in range(256) if byte not in b"[]{}")


def read(data: bytes, *, max_depth: int = MAX_DEPTH) -> JSON:
    """Return the one JSON value that the document holds.

    Args:
        max_depth: Levels of nesting that it may have; more than `MAX_DEPTH` are never read.

    Raises:
        ContractError: `MalformedResponse` or `TooLarge`; the message says what and where, and
        quotes nothing.
    """
    max_depth = min(max_depth, MAX_DEPTH)
    depth = depth_of(data, min(max_depth, SHALLOW))
    if depth > max_depth:
        raise ContractError("TooLarge", f"the document is nested deeper than {max_depth} levels")
    try:
        text = data.removeprefix(BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        raise ContractError("MalformedResponse", f"not UTF-8 at byte {error.start}") from None
    try:
        if depth > SHALLOW:
            return _read_deep(text)
        try:
            return cast("JSON", DECODER.decode(text))
        except (RecursionError, _ConstantError):
            # The caller had used up the stack, of which the loop needs hardly any; or the scanner
            # met NaN, and cannot say where.
            return _read_deep(text)
    except JSONDecodeError as error:
        where = f"line {error.lineno} column {error.colno}"
        raise ContractError("MalformedResponse", f"not JSON: {error.msg} at {where}") from None


def depth_of(data: bytes, shallow: int) -> int:
    """Return how deep brackets nest outside of strings; exact for JSON, any number for other bytes.

    Not counted where it cannot be more than `shallow`.
    """
    if data.count(b"{") + data.count(b"[") <= shallow:
        return 0
    plain = data.replace(b"\\\\", b"").replace(b'\\"', b"")
    outside = b"".join(plain.split(b'"')[::2])
    brackets = outside.translate(None, NOT_BRACKETS)
    return max(accumulate(map(STEP.__getitem__, brackets)), default=0)


def _integer(token: str) -> int:
    if len(token) > MAX_NUMBER:
        raise ContractError("TooLarge", f"a number has more than {MAX_NUMBER} characters")
    return int(token)


def _decimal(token: str) -> Decimal:
    if len(token) > MAX_NUMBER:
        raise ContractError("TooLarge", f"a number has more than {MAX_NUMBER} characters")
    try:
        return Decimal(token)
    except InvalidOperation:  # an exponent of twenty digits
        raise ContractError("TooLarge", "the exponent of a number is out of range") from None


class _ConstantError(Exception):
    """NaN or Infinity, which Python's scanner takes for JSON."""


def _refuse_constant(_token: str) -> NoReturn:
    raise _ConstantError


DECODER = JSONDecoder(parse_float=_decimal, parse_int=_integer, parse_constant=_refuse_constant)


def _read_deep(text: str) -> JSON:
    """Read without recursion: a container is put into its parent when it opens, and filled while it
    is on the stack.
    """
    root: list[JSON] = []
    stack: list[list[JSON] | dict[str, JSON]] = [root]
    name = ""
    at = _skip(text, 0)
    while True:
        value, at = _value(text, at)
        parent = stack[-1]
        if isinstance(parent, dict):
            parent[name] = value
        else:
            parent.append(value)
        is_first = isinstance(value, list | dict)
        if isinstance(value, list | dict):
            stack.append(value)
        at = _skip(text, at)
        while len(stack) > 1:
            container = stack[-1]
            mark = text[at : at + 1]
            if mark == ("}" if isinstance(container, dict) else "]"):
                stack.pop()
                is_first = False
                at = _skip(text, at + 1)
                continue
            if not is_first:
                if mark != ",":
                    raise JSONDecodeError("Expecting ',' delimiter", text, at)
                at = _skip(text, at + 1)
            if isinstance(container, dict):
                name, at = _name(text, at)
            break
        else:
            if at != len(text):
                raise JSONDecodeError("Extra data", text, at)
            return root[0]


def _skip(text: str, at: int) -> int:
    match = SPACE.match(text, at)
    return match.end() if match else at


def _name(text: str, at: int) -> tuple[str, int]:
    """Read a member's name and its colon; return the name and where the value begins."""
    if text[at : at + 1] != '"':
        raise JSONDecodeError("Expecting property name enclosed in double quotes", text, at)
    name, at = scanstring(text, at + 1, True)
    at = _skip(text, at)
    if text[at : at + 1] != ":":
        raise JSONDecodeError("Expecting ':' delimiter", text, at)
    return name, _skip(text, at + 1)


def _value(text: str, at: int) -> tuple[JSON, int]:
    """Read a scalar whole, or the opening bracket of a container, which is returned empty."""
    start = text[at : at + 1]
    if start == "[":
        return [], at + 1
    if start == "{":
        return {}, at + 1
    if start == '"':
        return cast("tuple[str, int]", scanstring(text, at + 1, True))
    match = NUMBER.match(text, at)
    if match:
        token = match.group()
        return (_integer(token) if token == match.group(1) else _decimal(token)), match.end()
    for literal, value in LITERALS.items():
        if text.startswith(literal, at):
            return value, at + len(literal)
    if text.startswith(CONSTANTS, at):
        raise JSONDecodeError("NaN and Infinity are no values", text, at)
    raise JSONDecodeError("Expecting value", text, at)
