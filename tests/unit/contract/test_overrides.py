"""Overrides: louder, quieter, for a while, and never a promise that calls do not keep."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxar.contract import JSON, ToolList, Verdict, compare
from proxar.contract.overrides import Override, is_match, next_expiry, with_overrides

NOW = datetime(2026, 11, 30, tzinfo=UTC)
DAY = timedelta(days=1)


def tools(required: list[str], description: str = "Search.") -> ToolList:
    wanted: list[JSON] = [*required]
    schema: JSON = {
        "type": "object",
        "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}},
        "required": wanted,
    }
    names = ("search_issues", "search_pulls")
    return ToolList.of(
        [{"name": n, "description": description, "inputSchema": schema} for n in names]
    )


DIFF = compare(tools(["query"]), tools(["query", "limit"], "Find."))


def verdicts(
    *overrides: Override, now: datetime = NOW
) -> dict[tuple[str, str], tuple[str, str | None]]:
    changes = with_overrides(DIFF, overrides, now).changes
    return {(it.tool, it.rule): (it.verdict.value, it.overridden_by) for it in changes}


def test_without_overrides_nothing_moves() -> None:
    """The very same diff."""
    assert with_overrides(DIFF, (), NOW) is DIFF
    assert with_overrides(DIFF, [Override("other", "tool-*", Verdict.ADVISORY)], NOW) == DIFF


def test_a_rule_is_overruled_for_some_tools() -> None:
    """By glob of rule and of tool; everything else keeps its verdict, and the worst one counts."""
    calm = Override("known", "parameter-*", Verdict.ADVISORY, tools=("*_pulls",))

    assert verdicts(calm) == {
        ("search_issues", "parameter-became-required"): ("breaking", None),
        ("search_pulls", "parameter-became-required"): ("advisory", "known"),
        ("search_issues", "description-changed"): ("advisory", None),
        ("search_pulls", "description-changed"): ("advisory", None),
    }
    assert with_overrides(DIFF, [calm], NOW).verdict is Verdict.BREAKING


def test_what_is_ignored_is_still_recorded() -> None:
    """As cosmetic, with the name of the override; the diff is no louder than that."""
    diff = with_overrides(DIFF, [Override("noise", "*", Verdict.COSMETIC)], NOW)

    assert diff.verdict is Verdict.COSMETIC
    assert len(diff.changes) == len(DIFF.changes)
    assert {change.overridden_by for change in diff.changes} == {"noise"}


def test_a_text_can_be_made_breaking() -> None:
    """For those to whom wording is a contract; worst still comes first."""
    diff = with_overrides(DIFF, [Override("strict", "description-*", Verdict.BREAKING)], NOW)

    assert diff.summary == {"breaking": 4, "advisory": 0, "compatible": 0, "cosmetic": 0}


def test_the_first_override_decides() -> None:
    """As in every list of rules."""
    first = Override("first", "*", Verdict.COSMETIC)
    second = Override("second", "*", Verdict.BREAKING)

    assert {by for _, by in verdicts(first, second).values()} == {"first"}


def test_an_override_ends() -> None:
    """At its expiry the default is back, and the next one says when to look again."""
    short = Override("short", "*", Verdict.COSMETIC, expires=NOW + DAY)
    long = Override("long", "*", Verdict.COSMETIC, expires=NOW + 2 * DAY)

    assert next_expiry([long, short], NOW) == NOW + DAY
    assert next_expiry([long, short], NOW + DAY) == NOW + 2 * DAY
    assert next_expiry([long, short], NOW + 2 * DAY) is None
    assert {by for _, by in verdicts(short).values()} == {"short"}
    assert verdicts(short, now=NOW + DAY) == verdicts()


@pytest.mark.parametrize("verdict", [Verdict.COMPATIBLE, Verdict.NONE])
def test_nothing_is_made_compatible(verdict: Verdict) -> None:
    """That is a promise about calls."""
    with pytest.raises(ValueError, match="cannot be made"):
        Override("wish", "*", verdict)


def test_a_compatible_change_is_not_hidden_as_a_side_effect() -> None:
    """An override of everything to advisory makes it louder; one to ignored leaves it."""
    diff = compare(tools(["query", "limit"]), tools(["query"]))
    assert diff.verdict is Verdict.COMPATIBLE

    assert with_overrides(diff, [Override("quiet", "*", Verdict.COSMETIC)], NOW) == diff
    assert (
        with_overrides(diff, [Override("loud", "*", Verdict.ADVISORY)], NOW).verdict
        is Verdict.ADVISORY
    )


@given(st.text("ab*", max_size=8), st.text("ab", max_size=10))
def test_globs_are_what_they_look_like(glob: str, text: str) -> None:
    """The same as the regular expression that takes longer."""
    pattern = ".*".join(map(re.escape, glob.split("*")))

    assert is_match(glob, text) == bool(re.fullmatch(pattern, text))


def test_hostile_names_take_no_time() -> None:
    """Thousands of characters against many stars."""
    assert not is_match("*a" * 60 + "b", "a" * 20_000)
