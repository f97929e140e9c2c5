"""The pairs that the comparison with other programs is made of."""

import json
from pathlib import Path

import pytest

from benchmarks.diff.hostile import hostile
from benchmarks.diff.pairs import Pair, changed_tools, corpus, golden, labelled, synthetic
from proxar.contract import Verdict, compare, parse


def write(path: Path, document: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document), encoding="utf-8")


def test_golden_cases_carry_the_labels_that_a_person_typed() -> None:
    pairs = {pair.name: pair for pair in golden()}

    assert pairs["max-length-lowered/from-256-to-64"].labels == {"search_issues": True}
    assert pairs["max-length-raised/removed"].labels == {"search_issues": False}


def test_a_change_beside_the_schemas_is_no_label() -> None:
    """Programs are compared in what all of them look at."""
    (pair,) = [pair for pair in golden() if pair.name.startswith("annotation-withdrawn/")][:1]

    assert set(pair.labels.values()) == {False}


def test_generated_lists_change_as_they_say() -> None:
    numbers = [len(changed_tools(pair)) for pair in synthetic()]

    assert numbers == [0, 10, 100]


def test_labels_of_generated_lists_are_right() -> None:
    for pair in synthetic():
        assert {name for name, label in pair.labels.items() if label} == changed_tools(pair).keys()


def test_versions_are_put_in_order_by_number(tmp_path: Path) -> None:
    for version in ("v1.10.0", "v1.9.0", "v2.0.0"):
        write(tmp_path / "server" / f"{version}.json", {"tools": []})
    (tmp_path / "README.md").write_text("about")

    names = [pair.name for pair in corpus(tmp_path)]

    assert names == ["server v1.9.0 v1.10.0", "server v1.10.0 v2.0.0"]


def test_entries_that_no_other_program_takes_are_left_out(tmp_path: Path) -> None:
    tools = [{"name": "a"}, {"name": "twice"}, {"name": "twice"}, {"title": "b"}, None]
    for version in ("1", "2"):
        write(tmp_path / "server" / f"{version}.json", {"result": {"tools": tools}})

    (pair,) = corpus(tmp_path)

    assert pair.before == pair.after == [{"name": "a"}]


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.json"
    entry = {
        "id": "null-removed",
        "before": {"$ref": "#/$defs/a", "$defs": {"a": {"type": ["string", "null"]}}},
        "after": {"type": "string"},
        "input_verdict": "breaking",
        "output_verdict": "compatible",
    }
    write(path, [entry])
    return path


def test_a_labelled_schema_is_asked_about_on_both_sides(labels: Path) -> None:
    found = {pair.name: dict(pair.labels) for pair in labelled(labels)}

    assert found == {
        "null-removed as input": {"it": True},
        "null-removed as output": {"it": False},
    }


def test_references_of_a_wrapped_schema_still_lead_somewhere(labels: Path) -> None:
    pair = next(labelled(labels))

    assert pair.before[0]["inputSchema"] == {
        "type": "object",
        "properties": {"value": {"$ref": "#/$defs/a"}},
        "$defs": {"a": {"type": ["string", "null"]}},
    }


def test_one_and_true_are_a_change() -> None:
    before = [{"name": "a", "inputSchema": {"default": 1}}]
    after = [{"name": "a", "inputSchema": {"default": True}}]

    assert changed_tools(Pair("p", before, after)).keys() == {"a"}


def test_hostile_pairs_differ_and_have_a_name_each() -> None:
    pairs = list(hostile())

    assert len({pair.name for pair in pairs}) == len(pairs) >= 8
    assert all(changed_tools(pair) for pair in pairs)


@pytest.mark.parametrize("pair", list(hostile()), ids=lambda pair: pair.name)
def test_hostile_pairs_end(pair: Pair) -> None:
    """As breaking, which they are."""
    before, after = (parse(json.dumps(tools).encode()) for tools in (pair.before, pair.after))

    assert compare(before, after).verdict is Verdict.BREAKING
