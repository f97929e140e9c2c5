"""Rename suggestions as a whole: labelled pairs, what stays as it was, and bounds."""

import json
import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxar.contract import ToolList, parse
from proxar.contract.compare import differences
from proxar.contract.renames import suggest
from tests.unit.contract.trackers import renamed, suggested, text, tool

KEEP = tool("ping", "Check that the tracker answers.")

PARAMETERS: list[tuple[str, Any, str, Any, bool]] = [
    ("issueNumber", {"type": "integer"}, "issue_number", {"type": "string"}, True),
    ("per-page", {"type": "integer"}, "perPage", {"type": "integer"}, True),
    ("q", text("What to search for"), "query", text("What to search for"), True),
    ("num", {"type": "integer"}, "number", {"type": "integer"}, True),
    ("reporter", text("Login of who opened it"), "author", text("Login of who opened it"), True),
    ("comment", text("Markdown text to add"), "body", text("Markdown text to add"), True),
    ("issue_key", text("Key of the issue"), "key", text("Key of the issue, like ABC-1"), True),
    ("withClosed", {"type": "boolean"}, "closed", {"type": "boolean"}, True),
    ("label", text("A label"), "labels", {"type": "array", "items": text("A label")}, True),
    (
        "maxIssues",
        {"type": "integer", "minimum": 1},
        "maxOpenIssues",
        {"type": "integer", "minimum": 1},
        True,
    ),
    ("url", text("Address of the issue"), "request_id", {"type": "integer"}, False),
    ("include_diff", {"type": "boolean"}, "detail", {"enum": ["none", "files", "all"]}, False),
    ("page", {"type": "integer"}, "after", text("Cursor of the last answer"), False),
    ("assignee", text("Login of a user"), "milestone", text("Title of a release"), False),
    ("state", {"enum": ["open", "closed"]}, "sort", {"enum": ["created", "updated"]}, False),
    ("since", text("Start", format="date"), "project", text("Key of the project"), False),
    ("draft", {"type": "boolean"}, "notify", {"type": "boolean"}, False),
    ("title", {"type": "string"}, "body", {"type": "string"}, False),
    ("name", {"type": "string"}, "date", {"type": "string"}, False),
    ("$", {"type": "string"}, "@", {"type": "string"}, False),
]


@pytest.mark.parametrize(("old", "before", "new", "after", "is_rename"), PARAMETERS)
def test_tells_renamed_parameters_from_others(
    old: str, before: Any, new: str, after: Any, is_rename: bool
) -> None:
    """One parameter gone, one new, in a tool with others that stay."""
    rest = {"project": text("Key"), "limit": {"type": "integer"}}
    rest.pop(new, None)
    lists = [
        [tool("list_issues", "List.", **{name: schema}, **rest)]
        for name, schema in ((old, before), (new, after))
    ]

    found = renamed(*lists)

    assert found == ({f"list_issues.inputSchema.properties.{old}": new} if is_rename else {})


def test_tells_renamed_tools_from_others() -> None:
    """A release that renames, splits, drops and adds at once; every tool begins alike."""
    key, body = text("Key of the issue"), text("Markdown")
    before = [
        tool("tracker_get_issue", "Read one issue with its comments.", "key", key=key),
        tool("tracker_listLabels", "Labels of a project.", project=text("Key")),
        tool("tracker_add_note", "Add a comment to an issue.", "key", key=key, body=body),
        tool("tracker_find", "Search issues by text and state.", query=text("Words")),
        tool("tracker_export_csv", "Write all issues of a project to a file.", path=text("File")),
        tool("tracker_vote", "Vote for an issue.", "key", key=key),
        KEEP,
    ]
    after = [
        tool("tracker_read_issue", "Read one issue with its comments.", "key", key=key),
        tool("tracker_list_labels", "All labels that a project has.", team=text("Name")),
        tool("tracker_add_comment", "Add a comment to an issue.", "key", key=key, body=body),
        tool("tracker_search_issues", "Search issues by text and state.", query=text("Words")),
        tool("tracker_watch", "Be told of every change of an issue.", "key", key=key),
        tool("tracker_create_sprint", "Plan the next two weeks.", name=text("Name")),
        KEEP,
    ]

    assert renamed(before, after) == {
        "tracker_get_issue": "tracker_read_issue",
        "tracker_listLabels": "tracker_list_labels",
        "tracker_add_note": "tracker_add_comment",
        "tracker_find": "tracker_search_issues",
    }


