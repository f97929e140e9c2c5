"""Durations as the API spells them: Go's, in whole numbers of h, m, s and ms."""

import re
from datetime import timedelta

__all__ = ["format_duration", "parse_duration"]

_UNITS = {
    "h": timedelta(hours=1),
    "m": timedelta(minutes=1),
    "s": timedelta(seconds=1),
    "ms": timedelta(milliseconds=1),
}
# The same expression as in the CRD. [0-9], not \d, which takes the digits of every script.
_DURATION = re.compile(r"([0-9]{1,5}(h|m|s|ms)){1,4}")
_PART = re.compile(r"([0-9]+)(ms|h|m|s)")


def parse_duration(text: str) -> timedelta:
    """Read a duration such as `90s` or `1h30m`.

    Raises:
        ValueError: It is something else; the message names the units.
    """
    if not _DURATION.fullmatch(text):
        shown = text if len(text) <= 32 else f"{text[:32]}…"
        raise ValueError(
            f"{shown!r} is not a duration: whole numbers with the units h, m, s or ms, as in 90s or"
            " 1h30m (a day is 24h)"
        )
    return sum((int(number) * _UNITS[unit] for number, unit in _PART.findall(text)), timedelta())


def format_duration(duration: timedelta) -> str:
    """Spell a duration so that `parse_duration` reads it again.

    Days are spelt in hours, what is below a millisecond is dropped, and zero is `0s`.
    """
    milliseconds = duration // _UNITS["ms"]
    parts = []
    for unit in ("h", "m", "s", "ms"):
        number, milliseconds = divmod(milliseconds, _UNITS[unit] // _UNITS["ms"])
        if number:
            parts.append(f"{number}{unit}")
    return "".join(parts) or "0s"
