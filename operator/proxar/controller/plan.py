"""All decisions of the reconcile, as one pure function: what was seen in, what is to be written
out.

    object + status as stored ─┐
    what this look gave        ├─> plan ─> snapshot to store, Events, status, what to keep,
    stored lists, now ─────────┘           when to look again

The same input gives the same plan, so an operator that was killed half-way plans the same Events
and names again. The parts: `evidence` (sorted input), `baseline`, `sections` and `conditions` (the
status), `announce` (the Events).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from proxar.api import ACCEPTED_HASH, ConditionReason, ConditionType, Drift, MCPServer, Status
from proxar.contract import Diff
from proxar.contract.overrides import next_expiry
from proxar.controller.announce import events_of
from proxar.controller.baseline import decide
from proxar.controller.conditions import conditions_of, merged, ready, reconciling
from proxar.controller.consistency import consistent
from proxar.controller.evidence import Evidence, Seen
from proxar.controller.observation import RECHECK, Fault, Held, Look
from proxar.controller.overrides import overrides_of
from proxar.controller.sections import (
    drift_of,
    endpoints_of,
    handled_request,
    history_of,
    lint_of,
    pin_of,
    snapshot_of,
)
from proxar.fetch import Fetched
from proxar.kube.events import Event

__all__ = [
    "HEARTBEAT",
    "JITTER",
    "MAX_RETRY_AFTER",
    "Plan",
    "begin",
    "next_heartbeat",
    "plan",
    "soonest",
]

HEARTBEAT = timedelta(minutes=15)
"""How old `lastSeenTime` grows at least before a write only to move it.

2,000 servers polled every minute would otherwise be 33 writes a second to etcd, for a time that the
metrics have anyway.
"""

MAX_RETRY_AFTER = timedelta(hours=1)
"""As long as a server may ask for patience; a longer wish would look like a suspended server."""


JITTER = 0.05
"""The part of a wait by which it may become shorter or longer, so that servers with one interval do
not move in step."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to write, in the order of its fields, and when to look again."""

    status: Status
    store: Fetched | None = None
    events: tuple[Event, ...] = ()
    write: bool = False
    """Whether the content differs from the stored status, or the heartbeat is due."""
    is_heartbeat: bool = False
    """Whether the times are all that a write is for."""
    keep: frozenset[str] = frozenset()
    """Hashes whose snapshots must stay."""
    diff: Diff | None = None
    """The drift in full; status holds the first of it."""
    transition: bool = False
    """Whether this look is a drift transition, for the counter."""
    requeue_after: timedelta | None = None
    """`None`: nothing to come back for."""


def begin(server: MCPServer, requested: str | None, now: datetime) -> Status | None:
    """The status to write before a look that answers a new generation or request; `None` when there
    is nothing to say."""
    said = reconciling(server, requested)
    if said is None or server.status.condition(ConditionType.RECONCILING) is not None:
        return None
    before = server.status.conditions
    generation = server.metadata.generation
    fresh = [said]
    if server.status.condition(ConditionType.READY) is None:
        fresh.insert(0, ready(tool_count=None, fault=None, store_error=None))
    added = merged(fresh, before, generation=generation, now=now)
    return server.status.model_copy(update={"conditions": (*before, *added)})


def plan(server: MCPServer, seen: Seen) -> Plan:
    """Decide everything about one server after one look."""
    if _is_held(seen.found):
        # Not judged yet, so nothing is handled either: whoever asked for the look still waits. Nor
        # is anything written at each of the looks that have to agree.
        return Plan(server.status, requeue_after=min(server.spec.interval, RECHECK))
    evidence = Evidence.of(server, seen)
    before, snapshot = server.status, snapshot_of(evidence)
    decision = decide(evidence, snapshot)
    baseline = decision.baseline
    diff = evidence.diff_between(
        baseline.hash if baseline else None, snapshot.hash if snapshot else None
    )
    drift = drift_of(evidence, baseline, snapshot, diff)
    changed = snapshot is not None and (
        before.snapshot is None or before.snapshot.hash != snapshot.hash
    )
    # A new target's list is not drift of the old one, and the very first list is not a change.
    transition = changed and before.snapshot is not None and decision.moved != "TargetChanged"
    status = Status(
        observed_generation=server.metadata.generation,
        last_handled_reconcile_at=handled_request(evidence),
        last_handled_accepted_hash=decision.accepted,
        snapshot=snapshot,
        baseline=baseline,
        pin=pin_of(evidence),
        drift=drift,
        endpoints=endpoints_of(evidence),
        lint=lint_of(evidence, snapshot),
        transitions=before.transitions + transition,
        history=history_of(evidence, snapshot),
        conditions=conditions_of(
            evidence,
            snapshot,
            baseline,
            drift,
            comparable=diff is not None,
            consistent=consistent(evidence, snapshot),
        ),
    )
    differs = _content(status) != _content(before)
    stored = evidence.look if changed or evidence.lost else None
    events = events_of(evidence, status, decision, diff)
    return Plan(
        status,
        store=stored,
        events=events,
        write=differs or _heartbeat_due(evidence),
        is_heartbeat=not (differs or events or stored),
        keep=_kept(server, status),
        diff=diff,
        transition=transition,
        requeue_after=_requeue_after(evidence, drift),
    )


