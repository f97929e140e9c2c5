"""What a value is under a schema, and when that is not said."""

from decimal import Decimal
from typing import Any

import pytest

from proxar.contract import JSON
from proxar.contract.validation import Validator, is_valid
from proxar.contract.validation.budget import Budget


@pytest.mark.parametrize(
    ("schema", "instance", "answer"),
    [
        ({"type": "integer"}, Decimal("1.0"), True),
        ({"type": "number"}, True, False),
        ({"enum": [1]}, Decimal("1.0"), True),
        ({"enum": [0]}, False, False),
        ({"const": {"a": 1, "b": [2]}}, {"b": [Decimal("2.0")], "a": 1}, True),
        ({"uniqueItems": True}, [1, True, Decimal("1.00")], False),
        ({"uniqueItems": True}, [1, True, "1", [1]], True),
        ({"maximum": 2**53}, 2**53 + 1, False),
        ({"maximum": Decimal("1e400")}, 10**400 + 1, False),
        ({"multipleOf": Decimal("0.01")}, Decimal("19.99"), True),
        ({"multipleOf": Decimal("0.3")}, Decimal("0.9"), True),
        ({"multipleOf": Decimal("0.01")}, Decimal("1e999999999"), True),
        ({"multipleOf": Decimal("1e999999999")}, Decimal("5e-999999999"), False),
        ({"maxLength": 1}, "\U0001f600", True),
        ({"minContains": 0, "contains": False}, [], True),
        ({"contains": True, "maxContains": Decimal("1.0")}, [1, 2], False),
        ({"maxContains": 0}, [1], True),
    ],
)
def test_is_exact(schema: Any, instance: Any, answer: bool) -> None:
    """JSON's own equality, all digits of numbers, code points of strings."""
    assert is_valid(instance, schema) is answer


DRAFT_07 = {"$schema": "http://json-schema.org/draft-07/schema#"}


@pytest.mark.parametrize(
    ("schema", "instance", "answer"),
    [
        ({"definitions": {"a": {}}, "$ref": "#/definitions/a", "type": "string"}, 1, True),
        ({"items": [{"type": "string"}], "additionalItems": False}, ["a", 1], False),
        ({"dependencies": {"a": ["b"], "c": {"required": ["d"]}}}, {"c": 1}, False),
        ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, True),
        ({"prefixItems": [False]}, [1], True),
        ({"unevaluatedProperties": False}, {"a": 1}, True),
    ],
)
def test_knows_the_words_of_draft_07(schema: Any, instance: Any, answer: bool) -> None:
    """The dialect decides which keywords there are."""
    assert is_valid(instance, DRAFT_07 | schema) is answer


@pytest.mark.parametrize(
    ("schema", "instance", "answer"),
    [
        ({"$ref": "#/$defs/a~1b%25", "$defs": {"a/b%": False}}, 1, False),
        ({"$ref": "#named", "$defs": {"x": {"$anchor": "named", "type": "null"}}}, 1, False),
        ({"$dynamicRef": "#n", "$defs": {"x": {"$dynamicAnchor": "n", "type": "null"}}}, 1, False),
        ({"$ref": "#/$defs/a", "type": "string", "$defs": {"a": {}}}, 1, False),
        (
            {
                "$id": "https://a.example/s",
                "$ref": "https://a.example/s#/$defs/a",
                "$defs": {"a": False},
            },
            1,
            False,
        ),
        ({"properties": {"next": {"$ref": "#"}}, "required": ["v"]}, {"v": 1, "next": {}}, False),
        ({"$ref": "#/const", "const": {"not": {}}}, 1, False),
    ],
)
def test_follows_local_references(schema: Any, instance: Any, answer: bool) -> None:
    """Pointers with their escapes, anchors, the schema's own name; neighbours of `$ref` count."""
    assert is_valid(instance, schema) is answer


