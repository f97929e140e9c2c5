"""Schemas and values that meet: few names, few types, small numbers, so that keywords interact."""

from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from proxar.contract import JSON

__all__ = ["DRAFT_07", "as_floats", "old_schemas", "schemas", "values"]

DRAFT_07 = "http://json-schema.org/draft-07/schema#"

NAMES = st.sampled_from(["a", "b", "ab", "x1"])
PATTERNS = st.sampled_from(
    [
        "^a",
        "b$",
        "^[a-c]+$",
        r"^\d+$",
        r"\w\W?",
        "^(a|b){1,2}$",
        "^(?!b)",
        "(?<=a)b",
        r"\bb",
        "a*?b",
        ".",
    ]
)
FORMATS = ["date", "ipv4", "unheard-of"]
NUMBERS: st.SearchStrategy[JSON] = st.sampled_from(
    [-2, -1, 0, 1, 2, 3, 4, Decimal("0.5"), Decimal("1.0"), Decimal("2.5"), Decimal("-0.25"), 2**60]
)
TEXTS: st.SearchStrategy[JSON] = st.sampled_from(
    [
        "",
        "a",
        "b",
        "ab",
        "abc",
        "a-b",
        "12",
        "é",
        "\U0001f600",
        "2024-02-30",
        "2024-02-29",
        "10.0.0.1",
    ]
)
SCALARS: st.SearchStrategy[JSON] = st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS)

values: st.SearchStrategy[JSON] = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)

COUNTS = st.integers(0, 3)
TYPES = st.sampled_from(["null", "boolean", "number", "integer", "string", "array", "object"])
LEAVES: st.SearchStrategy[JSON] = st.one_of(
    st.sampled_from([True, False, {}]), st.builds(lambda name: {"type": name}, TYPES)
)


def _schema(inner: st.SearchStrategy[Any], *, is_old: bool) -> st.SearchStrategy[JSON]:
    some = st.lists(inner, min_size=1, max_size=2)
    named = st.dictionaries(NAMES, inner, max_size=2)
    names = st.lists(NAMES, max_size=2, unique=True)
    keywords: dict[str, st.SearchStrategy[Any]] = {
        "type": TYPES | st.lists(TYPES, min_size=1, max_size=3, unique=True),
        "enum": st.lists(values, min_size=1, max_size=4),
        "const": values,
        "minimum": NUMBERS,
        "maximum": NUMBERS,
        "exclusiveMinimum": NUMBERS,
        "exclusiveMaximum": NUMBERS,
        "multipleOf": st.sampled_from([1, 2, 3, Decimal("0.5"), Decimal("1.5")]),
        "minLength": COUNTS,
        "maxLength": COUNTS,
        "pattern": PATTERNS,
        # jsonschema-rs follows the drafts, of which `uuid` is younger; ajv and we check it in all.
        "format": st.sampled_from(FORMATS if is_old else [*FORMATS, "uuid"]),
        "minItems": COUNTS,
        "maxItems": COUNTS,
        "uniqueItems": st.booleans(),
        "items": inner,
        "contains": inner,
        "minProperties": COUNTS,
        "maxProperties": COUNTS,
        "required": names,
        "properties": named,
        "patternProperties": st.dictionaries(PATTERNS, inner, max_size=1),
        "additionalProperties": inner,
        "propertyNames": inner,
        "allOf": some,
        "anyOf": some,
        "oneOf": some,
        "not": inner,
        "if": inner,
        "then": inner,
        "else": inner,
        "$ref": st.sampled_from(["#/$defs/one", "#/$defs/two"]),
    }
    keywords |= (
        {
            "items": inner | some,
            "additionalItems": inner,
            "dependencies": st.dictionaries(NAMES, names | inner, max_size=2),
        }
        if is_old
        else {
            "prefixItems": some,
            "minContains": COUNTS,
            "maxContains": COUNTS,
            "dependentRequired": st.dictionaries(NAMES, names, max_size=2),
            "dependentSchemas": named,
            "unevaluatedProperties": inner,
            "unevaluatedItems": inner,
        }
    )
    chosen = st.lists(st.sampled_from(sorted(keywords)), min_size=1, max_size=4, unique=True)
    return chosen.flatmap(lambda few: st.fixed_dictionaries({name: keywords[name] for name in few}))


def _whole(*, is_old: bool) -> st.SearchStrategy[JSON]:
    """Schemas with two definitions, of which the second may refer to the first."""
    part = st.recursive(LEAVES, lambda inner: _schema(inner, is_old=is_old), max_leaves=6)
    closed = part.map(_without_references)

    def build(schema: JSON, one: JSON, two: JSON) -> JSON:
        root: dict[str, JSON] = dict(schema) if isinstance(schema, dict) else {"allOf": [schema]}
        if is_old:
            root = {"$schema": DRAFT_07, "allOf": [root]}
        return {**root, "$defs": {"one": one, "two": two}}

    return st.builds(build, part, closed, closed)


def _without_references(schema: JSON) -> JSON:
    """The same without references, so that none leads back to itself: that has no meaning."""
    if isinstance(schema, dict):
        return {
            name: _without_references(value) for name, value in schema.items() if name != "$ref"
        }
    return [_without_references(item) for item in schema] if isinstance(schema, list) else schema


schemas = _whole(is_old=False)
old_schemas = _whole(is_old=True)


def as_floats(value: JSON) -> Any:
    """The value for a library that wants floats; ours are all exact in binary."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, dict):
        return {name: as_floats(member) for name, member in value.items()}
    return [as_floats(item) for item in value] if isinstance(value, list) else value
