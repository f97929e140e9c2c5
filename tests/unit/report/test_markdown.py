"""The diff as a comment on a pull request."""

import re

from hypothesis import given, settings

from proxar.contract import Diff
from proxar.report.changes import sentence
from proxar.report.markdown import code, markdown
from proxar.report.visible import visible
from tests.unit.report.diffs import any_diff, change, description, drift


def test_shows_a_call_that_broke_below_its_change() -> None:
    """As code, like everything that a server wrote."""
    lines = markdown(Diff.of([change(witness={"a": "`@you`"})], [])).splitlines()

    assert lines[-1] == '  - valid before, invalid now: ``{"a":"`@you`"}``'


def test_lists_the_changes_of_each_tool() -> None:
    """A description that changed comes with both texts."""
    assert markdown(drift()) == (
        "### MCP tools: breaking\n"
        "\n"
        "2 breaking, 1 advisory, 1 compatible\n"
        "\n"
        "#### `search_issues`\n"
        "\n"
        '- **breaking** `search_issues.inputSchema.required`: `"limit" is now required'
        " (parameter-became-required)`\n"
        "- **advisory** `search_issues.description`:"
        " `the description changed (description-changed)`\n"
        "\n"
        "  ```diff\n"
        "  - Search issues by keyword.\n"
        "  + Search issues by text.\n"
        "  ```\n"
        "\n"
        '- **compatible** `search_issues.inputSchema.properties.sort`: `optional parameter "sort"'
        " added (parameter-added)`\n"
        "\n"
        "#### `close_issue`\n"
        "\n"
        "- **breaking** `close_issue`: `the tool was removed (tool-removed)`\n"
    )


def test_says_so_when_nothing_changed() -> None:
    """A comment that is updated in place must lose its old list."""
    assert markdown(Diff.of([], [])) == "### MCP tools: none\n\nThe tools are the same.\n"


def test_parts_with_one_blank_line() -> None:
    """Two would say no more."""
    assert "\n\n\n" not in markdown(Diff.of([description("a", "b"), change(tool="z")], []))


def test_server_text_cannot_leave_its_code_span() -> None:
    """Backquotes inside make the fence longer; a mention, a link or HTML stays dead text."""
    shown = markdown(Diff.of([change(message="`@everyone` <img src=x> ``")], []))

    assert (
        "- **breaking** `search_issues.inputSchema.required`:"
        " ``` `@everyone` <img src=x> `` (parameter-became-required) ```\n"
    ) in shown


def test_server_text_cannot_leave_its_code_block() -> None:
    """A fence inside makes the outer one longer."""
    shown = markdown(Diff.of([description("```\n@everyone", "b")], []))

    assert "  ````diff\n  - ```\n  - @everyone\n  + b\n  ````\n" in shown


SPAN = re.compile(r"(`+)(?!`)(.*?)(?<!`)\1(?!`)")


@settings(max_examples=50)
@given(diff=any_diff)
def test_shows_every_change_and_nothing_of_a_server_outside_of_code(diff: Diff) -> None:
    """Outside of code there are only words of ours."""
    shown = markdown(diff)

    for each in diff.changes:
        assert f"- **{each.verdict}** {code(visible(each.path))}: {code(sentence(each))}\n" in shown
    fence, outside = "", []
    for line in shown.splitlines():
        if fence:
            fence = "" if line.strip() == fence else fence
        elif line.startswith("  `"):
            fence = line.strip().removesuffix("diff")
        else:
            outside.append(SPAN.sub("", line))
    assert fence == ""
    words = {"", "### MCP tools: ", "The tools are the same.", "#### ", "- ****: ", "- "}
    words.add("  - valid before, invalid now: ")
    for line in outside:
        known = re.sub(r"breaking|advisory|compatible|cosmetic|none", "", line.replace(" :", ":"))
        assert known in words or re.fullmatch(r"(\d+ (, )?)+", known), line
