"""Times as people read them."""

from datetime import UTC, datetime, timedelta

__all__ = ["age", "now"]


def now() -> datetime:
    """The moment; the one place of the command line that asks the clock for it."""
    return datetime.now(UTC)


def age(moment: datetime | None, at: datetime) -> str:
    """How long ago, in the largest unit that is at least two, as kubectl does; `-` when unknown."""
    if moment is None:
        return "-"
    passed = max(at - moment, timedelta())
    for unit, letter in (
        (timedelta(days=1), "d"),
        (timedelta(hours=1), "h"),
        (timedelta(minutes=1), "m"),
    ):
        if passed >= 2 * unit:
            return f"{passed // unit}{letter}"
    return f"{passed // timedelta(seconds=1)}s"
