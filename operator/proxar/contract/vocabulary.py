"""The assertions of JSON Schema: which type each is about, and whether one is written as it must
be.

A keyword that is written wrongly asserts nothing that we could reason about, so it is compared as
it stands.
"""

from collections.abc import Callable
from decimal import Decimal

from proxar.contract.value import JSON

__all__ = [
    "APPLICATORS",
    "ARRAY",
    "HEADER",
    "KINDS",
    "KIND_OF",
    "NUMBER",
    "OBJECT",
    "STRING",
    "TEXT_FORMATS",
    "WHOLE_FORMATS",
    "is_count",
    "is_number",
    "is_well_formed",
    "is_whole",
    "kind_of",
]

ARRAY = frozenset(
    {
        "additionalItems",
        "contains",
        "items",
        "maxContains",
        "maxItems",
        "minContains",
        "minItems",
        "prefixItems",
        "unevaluatedItems",
        "uniqueItems",
    }
)
OBJECT = frozenset(
    {
        "additionalProperties",
        "dependencies",
        "dependentRequired",
        "dependentSchemas",
        "maxProperties",
        "minProperties",
        "patternProperties",
        "properties",
        "propertyNames",
        "required",
        "unevaluatedProperties",
    }
)
NUMBER = frozenset({"exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"})
STRING = frozenset({"contentEncoding", "contentMediaType", "maxLength", "minLength", "pattern"})

KIND_OF: dict[str, str] = {
    **dict.fromkeys(ARRAY, "array"),
    **dict.fromkeys(OBJECT, "object"),
    **dict.fromkeys(NUMBER, "number"),
    **dict.fromkeys(STRING, "string"),
}
"""Keyword to the one type that it says something about."""

APPLICATORS = frozenset(
    {"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "$ref", "$dynamicRef", "$recursiveRef"}
)
"""Keywords about a value of any type."""

KINDS = ("null", "boolean", "number", "string", "array", "object")
"""The types that have no value in common; `integer` is a part of `number`."""

TEXT_FORMATS: dict[str, frozenset[str]] = {
    "date": frozenset(),
    "date-time": frozenset(),
    "duration": frozenset(),
    "email": frozenset({"idn-email"}),
    "hostname": frozenset({"idn-hostname"}),
    "idn-email": frozenset(),
    "idn-hostname": frozenset(),
    "ipv4": frozenset(),
    "ipv6": frozenset(),
    "iri": frozenset({"iri-reference"}),
    "iri-reference": frozenset(),
    "json-pointer": frozenset(),
    "regex": frozenset(),
    "relative-json-pointer": frozenset(),
    "time": frozenset(),
    "uri": frozenset({"uri-reference", "iri", "iri-reference"}),
    "uri-reference": frozenset({"iri-reference"}),
    "uri-template": frozenset(),
    "uuid": frozenset(),
}
"""Formats of strings that count as assertions, each with the formats that include it."""

WHOLE_FORMATS: dict[str, tuple[int, int]] = {
    f"{sign}int{bits}": (0, 2**bits - 1) if sign else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    for sign in ("", "u")
    for bits in (8, 16, 32, 64)
}
"""Formats of numbers that are bounds in disguise."""

HEADER = "x-mcp-header"
"""The one foreign keyword with a meaning in MCP: the client repeats the value in a request header
of this name.
"""


def kind_of(value: JSON) -> str:
    """Return which of `KINDS` a value is."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, str):
        return "string"
    if isinstance(value, list):
        return "array"
    return "object" if isinstance(value, dict) else "number"


def is_number(value: JSON) -> bool:
    """Whether the value is a number."""
    return kind_of(value) == "number"


def is_whole(value: JSON) -> bool:
    """Whether the value is a number without a fraction; 1.0 is one."""
    if isinstance(value, Decimal):
        digits, exponent = value.as_tuple().digits, value.as_tuple().exponent
        if not isinstance(exponent, int):
            return False
        return exponent >= 0 or not any(digits[exponent:])
    return is_number(value)


def is_count(value: JSON) -> bool:
    """Whether the value is a whole number that is not negative."""
    return isinstance(value, int | Decimal) and is_whole(value) and value >= 0


SCHEMAS = frozenset({bool, dict})
"""The types of what may stand for a schema."""


def _is_schema(value: JSON) -> bool:
    return isinstance(value, bool | dict)


def _are_schemas(value: JSON) -> bool:
    return isinstance(value, list) and bool(value) and SCHEMAS.issuperset(map(type, value))


def _are_named_schemas(value: JSON) -> bool:
    return isinstance(value, dict) and SCHEMAS.issuperset(map(type, value.values()))


def _are_names(value: JSON) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def _are_types(value: JSON) -> bool:
    if isinstance(value, str):
        return value in KINDS or value == "integer"
    names = value if isinstance(value, list) else [value]
    return bool(names) and all(
        isinstance(name, str) and (name in KINDS or name == "integer") for name in names
    )


def _is_positive(value: JSON) -> bool:
    return isinstance(value, int | Decimal) and is_number(value) and value > 0


def _are_dependencies(value: JSON) -> bool:
    return isinstance(value, dict) and all(
        _is_schema(each) or _are_names(each) for each in value.values()
    )


def _is_text(value: JSON) -> bool:
    return isinstance(value, str)


FORM: dict[str, Callable[[JSON], bool]] = {
    "$dynamicRef": _is_text,
    "$recursiveRef": _is_text,
    "$ref": _is_text,
    "additionalItems": _is_schema,
    "additionalProperties": _is_schema,
    "allOf": _are_schemas,
    "anyOf": _are_schemas,
    "contains": _is_schema,
    "contentEncoding": _is_text,
    "contentMediaType": _is_text,
    "dependencies": _are_dependencies,
    "dependentRequired": lambda value: (
        isinstance(value, dict) and all(map(_are_names, value.values()))
    ),
    "dependentSchemas": _are_named_schemas,
    "else": _is_schema,
    "enum": lambda value: isinstance(value, list),
    "exclusiveMaximum": is_number,
    "exclusiveMinimum": is_number,
    "if": _is_schema,
    "items": lambda value: (
        _is_schema(value) or (isinstance(value, list) and all(map(_is_schema, value)))
    ),
    "maxContains": is_count,
    "maxItems": is_count,
    "maxLength": is_count,
    "maxProperties": is_count,
    "maximum": is_number,
    "minContains": is_count,
    "minItems": is_count,
    "minLength": is_count,
    "minProperties": is_count,
    "minimum": is_number,
    "multipleOf": _is_positive,
    "not": _is_schema,
    "oneOf": _are_schemas,
    "pattern": _is_text,
    "patternProperties": _are_named_schemas,
    "prefixItems": _are_schemas,
    "properties": _are_named_schemas,
    "propertyNames": _is_schema,
    "required": _are_names,
    "then": _is_schema,
    "type": _are_types,
    "unevaluatedItems": _is_schema,
    "unevaluatedProperties": _is_schema,
    "uniqueItems": lambda value: isinstance(value, bool),
}


def is_well_formed(keyword: str, value: JSON) -> bool:
    """Whether an assertion's value has the form that JSON Schema asks of it; true for every other
    keyword.
    """
    form = FORM.get(keyword)
    return form is None or form(value)
