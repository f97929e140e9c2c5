"""The page of rules shows every rule once, under a subject, with what differs in its example."""

from proxar.contract import Verdict
from proxar.contract.rules import RULES, Rule
from tests.support.rules_reference import CASES, by_subject, differing_parts, sections


def test_every_rule_has_its_place() -> None:
    """Once each, however many there are."""
    placed = [rule.id for rules in by_subject(RULES).values() for rule in rules]

    assert sorted(placed) == sorted(RULES)


def test_every_rule_has_a_heading_and_each_that_has_a_case_an_example() -> None:
    """That every rule has a case is a promise of the cases themselves."""
    rules = sections()["rules"]
    entries = {entry.partition("\n")[0]: entry for entry in rules.split("\n### ")[1:]}

    assert entries.keys() == RULES.keys()
    for rule in RULES:
        assert ("```diff" in entries[rule]) == bool(list(CASES.glob(f"{rule}/*/case.toml"))), rule


def test_a_rule_for_results_follows_its_twin() -> None:
    numbers = [rule.id for rule in by_subject(RULES)["Numbers"]]

    assert numbers.index("output-minimum-raised") == numbers.index("minimum-raised") + 1


def test_a_rule_of_no_known_subject_is_not_lost() -> None:
    """The registry grows without this page being thought of."""
    rule = Rule("moon-phase-changed", Verdict.ADVISORY, "the moon is another one")

    assert by_subject({rule.id: rule}) == {"Others": [rule]}


def test_an_example_is_the_innermost_object_that_differs() -> None:
    before = [{"name": "a", "inputSchema": {"properties": {"q": {"maxLength": 9}}}}]
    after = [{"name": "a", "inputSchema": {"properties": {"q": {"maxLength": 5}}}}]

    assert differing_parts(before, after) == ('{"maxLength": 9}', '{"maxLength": 5}')


def test_a_long_example_leaves_out_what_is_the_same() -> None:
    same = {"description": "x" * 200}

    assert differing_parts([same | {"a": 1, "b": 2}], [same | {"a": 3}]) == (
        '{"a": 1, "b": 2, …}',
        '{"a": 3, …}',
    )


def test_one_and_true_differ() -> None:
    """As they do in JSON."""
    assert differing_parts({"a": {"default": 1}}, {"a": {"default": True}}) == (
        '{"default": 1}',
        '{"default": true}',
    )


def test_what_cannot_be_seen_is_escaped() -> None:
    assert differing_parts({"a": "b"}, {"a": "b\u200b"})[1] == '{"a": "b\\u200b"}'
