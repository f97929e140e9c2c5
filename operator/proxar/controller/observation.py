"""What one look at a server gave, and what must hold before it counts.

A list that lost tools, or is empty, may be a server that is still starting, a rollout, or a gateway
that dropped a backend. It is looked at again before anybody is told that tools are gone; an empty
list is never a baseline.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from proxar.fetch import Fetched, Reason

__all__ = ["RECHECK", "Fault", "Held", "Known", "Look", "Pending", "confirm"]

RECHECK = timedelta(seconds=5)
"""How soon a list that is held back is looked at again; the interval, if that is shorter."""

EMPTY_FOR = timedelta(seconds=60)
"""How long a list must stay empty before its tools count as removed.

Servers that register their tools late, or warm up their backends, answer with an empty list for up
to about 20 s.
"""


@dataclass(frozen=True, slots=True)
class Look:
    """The server answered with a complete tool list."""

    fetched: Fetched
    may_count: bool = True
    """False while lists flap and this one was not seen often enough: the server answers, but
    nothing may move to what it said."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Could not look: `reason` is a `proxar.fetch.Reason`."""

    reason: str
    message: str
    retry_after: float | None = None
    """Seconds, when the server asked for patience."""

    @property
    def is_of_a_secret(self) -> bool:
        """Whether the words come from Secrets alone: they change when a person mended something,
        never by themselves, and the next thing to mend has to be told."""
        return self.reason in (Reason.SECRET_NOT_FOUND, Reason.SECRET_FORBIDDEN)


@dataclass(frozen=True, slots=True)
class Known:
    """The last list of an endpoint that counted; nothing, when there is none to compare with."""

    hash: str | None = None
    names: tuple[str, ...] | None = None
    """Of its tools; `None` when they are not known (any more)."""


@dataclass(frozen=True, slots=True)
class Pending:
    """A list that waits to be seen again. Lives in memory: a restart only makes the wait longer."""

    lost: frozenset[str]
    """The tools that were missing in any of the lists held back since the last one that counted."""
    since: datetime
    """When the first of them was read."""
    is_empty: bool = False
    """Whether they were empty. An empty list does not vouch for what a longer one lacks: the server
    may be registering its tools one by one."""
    hash: str = ""
    """Of the last of them."""
    times: int = 1
    """How many of the last in a row had that hash."""


@dataclass(frozen=True, slots=True)
class Held:
    """The list does not count yet."""

    pending: Pending
    fault: Fault | None
    """Set for an empty list, which is reported as its own fault."""


def confirm(
    fetched: Fetched,
    known: Known,
    pending: Pending | None,
    now: datetime,
    *,
    confirmations: int = 1,
) -> Look | Held:
    """Decide whether a list counts now or has to be seen again.

    Args:
        known: the last list that counted.
        pending: what the last call for this server held back, if it did.
        confirmations: how many looks in a row must give a new list before it counts.
    """
    names, hash_ = {tool.name for tool in fetched.tools.tools}, fetched.tools.hash
    earlier = pending if pending is not None and pending.is_empty is not bool(names) else None
    lost = frozenset(known.names or ()) - names
    agrees = pending is not None and pending.hash == hash_
    # Not the hash: a server that words a description anew each time has lost its tools all the
    # same.
    waiting = Pending(
        lost=lost | (earlier.lost if earlier is not None else frozenset()),
        since=earlier.since if earlier is not None else now,
        is_empty=not names,
        hash=hash_,
        times=pending.times + 1 if pending is not None and agrees else 1,
    )
    if not names:
        if known.names is None:
            message = "the server lists no tools; an empty list is never the first baseline"
            return Held(waiting, Fault(Reason.EMPTY_LIST, message))
        if lost and (earlier is None or now - earlier.since < EMPTY_FOR):
            seconds = int(EMPTY_FOR.total_seconds())
            message = f"the server lists no tools; they count as removed after {seconds} s of that"
            return Held(waiting, Fault(Reason.EMPTY_LIST, message))
    elif lost and (earlier is None or not lost <= earlier.lost):
        return Held(waiting, None)
    if hash_ != known.hash and waiting.times < confirmations:
        return Held(waiting, None)
    return Look(fetched)
