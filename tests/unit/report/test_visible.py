"""Server text made safe to print."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxar.report.visible import look_alike, shorten, spelt_out, visible


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("plain", "plain"),
        ("naïve 日本語 😀", "naïve 日本語 😀"),
        ("\x1b[31mred", "\\u001b[31mred"),
        ("\x9b31m", "\\u009b31m"),
        ("a\tb\r\n", "a\\tb\\r\\n"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("\U000e0041tag", "\\udb40\\udc41tag"),
        ("\ud800lone", "\\ud800lone"),
        ("no\u00a0break", "no\\u00a0break"),
        ("\u3164filler", "\\u3164filler"),
        ("text\ufe0f", "text\\ufe0f"),
        ("\ue000private", "\\ue000private"),
    ],
)
def test_escapes_what_a_reader_cannot_see(raw: str, shown: str) -> None:
    """Letters of every script stay; what has no shape, or another's, is spelt out."""
    assert visible(raw) == shown


def test_shortens_at_the_limit_and_not_below() -> None:
    """A cut is always marked."""
    assert shorten("12345", 5) == "12345"
    assert shorten("123456", 5) == "1234…"


@given(st.text(st.characters()), st.text(st.characters()))
def test_spelt_out_texts_are_told_apart(before: str, after: str) -> None:
    """Two texts that differ are never spelt alike, and nothing but ASCII is in them."""
    assert (spelt_out(before) == spelt_out(after)) == (before == after)
    assert (spelt_out(before) + spelt_out(after)).isascii()
    assert (spelt_out(before) + spelt_out(after)).isprintable() or not before + after


@pytest.mark.parametrize(
    ("before", "after", "alike"),
    [
        ("a", "a", False),
        ("a", "b", False),
        ("caf\u00e9", "cafe\u0301", True),
        ("\ufb01ne", "fine", True),
        ("a\u200bb", "a\\u200bb", True),
    ],
)
def test_notices_what_looks_alike(before: str, after: str, alike: bool) -> None:
    """The same text does not count: there is nothing to tell apart."""
    assert look_alike(before, after) is alike
