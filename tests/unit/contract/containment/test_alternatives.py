"""Alternatives that are lists of values, and those that a member tells apart."""

import json
from decimal import Decimal
from typing import Any

import pytest

from proxar.contract import JSON, Verdict, parse
from proxar.contract.compare import compare
from proxar.contract.containment import Contained, Engine, Refuted, Unproved, decide

LISTED: list[tuple[str, Any, Any]] = [
    (
        "a documented list",
        {"oneOf": [{"const": "a", "title": "A"}, {"type": "string", "const": "b"}]},
        {"enum": ["a", "b"]},
    ),
    (
        "a value of two branches is accepted by none",
        {"oneOf": [{"const": "a"}, {"enum": ["a", "b"]}, {"const": "c"}]},
        {"enum": ["b", "c"]},
    ),
    (
        "one value in two ways is in two branches",
        {"oneOf": [{"const": 1}, {"const": Decimal("1.0")}, {"enum": [2, Decimal("2.0")]}]},
        {"const": 2},
    ),
    ("true is not 1", {"oneOf": [{"const": True}, {"const": 1}]}, {"enum": [1, True]}),
    (
        "a value that is not of the type",
        {"oneOf": [{"const": "a", "type": "integer"}, {"const": "b"}, {"const": "a"}]},
        {"enum": ["a", "b"]},
    ),
    (
        "every type",
        {"oneOf": [{"const": value} for value in ({"a": 1}, {"a": 2}, [1], [], None, True, 1)]},
        {"enum": [1, True, None, [], [1], {"a": 2}, {"a": 1}]},
    ),
    ("null twice", {"oneOf": [{"const": None}, {"enum": [None, "a"]}]}, {"const": "a"}),
    (
        "lists beside another branch",
        {
            "oneOf": [
                {"const": "a"},
                {"enum": ["long", "longer"]},
                {"type": "string", "maxLength": 1},
                {"enum": ["longer", "b"]},
            ]
        },
        {"anyOf": [{"const": "long"}, {"maxLength": 1, "not": {"enum": ["a", "b"]}}]}
        | {"type": "string"},
    ),
    (
        "any of the lists",
        {"anyOf": [{"const": "a"}, {"type": "null"}, {"enum": ["a", "b"]}]},
        {"enum": ["a", "b", None]},
    ),
]


@pytest.mark.parametrize(("what", "one", "other"), LISTED)
def test_lists_of_values_are_one_list(what: str, one: JSON, other: JSON) -> None:
    """Both ways are proved."""
    assert decide(one, other) == decide(other, one) == Contained(), what


def _documented(count: int) -> JSON:
    return {"oneOf": [{"const": f"v{n}", "description": f"Value {n}"} for n in range(count)]}


@pytest.mark.parametrize("count", [30, 65, 600])
def test_a_long_documented_list_is_as_good_as_a_short_one(count: int) -> None:
    """A step for some of the values, not for each pair."""
    listed: JSON = {"enum": [f"v{n}" for n in range(count)]}
    engine = Engine()

    assert engine.decide(_documented(count), listed) == Contained()
    assert engine.spent < 20 + count
    assert engine.decide(listed, _documented(count)) == Contained()
    assert engine.decide(_documented(count), _documented(count + 1)) == Contained()
    assert engine.decide(_documented(count + 1), _documented(count)) == Refuted(f"v{count}")


def test_a_list_beyond_all_reason_is_at_least_equal_to_itself() -> None:
    """It is not looked at, so that it does not keep the rest from being compared."""
    huge: dict[str, Any] = {"properties": {"a": _documented(3_000), "b": {}}, "type": "object"}

    assert decide({"required": ["b"], **huge}, huge) == Contained()
    assert isinstance(decide(_documented(3_001), _documented(3_000)), Unproved)


def test_a_value_more_in_a_documented_list_breaks_nobody() -> None:
    """As users see it: a parameter that takes one of fifty values, each with its text."""

    def listing(schema: JSON) -> bytes:
        parameters = {"type": "object", "properties": {"colour": schema}}
        return json.dumps([{"name": "paint", "inputSchema": parameters}]).encode()

    before, after = parse(listing(_documented(50))), parse(listing(_documented(51)))

    assert compare(before, after).verdict is Verdict.COMPATIBLE
    assert compare(after, before).verdict is Verdict.BREAKING


def _tagged(*numbers: int) -> JSON:
    branches: list[JSON] = [
        {
            "type": "object",
            "properties": {"kind": {"const": f"k{n}"}, f"a{n}": {"type": "string"}},
            "required": ["kind"],
        }
        for n in numbers
    ]
    return {"oneOf": branches}


def test_tagged_objects_are_told_apart_at_one_look() -> None:
    """One more, or another order, of forty."""
    forty = _tagged(*range(40))

    assert decide(forty, _tagged(*range(41))) == Contained()
    assert decide(forty, _tagged(*reversed(range(40)))) == Contained()


def test_a_tag_that_two_objects_have_tells_nothing() -> None:
    """What is valid under both is valid under neither."""
    answer = decide(_tagged(1, 2, 3, 4), _tagged(1, 2, 3, 4, 4))

    assert isinstance(answer, Refuted)
    assert isinstance(answer.witness, dict)
    assert answer.witness["kind"] == "k4"


def test_a_tag_that_may_be_left_out_tells_nothing() -> None:
    """An object without it is valid under each."""
    optional: JSON = {"oneOf": [{"properties": {"kind": {"const": n}}} for n in range(4)]}

    assert isinstance(decide({"type": "object", "maxProperties": 0}, optional), Refuted)
