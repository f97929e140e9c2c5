"""Schemas that are made to keep a prover busy: they end, soon, and without a proof that is none."""

from decimal import Decimal

import pytest

from proxar.contract import JSON
from proxar.contract.containment import Contained, Engine, Refuted, decide
from proxar.contract.containment.engine import DEFAULT_STEPS


def _branch(index: int, least: int) -> JSON:
    return {
        "type": "object",
        "properties": {f"p{index}": {"type": "integer", "minimum": least}},
        "required": [f"p{index}"],
    }


def _product(count: int, branches: int, keyword: str, shift: int = 0) -> JSON:
    """Conjunctions of alternatives."""
    return {
        "allOf": [
            {keyword: [_branch(index, least + shift) for least in range(branches)]}
            for index in range(count)
        ]
    }


def _nested(levels: int, leaf: JSON, keyword: str = "properties") -> JSON:
    schema = leaf
    for _ in range(levels):
        if keyword == "properties":
            schema = {"type": "object", "properties": {"a": schema}}
        else:
            schema = {keyword: schema if keyword == "not" else [schema]}
    return schema


def _chain(length: int, leaf: JSON) -> JSON:
    """References that lead to references."""
    links: dict[str, JSON] = {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(length)}
    return {"$ref": "#/$defs/d0", "$defs": {**links, f"d{length}": leaf}}


def _graph(size: int, leaf: JSON) -> JSON:
    """Definitions of which each refers to all."""
    members: dict[str, JSON] = {f"m{n}": {"$ref": f"#/$defs/n{n}"} for n in range(size)}
    node: JSON = {"type": "object", "properties": {**members, "leaf": leaf}}
    return {"$ref": "#/$defs/n0", "$defs": {f"n{n}": node for n in range(size)}}


def _wide(size: int, shift: int) -> JSON:
    members: dict[str, JSON] = {
        f"p{n}": {"type": "string", "maxLength": n + shift} for n in range(size)
    }
    return {"type": "object", "properties": members, "required": list(members)}


TEXTS: list[JSON] = [f"value number {number:06d}" for number in range(45_000)]
TEXT: JSON = {"type": "string"}
WHOLE: JSON = {"type": "integer"}


def _like(pattern: str) -> JSON:
    return {"type": "string", "pattern": pattern}


@pytest.mark.timeout(20)  # how long it really takes is measured by benchmarks.diff
@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(_product(8, 3, "oneOf"), _product(8, 3, "anyOf", 1), id="oneOf-product"),
        pytest.param(_product(30, 30, "anyOf"), _product(30, 30, "anyOf", 1), id="anyOf-product"),
        pytest.param(_nested(900, TEXT), _nested(900, WHOLE), id="900-levels"),
        pytest.param(_nested(900, TEXT, "allOf"), TEXT, id="900-times-allOf"),
        pytest.param(_nested(901, TEXT, "not"), TEXT, id="901-times-not"),
        pytest.param({"enum": TEXTS}, {"enum": TEXTS[1:]}, id="a-megabyte-of-values"),
        pytest.param({"enum": TEXTS}, _like("^value .*[01234]$"), id="values-and-a-pattern"),
        pytest.param(
            {"enum": [{"key": number} for number in range(40_000)]},
            {"type": "object", "required": ["other"]},
            id="objects-as-values",
        ),
        pytest.param(_like("^(a|b)*a(a|b){20}$"), _like("^(a|b)*a(a|b){21}$"), id="subset-bomb"),
        pytest.param(_like("(a?){100}a{100}b"), _like("(a?){101}b{100}a"), id="repetition-bomb"),
        pytest.param(_like("(" * 400 + "a" + ")+" * 400), _like("^b"), id="groups-in-groups"),
        pytest.param({"$ref": "#"}, TEXT, id="itself"),
        pytest.param(
            {
                "$ref": "#/$defs/a",
                "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"not": {"$ref": "#/$defs/a"}}},
            },
            TEXT,
            id="not-itself",
        ),
        pytest.param(_chain(900, TEXT), WHOLE, id="a-chain-of-references"),
        pytest.param(_graph(40, {"type": "number"}), _graph(40, WHOLE), id="a-graph-of-references"),
        pytest.param(_wide(3_000, 2), _wide(3_000, 1), id="3000-parameters"),
        pytest.param({"minimum": Decimal("1e999999999")}, {"minimum": 1}, id="a-large-number"),
        pytest.param(
            {"type": "array", "minItems": 10**9},
            {"type": "array", "minItems": 10**9 + 1},
            id="many-items",
        ),
        pytest.param(
            {
                "type": "object",
                "unevaluatedProperties": False,
                "anyOf": [_branch(n, n) for n in range(30)],
            },
            {
                "type": "object",
                "unevaluatedProperties": False,
                "oneOf": [_branch(n, n) for n in range(30)],
            },
            id="unevaluated-cases",
        ),
    ],
)
def test_ends_without_a_false_proof(before: JSON, after: JSON) -> None:
    """Each of these pairs is a narrowing, and may be found out or not; it costs a bounded time."""
    answer = decide(before, after)

    assert not isinstance(answer, Contained)


def test_the_same_depth_on_both_sides_is_no_obstacle() -> None:
    """What is too deep to be read is still equal to itself."""
    deep = _nested(900, TEXT)

    assert decide(deep, deep) == Contained()


def test_an_interrupted_question_leaves_no_trace() -> None:
    """What was only assumed when the steps ran out is not taken for proved by the next question."""
    wide, narrow = _graph(6, {"type": "number"}), _graph(6, WHOLE)
    for steps in range(200, 4_000, 200):
        engine = Engine(steps=steps)
        for _ in range(3):
            assert not isinstance(engine.decide(wide, narrow), Contained)


def test_an_engine_that_starts_afresh_gives_the_same_answers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What was made before is forgotten as a whole, between two questions."""
    monkeypatch.setattr("proxar.contract.containment.engine.MAX_SCHEMAS", 3)
    engine = Engine()
    before: JSON = {"type": "object", "properties": {"a": WHOLE}, "required": ["a"]}
    after: JSON = {"type": "object", "properties": {"a": {"type": "number"}}, "required": ["a"]}

    for _ in range(3):
        assert engine.decide(before, after) == Contained()
        assert isinstance(engine.decide(after, before), Refuted)


def test_many_hostile_questions_share_what_they_may_take(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last costs almost nothing, and is still no proof."""
    monkeypatch.setattr("proxar.contract.containment.engine.MAX_STEPS", 10_000)
    before, after = _product(30, 30, "anyOf"), _product(30, 30, "anyOf", 1)
    engine = Engine()

    spent = []
    for _ in range(6):
        assert not isinstance(engine.decide(before, after), Contained)
        spent.append(engine.spent)

    assert spent[0] > DEFAULT_STEPS
    assert spent[-1] < 1_000
