"""The conditions of an MCPServer, as functions of what is known.

Ready means that Proxar is doing its job for this server: it stays True while a vendor is down or
has drifted, so that a GitOps pipeline does not go red for another's fault. Reconciling and Stalled
are there only while they are True, as Flux's kstatus wants it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from proxar.api import (
    Baseline,
    Condition,
    ConditionReason,
    ConditionStatus,
    ConditionType,
    Drift,
    DriftVerdict,
    MCPServer,
    Snapshot,
)
from proxar.controller.evidence import Evidence
from proxar.controller.observation import Fault
from proxar.errors import SnapshotError
from proxar.fetch import Fetched, Reason
from proxar.kube.text import clean

__all__ = ["Said", "conditions_of", "merged", "ready", "reconciling"]

MESSAGE_CHARACTERS = 2048
"""Half of what the CRD takes: a message is for a terminal."""

NEEDS_A_PERSON = frozenset(
    {Reason.UNAUTHORIZED, Reason.EGRESS_DENIED, Reason.SECRET_NOT_FOUND, Reason.SECRET_FORBIDDEN}
)
"""Faults that no waiting mends: they make Ready False and Stalled True. Everything else may be the
vendor's bad hour."""

DRIFT_REASONS = {
    DriftVerdict.NONE: ConditionReason.NO_DRIFT,
    DriftVerdict.COSMETIC: ConditionReason.NO_DRIFT,
    DriftVerdict.COMPATIBLE: ConditionReason.COMPATIBLE_DRIFT,
    DriftVerdict.ADVISORY: ConditionReason.ADVISORY_DRIFT,
    DriftVerdict.BREAKING: ConditionReason.BREAKING_DRIFT,
}


@dataclass(frozen=True, slots=True)
class Said:
    """A condition before it is known whether its status flipped."""

    type: ConditionType
    status: ConditionStatus
    reason: str
    message: str


def ready(
    *,
    tool_count: int | None,
    fault: Fault | None,
    store_error: SnapshotError | None,
    drift: Drift | None = None,
) -> Said:
    """Whether Proxar is doing its job; `tool_count` is `None` before the first success.

    The message is the one line of `kubectl get -o wide`, so it also tells of drift.
    """
    if store_error is not None:
        return Said(
            ConditionType.READY, ConditionStatus.FALSE, store_error.reason, store_error.message
        )
    if fault is not None and fault.reason in NEEDS_A_PERSON:
        return Said(ConditionType.READY, ConditionStatus.FALSE, fault.reason, fault.message)
    if tool_count is None:
        message = "no tool list has been read yet" + (f": {fault.message}" if fault else "")
        return Said(
            ConditionType.READY, ConditionStatus.UNKNOWN, ConditionReason.NOT_YET_OBSERVED, message
        )
    tracking = f"tracking {tool_count} tool{'' if tool_count == 1 else 's'}"
    if drift is not None and DRIFT_REASONS[DriftVerdict(drift.verdict or "None")] != "NoDrift":
        tracking += f"; drift: {_counts(drift)}"
    if fault is not None:
        tracking += f" of the last good list; the server cannot be read now ({fault.reason})"
    return Said(ConditionType.READY, ConditionStatus.TRUE, ConditionReason.TRACKING, tracking)


def reachable(fault: Fault | None, look: Fetched | None) -> Said:
    """Whether this look gave a complete list."""
    if fault is not None:
        return Said(ConditionType.REACHABLE, ConditionStatus.FALSE, fault.reason, fault.message)
    message = "tools/list read"
    if look is not None:
        message += f" over {look.transport}, protocol {look.protocol_version or 'unknown'}"
    return Said(ConditionType.REACHABLE, ConditionStatus.TRUE, ConditionReason.FETCHED, message)


def schema_compatible(drift: Drift, against: str) -> Said:
    """Whether every call that was valid under the baseline still is. `against` says what the
    baseline is."""
    verdict = DriftVerdict(drift.verdict or DriftVerdict.NONE)
    reason = DRIFT_REASONS[verdict]
    broken = verdict is DriftVerdict.BREAKING
    status = ConditionStatus.FALSE if broken else ConditionStatus.TRUE
    if reason is ConditionReason.NO_DRIFT:
        return Said(ConditionType.SCHEMA_COMPATIBLE, status, reason, f"no drift against {against}")
    counts = _counts(drift)
    first = "".join(f"; {change.path}: {change.message}" for change in drift.changes[:3])
    return Said(
        ConditionType.SCHEMA_COMPATIBLE, status, reason, f"against {against}: {counts}{first}"
    )


def _counts(drift: Drift) -> str:
    return f"{drift.breaking} breaking, {drift.advisory} advisory, {drift.compatible} compatible"


def incomparable(against: str) -> Said:
    """The stored list of the baseline is gone or damaged, so nobody can say what changed."""
    message = (
        f"the snapshot of {against} is missing or damaged; restore its ConfigMap, or proxar accept"
    )
    return Said(
        ConditionType.SCHEMA_COMPATIBLE,
        ConditionStatus.UNKNOWN,
        ConditionReason.SNAPSHOT_CORRUPT,
        message,
    )


