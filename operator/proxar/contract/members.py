"""The members that a schema declares for objects, looked up through references and `allOf`."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from proxar.contract.document import Document
from proxar.contract.value import JSON, MISSING, Missing

__all__ = ["Members", "at_pointer", "members", "parts_of", "types"]

MAX_SCHEMAS: Final = 32
"""Schemas that are looked at in one place: itself, what it refers to, what it is made of."""

ALTERNATIVES: Final = ("anyOf", "oneOf")


class Members(NamedTuple):
    """What an object schema declares."""

    properties: dict[str, JSON]
    required: frozenset[str]


def members(document: Document, schema: JSON) -> Members:
    """Return the declared members; of one that is declared twice, the outermost."""
    if isinstance(schema, dict) and "$ref" not in schema and "allOf" not in schema:
        return _declared(schema)  # as nearly all are
    properties: dict[str, JSON] = {}
    required: set[str] = set()
    for each in _in_place(document, schema):
        declared = _declared(each)
        properties = declared.properties | properties if properties else declared.properties
        required |= declared.required
    return Members(properties, frozenset(required))


def _declared(schema: dict[str, JSON]) -> Members:
    """What one schema declares itself."""
    properties, required = schema.get("properties"), schema.get("required")
    return Members(
        properties if isinstance(properties, dict) else {},
        frozenset([name for name in required if isinstance(name, str)])
        if isinstance(required, list)
        else frozenset(),
    )


def types(document: Document, schema: JSON) -> frozenset[str]:
    """Return the types that a schema names, those of its alternatives included, without null."""
    found: set[str] = set()
    for each in _in_place(document, schema, *ALTERNATIVES):
        named = each.get("type")
        found.update(
            name
            for name in (named if isinstance(named, list) else [named])
            if isinstance(name, str)
        )
    return frozenset(found - {"null"})


def parts_of(pointer: str) -> list[str]:
    """Return the member names and indexes of an RFC 6901 pointer."""
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


def at_pointer(document: Document, parts: list[str]) -> JSON | Missing:
    """Return the schema at a pointer from the document's root; a pointer passes through references
    unseen.
    """
    found: JSON | Missing = document.root
    steps = iter(parts)
    for part in steps:
        if found is MISSING:
            return MISSING
        if part == "properties":
            found = members(document, found).properties.get(next(steps, ""), MISSING)
        elif isinstance(found, list):
            index = int(part) if part.isdecimal() and len(part) < 6 else len(found)
            found = found[index] if index < len(found) else MISSING
        else:
            holders = _in_place(document, found)
            found = next((each[part] for each in holders if part in each), MISSING)
    return found


def _in_place(document: Document, schema: JSON, *more: str) -> Iterator[dict[str, JSON]]:
    """Yield the schema and all schemas that apply in its place, outermost first."""
    queue: list[JSON] = [schema]
    for each in queue:
        if not isinstance(each, dict):
            continue
        yield each
        reference = each.get("$ref")
        inner: list[JSON] = []
        if isinstance(reference, str):
            target = document.resolve(reference)
            inner = [] if target is MISSING else [target]
        for keyword in ("allOf", *more):
            listed = each.get(keyword)
            inner += listed[:MAX_SCHEMAS] if isinstance(listed, list) else []
        queue += inner[: MAX_SCHEMAS - len(queue)] if len(queue) < MAX_SCHEMAS else []
