"""A watch that is silent about our own writes is found out."""

from typing import Any

import pytest

from proxar.controller.watchlag import WatchLag

KEY = ("team", "issues-mcp")
OTHER = ("team", "weather")


class Clock:
    """Seconds that a test moves."""

    now = 0.0

    def __call__(self) -> float:
        """The time."""
        return self.now


def copy(version: str) -> dict[str, Any]:
    """An object of that version."""
    return {"metadata": {"resourceVersion": version}}


@pytest.fixture
def clock() -> Clock:
    """A clock at 0."""
    return Clock()


@pytest.fixture
def lag(clock: Clock) -> WatchLag:
    """Nothing is waited for."""
    return WatchLag(clock)


def test_nothing_written_is_nothing_missed(lag: WatchLag, clock: Clock) -> None:
    """However long nothing happens."""
    clock.now = 1e6

    assert lag.seconds == 0


def test_the_oldest_write_counts(lag: WatchLag, clock: Clock) -> None:
    """Of all objects, until the watch tells of it."""
    lag.wrote(KEY, copy("10"))
    clock.now = 5
    lag.wrote(OTHER, copy("11"))
    clock.now = 7
    assert lag.seconds == 7

    lag.heard(KEY, copy("10"))
    assert lag.seconds == 2

    lag.heard(OTHER, copy("12"))
    assert lag.seconds == 0


def test_old_news_does_not_count(lag: WatchLag, clock: Clock) -> None:
    """It was under way before the write."""
    lag.wrote(KEY, copy("10"))
    clock.now = 3

    lag.heard(KEY, copy("9"))

    assert lag.seconds == 3


def test_later_writes_do_not_make_it_younger(lag: WatchLag, clock: Clock) -> None:
    """Or a watch that is dead would never be late on an object that is written often."""
    for second in range(10):
        clock.now = second
        lag.wrote(KEY, copy(str(10 + second)))

    assert lag.seconds == 9


def test_any_news_counts_where_versions_are_opaque(lag: WatchLag) -> None:
    """An API server that does not count is no reason for an alert."""
    lag.wrote(KEY, copy("b"))

    lag.heard(KEY, copy("a"))

    assert lag.seconds == 0


def test_a_deleted_object_is_not_waited_for(lag: WatchLag, clock: Clock) -> None:
    """Its end may have come in a gap of the watch."""
    lag.wrote(KEY, copy("10"))
    clock.now = 9

    lag.forget(KEY)

    assert lag.seconds == 0