def test_a_common_beginning_of_all_names_is_no_likeness() -> None:
    """What every tool of a server has in its name tells nothing, nor does a parameter of all."""
    repository = text("Path of the repository")
    before = [
        tool(f"git_{verb}", f"{verb.title()} it.", repository=repository)
        for verb in ("tags", "log", "add", "commit")
    ]
    after = [
        tool(f"git_{verb}", f"{verb.title()} it.", repository=repository)
        for verb in ("status", "log", "add", "commit")
    ]

    assert renamed(before, after, threshold=0.45) == {}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("start_date", "end_date"),
        ("includeLabels", "excludeLabels"),
        ("source_board", "target_board"),
        ("before", "after"),
        ("latitude", "longitude"),
    ],
)
def test_the_opposite_is_no_new_name(old: str, new: str) -> None:
    """However much is alike; the other one still has its own new name."""
    schema = text("A value that issues are compared with")

    def find(*names: str) -> list[dict[str, Any]]:
        return [tool("find", "Find issues.", *names, **dict.fromkeys(names, schema))]

    assert renamed(find(old), find(new)) == {}
    assert renamed(find(old), find(new, f"issue_{old}")) == {
        f"find.inputSchema.properties.{old}": f"issue_{old}"
    }


def test_the_opposite_tool_is_no_new_name() -> None:
    """`lock` takes what `unlock` takes, and says nearly the same of it."""
    key = text("Key of the issue")

    def tools(*names: str) -> list[dict[str, Any]]:
        return [KEEP, *(tool(name, f"{name.title()} the issue.", "key", key=key) for name in names)]

    assert renamed(tools("lock_issue", "addLabel"), tools("unlock_issue", "remove_labels")) == {}


def test_a_name_is_suggested_once_to_the_best() -> None:
    """Greedily, best first, one to one."""
    schema = {"type": "string"}
    before = [tool("move", "Move.", startList=schema, endList=schema)]
    after = [tool("move", "Move.", endColumn=schema, startColumn=schema)]

    assert renamed(before, after, threshold=0.3) == {
        "move.inputSchema.properties.endList": "endColumn",
        "move.inputSchema.properties.startList": "startColumn",
    }


def test_finds_renames_in_nested_objects_and_behind_references() -> None:
    """Items of an array, members of a result, definitions."""

    def lists(name: str) -> list[dict[str, Any]]:
        user = {"type": "object", "properties": {name: text("Login of the user")}}
        schema = {
            "type": "object",
            "properties": {
                "issues": {"type": "array", "items": {"allOf": [user]}},
                "author": {"$ref": "#/$defs/User"},
            },
            "$defs": {"User": user},
        }
        return [{"name": "import", "inputSchema": schema, "outputSchema": user}]

    found = renamed(lists("user_name"), lists("userName"))

    assert set(found.values()) == {"userName"}
    assert {path.partition(".properties.")[2] for path in found} >= {
        "issues.items.properties.user_name",
        "author.properties.user_name",
        "user_name",
    }


def test_the_same_rename_in_several_tools_is_one_decision() -> None:
    """The clearest case tells about the others, whose texts were rewritten."""

    def lists(name: str, descriptions: dict[str, str]) -> list[dict[str, Any]]:
        return [
            tool(each, "It.", name, **{name: text(said), "project": text("Key")})
            for each, said in descriptions.items()
        ]

    before = {"close": "Reference of the issue", "vote": "Which one is meant"}
    after = {"close": "Reference of the issue", "vote": "Reference of the issue in question"}

    found = renamed(lists("ref", before), lists("target", after))
    alone = renamed(lists("ref", before)[1:], lists("target", after)[1:])

    assert set(found.values()) == {"target"}
    assert len(found) == 2
    assert alone == {}


