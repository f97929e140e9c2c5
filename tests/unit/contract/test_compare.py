"""Promises of `compare` that hold for any two lists."""

from decimal import Decimal
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxar.contract import JSON, Diff, ToolList, Verdict, compare, dump, read
from proxar.contract.canonical import canonical
from proxar.contract.containment import Engine
from proxar.contract.path import Place
from proxar.contract.rules import RULES, Side
from proxar.contract.schema import compare_schemas
from tests.unit.contract.strategies import documents, schemas, tools


def tool(schema: JSON, name: str = "search_issues") -> JSON:
    return {"name": name, "inputSchema": schema}


def diff_of(before: JSON, after: JSON) -> Diff:
    return compare(ToolList.of([tool(before)]), ToolList.of([tool(after)]))


@settings(max_examples=25)
@given(st.lists(tools | documents, max_size=3), st.lists(tools | documents, max_size=3))
def test_never_fails_and_always_says_where(before: list[JSON], after: list[JSON]) -> None:
    """Any JSON can be compared with any other, and each change has a place, a rule and one line."""
    old, new = ToolList.of(before), ToolList.of(after)

    diff = compare(old, new)

    for change in diff.changes:
        assert change.path
        assert change.rule in RULES
        assert change.verdict is RULES[change.rule].verdict
        assert 0 < len(change.message) < 600
        assert change.message.isprintable()
    assert diff.verdict is Verdict.worst(change.verdict for change in diff.changes)
    assert dump(read(dump(diff.to_json()).encode())) == dump(diff.to_json())
    if old.hash == new.hash:
        assert diff.verdict is Verdict.NONE
    assert compare(old, old).changes == ()


@settings(max_examples=25)
@given(
    st.lists(tools | documents, max_size=4), st.lists(tools | documents, max_size=4), st.randoms()
)
def test_the_order_of_tools_means_nothing(
    before: list[JSON], after: list[JSON], random: Random
) -> None:
    """A list read back from where it was stored, which is sorted, gives the very same changes."""
    mixed = random.sample(before, len(before)), random.sample(after, len(after))

    diff = compare(*(ToolList.of(items) for items in mixed))

    assert diff == compare(ToolList.of(before), ToolList.of(after))


@settings(max_examples=25)
@given(schemas, schemas, st.sampled_from(Side))
def test_schemas_of_any_kind_can_be_compared(before: JSON, after: JSON, side: Side) -> None:
    """Keywords in wrong places, references in circles and impossible values all end in changes."""
    engine = Engine()
    list(compare_schemas(before, after, side, Place("t", (side.value,)), engine))
    same = read(canonical(before))

    assert list(compare_schemas(same, read(canonical(same)), side, Place("t"), engine)) == []


@given(st.lists(tools, min_size=1, max_size=2), st.lists(tools, max_size=2))
def test_a_tool_that_left_is_always_told(before: list[JSON], after: list[JSON]) -> None:
    """No other change can cover a removal."""
    diff = compare(ToolList.of(before), ToolList.of(after))

    def names(items: list[JSON]) -> set[JSON]:
        return {item["name"] for item in items if isinstance(item, dict)}

    removed = {change.tool for change in diff.changes if change.rule == "tool-removed"}
    assert removed == names(before) - names(after)


def test_orders_changes_worst_first_then_by_tool_and_path() -> None:
    """By the names of tools, whether they were there before or not."""
    string: JSON = {
        "type": "object",
        "properties": {"b": {"type": "string"}, "a": {"type": "string"}},
    }
    number: JSON = {
        "type": "object",
        "properties": {"b": {"type": "number"}, "a": {"type": "number"}},
    }

    diff = compare(
        ToolList.of([tool(string, "z"), tool(string, "gone"), tool(string, "y")]),
        ToolList.of([tool(number, "y"), tool(string, "new"), tool(number, "z")]),
    )

    assert [change.path for change in diff.changes] == [
        "gone",
        "y.inputSchema.properties.a.type",
        "y.inputSchema.properties.b.type",
        "z.inputSchema.properties.a.type",
        "z.inputSchema.properties.b.type",
        "new",
    ]
    assert diff.summary == {"breaking": 5, "advisory": 0, "compatible": 1, "cosmetic": 0}


