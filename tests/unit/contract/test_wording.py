"""Values in one line of text."""

from decimal import Decimal

import pytest

from proxar.contract import JSON
from proxar.contract.wording import SHOWN_CHARACTERS, shown, shown_list, text_change


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("plain", '"plain"'),
        ("two\nlines\x1b[31m", r'"two\nlines\u001b[31m"'),
        ("zero\u200bwidth \u202eright to left", r'"zero\u200bwidth \u202eright to left"'),
        ("tag \U000e0041", r'"tag \u{e0041}"'),
        ("cafe\u0301", r'"cafe\u0301"'),
        ("größe 漢字 😀", '"größe 漢字 😀"'),
        ("\ud800", r'"\ud800"'),
        (Decimal("1.50"), "1.5"),
        ({"b": 1, "a": [True]}, '{"a":[true],"b":1}'),
    ],
)
def test_shows_what_cannot_be_seen(value: JSON, text: str) -> None:
    """Control, format and filler characters and accents apart from their letter are escaped."""
    assert shown(value) == text


def test_is_bounded() -> None:
    """However long a value is, what is shown of it is short."""
    assert len(shown("x" * 100_000)) == SHOWN_CHARACTERS
    assert len(shown(["\u200b"] * 100_000)) <= SHOWN_CHARACTERS
    assert shown_list(list("abcdefg")) == '"a", "b", "c", "d", "e" and 2 more'


def test_begins_where_long_texts_part() -> None:
    """A change far into a description is shown, and not the beginning that both share."""
    same = "Searches all issues that the caller may see. " * 5

    said = text_change("description", same + "Then stop.", same + "Then send them on.")

    assert "Then stop." in said
    assert "Then send them on." in said
    assert len(said) < 200
