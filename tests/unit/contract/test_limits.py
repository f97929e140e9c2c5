"""What is too large to be compared part by part: one change that says so, and never silence."""

import pytest

from proxar.contract import JSON, Diff, ToolList, Verdict, compare
from proxar.contract.tool import MAX_CHARACTERS, MAX_PARTS


def diff_of(before: JSON, after: JSON, side: str = "inputSchema") -> Diff:
    lists = (
        ToolList.of([{"name": "it", "inputSchema": {"type": "object"}, side: schema}])
        for schema in (before, after)
    )
    return compare(*lists)


def wide(count: int, word: str) -> JSON:
    members: dict[str, JSON] = {f"p{number}": {"title": word} for number in range(count)}
    return {"type": "object", "properties": members}


def test_a_schema_at_the_limit_is_looked_into() -> None:
    """The schema itself and the object of its parameters count as well."""
    diff = diff_of(wide(MAX_PARTS - 2, "a"), wide(MAX_PARTS - 2, "b"))

    assert diff.verdict < Verdict.BREAKING
    assert {change.rule for change in diff.changes} == {"title-changed"}


@pytest.mark.parametrize(
    ("side", "rule"),
    [("inputSchema", "not-provable"), ("outputSchema", "output-not-provable")],
)
def test_a_schema_of_more_parts_is_compared_as_a_whole(side: str, rule: str) -> None:
    """On either side; a larger one that did not change is none of our business."""
    before, after = (wide(MAX_PARTS - 1, word) for word in "ab")

    (change,) = diff_of(before, after, side).changes

    assert (change.rule, change.path) == (rule, f"it.{side}")
    assert f"more than {MAX_PARTS} arrays and objects" in change.message
    assert diff_of(before, before, side).changes == ()


def test_a_longer_schema_is_compared_as_a_whole() -> None:
    """A list of values has hardly any parts, and is work all the same."""
    values: list[JSON] = ["v" * 1_000 + str(number) for number in range(MAX_CHARACTERS // 1_000)]
    before: JSON = {"type": "object", "properties": {"p": {"enum": values}}}
    after: JSON = {"type": "object", "properties": {"p": {"enum": values[1:]}}}

    (change,) = diff_of(before, after).changes

    assert change.rule == "not-provable"
    assert f"longer than {MAX_CHARACTERS} characters" in change.message


def test_many_listed_values_that_become_a_range_are_not_held_against_it() -> None:
    """What is not looked at is not proved."""
    values: list[JSON] = list(range(30_000))
    before: JSON = {"type": "object", "properties": {"p": {"enum": values}}}
    after: JSON = {"type": "object", "properties": {"p": {"type": "integer", "minimum": 0}}}

    diff = diff_of(before, after)

    assert diff.verdict in (Verdict.COMPATIBLE, Verdict.BREAKING)
    assert all(change.rule != "enum-value-removed" for change in diff.changes)
