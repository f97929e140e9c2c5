"""Schemas that are made to be expensive, all of them legal JSON Schema.

Each change narrows what is accepted, so that `breaking` is right, and `fine` is a break missed.
"""

import json
from collections.abc import Iterator
from typing import Any

from benchmarks.diff.pairs import Pair

__all__ = ["hostile"]

LEVELS = 900
ENUM_BYTES = 1_000_000
BOMBS = (
    ("^(a+)+$", "^(aa+)+$"),
    ("^(a|a)*b$", "^(a|a)*bb$"),
    ("^(a|b)*a(a|b){14}$", "^(a|b)*a(a|b){15}$"),
    ("^(([a-z])+.)+[A-Z]([a-z])+$", "^(([a-z])+.)+[A-Z]([a-y])+$"),
    ("^(x?){60}x{60}$", "^(x?){59}x{60}$"),
    ("^(.*)(.*)(.*)$", "^(.*)(.*)(.*),$"),
)
"""Before and after; matching or determinising them naively takes exponential time."""


def hostile() -> Iterator[Pair]:
    """All of them, one tool each."""
    yield _pair("allOf of 12 x anyOf of 4", _product(12, 4, 10), _product(12, 4, 9))
    yield _pair("oneOf of 60 that overlap", _overlapping(60, 0), _overlapping(60, 1))
    yield _pair(f"{LEVELS} levels of properties", _deep("properties", 10), _deep("properties", 9))
    yield _pair(f"{LEVELS} levels of not", _deep("not", 10), _deep("not", 9))
    yield _pair("an enum of 1 MB", _enum(""), _enum("x"))
    yield _pair("an enum of 30,000 objects", _objects(0), _objects(1))
    yield _pair("references in a ring of 300", _ring(300, 10), _ring(300, 9))
    yield _pair("references in a fan of 20 x 10", _fan(20, 10, 10), _fan(20, 10, 9))
    yield _pair("oneOf of 64 that are told apart", _apart(64, 10), _apart(64, 9))
    yield _pair("3,000 members", _members(3_000, 1), _members(3_000, 0))
    yield _pair("40 levels of free members", _free(40, 10), _free(40, 9))
    yield _pair("3,000 expressions for names", _named(3_000, 10), _named(3_000, 9))
    yield _pair("allOf of 1,000", _conjunction(1_000, 1), _conjunction(1_000, 0))
    yield _pair("anyOf of 500 enums", _enums(0), _enums(1))
    yield _pair("oneOf of 1,000", _apart(1_000, 10), _apart(1_000, 9))
    yield _pair("divisors of 900 digits", _divisors(200), _divisors(201))
    yield _pair("100,000 required names", _required(1), _required(0))
    yield _pair("an enum of 90,000 arrays", _arrays(0), _arrays(1))
    yield _pair("references in a row of 3,000", _row(3_000, 10), _row(3_000, 9))
    yield _pair("a bomb for each of 100 members", _bombs(100, 0), _bombs(100, 1))
    yield _pair("letters apart for each of 100 members", _letters(100, 120), _letters(100, 119))
    yield _pair("60 levels of 60 required members", _rows(60, 60, 2), _rows(60, 60, 3))
    yield _pair("200 members against 200 alternatives", _crossed(200, 1), _crossed(200, 0))
    yield _pair("true instead of 1, 50 levels deep", _rows(50, 60, 1), _rows(50, 60, True))
    for before, after in BOMBS:
        yield _pair(f"pattern {before}", _pattern(before), _pattern(after))


def _pair(name: str, before: dict[str, Any], after: dict[str, Any]) -> Pair:
    def tools(value: dict[str, Any]) -> list[dict[str, Any]]:
        definitions = {"$defs": value.pop("$defs")} if "$defs" in value else {}
        schema = {"type": "object", "properties": {"value": value}, **definitions}
        return [{"name": "it", "inputSchema": schema}]

    return Pair(name, tools(before), tools(after), {"it": True})


def _product(width: int, branches: int, limit: int) -> dict[str, Any]:
    """Every conjunct doubles, or quadruples, the forms of the whole."""
    return {
        "allOf": [
            {
                "anyOf": [
                    {"properties": {f"p{i}": {"type": "string", "maxLength": limit + j}}}
                    for j in range(branches)
                ]
            }
            for i in range(width)
        ]
    }


def _overlapping(width: int, limit: int) -> dict[str, Any]:
    return {
        "oneOf": [
            {"properties": {f"p{i}": {"type": "integer", "minimum": limit}}, "required": [f"p{i}"]}
            for i in range(width)
        ]
    }


