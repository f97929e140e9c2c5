"""Expressions: read as ECMA-262 has them, or refused."""

import pytest

from proxar.contract.containment.language import find_string, is_match
from proxar.contract.containment.steps import Steps, Unprovable


def _within(inner: str, outer: str) -> bool:
    """Whether every string that holds a match of one expression holds one of another."""
    question = frozenset({(inner, True), (outer, False)})
    return find_string(question, 0, None, frozenset(), Steps(4_000)) is None


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("b", "abc", True),
        ("^b", "abc", False),
        ("a$", "a\n", False),
        ("^.$", "\n", False),
        ("^.$", "😀", True),
        ("^\\d$", "٣", False),
        ("^\\s$", "\ufeff", True),
        ("^\\w$", "é", False),
        ("^[^]$", "a", True),
        ("^a|b$", "ac", True),
        ("^(ab|a)(c|bcd)$", "abcd", True),
        ("^a{2,3}$", "aaaa", False),
        ("^(?:a|)+$", "", True),
        ("[a\\-z]", "-", True),
        ("^[a-]$", "-", True),
        ("\\u0041", "A", True),
        ("a*?b", "aab", True),
        ("(?=a)", "a", None),
        ("(a)\\1", "aa", None),
        ("\\bword", "word", None),
        ("\\p{L}", "a", None),
        ("a**", "a", None),
        ("(?i)a", "A", None),
        ("[[a]]", "a", None),
        ("a{,3}", "a", None),
        ("(", "(", None),
    ],
)
def test_matches_as_ecma_262_or_not_at_all(pattern: str, text: str, expected: bool | None) -> None:
    """`None` is the answer where another reading is possible."""
    assert is_match(pattern, text, Steps(100)) is expected


@pytest.mark.parametrize(
    ("inner", "outer"),
    [
        ("^[a-z]+$", "^[a-z0-9]+$"),
        ("^[a-z0-9-]{1,64}$", "^[\\w.-]{1,128}$"),
        ("^(ab)+$", "^a.*b$"),
        ("^abc", "b"),
        ("^[A-Z][A-Z0-9]{1,9}-[0-9]+$", "^[A-Z][A-Z0-9_]+-\\d+$"),
        ("^https://[a-z]+\\.example/", "^https?://"),
        ("^$", "^a*$"),
    ],
)
def test_proves_one_expression_within_another(inner: str, outer: str) -> None:
    """One way only."""
    assert _within(inner, outer)
    assert not _within(outer, inner)


def test_finds_a_string_with_a_length_that_is_not_excluded() -> None:
    """Lengths and listed values are looked at in the same walk."""
    question = frozenset({("^[ab]+$", True), ("aa", False)})

    assert find_string(question, 2, 3, frozenset({"ab", "ba"}), Steps(500)) == "bb"
    assert (
        find_string(frozenset({("^(a|b)$", True)}), 0, None, frozenset({"a", "b"}), Steps(500))
        is None
    )


def test_gives_up_on_a_bomb() -> None:
    """Exponential automata cost their budget, not more."""
    with pytest.raises(Unprovable, match="too large"):
        _within("^(a|b)*a(a|b){20}$", "^(a|b)*b(a|b){21}$")


def test_a_search_costs_the_same_again() -> None:
    """What another comparison left in memory may not change how far a question gets. Most of this
    one is telling 120 letters apart, which counts as the moves do.
    """
    letters = [chr(0x4E00 + 2 * place) for place in range(120)]
    question = frozenset(
        {(f"^[{''.join(letters)}]*$", True), (f"^[{''.join(letters[1:])}]*$", False)}
    )
    spent = []
    for _ in range(2):
        steps = Steps(10_000)
        assert find_string(question, 0, None, frozenset(), steps) == letters[0]
        spent.append(10_000 - steps.left)

    assert spent[0] == spent[1] > 300
