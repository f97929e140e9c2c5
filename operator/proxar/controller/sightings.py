"""What the looks at one endpoint add up to: whether the list of this one counts. Pure.

`confirm` asks for a second look where one proves little, `flapping` stops telling each change of a
list that does not stand still. Together they must not hide anything: while a list flaps no
agreement of looks is asked for, and a list that was seen twice may count as well as one that was
seen twice in a row. Which of the lists then does count is for `evidence`, which knows the verdicts:
the worst.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from proxar.controller.flapping import Trail, follow
from proxar.controller.observation import EMPTY_FOR, Held, Known, Look, Pending, confirm
from proxar.fetch import Fetched

__all__ = ["Sightings", "weigh"]


@dataclass(frozen=True, slots=True)
class Sightings:
    """What is remembered of one endpoint's looks. Losing it costs time, never truth."""

    pending: Pending | None = None
    trail: Trail = field(default_factory=Trail)


def weigh(
    fetched: Fetched,
    known: Known,
    before: Sightings,
    *,
    confirmations: int,
    span: timedelta,
    now: datetime,
) -> tuple[Look | Held, Sightings]:
    """Decide whether a list counts, and return what to remember of the look.

    Args:
        known: The last list that counted.
        confirmations: `driftPolicy.confirmations`.
        span: The `window` of the server's interval.
    """
    trail = follow(before.trail, fetched.tools.hash, now, span)
    needed = 1 if trail.flapping else confirmations
    found = confirm(fetched, known, before.pending, now, confirmations=needed)
    pending = found.pending if isinstance(found, Held) else None
    if isinstance(found, Held) and trail.flapping and known.hash is not None:
        if _has_stood(trail, fetched, now):
            found = Look(fetched)
        elif found.fault is None:
            found = Look(fetched, may_count=False)
    return found, Sightings(pending, trail)


def _has_stood(trail: Trail, fetched: Fetched, now: datetime) -> bool:
    """Whether a flapping list was seen often enough, if not in a row."""
    hash_ = fetched.tools.hash
    since = trail.first_seen(hash_)
    if trail.looks(hash_) < 2 or since is None:
        return False
    return bool(fetched.tools.tools) or now - since >= EMPTY_FOR
