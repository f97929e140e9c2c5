"""What is proved holds for every value that is tried, says a validator that shares nothing with us.

`PROXAR_FUZZ_PAIRS` is the number of pairs, 3,000 if unset; a failure names the seed of its pair.
"""

import os
from typing import Any

import jsonschema_rs
import pytest

from proxar.contract import ToolList, Verdict, compare
from proxar.contract.containment import Answer, Contained, Engine, Refuted
from tests.support.schemas import SchemaMaker, closed, plain

PAIRS = int(os.environ.get("PROXAR_FUZZ_PAIRS", "3000"))
CHUNKS = 10
VALUES = 50
"""Values that are tried for each pair."""


def _validator(schema: Any) -> Any:
    """A validator; `None` for a schema that it refuses, such as one with a dangling reference."""
    try:
        return jsonschema_rs.validator_for(_each_once(plain(schema)), validate_formats=False)
    except (ValueError, jsonschema_rs.ReferencingError):
        return None


def _each_once(schema: Any) -> Any:
    """The same with each required name once, as the drafts ask: this validator counts them, where
    it does not refuse the schema. To us, and to all others, a name that is repeated says no more.
    """
    if isinstance(schema, list):
        return [_each_once(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        word: list(dict.fromkeys(value))
        if word == "required" and isinstance(value, list)
        else _each_once(value)
        for word, value in schema.items()
    }


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_never_proves_what_a_value_refutes(chunk: int) -> None:
    """Contained means that no value is valid under inner only; a witness is such a value."""
    for seed in range(chunk * PAIRS // CHUNKS, (chunk + 1) * PAIRS // CHUNKS):
        maker = SchemaMaker(seed)
        pair = maker.pair()
        validators = tuple(map(_validator, pair))
        if None in validators:
            continue
        engine = Engine(has_formats=False)
        answers = engine.decide(*pair), engine.decide(*pair[::-1])

        _check_witnesses(seed, answers, validators)
        for _ in range(VALUES):
            schema = maker.random.choice(pair)
            value = plain(maker.near(schema, schema))
            was, now = (validator.is_valid(value) for validator in validators)
            assert was <= now or not isinstance(answers[0], Contained), (seed, pair, value)
            assert now <= was or not isinstance(answers[1], Contained), (seed, pair, value)


def _check_witnesses(seed: int, answers: tuple[Answer, ...], validators: tuple[Any, ...]) -> None:
    for answer, (inner, outer) in zip(answers, (validators, validators[::-1]), strict=True):
        if isinstance(answer, Refuted):
            value = plain(answer.witness)
            assert inner.is_valid(value), (seed, value)
            assert not outer.is_valid(value), (seed, value)


def test_proves_most_of_what_holds() -> None:
    """An engine that proves nothing is sound, too: less than one answer in fifty may be missing."""
    engine = Engine(has_formats=False)
    answers = [engine.decide(*SchemaMaker(seed).pair()) for seed in range(400)]

    unproved = [one for one in answers if not isinstance(one, Contained | Refuted)]

    assert len(unproved) <= len(answers) / 50
    assert sum(isinstance(one, Contained) for one in answers) > len(answers) / 3


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_a_diff_never_calls_a_break_harmless(chunk: int) -> None:
    """The promise: a call that kept to what was declared stays valid, and so does a result.

    `closed` is the schema of the calls that keep to what is declared at every level.
    """
    for seed in range(chunk * PAIRS // CHUNKS // 4, (chunk + 1) * PAIRS // CHUNKS // 4):
        maker = SchemaMaker(seed, is_old=False)
        pair = maker.pair()
        validators = [_validator(schema) for schema in (*pair, closed(pair[0]))]
        if None in validators:
            continue
        before, after, kept = validators
        is_call_safe, is_result_safe = _verdicts(*pair)

        for _ in range(VALUES):
            schema = maker.random.choice(pair)
            value = plain(maker.near(schema, schema))
            if kept.is_valid(value) and before.is_valid(value) and not after.is_valid(value):
                assert not is_call_safe, (seed, pair, value)
            if after.is_valid(value) and not before.is_valid(value):
                assert not is_result_safe, (seed, pair, value)


def _verdicts(before: Any, after: Any) -> tuple[bool, bool]:
    """Whether no change of the input, and none of the output, is breaking."""
    lists = [ToolList.of([_tool(schema)]) for schema in (before, after)]
    breaking = [one for one in compare(*lists).changes if one.verdict is Verdict.BREAKING]
    return (
        not any(one.path.startswith("t.inputSchema") for one in breaking),
        not any(one.path.startswith("t.outputSchema") for one in breaking),
    )


def _tool(schema: Any) -> Any:
    """A tool that takes and returns values of a schema."""
    definitions = schema.get("$defs", {}) if isinstance(schema, dict) else {}
    arguments = {
        "type": "object",
        "properties": {"value": schema},
        "required": ["value"],
        "$defs": definitions,
    }
    return {"name": "t", "inputSchema": arguments, "outputSchema": schema}
