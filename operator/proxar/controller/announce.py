"""Which Event, if any, tells a person what just happened.

One transition, one Event, with the exact paths in its note. The identity of an Event is made of
what stays the same when a killed operator plans it again: hashes, the number of the transition, the
time at which the former state began.
"""

from collections.abc import Iterable
from typing import Literal

from proxar.api import (
    Baseline,
    Condition,
    ConditionStatus,
    ConditionType,
    DriftVerdict,
    Pin,
    Snapshot,
    Status,
)
from proxar.contract import Change, Diff, Verdict
from proxar.controller.baseline import Decision
from proxar.controller.evidence import Evidence
from proxar.controller.observation import Fault
from proxar.kube.events import NOTE_BYTES, Event
from proxar.kube.text import clean

__all__ = ["events_of"]

DRIFT_EVENTS: dict[Verdict, tuple[str, Literal["Normal", "Warning"]]] = {
    Verdict.BREAKING: ("BreakingDrift", "Warning"),
    Verdict.ADVISORY: ("AdvisoryDrift", "Normal"),
    Verdict.COMPATIBLE: ("CompatibleDrift", "Normal"),
}
LINE_CHARACTERS = 300
"""Of one change in a note: three or four of them fit."""


def events_of(
    evidence: Evidence, status: Status, decision: Decision, diff: Diff | None
) -> tuple[Event, ...]:
    """Return the Events of a look that leads to `status`.

    At most one tells of reachability, one of what does not agree, and one of drift, baseline or
    pin; a pin whose list is missing is told of besides, since a fresh cluster meets it with its
    very first list.
    """
    before = evidence.server.status
    events: list[Event | None] = []
    if evidence.look is not None or evidence.fault is not None:
        known = before.condition(ConditionType.REACHABLE)
        events.append(_reachability(known, evidence.fault, evidence.server.metadata.generation))
    events.append(_consistency(evidence, status))
    told = None
    if decision.moved is not None:
        told = _baseline(decision.moved, before, status)
    elif status.snapshot is not None and diff is not None:
        told = _drift(before, status, diff)
    events.append(told)
    if _pin_moved(before.pin, status.pin) and (told is None or evidence.missing_pin):
        events.append(_pin(evidence, status, diff))
    return tuple(event for event in events if event is not None)


def _drift(before: Status, status: Status, diff: Diff) -> Event | None:
    """The list changed."""
    former, reported = _hash(before.snapshot), _hash(status.snapshot)
    if former == reported:
        return None
    identity = (former, reported, str(status.transitions))
    if diff.verdict in DRIFT_EVENTS:
        reason, kind = DRIFT_EVENTS[diff.verdict]
        return Event(reason, kind, "Compare", _note(diff), identity)
    if before.drift is not None and before.drift.verdict in (
        DriftVerdict.BREAKING,
        DriftVerdict.ADVISORY,
        DriftVerdict.COMPATIBLE,
    ):
        note = f"the server reports {reported}: no drift against the baseline any more"
        return Event("DriftResolved", "Normal", "Compare", note, identity)
    return None


def _baseline(reason: str, before: Status, status: Status) -> Event:
    """The baseline moved by itself or by a person, not by a pin."""
    hash_ = _hash(status.baseline)
    tools = (status.snapshot.tool_count or 0) if status.snapshot else 0
    note = {
        "BaselineEstablished": f"first tool list: {tools} tools, {hash_}",
        "BaselineSettled": f"{hash_} is the baseline now: its drift did not break and stayed for "
        "driftPolicy.settleAfter",
        "BaselineAccepted": f"{hash_} was accepted as the baseline",
        "TargetChanged": f"another target is looked at: its list {hash_} ({tools} tools) is the "
        "new baseline",
    }[reason]
    # What the former one was of, and since when it stood, set apart two moves between the same
    # lists.
    former = before.baseline
    since = f"{former.hash} {former.target} {former.since_time}" if former else ""
    identity = (since, hash_, str(status.transitions))
    return Event(reason, "Normal", "SetBaseline", note, identity)


