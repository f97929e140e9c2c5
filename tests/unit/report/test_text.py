"""The diff for people."""

import re
from dataclasses import replace
from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from proxar.contract import Diff, Verdict
from proxar.report.changes import sentence
from proxar.report.columns import columns
from proxar.report.text import text
from proxar.report.visible import INVISIBLE, visible
from tests.unit.report.diffs import any_diff, change, description, drift

SGR = re.compile(r"\x1b\[[0-9;]*m")


def test_puts_a_change_on_a_line_under_its_tool_worst_first() -> None:
    """It can be read, and searched with grep, without knowing anything else."""
    assert text(drift()) == (
        "breaking: 2 breaking, 1 advisory, 1 compatible\n"
        "\n"
        "search_issues\n"
        '  breaking   search_issues.inputSchema.required: "limit" is now required'
        " (parameter-became-required)\n"
        "  advisory   search_issues.description: the description changed (description-changed)\n"
        "             - Search issues by [-keyword-].\n"
        "             + Search issues by {+text+}.\n"
        '  compatible search_issues.inputSchema.properties.sort: optional parameter "sort" added'
        " (parameter-added)\n"
        "\n"
        "close_issue\n"
        "  breaking   close_issue: the tool was removed (tool-removed)\n"
    )


def test_says_so_when_nothing_changed() -> None:
    """Silence could as well be a failure."""
    assert text(Diff.of([], [])) == "none: the tools are the same\n"


def test_sets_old_beside_new_on_a_wide_terminal() -> None:
    """The changed words stand across from each other; the rest is context."""
    diff = Diff.of(
        [
            description(
                "Search issues by keyword, newest first, over all repositories."
                "\nA.\nB.\nC.\nUse sort.",
                "Search issues by free text, newest first, over all repositories."
                "\nA.\nB.\nC.\nUse order.",
            )
        ],
        [],
    )

    assert text(diff, width=110) == (
        "advisory: 1 advisory\n"
        "\n"
        "search_issues\n"
        "  advisory   search_issues.description: the description changed (description-changed)\n"
        "             old                                             │ new\n"
        "             Search issues by [-keyword-], newest first,     │"
        " Search issues by {+free text+}, newest first,\n"
        "             over all repositories.                          │ over all repositories.\n"
        "             A.                                              │ A.\n"
        "             … 1 unchanged line\n"
        "             C.                                              │ C.\n"
        "             Use [-sort-].                                   │ Use {+order+}.\n"
    )


def test_stacks_and_wraps_on_a_narrow_terminal() -> None:
    """Nothing is cut off."""
    diff = Diff.of([description("one two three four five six", "one two 3 four five six")], [])

    assert text(diff, width=40).splitlines()[4:] == [
        "             - one two [-three-] four",
        "             - five six",
        "             + one two {+3+} four five",
        "             + six",
    ]


def test_shows_a_text_that_came_or_went_without_marks() -> None:
    """A sign in front of each line says it already."""
    diff = Diff.of([description("Old.\nText.", None), description(None, "New.", tool="b")], [])

    assert "             - Old.\n             - Text.\n" in text(diff)
    assert "             + New.\n" in text(diff)


def test_never_prints_two_equal_lines_for_two_different_texts() -> None:
    """A composed letter against a combining accent, or an escape that the server spelt out."""
    composed = text(Diff.of([description("caf\u00e9", "cafe\u0301")], []))
    spelt = text(Diff.of([description("a\u200bb", "a\\u200bb")], []))

    assert "- caf\\u00e9\n" in composed
    assert "+ cafe\\u0301\n" in composed
    assert "- a[-\\u200bb-]\n" in spelt
    assert "+ a{+\\\\u200bb+}\n" in spelt


def test_an_invisible_change_does_not_hide_behind_another_one() -> None:
    """Line by line: an honest change below must not make this one look unchanged."""
    shown = text(Diff.of([description("a\u200bb\nold", "a\\u200bb\nnew")], []))

    assert "- a[-\\u200bb-]\n" in shown
    assert "+ a{+\\\\u200bb+}\n" in shown


