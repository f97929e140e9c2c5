"""What is told of members inside alternatives and other applicators, whatever the sets of values
say.
"""

from collections.abc import Callable
from typing import Any

import pytest

from proxar.contract import JSON, Diff, ToolList, Verdict, compare

TEXT: Any = {"type": "string"}
PLAIN: JSON = {"type": "string", "contentMediaType": "text/plain"}
HTML: JSON = {"type": "string", "contentMediaType": "text/html"}

Members = dict[str, Any]


def diff_of(before: JSON, after: JSON) -> Diff:
    one, other = ([{"name": "t", "inputSchema": schema}] for schema in (before, after))
    return compare(ToolList.of(list(one)), ToolList.of(list(other)))


def told(before: JSON, after: JSON) -> list[tuple[str, str]]:
    return [(change.path, change.rule) for change in diff_of(before, after).changes]


def one_of(members: Members) -> Any:
    return {
        "type": "object",
        "oneOf": [
            {"properties": {"m": {"const": "get"}, "a": TEXT}, "required": ["m"]},
            {"properties": {"m": {"const": "put"}} | members, "required": ["m"]},
        ],
    }


def one_of_required_around(members: Members) -> Any:
    return {
        "type": "object",
        "properties": {"m": TEXT},
        "required": ["m"],
        "oneOf": [
            {"properties": {"m": {"const": "get"}, "a": TEXT}},
            {"properties": {"m": {"const": "put"}} | members},
        ],
    }


def one_of_twenty(members: Members) -> Any:
    return {
        "type": "object",
        "oneOf": [
            {
                "type": "object",
                "properties": {"m": {"enum": [f"get{at}", f"put{at}"]}} | (members if at else {}),
                "required": ["m"],
            }
            for at in range(2)
        ]
        + [
            {
                "type": "object",
                "properties": {"m": {"const": f"other{at}"}, "b": TEXT},
                "required": ["m"],
            }
            for at in range(18)
        ],
    }


def overlapping(members: Members) -> Any:
    return {"type": "object", "oneOf": [{"required": ["z"]}, {"properties": members}]}


def condition(members: Members) -> Any:
    return {
        "type": "object",
        "if": {"properties": {"m": {"const": "put"}}},
        "else": {"properties": members},
    }


def conditions(members: Members) -> Any:
    return {
        "type": "object",
        "allOf": [
            {"if": {"required": ["x"]}, "then": {"required": ["y"]}},
            {"if": {"required": ["m"]}, "then": {"properties": members}},
        ],
    }


def patterns(members: Members) -> Any:
    return {"type": "object", "patternProperties": {"^x": {"properties": members}}}


def dependent(members: Members) -> Any:
    return {"type": "object", "dependentSchemas": {"m": {"properties": members}}}


def contained(members: Members) -> Any:
    return {
        "type": "object",
        "properties": {"l": {"type": "array", "contains": {"properties": members}}},
    }


CONSTRUCTS: list[tuple[Callable[[Members], Any], str]] = [
    (one_of, "oneOf[1]"),
    (one_of_required_around, "oneOf[1]"),
    (one_of_twenty, "oneOf[1]"),
    (condition, "else"),
    (conditions, "allOf[1].then"),
    (patterns, 'patternProperties["^x"]'),
    (dependent, "dependentSchemas.m"),
    (contained, "properties.l.contains"),
]


@pytest.mark.parametrize(("make", "place"), [*CONSTRUCTS, (overlapping, "oneOf[1]")])
def test_a_removed_member_is_told_where_it_was(make: Callable[[Members], Any], place: str) -> None:
    """However little its absence means for the values that are accepted."""
    assert told(make({"b": TEXT, "c": TEXT}), make({"b": TEXT})) == [
        (f"t.inputSchema.{place}.properties.c", "parameter-removed")
    ]


@pytest.mark.parametrize(("make", "place"), CONSTRUCTS)
def test_an_added_optional_member_is_told_where_it_is(
    make: Callable[[Members], Any], place: str
) -> None:
    """It is compatible, as it is everywhere."""
    diff = diff_of(make({"b": TEXT}), make({"b": TEXT, "c": TEXT}))

    assert [(one.path, one.rule) for one in diff.changes] == [
        (f"t.inputSchema.{place}.properties.c", "parameter-added")
    ]
    assert diff.verdict is Verdict.COMPATIBLE


@pytest.mark.parametrize(("make", "place"), CONSTRUCTS)
def test_other_content_is_told(make: Callable[[Members], Any], place: str) -> None:
    """The same strings are accepted, and mean something else."""
    assert told(make({"b": PLAIN}), make({"b": HTML})) == [
        (f"t.inputSchema.{place}.properties.b.contentMediaType", "content-changed")
    ]