def test_changes_nothing_but_the_suggestion() -> None:
    """Order, verdicts, messages and fingerprints of the comparison stay."""
    before = [KEEP, tool("open_issue", "Open.", q=text("Words")), tool("vote", "Vote.")]
    after = [tool("openIssue", "Open.", query=text("Words")), KEEP, tool("watch", "Watch it.")]
    old, new = (parse(json.dumps(tools).encode()) for tools in (before, after))
    changes = differences(old, new).changes

    found = suggest(old, new, changes)

    assert found != changes
    assert tuple(replace(each, renamed_to=None, score=None) for each in found) == changes
    assert [each.fingerprint for each in found] == [each.fingerprint for each in changes]
    assert all((each.score is None) == (each.renamed_to is None) for each in found)


def test_an_existing_name_is_never_a_new_one() -> None:
    """A parameter that was there before did not become what another was."""
    before = [tool("find", "Find.", q=text("Words"), query=text("Words"))]
    after = [tool("find", "Find.", query=text("Words"))]

    assert renamed(before, after) == {}


def test_a_higher_threshold_suggests_less() -> None:
    """Scores are between 0 and 1, and shown with two digits."""
    before = [tool("find", "Find.", reporter=text("Login of who opened it"))]
    after = [tool("find", "Find.", author=text("Login of who opened it"))]

    (change,) = [each for each in suggested(before, after) if each.renamed_to]

    assert change.score is not None
    assert 0.6 <= change.score < 0.95
    assert round(change.score, 2) == change.score
    assert renamed(before, after, threshold=0.95) == {}


def test_names_beyond_all_reason_are_not_taken_for_equal() -> None:
    """They are cut before they are split, and what is cut off still counts."""
    before, after = (f"open_{'very_' * 80}{end}" for end in ("early", "late"))

    assert suggest(*_pair([tool(before, "")], [tool(after, "")]))[0].score != 0.95


def _pair(before: list[Any], after: list[Any]) -> tuple[ToolList, ToolList, Any]:
    old, new = ToolList.of(before), ToolList.of(after)
    return old, new, differences(old, new).changes


NAMES = st.text("abXY_-19é", max_size=6)
SCHEMAS = st.recursive(
    st.none() | st.booleans() | st.integers() | NAMES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["type", "properties", "items", "$ref", "allOf", "enum", "a", "b", "c"]
            ),
            inner | st.sampled_from(["#", "#/properties/a", "object"]),
            max_size=4,
        )
    ),
    max_leaves=15,
)
TOOLS = st.lists(
    st.fixed_dictionaries(
        {"name": NAMES, "inputSchema": SCHEMAS},
        optional={"description": SCHEMAS, "outputSchema": SCHEMAS},
    ),
    max_size=4,
)


@given(TOOLS, TOOLS)
def test_takes_whatever_is_json(before: list[Any], after: list[Any]) -> None:
    """It never raises, says the same twice, and changes no verdict."""
    old, new, changes = _pair(before, after)

    found = suggest(old, new, changes)

    assert found == suggest(old, new, changes)
    assert [each.verdict for each in found] == [each.verdict for each in changes]
    names = {tool.name for tool in new.tools}
    assert all(
        each.renamed_to in names
        for each in found
        if each.rule == "tool-removed" and each.renamed_to is not None
    )


@pytest.mark.timeout(60)
@pytest.mark.parametrize("count", [90, 300])
def test_ends_soon_whatever_is_sent(count: int) -> None:
    """Hundreds of tools with long texts and dozens of parameters, all of them replaced."""
    generator = random.Random(1)
    syllables = ["".join(generator.choices("abcdefgh", k=5)) for _ in range(300)]

    def name() -> str:
        return "_".join(generator.choices(syllables, k=12))

    def entry() -> dict[str, Any]:
        values = generator.choices(syllables, k=12)
        said = "\n".join(f"- {value}: it" for value in values) + "x" * 10_000
        return tool(name(), said, **{name(): text(said, enum=values) for _ in range(20)})

    found = suggest(*_pair([entry() for _ in range(count)], [entry() for _ in range(count)]))

    assert len(found) >= 2 * count


def test_too_many_names_are_compared_by_their_tokens_only() -> None:
    """Ten thousand comparisons are enough; the same tokens are found in any number."""
    before = [tool(f"open_issue_{n}", "Open.") for n in range(150)]
    after = [tool(f"openIssue{n}", "Close.") for n in range(150)] + [tool("open_issue", "Open.")]

    found = renamed(before, after)

    assert found == {f"open_issue_{n}": f"openIssue{n}" for n in range(150)}