def test_shows_where_only_spaces_changed() -> None:
    """At the end of a line they could not be seen."""
    shown = text(Diff.of([description("a\n ", "a\n")], []))

    assert "             - [- -]\n             +\n" in shown


def test_does_not_repeat_a_text_that_the_message_has() -> None:
    """A short description that was added is in the message as a whole."""
    added = description(None, "New.")

    assert (
        text(Diff.of([replace(added, message='description added: "New."')], [])).count("New.") == 1
    )


def test_names_what_overrides_a_verdict() -> None:
    """A softened verdict must not look like the engine's own."""
    diff = Diff.of([change(verdict=Verdict.ADVISORY, overridden_by="known")], [])

    assert "(parameter-became-required) [overridden by known]" in text(diff)


def test_shows_a_call_that_broke() -> None:
    """Arguments that were valid say more than any rule; they stand below the change."""
    diff = Diff.of([change(witness={"query": "a\u200b", "limit": Decimal("1.0")})], [])

    line = 'valid before, invalid now: {"query":"a\\u200b","limit":1}'
    assert text(diff).splitlines()[-1] == f"{' ' * 13}{line}"


def test_cuts_a_broken_call_to_the_width() -> None:
    """Wide characters count for two columns."""
    diff = Diff.of([change(witness={"query": "漢" * 100})], [])

    last = text(diff, width=80).splitlines()[-1]

    assert last.endswith("漢…")
    assert 79 <= columns(last) <= 80


def test_takes_linear_time_for_a_text_of_hostile_length() -> None:
    """A million words that all changed are shown, not compared with each other."""
    diff = Diff.of([description("a b " * 50_000, "c d " * 50_000)], [])

    assert len(text(diff)) > 300_000


@settings(max_examples=50)
@given(width=st.sampled_from([None, 1, 60, 110, 200]), diff=any_diff)
def test_says_everything_without_colour(width: int | None, diff: Diff) -> None:
    """With its colour codes taken out, the coloured text is the plain one."""
    assert SGR.sub("", text(diff, width, colour=True)) == text(diff, width)


@settings(max_examples=50)
@given(diff=any_diff)
def test_shows_every_change_and_nothing_that_a_terminal_acts_on(diff: Diff) -> None:
    """Each change keeps its line, whatever its server put into its names and texts."""
    shown = text(diff)

    for each in diff.changes:
        assert f"{each.verdict:<11}{visible(each.path)}: {sentence(each)}\n" in shown
    assert all(
        line.isprintable() and not INVISIBLE & set(map(ord, line)) for line in shown.split("\n")
    )


@settings(max_examples=50)
@given(diff=any_diff)
def test_keeps_the_texts_within_a_wide_terminal(diff: Diff) -> None:
    """Only the one line of a change, which the terminal wraps by itself, may be longer."""
    lines = text(diff, width=120).splitlines()

    assert all(columns(line) <= 120 for line in lines if line.startswith(" " * 13))


def test_says_what_a_removed_thing_may_be_called_now() -> None:
    """A suggestion with its score, marked as a question; a merge has told it already."""
    gone = change(message='"query" removed', rule="parameter-removed")
    renamed = text(Diff.of([replace(gone, renamed_to="search_text", score=0.834)], []))
    merged = replace(gone, message='gone; merged into "issues"', renamed_to="issues", score=0.7)

    assert '"query" removed; now search_text? (score 0.83) (parameter-removed)' in renamed
    assert "now issues?" not in text(Diff.of([merged], []))


def test_tells_once_what_many_tools_share() -> None:
    """A generator that closes every object is one finding; what one tool has alone is its own."""
    closed = [
        change(
            tool=name,
            path=f"{name}.inputSchema.additionalProperties",
            rule="root-closed",
            group="g",
        )
        for name in ("a", "b", "c")
    ]

    shown = text(Diff.of([*closed, change(tool="b", message="something else")], []))

    assert shown.count("(root-closed)") == 1
    assert "3 tools alike: a, b, c\n  breaking   *.inputSchema.additionalProperties: " in shown
    assert shown.startswith("breaking: 4 breaking")
    assert "\nb\n  breaking   " in shown