def pin_matched(
    pinned: str, *, reported: str | None, drift: Drift | None, missing: SnapshotError | None
) -> Said:
    """Whether the server reports what is pinned."""
    if missing is not None:
        return Said(
            ConditionType.PIN_MATCHED, ConditionStatus.FALSE, missing.reason, missing.message
        )
    if reported == pinned:
        message = f"the server reports the pinned list {pinned}"
        return Said(
            ConditionType.PIN_MATCHED, ConditionStatus.TRUE, ConditionReason.IDENTICAL, message
        )
    if drift is not None and drift.verdict in (DriftVerdict.NONE, DriftVerdict.COSMETIC):
        message = f"the server reports {reported}, which differs from the pin only in form"
        return Said(
            ConditionType.PIN_MATCHED, ConditionStatus.TRUE, ConditionReason.EQUIVALENT, message
        )
    message = f"the server reports {reported or 'nothing yet'}, the pin is {pinned}"
    return Said(ConditionType.PIN_MATCHED, ConditionStatus.FALSE, ConditionReason.DRIFTED, message)


def reconciling(server: MCPServer, requested: str | None) -> Said | None:
    """Present while a generation, or a poll that was asked for, is not handled yet."""
    if server.metadata.generation != server.status.observed_generation:
        message = f"generation {server.metadata.generation} is not handled yet"
    elif requested and requested != server.status.last_handled_reconcile_at:
        message = "the poll that was asked for is not done yet"
    else:
        return None
    return Said(
        ConditionType.RECONCILING, ConditionStatus.TRUE, ConditionReason.PROGRESSING, message
    )


def stalled(fault: Fault | None) -> Said | None:
    """Present while nothing but a change of spec or Secret can help."""
    if fault is None or fault.reason not in NEEDS_A_PERSON:
        return None
    return Said(ConditionType.STALLED, ConditionStatus.TRUE, fault.reason, fault.message)


def conditions_of(
    evidence: Evidence,
    snapshot: Snapshot | None,
    baseline: Baseline | None,
    drift: Drift | None,
    *,
    comparable: bool,
    consistent: Said | None = None,
) -> tuple[Condition, ...]:
    """All conditions after a look, in the order of `ConditionType`.

    Args:
        comparable: whether `drift` is of this look; else one of the two lists is gone and it is
            what was known before.
        consistent: whether all looks agree, where that is a question.
    """
    server, fault = evidence.server, evidence.fault
    before = {condition.type: condition for condition in server.status.conditions}
    generation, now = server.metadata.generation, evidence.seen.now
    said: list[Said | None] = []
    kept: list[ConditionType] = []
    if evidence.seen.found is None and ConditionType.READY in before:
        kept += [ConditionType.READY, ConditionType.STALLED, ConditionType.CONSISTENT]
    else:
        said.append(consistent)
        tools = snapshot.tool_count or 0 if snapshot else None
        said.append(
            ready(tool_count=tools, fault=fault, store_error=evidence.seen.store_error, drift=drift)
        )
        said.append(stalled(fault))
    if fault is not None or evidence.look is not None:
        said.append(reachable(fault, evidence.look))
    else:
        kept.append(ConditionType.REACHABLE)
    if baseline is not None and snapshot is not None:
        against = f"the {'pin' if baseline.source == 'Pinned' else 'baseline'} {baseline.hash}"
        known = drift if comparable else None
        said.append(schema_compatible(known, against) if known else incomparable(against))
    if server.spec.pinned_hash:
        reported = snapshot.hash if snapshot else None
        said.append(
            pin_matched(
                server.spec.pinned_hash,
                reported=reported,
                drift=drift if comparable else None,
                missing=evidence.missing_pin,
            )
        )
    told = before.get(ConditionType.REACHABLE)
    made = merged(
        filter(None, said),
        before.values(),
        generation=generation,
        now=now,
        same_fault=fault is not None
        and not fault.is_of_a_secret
        and told is not None
        and told.reason == fault.reason,
    )
    carried = tuple(
        before[type_].model_copy(update={"observed_generation": generation})
        for type_ in kept
        if type_ in before
    )
    order = list(ConditionType)
    return tuple(sorted((*made, *carried), key=lambda item: order.index(ConditionType(item.type))))


def merged(
    said: Iterable[Said],
    before: Iterable[Condition],
    *,
    generation: int,
    now: datetime,
    same_fault: bool = False,
) -> tuple[Condition, ...]:
    """Give each condition its time: `lastTransitionTime` moves only when the status flips.

    A failing server that words its fault anew at each look must not cause a write at each look, so
    with `same_fault` (as the conditions before told of) its message stays as it was first put.
    """
    known = {condition.type: condition for condition in before}
    result = []
    for item in said:
        old = known.get(item.type)
        message = clean(item.message, characters=MESSAGE_CHARACTERS)
        since = now
        if old is not None and old.status == item.status:
            since = old.last_transition_time
            again = old.reason == item.reason and old.observed_generation == generation
            if same_fault and again and _is_of_a_fault(item):
                message = old.message
        result.append(
            Condition(
                type=item.type,
                status=item.status,
                observed_generation=generation,
                last_transition_time=since,
                reason=item.reason,
                message=message,
            )
        )
    return tuple(result)


def _is_of_a_fault(said: Said) -> bool:
    """Whether the message may carry what a server said about a fault."""
    match said.type:
        case ConditionType.READY | ConditionType.REACHABLE:
            return said.status is not ConditionStatus.TRUE
        case _:
            return said.type is ConditionType.STALLED
