"""JSON as hypothesis makes it: any value, and schemas that look like those of tools."""

from decimal import Decimal

from hypothesis import strategies as st

from proxar.contract import JSON

__all__ = ["documents", "schemas", "tools"]

NAMES = st.sampled_from(["query", "limit", "required", "enum", "type", "$ref", "a.b", "é", ""])

scalars: st.SearchStrategy[JSON] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.decimals(allow_nan=False, allow_infinity=False),
    st.text(max_size=8),
    NAMES,
)

documents: st.SearchStrategy[JSON] = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(NAMES | st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=20,
)
"""Any JSON value."""

KEYWORDS = st.sampled_from(
    [
        "type",
        "properties",
        "required",
        "enum",
        "const",
        "items",
        "anyOf",
        "oneOf",
        "allOf",
        "not",
        "if",
        "then",
        "additionalProperties",
        "patternProperties",
        "prefixItems",
        "minimum",
        "maximum",
        "multipleOf",
        "minLength",
        "pattern",
        "format",
        "$ref",
        "$defs",
        "$schema",
        "$id",
        "default",
        "description",
        "dependentRequired",
        "unevaluatedProperties",
        "contains",
        "uniqueItems",
        "x-mcp-header",
        "inputSchema",
        "outputSchema",
        "annotations",
        "execution",
        "_meta",
        "title",
        "name",
    ]
)

SOME_VALUES: st.SearchStrategy[JSON] = st.sampled_from(
    [
        "object",
        "string",
        "integer",
        "#",
        "#/$defs/a",
        "#/properties/a",
        ["string", "null"],
        ["a"],
        [],
        {},
        True,
        False,
        0,
        1,
        Decimal("1.0"),
        Decimal("0.5"),
        Decimal("1e400"),
        -1,
        {"type": "object"},
        {"$ref": "#"},
        [{"$ref": "#"}],
        [{"type": "string"}, {"type": "null"}],
        {"a": {"type": "string"}},
        {"a": {"$ref": "#"}},
        "http://example.com/s",
    ]
)

schemas: st.SearchStrategy[JSON] = st.recursive(
    SOME_VALUES | scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(KEYWORDS | NAMES, inner, max_size=4)
    ),
    max_leaves=16,
)
"""Values full of keywords, most of them in the wrong place."""

tools: st.SearchStrategy[JSON] = st.fixed_dictionaries(
    {"name": st.sampled_from(["a", "b"])},
    optional={
        "description": st.text(max_size=5),
        "inputSchema": schemas,
        "outputSchema": schemas,
        "annotations": schemas,
        "execution": schemas,
        "_meta": schemas,
    },
)
"""Entries of a tool list with names that meet."""
