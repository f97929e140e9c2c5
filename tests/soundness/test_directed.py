"""Three kinds of pairs in which a careful prototype was wrong, each fuzzed for itself.

`PROXAR_FUZZ_PAIRS` is shared with the general fuzz: a tenth of it is spent on each kind.
"""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import jsonschema_rs
import pytest

from proxar.contract.containment import Contained, Engine
from tests.soundness.test_containment import PAIRS
from tests.support.schemas import plain

Kind = Callable[[Random], Any]

VALUES = 40
NAMES = ("a", "b", "c")
LEAVES: tuple[Any, ...] = (
    {"type": "integer"}, {"type": "string"}, {"const": 1}, {"enum": ["a", 1]}, {"minimum": 1},
    True, {},
)  # fmt: skip


def _leaf(random: Random) -> Any:
    return random.choice(LEAVES)


def _declaring(random: Random) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    if random.random() < 0.8:
        schema["properties"] = {name: _leaf(random) for name in random.sample(NAMES, 2)}
    if random.random() < 0.5:
        schema["required"] = random.sample(NAMES, random.choice((1, 1, 2)))
    if random.random() < 0.2:
        schema["additionalProperties"] = random.choice((False, {"type": "integer"}))
    return schema


def overlapping(random: Random) -> Any:
    """Alternatives that share values, of which one changes."""
    return {"type": "object", "oneOf": [_declaring(random) for _ in range(random.choice((2, 3)))]}


def listed(random: Random) -> Any:
    """Listed objects beside declared members and `dependentSchemas`."""
    schema: dict[str, Any] = {"enum": [_value(random) for _ in range(random.choice((1, 2, 3)))]}
    schema |= _declaring(random) if random.random() < 0.8 else {}
    if random.random() < 0.7:
        schema["dependentSchemas"] = {
            name: _declaring(random) for name in random.sample(NAMES, random.choice((1, 2)))
        }
    return schema


def unevaluated(random: Random) -> Any:
    """`unevaluatedProperties` beside `dependentSchemas`, which show it members at times only."""
    schema: dict[str, Any] = {"type": "object"}
    schema["unevaluatedProperties"] = random.choice((False, _leaf(random)))
    schema |= _declaring(random) if random.random() < 0.6 else {}
    schema["dependentSchemas"] = {
        name: _declaring(random) for name in random.sample(NAMES, random.choice((1, 2, 3)))
    }
    return schema


def _value(random: Random) -> Any:
    names = random.sample((*NAMES, "d"), random.choice((0, 1, 1, 2, 3)))
    return {name: random.choice((0, 1, 2, "a", "b", None)) for name in names}


def _edited(random: Random, schema: Any, kind: Callable[[Random], Any]) -> Any:
    """One of the parts as another schema of the kind has it, or gone."""
    other, changed = kind(random), dict(schema)
    word = random.choice([word for word in {**schema, **other} if word != "type"])
    if isinstance(changed.get(word), list) and word in other and random.random() < 0.7:
        part = list(changed[word])
        part[random.randrange(len(part))] = random.choice(other[word])
        changed[word] = part if word != "required" else list(dict.fromkeys(part))
    elif word in other:
        changed[word] = other[word]
    else:
        changed.pop(word)
    return changed


def edited_pairs(
    kind: Kind, edited: Callable[[Random, Any, Kind], Any]
) -> Iterator[tuple[int, Random, tuple[Any, Any], tuple[Any, Any]]]:
    """Yield seeds, each with its random numbers, a schema and its edit, and their validators."""
    for seed in range(max(PAIRS // 10, 300)):
        random = Random(seed)
        before = kind(random)
        after = edited(random, before, kind)
        was, now = (jsonschema_rs.validator_for(plain(schema)) for schema in (before, after))
        yield seed, random, (before, after), (was, now)


@pytest.mark.parametrize("kind", [overlapping, listed, unevaluated])
def test_nothing_is_proved_that_a_value_refutes(kind: Callable[[Random], Any]) -> None:
    """In both directions, by values of few names and few members."""
    proofs = 0
    for seed, random, (before, after), (was, now) in edited_pairs(kind, _edited):
        engine = Engine()
        answers = engine.decide(before, after), engine.decide(after, before)
        is_kept, is_new = (isinstance(answer, Contained) for answer in answers)
        proofs += is_kept or is_new
        for value in (*before.get("enum", ()), *(_value(random) for _ in range(VALUES))):
            valid = was.is_valid(value), now.is_valid(value)
            assert not (is_kept and valid == (True, False)), (seed, before, after, value)
            assert not (is_new and valid == (False, True)), (seed, before, after, value)
    assert proofs > 30  # else this test shows nothing