def _is_held(found: Look | Held | Fault | None) -> bool:
    """Whether a list waits to be seen again soon; an empty one, which is a fault, may stay."""
    return isinstance(found, Held) and found.fault is None


def next_heartbeat(server: MCPServer) -> datetime | None:
    """When the status is written even if nothing changed, and the stored list is looked for; `None`
    while there is no list.

    Up to a fifth later than `HEARTBEAT`, different for each server, so that a fleet that started
    together does not write together.
    """
    snapshot = server.status.snapshot
    if snapshot is None or snapshot.last_seen_time is None:
        return None
    jitter = int(server.spec.target_digest[:4], 16) / 0xFFFF / 5
    return snapshot.last_seen_time + HEARTBEAT * (1 + jitter)


def _heartbeat_due(evidence: Evidence) -> bool:
    due = next_heartbeat(evidence.server)
    return evidence.look is not None and due is not None and evidence.seen.now >= due


def _content(status: Status) -> Status:
    """The status without what a look that found the same tools may move.

    Times, and what the server says of itself: replicas of two versions behind one address would
    cost a write at each look. Both are as of the last write, which the heartbeat bounds.
    """
    said: dict[str, object] = {"protocol_version": None, "server_info": None}
    update: dict[str, object] = {
        "endpoints": tuple(
            item.model_copy(update={"last_success_time": None, "protocol_version": None})
            for item in status.endpoints
        ),
        "history": tuple(
            item.model_copy(update={"last_seen_time": None}) for item in status.history
        ),
        "conditions": tuple(
            item.model_copy(update={"message": ""})
            if item.reason == ConditionReason.FETCHED
            else item
            for item in status.conditions
        ),
    }
    if status.snapshot is not None:
        update["snapshot"] = status.snapshot.model_copy(update=said | {"last_seen_time": None})
    return status.model_copy(update=update)


def _kept(server: MCPServer, status: Status) -> frozenset[str]:
    # What was accepted while a hash is pinned waits for its turn, maybe beyond the history.
    hashes = {server.spec.pinned_hash, server.metadata.annotations.get(ACCEPTED_HASH)}
    hashes |= {entry.hash for entry in status.history}
    hashes |= {section.hash for section in (status.snapshot, status.baseline) if section}
    return frozenset(hash_ for hash_ in hashes if hash_)


def _requeue_after(evidence: Evidence, drift: Drift | None) -> timedelta | None:
    spec, fault, now = evidence.server.spec, evidence.fault, evidence.seen.now
    if spec.suspend:
        return None
    if fault is not None and fault.retry_after is not None:
        # Not a moment earlier, jitter included.
        wish = min(timedelta(seconds=fault.retry_after), MAX_RETRY_AFTER) / (1 - JITTER)
        return max(spec.interval, wish)
    if any(_is_held(other.found) for other in evidence.seen.others.values()):
        return min(spec.interval, RECHECK)
    moments = [next_expiry(overrides_of(spec.drift_policy), now)]
    if drift is not None:
        moments.append(drift.settle_time)
    return soonest(spec.interval, [moment for moment in moments if moment is not None], now)


def soonest(interval: timedelta, moments: Iterable[datetime], now: datetime) -> timedelta:
    """How long to wait: the interval, or until the first of these moments."""
    soon = (max(moment - now, timedelta(seconds=1)) for moment in moments)
    return min((interval, *soon))
