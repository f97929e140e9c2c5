"""Alternatives that are read together, lists of values and tagged objects, fuzzed for themselves.

`PROXAR_FUZZ_PAIRS` is shared with the general fuzz: a tenth of it is spent on each kind.
"""

from collections.abc import Callable
from decimal import Decimal
from random import Random
from typing import Any

import pytest

from proxar.contract.containment import Contained, Engine, Refuted
from tests.soundness.test_directed import edited_pairs
from tests.support.schemas import plain

SCALARS: tuple[Any, ...] = (None, True, False, 0, 1, 2, Decimal("1.0"), Decimal("0.5"), "a", "b")
VALUES: tuple[Any, ...] = (*SCALARS, "", "c", 3, [], [1], [True], {}, {"a": 1}, {"a": True})
OTHERS: tuple[Any, ...] = (
    {"type": "string"}, {"type": "null"}, {"type": "boolean"}, {"minimum": 1}, {"maxLength": 1},
    {"type": "integer", "enum": [1, Decimal("1.0"), Decimal("0.5")]}, {"required": ["a"]}, True,
    {"not": {"const": "a"}}, {"type": ["string", "null"], "enum": ["a", None, 1]}, {"enum": []},
)  # fmt: skip
NAMES = ("a", "b", "c")


def lists(random: Random) -> Any:
    """Lists of values, of which some are in two, beside other schemas."""
    branches = []
    for _ in range(random.choice((2, 3, 4, 6, 9))):
        values = random.sample(VALUES, random.choice((1, 1, 1, 2, 4)))
        branch: Any = {"enum": values} if len(values) > 1 else {"const": values[0]}
        if random.random() < 0.3:
            branch["type"] = random.choice(("string", "integer", "number", "object", "boolean"))
        branches.append(random.choice(OTHERS) if random.random() < 0.15 else branch)
    return {random.choice(("oneOf", "oneOf", "oneOf", "anyOf")): branches}


def tagged(random: Random) -> Any:
    """Objects that a member tells apart, or that share a tag, or do without."""
    branches = []
    for number in range(random.choice((4, 5, 6))):
        tag = number if random.random() < 0.8 else random.randrange(6)
        schema: Any = random.choice(({"const": tag}, {"enum": [tag, tag + 10]}, {"enum": [tag, 0]}))
        properties: dict[str, Any] = {random.choice("aaab"): schema}
        properties["c"] = random.choice(({"const": 1}, {"type": "integer"}, {"enum": ["x", None]}))
        branch: Any = {"properties": properties}
        branch["required"] = ["a"] if random.random() < 0.8 else random.sample(NAMES, 2)
        branches.append(branch)
    return {"type": "object", random.choice(("oneOf", "oneOf", "anyOf")): branches}


def _object(random: Random) -> Any:
    members = (0, 1, 2, 3, 4, 5, 10, 12, "x", None)
    return {name: random.choice(members) for name in random.sample(NAMES, random.choice((1, 2, 3)))}


def _edited(random: Random, schema: Any, kind: Callable[[Random], Any]) -> Any:
    """One branch more, one less, one replaced, another order, or the other keyword."""
    ((word, branches),) = [item for item in schema.items() if item[0] != "type"]
    branches, more = list(branches), random.choice(list(kind(random).values())[-1])
    match random.randrange(5):
        case 0:
            branches.append(more)
        case 1:
            branches.pop(random.randrange(len(branches)))
        case 2:
            branches[random.randrange(len(branches))] = more
        case 3:
            random.shuffle(branches)
        case _:
            word = "anyOf" if word == "oneOf" else "oneOf"
    return {**{key: schema[key] for key in schema if key == "type"}, word: branches}


@pytest.mark.parametrize("kind", [lists, tagged])
def test_nothing_is_answered_that_a_value_refutes(kind: Callable[[Random], Any]) -> None:
    """In both directions, by the values that the branches speak of."""
    proofs = refutations = 0
    for seed, random, (before, after), (was, now) in edited_pairs(kind, _edited):
        engine = Engine()
        for one, other, inner, outer in ((before, after, was, now), (after, before, now, was)):
            answer = engine.decide(one, other)
            if isinstance(answer, Contained):
                proofs += 1
                values = VALUES if kind is lists else [_object(random) for _ in range(60)]
                for value in map(plain, values):
                    is_kept = not inner.is_valid(value) or outer.is_valid(value)
                    assert is_kept, (seed, before, after, value)
            elif isinstance(answer, Refuted):
                refutations += 1
                value = plain(answer.witness)
                is_told = inner.is_valid(value) and not outer.is_valid(value)
                assert is_told, (seed, before, after, value)
    assert min(proofs, refutations) > 30  # else this test shows nothing
