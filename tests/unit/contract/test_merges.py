"""Several tools that became one."""

from typing import Any

from tests.unit.contract.trackers import renamed, suggested, text, tool

KEY = text("Key of the issue")


def _forerunners(*names: str) -> list[dict[str, Any]]:
    return [tool(name, f"{name} it.", key=KEY) for name in names]


def test_tools_become_values_of_a_new_one() -> None:
    """The message says so; each names the target, and the value that stands for it."""
    before = _forerunners("get_issue_labels", "get_issue_votes", "list_issue_watchers")
    selector = {"type": "string", "enum": ["votes", "labels", "get_watchers"]}
    after = [tool("issue_read", "Read parts of an issue.", "what", what=selector, key=KEY)]

    removed = [each for each in suggested(before, after) if each.rule == "tool-removed"]

    assert {each.renamed_to for each in removed} == {"issue_read"}
    assert [each.message.partition("; ")[2] for each in removed] == [
        'it seems to be merged into "issue_read" as "what" "labels"',
        'it seems to be merged into "issue_read" as "what" "votes"',
        'it seems to be merged into "issue_read" as "what" "get_watchers"',
    ]
    assert all(each.verdict == "breaking" and each.score and each.score >= 0.6 for each in removed)


def test_values_may_be_alternatives_or_a_list_in_a_description() -> None:
    """Servers write them in three ways."""
    before = _forerunners("add_label", "remove_label")
    ways: list[dict[str, Any]] = [
        {"enum": ["add", "remove"]},
        {"oneOf": [{"const": "add"}, {"const": "remove", "title": "Remove"}]},
        text("What to do:\n- 'add': add it\n- 'remove': take it away\n"),
        text("One of\n 1. add - add it\n 2. delete - take it away"),
    ]

    for way in ways:
        after = [tool("label_write", "Change labels.", method=way, key=KEY)]
        assert renamed(before, after) == dict.fromkeys(("add_label", "remove_label"), "label_write")


def test_one_forerunner_is_no_merge() -> None:
    """Then it is a rename, or nothing."""
    before = [*_forerunners("get_issue_votes"), tool("export_csv", "Write a file.")]
    after = [tool("issue_write", "Change it.", method={"enum": ["votes", "labels"]})]

    assert renamed(before, after) == {}


def test_a_tool_that_was_there_counts_when_its_parameter_is_new() -> None:
    """Or when a value is the whole name: merged tools ship before the others go."""
    before = [*_forerunners("close_issue", "reopen_issue"), tool("issue", "Change.", key=KEY)]
    grown = [tool("issue", "Change.", key=KEY, action={"enum": ["close", "reopen"]})]
    old = tool("change", "Change.", method={"enum": ["close_issue", "reopen_issue"]})
    same = tool("issue", "Change.", key=KEY, action={"enum": ["close", "reopen"]})
    gone = ("close_issue", "reopen_issue")

    assert renamed(before, grown) == dict.fromkeys(gone, "issue")
    assert renamed([*_forerunners(*gone), old], [old]) == dict.fromkeys(gone, "change")
    assert renamed([*_forerunners(*gone), same], [same]) == {}


def test_each_goes_to_the_tool_that_tells_it_best() -> None:
    """Verbs that mean the same count, and the very word counts more."""
    before = _forerunners("list_boards", "list_sprints", "get_board", "get_sprint")
    after = [
        tool("agile_get", "Read one.", method={"enum": ["get_board", "get_sprint"]}),
        tool("agile_list", "Read all.", method={"enum": ["list_boards", "list_sprints"]}),
    ]

    assert renamed(before, after) == {
        "list_boards": "agile_list",
        "list_sprints": "agile_list",
        "get_board": "agile_get",
        "get_sprint": "agile_get",
    }


def test_a_merge_goes_before_a_rename() -> None:
    """The target of a merge is not the new name of yet another tool."""
    before = [*_forerunners("get_issue_votes", "get_issue_labels"), tool("issue_reads", "Read.")]
    after = [tool("issue_read", "Read.", what={"enum": ["votes", "labels"]})]

    assert renamed(before, after) == dict.fromkeys(
        ("get_issue_votes", "get_issue_labels"), "issue_read"
    )


def test_values_that_tell_nothing_are_no_merge() -> None:
    """Shared verbs are not enough, nor a sort order."""
    before = _forerunners("get_user", "get_board", "list_sprints")
    after = [tool("get_report", "Report.", sort={"enum": ["created", "updated", "get"]})]

    assert renamed(before, after) == {}