@pytest.mark.parametrize(
    ("schema", "instance"),
    [
        ({"$schema": "https://dialect.example/"}, {}),
        ({"$ref": "https://other.example/s"}, 1),
        ({"$ref": "#/$defs/missing"}, 1),
        ({"$ref": "#"}, 1),
        ({"anyOf": [{"$ref": "#"}, {"$ref": "#"}]}, 1),
        ({"$ref": "#a", "$defs": {"x": {"$anchor": "a"}, "y": {"$anchor": "a"}}}, 1),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"$id": "https://part.example/"}}}, 1),
        ({"pattern": r"(a)\1"}, "aa"),
        ({"exclusiveMinimum": True}, 1),
        ({"items": [{}]}, [1]),
        ({"properties": {"a": None}}, {"a": 1}),
        ({"dependencies": {"a": ["b"]}}, {"a": 1}),
        ({"format": "time"}, "23:59:60Z"),
        ([], 1),
    ],
)
def test_says_when_it_cannot_say(schema: Any, instance: Any) -> None:
    """Foreign, dangling, ambiguous or wrongly written: no answer is better than a guess."""
    assert is_valid(instance, schema) is None


@pytest.mark.parametrize(
    ("schema", "answer"),
    [
        ({"allOf": [{"$ref": "#/nowhere"}, False]}, False),
        ({"allOf": [{"$ref": "#/nowhere"}, True]}, None),
        ({"anyOf": [{"$ref": "#/nowhere"}, True]}, True),
        ({"anyOf": [{"$ref": "#/nowhere"}, False]}, None),
        ({"oneOf": [{"$ref": "#/nowhere"}, True, True]}, False),
        ({"oneOf": [{"$ref": "#/nowhere"}, True]}, None),
        ({"not": {"$ref": "#/nowhere"}}, None),
        ({"if": {"$ref": "#/nowhere"}, "then": False, "else": False}, False),
        ({"if": {"$ref": "#/nowhere"}, "then": False}, None),
        ({"patternProperties": {r"(a)\1": False}}, None),
        ({"patternProperties": {r"(a)\1": True}}, True),
        ({"patternProperties": {r"(a)\1": True}, "additionalProperties": False}, None),
        ({"$ref": "#/nowhere", "unevaluatedProperties": False}, None),
        ({"anyOf": [{"$ref": "#/nowhere"}, True], "unevaluatedProperties": False}, None),
    ],
)
def test_weighs_what_is_not_known(schema: Any, answer: bool | None) -> None:
    """A part that cannot be judged matters only where it could turn the answer."""
    assert is_valid({"a": 1}, schema) is answer


def test_validates_under_a_part_of_a_schema() -> None:
    """References in the part lead to the whole."""
    part: JSON = {"$ref": "#/$defs/count"}
    root: JSON = {"$defs": {"count": {"type": "integer"}}, "items": part}

    assert is_valid("a", part, root=root) is False


def test_questions_can_share_a_budget() -> None:
    """What one spends is not there for the next; an answer that is cut short is not known."""
    budget = Budget(5)
    validator = Validator({"items": {"type": "string"}})

    assert validator.is_valid(["a", "b"], budget=budget) is True
    assert validator.is_valid(["a", "b"], budget=budget) is None


def deep(keyword: str, levels: int) -> Any:
    schema: Any = {}
    for _ in range(levels):
        schema = {keyword: {"a": schema} if keyword == "properties" else [schema]}
    return schema


def doubling(levels: int) -> Any:
    """A text of some lines that stands for a tree of more leaves than there are atoms."""
    twice = {
        f"d{level}": {"allOf": [{"$ref": f"#/$defs/d{level + 1}"}] * 2} for level in range(levels)
    }
    return {"$ref": "#/$defs/d0", "$defs": {**twice, f"d{levels}": {"type": "string"}}}


@pytest.mark.parametrize(
    ("schema", "instance"),
    [
        (deep("allOf", 900), 1),
        (deep("anyOf", 900), 1),
        (doubling(300), "a"),
        ({"pattern": "^(a|a?)+(.*)*(x+x+)+y$"}, "a" * 20_000),
        ({"pattern": "^((?=(a{1,100}){1,100}).)*b{0,9999999}$"}, "a" * 20_000),
    ],
)
def test_hostile_schemas_end(schema: Any, instance: Any) -> None:
    """After their steps, without an answer, and not with an error of Python's."""
    assert is_valid(instance, schema) is None


def test_a_deep_schema_is_no_matter_for_a_shallow_value() -> None:
    """Only what applies is looked at."""
    assert is_valid({"a": {"a": 1}}, deep("properties", 900)) is True
