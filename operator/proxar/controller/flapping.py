"""Whether a tool list changes so often that its changes are no news any more.

A trail is kept of the lists that one address gave, and over a window of time it is said to flap

- when it went back `RETURNS` times to a list that it had left: replicas behind one address differ,
  or a rollout is under way. A -> B -> A -> B goes back twice, and is what people do who roll out,
  roll back and roll out again: three transitions, each told. Who goes back once more within the
  window is not rolling out;
- when each of the last `NEW_EACH_LOOK` looks gave a list never seen before: a description holds the
  time of day, say;
- when there were `CHANGES` changes in the window, whatever their kind.

It flaps until a whole window passed without a change. So no history of looks has more than
`CHANGES` changes a window that are told one by one.

The window is `MOST_LOOKS` intervals long, but no longer than `LONGEST`, within which nobody rolls
out and back twice, and no shorter than `LEAST_LOOKS` intervals, or a server with a long interval
could never be seen to flap.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import zip_longest

from proxar.api import HistoryEntry

__all__ = ["Run", "Trail", "follow", "recalled", "window"]

RETURNS = 3
NEW_EACH_LOOK = 5
CHANGES = 10

MOST_LOOKS = 20
LEAST_LOOKS = 8
LONGEST = timedelta(hours=6)

SHOWN = 4
"""Lists that a flapping trail names; a server may give another one at each look."""

KEPT = 32
"""Runs of a trail that are kept; somebody may ask for look after look."""


@dataclass(frozen=True, slots=True)
class Run:
    """Looks in a row that gave one list."""

    hash: str
    since: datetime
    looks: int = 1
    is_first: bool = False
    """Nothing was seen before, so it is no change."""
    is_return: bool = False
    """It had been left within the window."""


@dataclass(frozen=True, slots=True)
class Trail:
    """The lists that one address gave of late, oldest first. Lives in memory."""

    runs: tuple[Run, ...] = ()
    new_in_a_row: int = 0
    """How many of the last looks gave, one after the other, a list never seen before."""
    flapping: tuple[str, ...] = ()
    """Hashes of the lists among which it flaps, as they were when that was found out; empty while
    it does not."""

    def looks(self, hash_: str) -> int:
        """How many looks of the window gave this list."""
        return sum(run.looks for run in self.runs if run.hash == hash_)

    def first_seen(self, hash_: str) -> datetime | None:
        """When the first of them was."""
        return next((run.since for run in self.runs if run.hash == hash_), None)


def window(interval: timedelta) -> timedelta:
    """How far back a trail of a server with this interval is judged."""
    return max(LEAST_LOOKS * interval, min(MOST_LOOKS * interval, LONGEST))


def follow(trail: Trail, hash_: str, now: datetime, span: timedelta) -> Trail:
    """The trail after a look that gave this list."""
    start = now - span
    runs = _within(trail.runs, start)
    new_in_a_row = 0
    if runs and runs[-1].hash == hash_:
        runs = (*runs[:-1], replace(runs[-1], looks=runs[-1].looks + 1))
    else:
        is_return = hash_ in {run.hash for run in runs}
        new_in_a_row = trail.new_in_a_row + 1 if runs and not is_return else 0
        runs = (*runs, Run(hash_, now, is_first=not runs, is_return=is_return))
    return _judged(Trail(runs[-KEPT:], new_in_a_row, trail.flapping), start)


def recalled(
    history: Sequence[HistoryEntry], flapping: tuple[str, ...], now: datetime, span: timedelta
) -> Trail:
    """The trail as far as a status tells it, for an operator that was just started.

    Args:
        history: Newest first, as status keeps it.
        flapping: Among which lists it flapped when status was written. Its quiet time begins anew.
    """
    trail = Trail()
    seen = [entry for entry in reversed(history) if entry.first_seen_time is not None]
    for entry in seen:
        runs = trail.runs
        is_return = entry.hash in {run.hash for run in runs}
        since = entry.first_seen_time or now
        run = Run(entry.hash, since, is_first=not runs, is_return=is_return)
        trail = Trail((*_within(runs, since - span), run))
    if flapping and trail.runs:
        last = replace(trail.runs[-1], since=now, is_first=False)
        trail = Trail((*trail.runs[:-1], last), flapping=flapping)
    return Trail(_within(trail.runs, now - span)[-KEPT:], flapping=trail.flapping)


def _within(runs: tuple[Run, ...], start: datetime) -> tuple[Run, ...]:
    """Those that were left after `start`, or are not left yet."""
    return tuple(
        run
        for run, following in zip_longest(runs, runs[1:])
        if following is None or following.since > start
    )


def _judged(trail: Trail, start: datetime) -> Trail:
    changes = [run for run in trail.runs if run.since > start and not run.is_first]
    if trail.flapping:
        return trail if changes else replace(trail, flapping=())
    if (
        sum(run.is_return for run in changes) >= RETURNS
        or trail.new_in_a_row >= NEW_EACH_LOOK
        or len(changes) >= CHANGES
    ):
        newest_first = dict.fromkeys(run.hash for run in reversed(trail.runs))
        return replace(trail, flapping=tuple(newest_first)[:SHOWN])
    return trail
