"""What the API server checks of an object against a structural schema, for tests without one.

Types, bounds, patterns, enums, required and unknown fields; not CEL, which status has none of.
"""

import re
import unicodedata
from collections.abc import Iterator
from datetime import datetime
from typing import Any

__all__ = ["violations"]

Schema = dict[str, Any]

KINDS: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "boolean": bool,
    "number": (int, float),
}


def violations(value: Any, schema: Schema, path: str) -> Iterator[str]:
    """Yield what the API server would refuse, and text that no terminal should get."""
    kind = schema["type"]
    if not isinstance(value, KINDS[kind]) or (kind == "integer" and isinstance(value, bool)):
        yield f"{path}: {type(value).__name__} is no {kind}"
        return
    if value not in schema.get("enum", [value]):
        yield f"{path}: {value!r} is not among {schema['enum']}"
    match value:
        case dict():
            yield from _of_object(value, schema, path)
        case list():
            yield from _of_array(value, schema, path)
        case str():
            yield from _of_string(value, schema, path)
        case int() if not schema.get("minimum", value) <= value <= schema.get("maximum", value):
            yield f"{path}: {value} is out of bounds"


def _of_object(value: dict[str, Any], schema: Schema, path: str) -> Iterator[str]:
    known = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{path}.{name}: required"
    for name, child in value.items():
        if name not in known:
            yield f"{path}.{name}: field not declared in schema"
        else:
            yield from violations(child, known[name], f"{path}.{name}")


def _of_array(value: list[Any], schema: Schema, path: str) -> Iterator[str]:
    if len(value) > schema.get("maxItems", len(value)):
        yield f"{path}: {len(value)} items"
    keys = schema.get("x-kubernetes-list-map-keys", ())
    names = [tuple(item.get(key) for key in keys) for item in value] if keys else []
    if len(set(names)) < len(names):
        yield f"{path}: two items of one key"
    for index, item in enumerate(value):
        yield from violations(item, schema["items"], f"{path}[{index}]")


def _of_string(value: str, schema: Schema, path: str) -> Iterator[str]:
    if not schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value)):
        yield f"{path}: {len(value)} characters"
    if "pattern" in schema and not re.search(schema["pattern"], value):
        yield f"{path}: {value!r} does not match {schema['pattern']}"
    if schema.get("format") == "date-time" and datetime.fromisoformat(value).tzinfo is None:
        yield f"{path}: {value!r} has no time zone"
    if any(unicodedata.category(character) in {"Cc", "Cs"} for character in value):
        yield f"{path}: {value!r} has a control character or a surrogate"
