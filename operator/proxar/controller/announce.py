"""Which Event, if any, tells a person what just happened.

One transition, one Event, with the exact paths in its note. The identity of an Event is made of
what stays the same when a killed operator plans it again: hashes, the number of the transition, the
time at which the former state began.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from proxar.api import Condition, ConditionStatus, DriftVerdict
from proxar.contract import Change, Diff, Verdict
from proxar.controller.observation import Fault
from proxar.errors import SnapshotError
from proxar.kube.events import NOTE_BYTES, Event
from proxar.kube.text import clean

__all__ = ["Transition", "drift_event", "pin_event", "reachability_event"]

DRIFT_EVENTS: dict[Verdict, tuple[str, Literal["Normal", "Warning"]]] = {
    Verdict.BREAKING: ("BreakingDrift", "Warning"),
    Verdict.ADVISORY: ("AdvisoryDrift", "Normal"),
    Verdict.COMPATIBLE: ("CompatibleDrift", "Normal"),
}
LINE_CHARACTERS = 300
"""Of one change in a note: three or four of them fit."""


@dataclass(frozen=True, slots=True)
class Transition:
    """What moved with this look."""

    number: int
    """status.transitions after it."""
    from_hash: str | None
    to_hash: str | None
    baseline_moved: str | None
    """Reason word of the baseline's own move: BaselineEstablished, BaselineSettled,
    BaselineAccepted, TargetChanged."""
    baseline_hash: str | None = None
    former_baseline: str = ""
    """What the baseline was and since when; sets apart two moves between the same lists."""
    tool_count: int = 0


def drift_event(transition: Transition, before: DriftVerdict, diff: Diff | None) -> Event | None:
    """Return the Event for a list that changed or a baseline that moved."""
    if transition.baseline_moved is not None:
        return _baseline_event(transition)
    if transition.from_hash == transition.to_hash or diff is None:
        return None
    identity = (transition.from_hash or "", transition.to_hash or "", str(transition.number))
    if diff.verdict in DRIFT_EVENTS:
        reason, kind = DRIFT_EVENTS[diff.verdict]
        return Event(reason, kind, "Compare", _note(diff), identity)
    if before in (DriftVerdict.BREAKING, DriftVerdict.ADVISORY, DriftVerdict.COMPATIBLE):
        note = f"the server reports {transition.to_hash}: no drift against the baseline any more"
        return Event("DriftResolved", "Normal", "Compare", note, identity)
    return None


def _baseline_event(transition: Transition) -> Event:
    reason, hash_ = str(transition.baseline_moved), transition.baseline_hash
    note = {
        "BaselineEstablished": f"first tool list: {transition.tool_count} tools, {hash_}",
        "BaselineSettled": f"{hash_} is the baseline now: its drift did not break and stayed for "
        "driftPolicy.settleAfter",
        "BaselineAccepted": f"{hash_} was accepted as the baseline",
        "TargetChanged": f"another target is looked at: its list {hash_} "
        f"({transition.tool_count} tools) is the new baseline",
    }[reason]
    return Event(
        reason,
        "Normal",
        "SetBaseline",
        note,
        (transition.former_baseline, hash_ or "", str(transition.number)),
    )


def pin_event(
    pinned: str, diff: Diff | None, missing: SnapshotError | None, *, reported: str, generation: int
) -> Event | None:
    """Return the Event for a pin that was set or moved: what it means for the list reported now."""
    identity = (pinned, reported, str(generation))
    if missing is not None:
        reason = "SnapshotCorrupt" if missing.reason == "SnapshotCorrupt" else "PinMissing"
        return Event(
            reason,
            "Warning",
            "Pin",
            clean(missing.message, characters=NOTE_BYTES, octets=NOTE_BYTES),
            identity,
        )
    if diff is None:
        return None
    if diff.verdict in DRIFT_EVENTS:
        reason, kind = DRIFT_EVENTS[diff.verdict]
        return Event(reason, kind, "Compare", _note(diff), identity)
    return Event(
        "PinMatched", "Normal", "Pin", f"the server reports the pinned list {pinned}", identity
    )


def reachability_event(
    before: Condition | None, fault: Fault | None, generation: int
) -> Event | None:
    """Return the Event for a server that was lost or came back."""
    lost = before is not None and before.status == ConditionStatus.FALSE
    since = (
        before.last_transition_time.isoformat()
        if before is not None
        else f"generation {generation}"
    )
    if fault is not None and not lost:
        note = clean(f"{fault.reason}: {fault.message}", characters=NOTE_BYTES, octets=NOTE_BYTES)
        return Event("Unreachable", "Warning", "Fetch", note, (since,))
    if fault is None and lost:
        return Event("Recovered", "Normal", "Fetch", "the tool list can be read again", (since,))
    return None


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
