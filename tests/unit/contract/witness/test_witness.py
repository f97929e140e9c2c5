"""Arguments that a change broke: which ones, and that they are never wrong."""

from decimal import Decimal
from typing import Any

import pytest

from proxar.contract import JSON, ToolList, Verdict, compare, dump
from proxar.contract.witness import explained, with_witnesses, witness

TEXT: dict[str, JSON] = {"type": "string"}


def arguments(*required: str, **properties: Any) -> dict[str, JSON]:
    """An input schema with these parameters."""
    return {"type": "object", "properties": properties, "required": list(required)}


def closed(schema: dict[str, JSON]) -> dict[str, JSON]:
    return {**schema, "additionalProperties": False}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"enum": ["a", "b", "c"]}, {"enum": ["a", "c"]}, "b"),
        ({"maximum": 100, "type": "integer"}, {"maximum": 50, "type": "integer"}, 51),
        ({"minimum": 0, "type": "integer"}, {"exclusiveMinimum": 0, "type": "integer"}, 0),
        ({"type": "number"}, {"type": "integer"}, Decimal("0.5")),
        ({"type": "integer", "multipleOf": 2}, {"type": "integer", "multipleOf": 6}, 2),
        (
            {"type": "integer", "maximum": 2**63 - 1},
            {"type": "integer", "maximum": 2**63 - 2},
            2**63 - 1,
        ),
        ({**TEXT, "maxLength": 8}, {**TEXT, "maxLength": 3}, "aaaa"),
        (TEXT, {**TEXT, "minLength": 2}, "a"),
        ({"type": ["string", "null"]}, TEXT, None),
        ({"anyOf": [TEXT, {"type": "null"}]}, TEXT, None),
        ({**TEXT, "pattern": "^[a-z]+$"}, {**TEXT, "pattern": "^[a-y]+$"}, "z"),
        (TEXT, {**TEXT, "pattern": "^[a-z]{2}$"}, ""),
        (TEXT, {**TEXT, "format": "date"}, "a"),
        ({**TEXT, "format": "date"}, {**TEXT, "format": "date-time"}, "2024-02-29"),
        ({"type": "array"}, {"type": "array", "minItems": 1}, []),
        (
            {"type": "array", "items": TEXT},
            {"type": "array", "items": TEXT, "maxItems": 2},
            ["a", "a", "a"],
        ),
        (
            {"type": "array", "items": TEXT},
            {"type": "array", "items": TEXT, "uniqueItems": True},
            ["a", "a"],
        ),
        (
            {"type": "array", "items": {"type": "number"}},
            {"type": "array", "items": {"type": "integer"}},
            [Decimal("0.5")],
        ),
        (
            {"oneOf": [{"type": "boolean"}, arguments("id", id=TEXT)]},
            {"oneOf": [{"type": "boolean"}, arguments("id", id={**TEXT, "maxLength": 1})]},
            {"id": "aa"},
        ),
        (arguments(a=TEXT, b=TEXT), {**arguments(a=TEXT, b=TEXT), "minProperties": 1}, {}),
        (TEXT, False, "a"),
        (TEXT, {**TEXT, "not": {"const": "forbidden"}}, "forbidden"),
    ],
)
def test_shows_what_a_narrower_parameter_refuses(before: Any, after: Any, expected: JSON) -> None:
    """The smallest value at the edge that was moved."""
    found = witness(arguments(v=before), arguments(v=after), "/properties/v")

    assert dump(found) == dump({"v": expected})


def test_shows_a_missing_parameter() -> None:
    """Everything else is as both sides want it, so that nothing else is wrong."""
    before, after = arguments("a", a=TEXT), arguments("a", "b", "c", a=TEXT, b=TEXT, c=TEXT)

    assert witness(before, after, "/required", parameter="b") == {"a": "a", "c": "a"}


def test_shows_a_change_and_not_its_neighbours() -> None:
    """A parameter that became required as well is given, or the witness would show that."""
    before = arguments(limit={"type": "integer"}, query=TEXT)
    after = arguments("query", limit={"type": "integer", "maximum": 5}, query=TEXT)

    assert witness(before, after, "/properties/limit/maximum") == {"query": "a", "limit": 6}


def test_goes_down_to_the_place_of_the_change() -> None:
    """Through members, items, branches and references of either side."""

    def schema(keyword: JSON) -> dict[str, JSON]:
        node: JSON = {"anyOf": [{"type": "null"}, arguments("kind", kind=keyword)]}
        filters: JSON = {"type": "array", "items": {"$ref": "#/$defs/filter"}}
        return {**arguments(filters=filters), "$defs": {"filter": node}}

    before, after = schema({"enum": ["open", "closed"]}), schema({"enum": ["closed"]})

    found = witness(before, after, "/properties/filters/items/anyOf/1/properties/kind/enum")

    assert found == {"filters": [{"kind": "open"}]}


