"""Schemas: required names and numbers, where the case table of all rules is not enough."""

from typing import Any

from tests.unit.contract.lint.lists import issue_tool, linted, rules_of


def test_names_may_be_declared_by_a_neighbour() -> None:
    """A branch may require what the schema around it declares, and the other way round."""
    tool = issue_tool(
        issue={
            "type": "object",
            "properties": {"title": {}},
            "required": ["title", "body"],
            "allOf": [{"properties": {"body": {}}, "required": ["title"]}],
        },
        other={
            "properties": {"title": {}, "body": {}},
            "anyOf": [{"properties": {"title": {}}, "required": ["body"]}],
        },
        map={"type": "object", "required": ["default"], "additionalProperties": {}},
        pattern={
            "properties": {"a": {}},
            "patternProperties": {"^x_": {}},
            "required": ["x_1"],
        },
    )

    assert rules_of(tool) == set()


def test_a_nested_object_is_looked_at() -> None:
    """As an item and as a parameter."""
    inner: dict[str, Any] = {"type": "object", "properties": {}, "required": ["body"]}
    tool = issue_tool(issue=inner, issues={"type": "array", "items": inner})

    assert [found.path for found in linted(tool)] == [
        "open_issue.inputSchema.properties.issue.required",
        "open_issue.inputSchema.properties.issues.items.required",
    ]


def test_numbers_at_the_edge_of_64_bits() -> None:
    """The last ones that fit, and the first that do not."""
    fits = {"minimum": -(2**63), "maximum": 2**63 - 1, "default": 1.5, "const": True}
    beyond = {"minimum": -(2**63) - 1, "maximum": 2**63, "default": 1e300}

    assert rules_of(issue_tool(votes=fits)) == set()
    assert [found.path.rpartition(".")[2] for found in linted(issue_tool(votes=beyond))] == [
        "minimum",
        "maximum",
        "default",
    ]


def test_data_is_not_read_as_schema() -> None:
    """What looks like keywords below const, enum, default, examples and foreign keywords."""
    looks_like = {"type": "date", "minimum": "x", "properties": None, "$ref": "#/x"}
    tool = issue_tool(
        a={"const": looks_like, "enum": [looks_like], "examples": [looks_like]},
        b={"x-ui": looks_like, "default": looks_like},
    )

    assert rules_of(tool) == set()