def _deep(keyword: str, limit: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string", "maxLength": limit}
    for _ in range(LEVELS if keyword == "not" else LEVELS // 2):
        schema = {"properties": {"a": schema}} if keyword == "properties" else {"not": schema}
    return schema


def _enum(mark: str) -> dict[str, Any]:
    values = [f"value-{number:012}" for number in range(ENUM_BYTES // len('"value-000000000000",'))]
    values[len(values) // 2] += mark
    assert len(json.dumps(values)) > 0.9 * ENUM_BYTES
    return {"enum": values}


def _objects(first: int) -> dict[str, Any]:
    return {"enum": [{"key": number, "listed": [str(number)]} for number in range(first, 30_000)]}


def _apart(width: int, limit: int) -> dict[str, Any]:
    """Alternatives of which each has to be held against each."""
    return {
        "oneOf": [
            {
                "properties": {"kind": {"const": number}, "value": {"maxLength": limit}},
                "required": ["kind"],
            }
            for number in range(width)
        ]
    }


def _members(count: int, more: int) -> dict[str, Any]:
    members = {
        f"p{number}": {"type": "string", "maxLength": number + more} for number in range(count)
    }
    return {"type": "object", "properties": members, "required": list(members)}


def _free(levels: int, limit: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string", "maxLength": limit}
    for _ in range(levels):
        schema = {"type": "object", "additionalProperties": schema}
    return schema


def _fan(levels: int, width: int, limit: int) -> dict[str, Any]:
    """A small text that is a tree of width to the power of levels."""
    definitions: dict[str, Any] = {
        f"d{level}": {
            "properties": {f"p{n}": {"$ref": f"#/$defs/d{level + 1}"} for n in range(width)}
        }
        for level in range(levels)
    }
    leaf = {"type": "string", "maxLength": limit}
    return {"$ref": "#/$defs/d0", "$defs": {**definitions, f"d{levels}": leaf}}


def _ring(length: int, limit: int) -> dict[str, Any]:
    definitions: dict[str, Any] = {
        f"d{i}": {
            "properties": {
                "next": {"$ref": f"#/$defs/d{(i + 1) % length}"},
                "other": {"$ref": f"#/$defs/d{(i * 7) % length}"},
                "value": {"type": "string", "maxLength": limit},
            }
        }
        for i in range(length)
    }
    return {"$ref": "#/$defs/d0", "$defs": definitions}


def _named(count: int, limit: int) -> dict[str, Any]:
    member = {"type": "string", "maxLength": limit}
    return {"patternProperties": {f"^p{number}[a-z]*x": member for number in range(count)}}


def _conjunction(count: int, more: int) -> dict[str, Any]:
    return {
        "allOf": [
            {"properties": {f"p{number}": {"maxLength": number + more}}} for number in range(count)
        ]
    }


def _enums(first: int) -> dict[str, Any]:
    return {
        "anyOf": [
            {"enum": [f"value-{number}-{place}" for place in range(100)]}
            for number in range(first, 500)
        ]
    }


def _divisors(count: int) -> dict[str, Any]:
    """Their least common multiple has as many digits as all of them together."""
    return {"type": "integer", "allOf": [{"multipleOf": 10**900 + n} for n in range(count)]}


def _required(first: int) -> dict[str, Any]:
    return {"type": "object", "required": [f"p{number}" for number in range(first, 100_000)]}


def _arrays(first: int) -> dict[str, Any]:
    return {"enum": [[number] for number in range(first, 90_000)]}


def _row(length: int, limit: int) -> dict[str, Any]:
    definitions: dict[str, Any] = {
        f"d{number}": {"$ref": f"#/$defs/d{number + 1}"} for number in range(length)
    }
    leaf = {"type": "string", "maxLength": limit}
    return {"$ref": "#/$defs/d0", "$defs": {**definitions, f"d{length}": leaf}}


def _bombs(count: int, more: int) -> dict[str, Any]:
    return {
        "properties": {
            f"p{number}": _pattern(f"^(a|b)*a(a|b){{{10 + number + more}}}$")
            for number in range(count)
        }
    }


def _letters(count: int, size: int) -> dict[str, Any]:
    """Classes of letters of which no two stand beside one another, different ones for each."""
    return {
        "properties": {
            f"p{number}": _pattern(
                f"^[{''.join(chr(0x4E00 + 2 * (120 * number + place)) for place in range(size))}]*$"
            )
            for number in range(count)
        }
    }


def _rows(levels: int, width: int, limit: int) -> dict[str, Any]:
    """Members that must be there, one of which holds the next ones."""
    schema: dict[str, Any] = {"type": "integer", "enum": [limit]}
    for _ in range(levels):
        members = {f"m{number}": {"type": "integer"} for number in range(width)}
        schema = {
            "type": "object",
            "properties": {**members, "next": schema},
            "required": [*members, "next"],
        }
    return schema


def _crossed(count: int, more: int) -> dict[str, Any]:
    """Members of which each is held against alternatives of all others."""
    wide: dict[str, Any] = {"anyOf": [{"type": "null"}] * count + [{"type": "string"}] * more}
    if not more:
        return {"type": "object", "additionalProperties": wide}
    members = {f"m{number}": {"type": "string"} for number in range(count)}
    return {"type": "object", "properties": members, "additionalProperties": wide}


def _pattern(pattern: str) -> dict[str, Any]:
    return {"type": "string", "pattern": pattern}