@pytest.mark.parametrize(("make", "place"), CONSTRUCTS)
def test_a_narrower_member_stays_breaking_beside_what_is_told(
    make: Callable[[Members], Any], place: str
) -> None:
    """What a member's absence hides is still told of the others."""
    shorter: JSON = {"type": "string", "maxLength": 3}
    diff = diff_of(make({"b": TEXT}), make({"b": shorter, "c": TEXT}))

    assert diff.verdict is Verdict.BREAKING
    assert (f"t.inputSchema.{place}.properties.c", "parameter-added") in [
        (one.path, one.rule) for one in diff.changes
    ]


def with_members(schema: JSON, members: Members) -> Any:
    assert isinstance(schema, dict)
    own = schema.get("properties", {})
    assert isinstance(own, dict)
    return schema | {"properties": own | members}


@pytest.mark.parametrize(
    "make", [one_of, one_of_required_around, condition, conditions, dependent, overlapping]
)
def test_a_member_that_is_declared_around_is_not_gone(make: Callable[[Members], Any]) -> None:
    """It said more of the member, and no longer does; nothing that is declared went."""
    narrow: JSON = {"type": "string", "maxLength": 3}
    before = with_members(make({"b": TEXT, "c": narrow}), {"c": TEXT})
    after = with_members(make({"b": TEXT}), {"c": TEXT})

    assert "parameter-removed" not in [rule for _, rule in told(before, after)]
    assert "parameter-added" not in [rule for _, rule in told(after, before)]
    assert diff_of(after, before).verdict is Verdict.BREAKING


def test_what_all_items_declare_is_not_gone_from_one_that_must_be_there() -> None:
    """`contains` narrows items that `items` has declared."""

    def schema(contained: Members) -> Any:
        array: JSON = {
            "type": "array",
            "items": {"properties": {"b": TEXT, "c": TEXT}},
            "contains": {"properties": contained},
        }
        return {"type": "object", "properties": {"l": array}}

    assert told(schema({"b": TEXT, "c": TEXT}), schema({"b": TEXT})) == []


def tagged(count: int, members: Members, *, first: int = 0) -> list[Any]:
    return [
        {"properties": {"k": {"const": f"v{at}"}} | members, "required": ["k"]}
        for at in range(first, first + count)
    ]


@pytest.mark.parametrize("keyword", ["oneOf", "anyOf"])
@pytest.mark.parametrize("count", [10, 11, 20, 40])
def test_many_alternatives_are_paired_by_the_member_that_tells_them_apart(
    keyword: str, count: int
) -> None:
    """In whatever order they are written, and all of them."""
    before: JSON = {"type": "object", keyword: list(tagged(count, {"x": TEXT, "y": TEXT}))}
    after: JSON = {"type": "object", keyword: list(reversed(tagged(count, {"x": TEXT})))}

    found = told(before, after)

    assert sorted(found) == sorted(
        (f"t.inputSchema.{keyword}[{at}].properties.y", "parameter-removed") for at in range(count)
    )


def test_an_alternative_without_a_partner_is_gone() -> None:
    """Its values are no others' now."""
    before: JSON = {"type": "object", "oneOf": list(tagged(12, {"x": TEXT, "y": TEXT}))}
    after: JSON = {"type": "object", "oneOf": list(tagged(11, {"x": TEXT}))}

    found = told(before, after)

    assert ("t.inputSchema.oneOf[11]", "alternative-removed") in found
    assert len(found) == 12


def test_a_member_that_need_not_be_there_tells_nothing_apart() -> None:
    """A value without it passes all alternatives, so that `oneOf` refuses it."""
    optional: JSON = {
        "type": "object",
        "oneOf": [{"properties": {"k": {"const": "a"}}}, {"properties": {"k": {"const": "b"}}}],
    }

    assert diff_of(optional, {"type": "object", "anyOf": [True, True]}).verdict is not Verdict.NONE
    assert diff_of({"type": "object"}, optional).verdict is Verdict.BREAKING


def test_another_condition_is_not_looked_into() -> None:
    """What held under one condition says nothing about what holds under another."""
    before = condition({"b": TEXT, "c": TEXT})
    assert isinstance(before, dict)
    after = before | {"if": {"required": ["m"]}, "else": {"properties": {"b": TEXT}}}

    assert "parameter-removed" not in [rule for _, rule in told(before, after)]


def test_how_many_must_be_contained_is_told_as_ever() -> None:
    """A member that went does not hide it."""

    def schema(least: int, members: Members) -> JSON:
        array: JSON = {"type": "array", "contains": {"properties": members}, "minContains": least}
        return {"type": "object", "properties": {"l": array}}

    found = told(schema(2, {"b": TEXT, "c": TEXT}), schema(1, {"b": TEXT}))

    assert ("t.inputSchema.properties.l.contains", "schema-widened") in found
