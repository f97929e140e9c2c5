"""Servers at rest: whether a look has to be planned at all. Pure.

A plan is a function of the object, of what a look gave, of the stored lists, and of the time. Where
the last one had nothing to write, tell or store, and the first three are the same again, it has
nothing to do again either, until a moment comes that it waits for. Nearly all looks are such, and a
plan costs more than all that is left of a look.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from proxar.api import MCPServer
from proxar.contract import ToolList
from proxar.contract.overrides import next_expiry
from proxar.controller.evidence import Other, Seen
from proxar.controller.observation import Fault, Held, Look
from proxar.controller.overrides import overrides_of
from proxar.controller.plan import Plan, next_heartbeat, soonest
from proxar.fetch import Fetched

__all__ = ["Rest", "Sight", "rest_of", "sight_of", "still"]

Sight = tuple[tuple[object, ...], ...]
"""What the looks at all endpoints gave, in a few words: equal ones are planned alike."""


@dataclass(frozen=True, slots=True)
class Rest:
    """A plan that had nothing to do, and what it was made from. Holds no list: there are many."""

    server: MCPServer
    sight: Sight
    lists: tuple[str, ...]
    """Hashes of the stored lists that it read."""
    since: datetime
    until: datetime
    """The first moment at which it may not hold any more."""
    moments: tuple[datetime, ...]
    """At which the next look is due, if the interval is not over before."""


def sight_of(
    found: Look | Fault | Held | None,
    others: Mapping[str, Other],
    flapping: Mapping[str, tuple[str, ...]],
) -> Sight | None:
    """What to compare with another time; `None` when there is more to say than that every endpoint
    gave a list that counts."""
    looks = [("", found), *((name, others[name].found) for name in sorted(others))]
    told = [
        (name, *_face(look.fetched))
        for name, look in looks
        if isinstance(look, Look) and look.may_count
    ]
    return tuple(told) if len(told) == len(looks) and not flapping else None


def rest_of(server: MCPServer, seen: Seen, made: Plan) -> Rest | None:
    """What to remember of a plan; `None` when the next look has to be planned whatever it gives."""
    sight = sight_of(seen.found, seen.others, seen.flapping)
    if sight is None or seen.store_error is not None:
        return None
    if made.write or made.events or made.store is not None:
        return None
    if not all(isinstance(tools, ToolList) for tools in seen.stored.values()):
        return None  # what is missing or damaged may come back
    settles = made.status.drift.settle_time if made.status.drift is not None else None
    expires = next_expiry(overrides_of(server.spec.drift_policy), seen.now)
    moments = tuple(moment for moment in (settles, expires) if moment is not None)
    due = next_heartbeat(server)
    if due is None:
        return None
    until = min((due, *moments))
    if not seen.now < until:
        return None
    return Rest(server, sight, tuple(seen.stored), seen.now, until, moments)


def still(
    rest: Rest | None,
    server: MCPServer,
    sight: Sight | None,
    now: datetime,
    *,
    has: Callable[[str], bool],
) -> timedelta | None:
    """When to look again, if a plan would find nothing to do; `None` when one has to be made.

    Args:
        server: The object. Only the very one that was planned for will do.
        has: Whether a list is at hand, by its hash.
    """
    if rest is None or sight is None or rest.server is not server or rest.sight != sight:
        return None
    # A clock that was set back may make an override count again that had expired.
    if not rest.since <= now < rest.until or not all(map(has, rest.lists)):
        return None
    return soonest(server.spec.interval, rest.moments, now)


def _face(fetched: Fetched) -> tuple[object, ...]:
    """All that a look gave, with the hash for the list."""
    return (
        fetched.tools.hash,
        fetched.tools.protocol_version,
        fetched.protocol_version,
        fetched.server_name,
        fetched.server_version,
        fetched.transport,
        fetched.era,
    )
