"""Groups: the same change in many tools as one finding, with the list left whole."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from proxar.contract import JSON, Change, Verdict
from proxar.contract.groups import grouped, mark_groups
from proxar.contract.path import Place
from proxar.contract.rules import change


def _closed(tool: str, before: JSON = True) -> Change:
    place = Place(tool, ("inputSchema", "additionalProperties"))
    return change("root-closed", place, f"{tool} is closed", before, False)


def _required(tool: str, name: str) -> Change:
    place = Place(tool, ("inputSchema", "required"))
    return change("parameter-became-required", place, "now required", after=name, parameter=name)


def test_several_tools_share_a_group() -> None:
    """One finding with a star for the tool, at the place of the first."""
    changes = [_closed("open issue"), _required("open issue", "title"), _closed("vote")]

    first, second = grouped(changes)

    assert (first.path, first.tools, first.count) == (
        "*.inputSchema.additionalProperties",
        ("open issue", "vote"),
        2,
    )
    assert (first.rule, first.verdict) == ("root-closed", Verdict.BREAKING)
    assert first.changes == (changes[0], changes[2])
    assert (second.id, second.path, second.count) == (None, changes[1].path, 1)


def test_marks_change_nothing_else() -> None:
    """Order and fingerprints stay; a change that is alone has no group."""
    changes = [_closed("open_issue"), _required("vote", "key"), _closed("vote")]

    marked = mark_groups(changes)

    assert [each.group is None for each in marked] == [False, True, False]
    assert marked[0].group == marked[2].group == grouped(changes)[0].id
    assert tuple(replace(each, group=None) for each in marked) == tuple(changes)
    assert mark_groups(marked) == marked


def test_a_group_has_the_same_name_in_every_run() -> None:
    """It is in what people store; of rule, path inside the tool, parameter and both values."""
    assert mark_groups([_closed("a"), _closed("b")])[0].group == "2416890ee4a7"


def test_other_values_are_another_group() -> None:
    """1 and true are different, and so is a value that was not there."""
    values: list[JSON] = [True, 1, None, {"type": "string"}]
    changes = [_closed(tool, value) for value in values for tool in ("a", "b")]

    assert [group.count for group in grouped(changes)] == [2, 2, 2, 2]


def test_two_changes_of_one_tool_are_no_group() -> None:
    """Each newly required parameter is a change, and shared by name only."""
    alone = [_required("open_issue", "title"), _required("open_issue", "title")]
    names = [_required("open_issue", "title"), _required("vote", "key")]

    assert [group.id for group in grouped(alone)] == [None, None]
    assert [group.id for group in grouped(names)] == [None, None]


def test_tools_that_come_and_go_are_findings_of_their_own() -> None:
    """Sixty removed tools are sixty losses."""
    changes = [change("tool-removed", Place(name), "gone") for name in ("a", "b")]

    assert [group.path for group in grouped(changes)] == ["a", "b"]


def test_the_worst_verdict_counts() -> None:
    """A rule of the server may have overridden it for some of the tools."""
    mild = replace(_closed("a"), verdict=Verdict.ADVISORY, overridden_by="known")

    assert grouped([mild, _closed("b")])[0].verdict is Verdict.BREAKING


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from([True, False, 1])), max_size=12))
def test_every_change_is_in_one_group(pairs: list[tuple[str, JSON]]) -> None:
    """Nothing is lost and nothing is told twice."""
    changes = [_closed(tool, before) for tool, before in pairs]

    found = [each for group in grouped(changes) for each in group.changes]

    assert sorted(map(id, found)) == sorted(map(id, changes))
    assert all(group.count > 1 for group in grouped(changes) if group.id)