def _pin(evidence: Evidence, status: Status, diff: Diff | None) -> Event | None:
    """A pin was set or moved, or its list was lost or found."""
    pinned, missing = str(evidence.server.spec.pinned_hash), evidence.missing_pin
    # A list that is lost, restored and lost again at one generation is told of each time.
    known = evidence.server.status.condition(ConditionType.PIN_MATCHED)
    since = f"{evidence.server.metadata.generation} {known.last_transition_time if known else ''}"
    identity = (pinned, _hash(status.snapshot), since)
    if missing is not None:
        corrupt = missing.reason == "SnapshotCorrupt"
        reason = missing.reason if corrupt else "PinMissing"
        return Event(reason, "Warning", "Pin", _cut(missing.message), identity)
    if diff is None:
        return None
    if diff.verdict in DRIFT_EVENTS:
        reason, kind = DRIFT_EVENTS[diff.verdict]
        return Event(reason, kind, "Compare", _note(diff), identity)
    note = f"the server reports the pinned list {pinned}"
    return Event("PinMatched", "Normal", "Pin", note, identity)


def _consistency(evidence: Evidence, status: Status) -> Event | None:
    """Endpoints began to differ, or a list to flap. That they agree again, the condition says."""
    before = evidence.server.status
    known, now = (each.condition(ConditionType.CONSISTENT) for each in (before, status))
    if now is None or now.status != ConditionStatus.FALSE:
        return None
    if known is not None and known.reason == now.reason:
        return None
    # What the status said when it was last written: the same for an operator that was killed before
    # it wrote this one, and another one each time after.
    written = before.snapshot.last_seen_time if before.snapshot is not None else None
    since = f"{known.reason} {known.last_transition_time}" if known is not None else ""
    identity = (since, _hash(before.snapshot), str(written), str(before.transitions))
    return Event(now.reason, "Warning", "Compare", _cut(now.message), identity)


def _pin_moved(before: Pin | None, pin: Pin | None) -> bool:
    return pin is not None and (
        before is None or before.hash != pin.hash or before.source != pin.source
    )


def _hash(section: Snapshot | Baseline | None) -> str:
    return section.hash or "" if section is not None else ""


def _reachability(before: Condition | None, fault: Fault | None, generation: int) -> Event | None:
    """A server was lost or came back."""
    lost = before is not None and before.status == ConditionStatus.FALSE
    since = (
        before.last_transition_time.isoformat()
        if before is not None
        else f"generation {generation}"
    )
    if fault is not None and not lost:
        note = _cut(f"{fault.reason}: {fault.message}")
        return Event("Unreachable", "Warning", "Fetch", note, (since,))
    if fault is None and lost:
        return Event("Recovered", "Normal", "Fetch", "the tool list can be read again", (since,))
    return None


def _cut(text: str) -> str:
    return clean(text, characters=NOTE_BYTES, octets=NOTE_BYTES)


def _note(diff: Diff) -> str:
    """As many of the worst changes as fit, one a line, and how many there are in all."""
    told = [change for change in diff.changes if change.verdict >= Verdict.COMPATIBLE]
    counts = ", ".join(f"{number} {verdict}" for verdict, number in diff.summary.items() if number)
    note, shown = "", 0
    for line in _lines(told):
        longer = f"{note}\n{line}" if note else line
        rest = f"\n(all: {counts})"
        if len(longer.encode()) + len(rest.encode()) > NOTE_BYTES:
            break
        note, shown = longer, shown + 1
    return note if shown == len(told) else f"{note}\n(all: {counts})".lstrip()


def _lines(changes: Iterable[Change]) -> Iterable[str]:
    for change in changes:
        yield clean(
            f"{change.path}: {change.message} ({change.rule})",
            characters=LINE_CHARACTERS,
            octets=LINE_CHARACTERS,
        )
