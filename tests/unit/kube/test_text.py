"""Every server-supplied string on its way into the API."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxar.kube.text import ELLIPSIS, INVISIBLE, clean

ANY_TEXT = st.text(st.characters(exclude_categories=[]), max_size=80)
"""Surrogates and everything else included."""

LENGTHS = st.integers(1, 60)


@given(ANY_TEXT, LENGTHS)
def test_the_length_in_characters_holds(text: str, characters: int) -> None:
    """Code points, as maxLength counts them."""
    assert len(clean(text, characters=characters)) <= characters


@given(ANY_TEXT, LENGTHS, st.integers(3, 60))
def test_the_length_in_bytes_holds(text: str, characters: int, octets: int) -> None:
    """UTF-8, as Event notes are counted; always valid."""
    assert len(clean(text, characters=characters, octets=octets).encode()) <= octets


@given(ANY_TEXT, LENGTHS)
def test_nothing_invisible_stays(text: str, characters: int) -> None:
    """No control, format, surrogate or private character and no line separator."""
    shown = clean(text, characters=characters)

    assert not {unicodedata.category(character) for character in shown} & INVISIBLE


@given(ANY_TEXT, LENGTHS)
def test_cleaning_twice_is_cleaning_once(text: str, characters: int) -> None:
    """A value read back from status and written again stays the same."""
    once = clean(text, characters=characters)

    assert clean(once, characters=characters) == once


@given(st.text(st.characters(categories=["L", "N", "P"]), max_size=80), LENGTHS)
def test_plain_text_keeps_its_beginning(text: str, characters: int) -> None:
    """Whole where it fits; else cut, and the cut is shown."""
    shown = clean(text, characters=characters)

    if len(text) <= characters:
        assert shown == text
    else:
        assert shown == text[: characters - 1] + ELLIPSIS


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x00b", "a\\u0000b"),
        ("a\nb", "a\\u000ab"),
        ("\x1b[31m", "\\u001b[31m"),
        ("\u202e1.0\u200b", "\\u202e1.0\\u200b"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\U000e0041"),
        ("naïve 日本", "naïve 日本"),
    ],
)
def test_what_cannot_be_seen_is_shown_as_its_escape(text: str, shown: str) -> None:
    """Two texts that look alike must not read alike."""
    assert clean(text, characters=100) == shown


def test_a_huge_text_is_not_looked_through() -> None:
    """Only as much as can survive."""
    assert clean("\x00" * (64 << 20), characters=8) == "\\u0000\\" + ELLIPSIS
