"""Durations of the API."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxar.api import format_duration, parse_duration


@pytest.mark.parametrize(
    ("text", "duration"),
    [
        ("90s", timedelta(seconds=90)),
        ("1h30m", timedelta(minutes=90)),
        ("1500ms", timedelta(seconds=1.5)),
        ("1m1h", timedelta(minutes=61)),
        ("0s", timedelta()),
        ("99999h", timedelta(hours=99999)),
    ],
)
def test_reads_what_go_reads(text: str, duration: timedelta) -> None:
    """Units add up, in any order."""
    assert parse_duration(text) == duration


@pytest.mark.parametrize(
    "text",
    ["", "7d", "60", "1.5h", "-5s", "5 s", "5s ", "5s\n", "h", "1H", "٣s", "100000s", "5s" * 9],
)
def test_refuses_the_rest_and_names_the_units(text: str) -> None:
    """The message says which units there are, and does not repeat a long text."""
    with pytest.raises(ValueError, match="units h, m, s or ms") as caught:
        parse_duration(text)

    assert len(str(caught.value)) < 200


@given(st.integers(min_value=0, max_value=99999 * 3_600_000))
def test_what_is_spelt_reads_the_same(milliseconds: int) -> None:
    """parse ∘ format is identity."""
    duration = timedelta(milliseconds=milliseconds)

    assert parse_duration(format_duration(duration)) == duration


@pytest.mark.parametrize(
    ("duration", "text"),
    [
        (timedelta(days=7), "168h"),
        (timedelta(seconds=90), "1m30s"),
        (timedelta(milliseconds=2500), "2s500ms"),
        (timedelta(microseconds=1), "0s"),
    ],
)
def test_spells_with_the_largest_units(duration: timedelta, text: str) -> None:
    """Days are hours, since Go knows no days."""
    assert format_duration(duration) == text