def test_shows_what_a_closed_object_refuses() -> None:
    """An undeclared parameter when the object was open, the removed one when it was declared."""
    one, both = arguments(a=TEXT), arguments(a=TEXT, b=TEXT)

    assert witness(one, closed(one), "/additionalProperties") == {"undeclared": "a"}
    assert witness(closed(both), closed(one), "/properties/b") == {"b": "a"}


def test_shows_what_a_dependency_misses() -> None:
    """The parameter on which others depend now, without them."""
    before = arguments(a=TEXT, b=TEXT)
    after: JSON = {**before, "dependentRequired": {"a": ["b"]}}

    assert witness(before, after, "/dependentRequired/a") == {"a": "a"}


def test_shows_what_a_condition_refuses() -> None:
    """A value that switches the condition on, without what it asks for then."""
    before = arguments(mode={"enum": ["read", "write"]}, path=TEXT)
    condition: JSON = {"properties": {"mode": {"const": "write"}}, "required": ["mode"]}
    after: JSON = {**before, "if": condition, "then": {"required": ["path"]}}

    assert witness(before, after, "/then") == {"mode": "write"}


def test_is_none_where_nothing_broke() -> None:
    """Wider, the same in other words, or not to be said."""
    assert witness(arguments(v=TEXT), arguments(v={}), "/properties/v") is None
    assert witness(arguments(v=TEXT), arguments(v={"type": ["string"]}), "") is None
    unknown: JSON = {"$ref": "https://other.example/s"}
    assert witness(arguments(v=unknown), arguments(v=False), "/properties/v") is None


def test_stays_small() -> None:
    """A witness that nobody can read shows nothing."""
    before: JSON = {**TEXT, "minLength": 1_000_000}
    after: JSON = {**TEXT, "minLength": 1_000_001}

    assert witness(arguments(v=before), arguments(v=after), "/properties/v/minLength") is None


def list_of(*definitions: JSON) -> ToolList:
    return ToolList.of(definitions)


def tool(schema: JSON, name: str = "t", **fields: JSON) -> JSON:
    return {"name": name, "inputSchema": schema, **fields}


def test_gives_each_breaking_change_of_a_tool_its_own() -> None:
    """Others keep none: what is compatible, about texts or hints, or not about values."""
    before = list_of(tool(arguments(a={"enum": ["x", "y", "z"]}, b=TEXT), description="one"))
    after = list_of(tool(arguments("b", a={"enum": ["x"]}, b=TEXT, c=TEXT), description="two"))

    diff = explained(before, after, compare(before, after))

    found = [(one.rule, one.witness) for one in diff.changes if one.witness is not None]
    assert found == [
        ("enum-value-removed", {"b": "a", "a": "y"}),
        ("enum-value-removed", {"b": "a", "a": "z"}),
        ("parameter-became-required", {}),
    ]
    assert {one.verdict for one in diff.changes if one.witness is None} == {
        Verdict.ADVISORY,
        Verdict.COMPATIBLE,
    }


def test_gives_none_to_what_is_about_no_value() -> None:
    """A tool or a parameter of an open object that is gone: a server may take the call or not."""
    before = list_of(tool(arguments(a=TEXT, b=TEXT)), tool(arguments(), "gone"))
    after = list_of(tool(arguments(a=TEXT)))

    diff = explained(before, after, compare(before, after))

    assert {one.rule for one in diff.changes} == {"tool-removed", "parameter-removed"}
    assert all(one.witness is None for one in diff.changes)


def test_keeps_verdicts_order_and_fingerprints() -> None:
    """A witness explains a change and never alters it."""
    before = list_of(tool(arguments(a=TEXT, b=TEXT)), tool(arguments(a=TEXT), "u"))
    after = list_of(tool(arguments("a", a=TEXT)), tool(arguments(a={"type": "null"}), "u"))
    diff = compare(before, after)

    told = explained(before, after, diff)

    assert told.verdict is diff.verdict
    assert [one.fingerprint for one in told.changes] == [one.fingerprint for one in diff.changes]
    assert any(one.witness is not None for one in told.changes)
    changes = list(with_witnesses(before.tools[0], after.tools[0], diff.changes[:1]))
    assert len(changes) == 1


def deep(levels: int, leaf: JSON) -> JSON:
    for _ in range(levels):
        leaf = arguments(a=leaf)
    return leaf


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (deep(900, TEXT), deep(900, {"type": "null"})),
        (
            {"type": "object", "properties": {"n": {"$ref": "#"}}, "required": ["n"]},
            {"type": "object", "required": ["z"]},
        ),
        (arguments(v={"type": "array", "minItems": 10**9}), arguments(v=False)),
        (arguments(v={**TEXT, "pattern": "^(a+)+(b|c){999}$"}), arguments(v=False)),
        ({"type": "object", "properties": [], "required": {}}, {"type": "object"}),
        (
            {"type": "object", "required": [f"p{number}" for number in range(3_000)]},
            {"type": "object", "minProperties": 4_000},
        ),
    ],
)
def test_hostile_schemas_end(before: JSON, after: JSON) -> None:
    """Without a witness, and not with an error."""
    assert witness(before, after, "/properties/v") is None
