"""Regular expressions: what is surely none of ECMA-262, and what is left alone."""

import pytest

from proxar.contract.lint.patterns import fault


@pytest.mark.parametrize(
    "pattern",
    [
        "(",
        ")",
        "a)",
        "(a",
        "[a",
        "[",
        "[^",
        "a\\",
        "*a",
        "a**",
        "a++",
        "a|*",
        "(?:+)",
        "^*",
        "a{3,1}",
        "[z-a]",
        "(?P<key>x)",
        "(?P=key)",
        "(?i)abc",
        "(?>a)",
        "(?#note)",
        r"\Aabc",
        r"abc\Z",
        r"abc\z",
        r"\Qa\E",
        "(?",
        "x{2}{3}",
        "a{1}+",
    ],
)
def test_says_what_is_wrong(pattern: str) -> None:
    """One sentence with a position."""
    assert fault(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        "",
        "^[A-Z]{2,10}-[1-9][0-9]*$",
        r"^\S+@\S+$",
        "a|b|",
        "(|a)",
        "a*?",
        "a+?b??",
        "a{2}",
        "a{2,}",
        "a{2,3}?",
        "(?:a)",
        "(?=a)b",
        "(?!a)",
        "(?<=a)b",
        "(?<!a)",
        r"(?<year>\d{4})-\k<year>",
        r"[\w-]",
        "[-a]",
        "[a-]",
        "[]a",
        "[^]",
        r"[\]]",
        "[(]",
        "[*+?]",
        r"\(",
        r"\p{L}+",
        r"\u{1F600}",
        r"\cA",
        "{",
        "a{",
        "a{,3}",
        "x{a}",
        r"[\d-z]",
        r"[a-\d]",
        "(a)(b(c))",
        r"\/",
        r"^\d{4}-\d{2}$",
        "[+--]",
        "$",
        "a$|^b",
        "(?i:a)",
        r"[\b]",
        r"\x41{2}",
    ],
)
def test_leaves_the_rest_alone(pattern: str) -> None:
    """Whatever some engine of ECMA-262 takes."""
    assert fault(pattern) is None


def test_does_not_read_a_pattern_of_a_megabyte() -> None:
    """Nothing is said of it."""
    assert fault("(" * 1_000_000) is None
