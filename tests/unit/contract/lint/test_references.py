"""References: where lint is sure, and where it keeps silent."""

from typing import Any

from tests.unit.contract.lint.lists import linted


def _tool(**keywords: Any) -> dict[str, Any]:
    return {"name": "open_issue", "inputSchema": {"type": "object"} | keywords}


def _found(**keywords: Any) -> list[tuple[str, str]]:
    prefix = "open_issue.inputSchema."
    return [(each.rule, each.path.removeprefix(prefix)) for each in linted(_tool(**keywords))]


def test_follows_pointers_with_escapes_and_anchors() -> None:
    """All of them point at something."""
    schema = {
        "properties": {
            "a": {"$ref": "#/$defs/a~1b"},
            "b": {"$ref": "#/$defs/a%20b"},
            "c": {"$ref": "#user"},
            "d": {"$ref": "#/properties/a"},
        },
        "$defs": {"a/b": {}, "a b": {}, "user": {"$anchor": "user"}},
    }

    assert _found(**schema) == []


def test_keeps_silent_where_a_part_has_another_base() -> None:
    """`#/x` below an `$id` is not what it seems, and `user.json` may be here."""
    schema = {
        "properties": {"a": {"$ref": "https://tracker.example/user.json"}},
        "$defs": {"User": {"$id": "https://tracker.example/user.json", "not": {"$ref": "#/x"}}},
    }

    assert _found(**schema) == []


def test_a_circle_through_a_parameter_ends_with_the_value() -> None:
    """That is recursion, told once, and legal."""
    schema = {
        "properties": {"filter": {"$ref": "#/$defs/And"}},
        "$defs": {
            "And": {"properties": {"left": {"$ref": "#/$defs/Or"}}},
            "Or": {"properties": {"right": {"$ref": "#/$defs/And"}}},
        },
    }

    assert _found(**schema) == [("lint-schema-recursive", "properties.filter.$ref")]


def test_a_circle_without_a_value_between_never_ends() -> None:
    """Each reference on it is told; one that leads to it is not."""
    schema = {
        "properties": {"filter": {"$ref": "#/$defs/And"}},
        "$defs": {"And": {"$ref": "#/$defs/Or"}, "Or": {"anyOf": [{"$ref": "#/$defs/And"}, {}]}},
    }

    assert _found(**schema) == [
        ("lint-reference-circular", "$defs.And.$ref"),
        ("lint-reference-circular", "$defs.Or.anyOf[0].$ref"),
    ]


def test_a_reference_that_is_no_string_is_malformed_only() -> None:
    """Nothing can be followed."""
    assert _found(properties={"a": {"$ref": 3}}) == [
        ("lint-keyword-malformed", "properties.a.$ref")
    ]
