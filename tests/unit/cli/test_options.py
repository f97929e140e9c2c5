"""What can be typed."""

from datetime import timedelta

import pytest

from proxar.cli.options import duration, headers, looks_like_hash, number
from proxar.errors import UsageError


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("deadbeef", True),
        ("sha256:deadbeef", True),
        ("deadbee", False),
        ("DEADBEEF", False),
        ("a" * 65, False),
        ("old.json", False),
    ],
)
def test_tells_a_hash_from_a_file(text: str, is_one: bool) -> None:
    """`./deadbeef` is the file of that name."""
    assert looks_like_hash(text) is is_one


def test_reads_headers() -> None:
    """Around the name and the value spaces mean nothing."""
    assert headers(["Authorization: Bearer a:b", " X-Tools :x "]) == (
        ("Authorization", "Bearer a:b"),
        ("X-Tools", "x"),
    )


def test_reads_durations() -> None:
    """As the API spells them."""
    assert duration("--timeout", "1m30s", timedelta(seconds=1)) == 90
    assert duration("--timeout", None, timedelta(seconds=1)) == 1


@pytest.mark.parametrize("typed", ["", "-1", "1_0", " 1", "\u0661", "1.0", "4"])
def test_refuses_what_is_no_number_within_bounds(typed: str) -> None:
    """Python's int() takes more than a person means."""
    with pytest.raises(UsageError, match="must be a whole number from 1 to 3"):
        number("--workers", typed, least=1, most=3)
