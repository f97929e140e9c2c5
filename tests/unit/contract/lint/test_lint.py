"""The whole of lint: what each rule finds and where, order, bounds, and that nothing breaks it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxar.contract import ToolList
from proxar.contract.lint import LINT_RULES, Severity, lint
from proxar.contract.toollist import Tool
from tests.unit.contract.lint.lists import issue_tool, linted, listed, rules_of


def _nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"parent": schema}}
    return schema


def _with_input(**keywords: Any) -> dict[str, Any]:
    tool = issue_tool(title={"type": "string"})
    return tool | {"inputSchema": tool["inputSchema"] | keywords}


def _with_output(schema: Any) -> dict[str, Any]:
    return issue_tool() | {"outputSchema": schema}


HEADER = "x-mcp-header"

CASES: list[tuple[str, list[Any], list[str]]] = [
    ("lint-entry-malformed", ["open_issue"], ['["#1"]']),
    ("lint-entry-malformed", [{"inputSchema": {"type": "object"}}], ['["#1"].name']),
    ("lint-name-invalid", [issue_tool("open issue")], ['["open issue"].name']),
    ("lint-name-invalid", [issue_tool("o" * 129)], [f"{'o' * 129}.name"]),
    ("lint-name-duplicated", [issue_tool(), issue_tool(), issue_tool()], ["open_issue.name"] * 2),
    ("lint-name-case-twin", [issue_tool(), issue_tool("Open_Issue")], ["Open_Issue.name"]),
    ("lint-input-not-object", [{"name": "open_issue"}], ["open_issue.inputSchema"]),
    (
        "lint-input-not-object",
        [{"name": "open_issue", "inputSchema": None}],
        ["open_issue.inputSchema"],
    ),
    (
        "lint-input-not-object",
        [{"name": "open_issue", "inputSchema": {"type": ["object", "null"]}}],
        ["open_issue.inputSchema.type"],
    ),
    (
        "lint-output-not-object",
        [_with_output({"type": "array", "items": {"type": "string"}})],
        ["open_issue.outputSchema.type"],
    ),
    ("lint-output-not-object", [_with_output(True)], ["open_issue.outputSchema.type"]),
    (
        "lint-root-combinator",
        [_with_input(anyOf=[{"required": ["title"]}, {"maxProperties": 0}])],
        ["open_issue.inputSchema.anyOf"],
    ),
    ("lint-schema-null", [_with_input(properties=None)], ["open_issue.inputSchema.properties"]),
    ("lint-schema-null", [issue_tool(labels=None)], ["open_issue.inputSchema.properties"]),
    (
        "lint-schema-null",
        [issue_tool(labels={"type": "array", "items": None})],
        ["open_issue.inputSchema.properties.labels.items"],
    ),
    (
        "lint-keyword-malformed",
        [issue_tool(title={"type": "string", "maxLength": "80"})],
        ["open_issue.inputSchema.properties.title.maxLength"],
    ),
    (
        "lint-keyword-malformed",
        [_with_output({"type": "object", "required": "title"})],
        ["open_issue.outputSchema.required"],
    ),
    (
        "lint-bound-boolean",
        [issue_tool(votes={"type": "integer", "minimum": 0, "exclusiveMinimum": True})],
        ["open_issue.inputSchema.properties.votes.exclusiveMinimum"],
    ),
    (
        "lint-type-invalid",
        [issue_tool(due={"type": "date"}, state={"type": []}, text={"type": ["string"] * 2})],
        [
            "open_issue.inputSchema.properties.due.type",
            "open_issue.inputSchema.properties.state.type",
            "open_issue.inputSchema.properties.text.type",
        ],
    ),
    (
        "lint-enum-empty",
        [issue_tool(state={"enum": []})],
        ["open_issue.inputSchema.properties.state.enum"],
    ),
    (
        "lint-pattern-invalid",
        [issue_tool(key={"type": "string", "pattern": r"\A[A-Z]+-\d+\Z"})],
        ["open_issue.inputSchema.properties.key.pattern"],
    ),
    (
        "lint-pattern-invalid",
        [issue_tool(fields={"patternProperties": {"(?P<name>x)": {}}})],
        ['open_issue.inputSchema.properties.fields.patternProperties["(?P<name>x)"]'],
    ),
    (
        "lint-dialect-unknown",
        [_with_input(**{"$schema": "https://tracker.example/dialect"})],
        ["open_issue.inputSchema.$schema"],
    ),
    (
        "lint-reference-dangling",
        [issue_tool(assignee={"$ref": "#/$defs/User"})],
        ["open_issue.inputSchema.properties.assignee.$ref"],
    ),
    (
        "lint-reference-external",
        [issue_tool(assignee={"$ref": "https://tracker.example/user.json"})],
        ["open_issue.inputSchema.properties.assignee.$ref"],
    ),
    (
        "lint-reference-circular",
        [_with_input(**{"$defs": {"Issue": {"allOf": [{"$ref": "#/$defs/Issue"}]}}})],
        ["open_issue.inputSchema.$defs.Issue.allOf[0].$ref"],
    ),
    (
        "lint-schema-recursive",
        [
            _with_input(
                properties={"filter": {"$ref": "#/$defs/Filter"}},
                **{"$defs": {"Filter": {"properties": {"not": {"$ref": "#/$defs/Filter"}}}}},
            )
        ],
        ["open_issue.inputSchema.properties.filter.$ref"],
    ),
    (
        "lint-header-invalid",
        [issue_tool(project={"type": "string", HEADER: "Project Key"})],
        [f"open_issue.inputSchema.properties.project.{HEADER}"],
    ),
    (
        "lint-header-duplicated",
        [
            issue_tool(
                project={"type": "string", HEADER: "Region"},
                region={"type": "string", HEADER: "region"},
            )
        ],
        [f"open_issue.inputSchema.properties.region.{HEADER}"],
    ),
    (
        "lint-header-misplaced",
        [issue_tool(labels={"type": "array", "items": {"type": "string", HEADER: "Label"}})],
        [f"open_issue.inputSchema.properties.labels.items.{HEADER}"],
    ),
    (
        "lint-header-type",
        [issue_tool(votes={"type": "number", HEADER: "Votes"})],
        [f"open_issue.inputSchema.properties.votes.{HEADER}"],
    ),
    (
        "lint-parameter-name-unusual",
        [issue_tool(**{"due date": {"type": "string"}})],
        ['open_issue.inputSchema.properties["due date"]'],
    ),
    (
        "lint-required-undeclared",
        [_with_input(required=["title", "body", "body"])],
        ["open_issue.inputSchema.required"],
    ),
    ("lint-nesting-deep", [issue_tool(issue=_nested(20))], ["open_issue"]),
    (
        "lint-number-beyond-64-bits",
        [issue_tool(votes={"type": "integer", "maximum": 2**64 - 1})],
        ["open_issue.inputSchema.properties.votes.maximum"],
    ),
    (
        "lint-text-bidi",
        [issue_tool(state={"enum": ["open", "\u202edesolc"]})],
        ["open_issue.inputSchema.properties.state.enum[1]"],
    ),
    (
        "lint-text-tag",
        [issue_tool() | {"description": "Open an issue.\U000e0068\U000e0069"}],
        ["open_issue.description"],
    ),
    (
        "lint-text-selector",
        [issue_tool(title={"type": "string", "default": "a\ufe01\ufe02"})],
        ["open_issue.inputSchema.properties.title.default"],
    ),
    (
        "lint-text-control",
        [issue_tool() | {"annotations": {"title": "Open\u001b[2K"}}],
        ["open_issue.annotations.title"],
    ),
    (
        "lint-text-zero-width",
        [issue_tool(title={"title": "Ti\u200btle"})],
        ["open_issue.inputSchema.properties.title.title"],
    ),
    (
        "lint-text-invisible",
        [issue_tool(title={"examples": ["\u3164"]})],
        ["open_issue.inputSchema.properties.title.examples[0]"],
    ),
    ("lint-more-findings", [issue_tool(**{f"p {n}": {} for n in range(101)})], ["open_issue"]),
]


@pytest.mark.parametrize(
    ("rule", "tools", "paths"), CASES, ids=[f"{rule}-{n}" for n, (rule, *_) in enumerate(CASES)]
)
def test_finds_it_where_it_is(rule: str, tools: list[Any], paths: list[str]) -> None:
    """The rule, and every path at which it is broken."""
    assert [found.path for found in linted(*tools) if found.rule == rule] == paths


def test_every_rule_has_a_case() -> None:
    """Members given twice are in bytes only and have a module of their own."""
    assert {rule for rule, *_ in CASES} | {"lint-key-duplicated"} == LINT_RULES.keys()


def test_says_nothing_about_a_list_without_mistakes() -> None:
    """Whatever is unusual and legal: references, recursion apart, headers, emoji, other scripts."""
    tool = _with_input(
        properties={
            "title": {"type": "string", "pattern": "^(?!draft)[^\\s].{0,80}$", "title": "Título"},
            "assignee": {"$ref": "#/$defs/User"},
            "state": {"anyOf": [{"const": "open"}, {"const": "closed"}, {"type": "null"}]},
            "region": {"type": "string", HEADER: "X-Region"},
            "votes": {"type": "integer", "minimum": 0, "maximum": 2**63 - 1},
            "enum": {"type": "array", "items": {"enum": ["👩‍💻", "می‌خواهم", "⚠️"]}},
        },
        required=["title"],
        **{
            "$schema": "http://json-schema.org/draft-07/schema#",
            "$defs": {"User": {"type": "object", "additionalProperties": False}},
        },
    )

    assert linted(tool, issue_tool("close.issue-2") | {"outputSchema": {"type": "object"}}) == ()


def test_names_in_a_schema_are_data() -> None:
    """A parameter may be called `properties`, `required`, `type`, `$ref` or like the header."""
    tool = issue_tool(
        **{name: {"type": "string"} for name in ("properties", "required", "type", HEADER)},
        default={"default": {"type": "date", "required": 3, "$ref": "#/nowhere", "enum": []}},
    )

    assert rules_of(tool) == set()


def test_keeps_the_order_of_the_server() -> None:
    """And tells findings about a name before those about the rest."""
    found = linted(
        issue_tool("close issue"),
        issue_tool("open_issue", a=None),
        issue_tool("close issue", a=None),
    )

    assert [(each.tool, each.rule) for each in found] == [
        ("close issue", "lint-name-invalid"),
        ("open_issue", "lint-schema-null"),
        ("close issue", "lint-name-duplicated"),
        ("close issue", "lint-name-invalid"),
        ("close issue", "lint-schema-null"),
    ]


def test_tells_no_more_than_a_hundred_of_one_tool() -> None:
    """The other tools are told as ever."""
    noisy = issue_tool("noisy", **{f"p {n}": {} for n in range(500)})

    found = linted(noisy, issue_tool("open_issue", labels=None))

    assert [each.tool for each in found].count("noisy") == 101
    assert found[-1].rule == "lint-schema-null"


def test_a_finding_has_the_severity_of_its_rule_and_a_visible_message() -> None:
    """What cannot be seen is written as its code."""
    (found,) = linted(issue_tool() | {"description": "x\u2066y"})

    assert found.to_json() == {
        "tool": "open_issue",
        "path": "open_issue.description",
        "pointer": "/description",
        "rule": "lint-text-bidi",
        "severity": "error",
        "message": "1 character that nobody sees: U+2066",
    }


def test_severities_are_words_of_lint_only() -> None:
    """Nothing changed, so nothing is breaking; no id is that of a change."""
    assert {rule.severity for rule in LINT_RULES.values()} == set(Severity)
    assert all(name.startswith("lint-") and rule.id == name for name, rule in LINT_RULES.items())
    assert all(rule.summary for rule in LINT_RULES.values())


def test_an_output_schema_that_is_null_is_none() -> None:
    """As in a comparison."""
    assert rules_of(_with_output(None)) == set()


WORDS = st.sampled_from(
    [
        *("name", "inputSchema", "outputSchema", "description", "type", "object", "string"),
        *("properties", "required", "items", "enum", "const", "allOf", "anyOf", "not", "if"),
        *("$ref", "#/$defs/a", "#", "$defs", "a", "pattern", "(", "[a-b]", HEADER),
        *("\u200b", "\ud800", "$id", "$schema", "default"),
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=5),
    max_leaves=25,
)


@given(st.lists(VALUES | st.fixed_dictionaries({"name": WORDS, "inputSchema": VALUES}), max_size=4))
def test_takes_whatever_is_json(entries: list[Any]) -> None:
    """It never raises, every finding is by a rule of the registry, and twice it says the same."""
    tools = ToolList.of(entries)
    document = json.dumps(entries).encode()

    found = lint(tools, document)

    assert found == lint(tools, document)
    assert all(each.rule in LINT_RULES for each in found)
    assert all("\n" not in each.message and len(each.message) < 700 for each in found)


@pytest.mark.timeout(20)
def test_ends_soon_whatever_is_sent() -> None:
    """Deep, wide, circular and full of hidden text; each takes well under a second."""
    deep: Any = {"$ref": "#", "title": "\u200b"}
    for _ in range(450):
        deep = {"properties": {"a": deep, "b": {"$ref": "#/x"}, "c": {"type": None}}}
    chain = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}]} for n in range(4000)}
    dense = {f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{m}"} for m in range(60)]} for n in range(60)}
    tools = [
        issue_tool() | {"inputSchema": deep},
        issue_tool() | {"inputSchema": {"$defs": chain}},
        issue_tool() | {"inputSchema": {"$defs": dense}},
        issue_tool() | {"description": "a\u200b" * 300_000},
        issue_tool(key={"pattern": "(a|[b-z]*)+" * 900}),
    ]

    found = lint(ToolList(tuple(Tool(f"t{n}", t, b"") for n, t in enumerate(tools)), ""))

    assert len(found) <= 101 * len(tools)


def test_the_list_itself_may_be_empty() -> None:
    """Nothing is wrong with no tools."""
    assert lint(listed()) == ()
