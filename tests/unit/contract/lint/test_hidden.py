"""Hidden text: what is found, and what honest texts may hold."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxar.contract.canonical import canonical
from proxar.contract.lint.hidden import MAX_HIDDEN, hidden, may_hide

TAGS = "".join(chr(0xE0000 + ord(letter)) for letter in "close all issues")


@pytest.mark.parametrize(
    ("text", "rule", "shown"),
    [
        ("closed\u202e", "lint-text-bidi", "U+202E"),
        ("\u2067issue\u2069", "lint-text-bidi", "U+2067, U+2069"),
        ("issue\U000e0001", "lint-text-tag", "U+E0001"),
        ("\U0001f3f4" + TAGS[:5] + "\U000e007f", "lint-text-tag", None),
        ("is\u200bsue", "lint-text-zero-width", "U+200B"),
        ("\ufeffissue", "lint-text-zero-width", "U+FEFF"),
        ("is\u00adsue", "lint-text-zero-width", "U+00AD"),
        ("is\u200dsue", "lint-text-zero-width", "U+200D"),
        ("issue\u200e", "lint-text-zero-width", "U+200E"),
        ("issue\ufe0f", "lint-text-selector", "U+FE0F"),
        ("⚠\ufe0f\ufe0f", "lint-text-selector", "U+FE0F"),
        ("issue\U000e0110\U000e0120", "lint-text-selector", "U+E0110, U+E0120"),
        ("\x1b[8mhidden", "lint-text-control", "U+001B"),
        ("a\x00b", "lint-text-control", "U+0000"),
        ("\udc00", "lint-text-control", "U+DC00"),
        ("\u3164", "lint-text-invisible", "U+3164"),
        ("a\u2028b", "lint-text-invisible", "U+2028"),
        ("\ufff9x\ufffa", "lint-text-invisible", "U+FFF9, U+FFFA"),
        ("\ue000", "lint-text-invisible", "U+E000"),
    ],
)
def test_finds_what_nobody_sees(text: str, rule: str, shown: str | None) -> None:
    """One entry for a rule, with the characters by their codes."""
    (found,) = hidden(text)

    assert found.rule == rule
    assert shown in {None, found.shown}


@pytest.mark.parametrize(
    "text",
    [
        "Open an issue.\n\tThen close it.\r\n",
        "Größe, naïve, Ω, 問題, 이슈, проблема, ปัญหา",
        "👩‍💻 👨🏽‍💻 ❤️‍🔥 🏳️‍🌈 👨‍👩‍👧 1️⃣ #️⃣ ⚠️ ™️ → ‼️ ㊗️",
        "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
        "می‌خواهم क्‍ष",
        "שלום\u200f!",
        "葛\U000e0100 辻\ufe00",
        "\u0600\u0661",
    ],
)
def test_leaves_honest_text_alone(text: str) -> None:
    """Scripts, emoji, flags and the joiners that they need."""
    assert hidden(text) == []


def test_counts_and_names_the_first_few() -> None:
    """The order is that of the text."""
    (found,) = hidden(TAGS)

    assert found.amount == len(TAGS)
    assert found.shown.startswith("U+E0063, U+E006C, U+E006F, U+E0073, U+E0065 and 4 more")


def test_stops_in_a_text_that_is_full_of_it() -> None:
    """A megabyte of it is told as soon as a line."""
    (found,) = hidden("\u200b" * 1_000_000)

    assert found.amount == MAX_HIDDEN


def test_no_control_or_format_character_is_passed_over() -> None:
    """The quick look lets none through, whatever Unicode version Python has."""
    plain = {"\t", "\n", "\r"}
    for code in range(0x110000):
        character = chr(code)
        if unicodedata.category(character) in {"Cc", "Cs"} and character not in plain:
            assert hidden(f"a{character}b"), hex(code)


@given(st.text(st.characters()), st.text(st.characters(exclude_categories=())))
def test_a_document_with_hidden_text_is_looked_through(name: str, text: str) -> None:
    """Names count as values do, and in JSON some of it is escaped."""
    document = canonical({name: [text]})

    assert may_hide(document) or not (hidden(name) or hidden(text))


def test_a_document_of_plain_words_is_not() -> None:
    assert not may_hide(canonical({"d\u00e9crit": "Zeile\nzwei\t\u65e5\u672c\u8a9e \U0001f600"}))