def test_says_it_in_words_and_in_json() -> None:
    """The public form of one change, whole."""
    before: dict[str, JSON] = {"type": "object", "properties": {"limit": {"type": "integer"}}}

    diff = diff_of(before, {**before, "required": ["limit"]})

    assert diff.to_json() == {
        "verdict": "breaking",
        "summary": {"breaking": 1, "advisory": 0, "compatible": 0, "cosmetic": 0},
        "changes": [
            {
                "tool": "search_issues",
                "path": "search_issues.inputSchema.required",
                "pointer": "/inputSchema/required",
                "rule": "parameter-became-required",
                "verdict": "breaking",
                "message": '"limit" is now required',
                "after": "limit",
                "parameter": "limit",
            }
        ],
    }


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ({"maxLength": 256}, {"maxLength": 64}, "maxLength lowered from 256 to 64"),
        ({}, {"maxLength": 64}, "maxLength 64 added, there was no limit"),
        ({"type": "string"}, {"enum": ["a", "b"]}, 'narrowed from any string to one of "a", "b"'),
        (
            {"type": ["string", "null"]},
            {"type": "string"},
            "narrowed from null or string to string",
        ),
        (
            {"minimum": Decimal("0.5")},
            {"exclusiveMinimum": Decimal("0.5")},
            "exclusiveMinimum raised from 0.5 to 0.5 (exclusive)",
        ),
    ],
)
def test_names_the_old_and_the_new_value(before: JSON, after: JSON, message: str) -> None:
    """A message can be acted on without looking at the schemas."""
    diff = diff_of(
        {"type": "object", "properties": {"a": before}},
        {"type": "object", "properties": {"a": after}},
    )

    assert message in [change.message for change in diff.changes]


def test_fingerprints_tell_changes_apart_and_stay() -> None:
    """Two parameters that became required share a path, and not a fingerprint."""
    before: dict[str, JSON] = {"type": "object", "properties": {"a": {}, "b": {}}}
    after: JSON = {**before, "required": ["a", "b"]}

    prints = [change.fingerprint for change in diff_of(before, after).changes]

    assert len(set(prints)) == 2
    assert prints == [change.fingerprint for change in diff_of(before, after).changes]
    assert all(len(text) == 12 for text in prints)


def test_one_value_of_thousands_is_one_change() -> None:
    """The message names the value and not the list."""
    values: list[JSON] = [f"v{number:05}" for number in range(5_000)]
    before: JSON = {"type": "object", "properties": {"icon": {"enum": values}}}
    after: JSON = {"type": "object", "properties": {"icon": {"enum": values[:777] + values[778:]}}}

    diff = diff_of(before, after)

    assert [change.message for change in diff.changes] == ['value "v00777" removed']


def test_references_that_branch_without_end_are_given_up() -> None:
    """Sixty definitions that each refer twice to the next are 2**60 places."""

    def schema(kind: str) -> JSON:
        definitions: dict[str, JSON] = {
            f"d{level}": {
                "type": "object",
                "properties": {
                    side: {"$ref": f"#/$defs/d{level + 1}"} for side in ("left", "right")
                },
            }
            for level in range(60)
        }
        definitions["d60"] = {"type": kind}
        return {"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": definitions}

    diff = diff_of(schema("string"), schema("integer"))

    assert "not-provable" in {change.rule for change in diff.changes}
    assert diff.verdict is Verdict.BREAKING


@pytest.mark.parametrize("depth", [120, 500, 990])
def test_deep_schemas_are_compared_or_given_up(depth: int) -> None:
    """However deep the difference is, it is told."""
    one: JSON = {"type": "string"}
    other: JSON = {"type": "integer"}
    for _ in range(depth):
        one, other = {"items": one}, {"items": other}

    diff = diff_of(
        {"type": "object", "properties": {"a": one}}, {"type": "object", "properties": {"a": other}}
    )

    assert diff.verdict is Verdict.BREAKING


def test_rules_of_both_sides_are_twins() -> None:
    """What breaks an input because it narrows is compatible for an output, and vice versa."""
    mirrored = {Verdict.BREAKING: Verdict.COMPATIBLE, Verdict.COMPATIBLE: Verdict.BREAKING}
    both_ways = {"not-provable", "content-changed", "parameter-removed"}

    for rule in RULES.values():
        twin = RULES.get(f"output-{rule.id.replace('parameter', 'field')}")
        if twin and not rule.id.startswith("output-") and rule.id != "parameter-added":
            is_shift = rule.id.endswith("-changed") or rule.id in both_ways
            expected = rule.verdict if is_shift else mirrored.get(rule.verdict, rule.verdict)
            assert twin.verdict is expected, rule.id
