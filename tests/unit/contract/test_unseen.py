"""Texts in places where the walk does not go: told once, and only if they are news."""

from typing import Any

import pytest

from proxar.contract import JSON, ToolList, compare

OLD, NEW = "Old words.", "New words."


def _changes(before: JSON, after: JSON) -> list[tuple[str, str]]:
    lists = [
        ToolList.of([{"name": "t", "inputSchema": {"type": "object", **_members(schema)}}])
        for schema in (before, after)
    ]
    return [(change.path, change.rule) for change in compare(*lists).changes]


def _members(schema: Any) -> dict[str, Any]:
    definitions = {"$defs": schema.pop("$defs")} if "$defs" in schema else {}
    return {"properties": {"v": schema}, **definitions}


def _at(path: str, text: str) -> Any:
    """A schema that says the text at a path of member names."""
    said: Any = {"type": "string", "description": text}
    for name in reversed(path.split("/")):
        said = {name: said}
    return said


@pytest.mark.parametrize(
    "path",
    [
        "patternProperties/^x",
        "dependentSchemas/a",
        "contains",
        "propertyNames",
        "unevaluatedItems",
        "not",
    ],
)
def test_a_text_inside_what_is_compared_whole(path: str) -> None:
    """It is a text like any other."""
    place = path.replace("/^x", '["^x"]').replace("/", ".")
    assert _changes(_at(path, OLD), _at(path, NEW)) == [
        (f"t.inputSchema.properties.v.{place}.description", "description-changed")
    ]


def test_a_text_of_a_definition_whose_referrer_has_its_own() -> None:
    """As generators write it: the docstring of a model, and the words of the parameter."""

    def schema(text: str) -> Any:
        referrer = {"$ref": "#/$defs/Model", "description": "The parameter."}
        return {**referrer, "$defs": {"Model": {"type": "object", "description": text}}}

    assert _changes(schema(OLD), schema(NEW)) == [
        ("t.inputSchema.$defs.Model.description", "description-changed")
    ]


def test_a_text_that_was_told_is_not_told_again() -> None:
    """A definition's text is told where it is referred to."""

    def schema(text: str) -> Any:
        definition = {"type": "string", "description": text}
        return {"$ref": "#/$defs/Model", "$defs": {"Model": definition}}

    assert _changes(schema(OLD), schema(NEW)) == [
        ("t.inputSchema.properties.v.description", "description-changed")
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # Alternatives in another order, and a text that moved to the referrer.
        (
            {"anyOf": [{"type": "string", "title": "A"}, {"type": "null", "title": "B"}]},
            {"anyOf": [{"type": "null", "title": "B"}, {"type": "string", "title": "A"}]},
        ),
        (
            {"$ref": "#/$defs/M", "$defs": {"M": {"type": "string", "title": "A"}}},
            {"$ref": "#/$defs/M", "title": "A", "$defs": {"M": {"type": "string"}}},
        ),
        # Data that looks like a schema.
        ({"const": {"description": OLD}}, {"const": {"description": OLD}, "deprecated": False}),
    ],
)
def test_what_only_moved_is_no_news(before: JSON, after: JSON) -> None:
    """Nobody reads anything that was not there."""
    assert _changes(before, after) == []
