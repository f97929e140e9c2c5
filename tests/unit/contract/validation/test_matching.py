"""Regular expressions of ECMA-262: what they match, and which are refused."""

import pytest

from proxar.contract.validation.budget import Budget
from proxar.contract.validation.expression import parse
from proxar.contract.validation.matching import has_match


def matches(pattern: str, text: str) -> bool | None:
    expression = parse(pattern)
    return None if expression is None else has_match(expression, text, Budget(100_000))


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("", ["", "a"], []),
        ("b", ["abc"], ["a"]),
        ("^a$", ["a"], ["a\n", "ba"]),
        ("^.$", ["\U0001f600", "\u0085"], ["\n", "\r", "\u2028", "ab"]),
        (r"^\d+$", ["12"], ["\u0661", ""]),
        (r"^\w$", ["_"], ["é"]),
        (r"^\s$", ["\ufeff", "\u00a0", "\u2003"], ["\u200b", "\x1c"]),
        ("^[^a-c]$", ["d"], ["a", ""]),
        (r"^[\D]$", ["x"], ["1"]),
        ("^[]$", [], [""]),
        ("^[^]$", ["\n"], [""]),
        (r"^[\w-]+$", ["a-b"], ["a b"]),
        ("^(ab|a)(bc|c)$", ["abc", "ac", "abbc"], ["ab"]),
        ("^a{2,3}$", ["aa", "aaa"], ["a", "aaaa"]),
        ("^a{2,}?b$", ["aaab"], ["ab"]),
        ("^(a?){3}$", ["", "aaa"], ["aaaa"]),
        ("^(a*)*$", ["", "aaa"], ["b"]),
        (r"\bfoo\b", ["a foo b", "foo"], ["food"]),
        (r"a\Bb", ["ab"], ["a b"]),
        ("^(?!.*--)[a-z-]+$", ["a-b"], ["a--b"]),
        ("^(?=.*\\d)(?=.*[a-z]).{3,}$", ["a1b"], ["abc", "a1"]),
        ("(?<=\\$)\\d+$", ["$12"], ["12"]),
        ("(?<!\\$)\\b\\d+$", ["12"], ["$12"]),
        ("^(?<year>\\d{4})$", ["2024"], ["24"]),
        (r"^\u0041\x42\.\/\-$", ["AB./-"], ["AB.."]),
    ],
)
def test_matches_as_ecmascript_does(pattern: str, yes: list[str], no: list[str]) -> None:
    """With the flag `u`, anywhere in the text; no locale, no Unicode digits."""
    assert [text for text in yes if not matches(pattern, text)] == []
    assert [text for text in no if matches(pattern, text)] == []


@pytest.mark.parametrize(
    "pattern",
    [
        "(", ")", "a**", "[a", "a{2", "{1}", "}", "]", "\\", r"(a)\1", r"\k<a>", r"\p{L}", "(?i)a",
        "(?i:a)", "(?P<a>b)", r"\_", r"\e", r"\Z", "[b-a]", r"[\d-z]", "[a&&b]", "[[:alpha:]]",
        r"\ud83d", "(" * 30 + ")" * 30, "(?=a)*", "^*", "a" * 3_000,
    ],
)  # fmt: skip
def test_refuses_what_others_may_read_in_another_way(pattern: str) -> None:
    """Also what only some engines read at all."""
    assert parse(pattern) is None


@pytest.mark.parametrize(
    "pattern", ["^(a+)+$", "^(a|aa)+$", "^(.*a){12}$", "^(([a-z])+.)+[A-Z]([a-z])+$"]
)
def test_no_expression_is_catastrophic(pattern: str) -> None:
    """Those that bring a backtracking engine to its knees take some hundred steps."""
    assert matches(pattern, "a" * 200 + "!") is False
