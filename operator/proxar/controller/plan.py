"""All decisions of the reconcile, as one pure function: what was seen in, what is to be written
out.

    object + status as stored ─┐
    what this look gave        ├─> plan ─> snapshot to store, Events, status, what to keep,
    stored lists, memory, now ─┘           when to look again

The same input gives the same plan, so an operator that was killed half-way plans the same Events
and names again.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial

from proxar.api import (
    MAX_CHANGES,
    Baseline,
    Change,
    Condition,
    ConditionStatus,
    ConditionType,
    ConfigMapRef,
    Drift,
    DriftVerdict,
    EndpointStatus,
    HistoryEntry,
    MCPServer,
    Pin,
    PinSource,
    ServerInfo,
    Snapshot,
    Status,
)
from proxar.contract import Diff, ToolList, Verdict
from proxar.contract import compare as compare_lists
from proxar.controller import baseline as baselines
from proxar.controller import conditions
from proxar.controller.announce import Transition, drift_event, pin_event, reachability_event
from proxar.controller.observation import RECHECK, Fault, Held, Look
from proxar.errors import SnapshotError
from proxar.fetch import Fetched
from proxar.kube.events import Event
from proxar.kube.snapshots import snapshot_name
from proxar.kube.text import clean

__all__ = ["HEARTBEAT", "Plan", "Seen", "Stored", "begin", "plan"]

HEARTBEAT = timedelta(minutes=15)
"""How old `lastSeenTime` may grow before a write only to move it.

2,000 servers polled every minute would otherwise be 33 writes a second to etcd, for a time that the
metrics have anyway.
"""

MAX_RETRY_AFTER = timedelta(hours=1)
"""As long as a server may ask for patience; a longer wish would look like a suspended server."""

Stored = Mapping[str, ToolList | SnapshotError | None]
"""Tool lists by hash as read from the store; `None` is one that was looked for and is missing."""

NO_DIFF = compare_lists(ToolList.of(()), ToolList.of(()))


@dataclass(frozen=True, slots=True)
class Seen:
    """Everything gathered for one plan besides the object itself."""

    found: Look | Fault | Held | None
    """What the look gave; `None` when there was none (suspended)."""
    stored: Stored
    now: datetime
    requested: str | None = None
    """The reconcile annotation as it stood before the look began: what this look answers."""
    store_error: SnapshotError | None = None
    """Storing this look's list was refused: nothing may move to it."""
    compare: Callable[[ToolList, ToolList], Diff] = compare_lists


@dataclass(frozen=True, slots=True)
class Plan:
    """What to write, in the order of its fields, and when to look again."""

    store: Fetched | None
    events: tuple[Event, ...]
    status: Status
    write: bool
    """Whether anything but times differs from the stored status, or the heartbeat is due."""
    keep: frozenset[str]
    """Hashes whose snapshots must stay."""
    diff: Diff | None
    """The drift in full; status holds the first of it."""
    transition: bool
    """Whether this look is a drift transition, for the counter."""
    requeue_after: timedelta | None
    """`None`: nothing to come back for."""


def begin(server: MCPServer, requested: str | None, now: datetime) -> Status | None:
    """The status to write before a look that answers a new generation or request; `None` when there
    is nothing to say."""
    said = conditions.reconciling(server, requested)
    if said is None or server.status.condition(ConditionType.RECONCILING) is not None:
        return None
    before = server.status.conditions
    generation = server.metadata.generation
    fresh = [said]
    if server.status.condition(ConditionType.READY) is None:
        fresh.insert(0, conditions.ready(tool_count=None, fault=None, store_error=None))
    added = conditions.merged(fresh, before, generation=generation, now=now)
    return server.status.model_copy(update={"conditions": (*before, *added)})


def plan(server: MCPServer, seen: Seen) -> Plan:
    """Decide everything about one server after one look."""
    if isinstance(seen.found, Held) and seen.found.fault is None:
        wait = min(server.spec.interval, RECHECK)
        return Plan(
            None,
            (),
            server.status,
            write=False,
            keep=frozenset(),
            diff=None,
            transition=False,
            requeue_after=wait,
        )
    return _Planner(server, seen).plan()


@dataclass
class _Planner:
    """One planning, step by step; each step reads what the ones before it decided."""

    server: MCPServer
    seen: Seen
    look: Fetched | None = None
    fault: Fault | None = None
    lists: dict[str, ToolList] = field(default_factory=dict)

    def plan(self) -> Plan:
        server, seen = self.server, self.seen
        spec, status = server.spec, server.status
        self._gather()
        snapshot, changed = self._snapshot()
        decision = baselines.decide(
            server,
            snapshot,
            looked=self.look is not None,
            lists=self.lists,
            diff_between=self._diff_between,
            now=seen.now,
        )
        baseline = decision.baseline
        diff = self._diff_between(baseline.hash, snapshot.hash) if baseline and snapshot else None
        missing = self._pin_missing()
        # A new target's list is not drift of the old one, and the very first list is not a change.
        transition = changed and status.snapshot is not None and decision.moved != "TargetChanged"
        number = status.transitions + transition
        events = self._events(decision, snapshot, number, diff, missing)
        drift = self._drift(baseline, snapshot, diff)
        handled = server.metadata.generation
        new = Status(
            observed_generation=handled,
            last_handled_reconcile_at=self._handled_request(),
            last_handled_accepted_hash=decision.accepted,
            snapshot=snapshot,
            baseline=baseline,
            pin=self._pin(missing),
            drift=drift,
            endpoints=(self._endpoint(),),
            transitions=number,
            history=self._history(snapshot, changed),
            conditions=self._conditions(snapshot, baseline, drift, diff, missing),
        )
        due = self._heartbeat_due()
        write = due or _without_times(new) != _without_times(status)
        return Plan(
            store=self.look if changed or self._lost(snapshot) else None,
            events=events,
            status=new,
            write=write,
            keep=self._keep(new, spec.pinned_hash),
            diff=diff,
            transition=transition,
            requeue_after=self._requeue_after(drift),
        )

    def _gather(self) -> None:
        found = self.seen.found
        if isinstance(found, Held):
            self.fault = found.fault
        elif isinstance(found, Fault):
            self.fault = found
        elif isinstance(found, Look) and self.seen.store_error is None:
            self.look = found.fetched
        self.lists = {
            hash_: tools for hash_, tools in self.seen.stored.items() if isinstance(tools, ToolList)
        }
        if self.look is not None:
            self.lists[self.look.tools.hash] = self.look.tools

    def _diff_between(self, before: str | None, after: str | None) -> Diff | None:
        if before is None or after is None:
            return None
        if before == after:
            return NO_DIFF
        if before not in self.lists or after not in self.lists:
            return None
        return self.seen.compare(self.lists[before], self.lists[after])

    def _snapshot(self) -> tuple[Snapshot | None, bool]:
        before, look, now = self.server.status.snapshot, self.look, self.seen.now
        if look is None:
            return before, False
        tools = look.tools
        changed = before is None or before.hash != tools.hash
        first_seen = now if before is None or changed else before.first_seen_time
        cut = partial(clean, characters=256)
        return Snapshot(
            hash=tools.hash,
            config_map_ref=ConfigMapRef(name=snapshot_name(self.server.metadata.name, tools.hash)),
            tool_count=len(tools.tools),
            protocol_version=clean(look.protocol_version or "", characters=32) or None,
            server_info=ServerInfo(
                name=cut(look.server_name or ""), version=cut(look.server_version or "")
            ),
            first_seen_time=first_seen,
            last_seen_time=now,
        ), changed

    def _lost(self, snapshot: Snapshot | None) -> bool:
        """Whether the list at hand was looked for in the store and is gone: it is stored again."""
        stored = self.seen.stored
        looked_for = self.look is not None and snapshot is not None and snapshot.hash in stored
        return (
            looked_for
            and snapshot is not None
            and not isinstance(stored[snapshot.hash or ""], ToolList)
        )

    def _pin_missing(self) -> SnapshotError | None:
        pinned = self.server.spec.pinned_hash
        if pinned is None or pinned in self.lists:
            return None
        found = self.seen.stored.get(pinned)
        if isinstance(found, SnapshotError) and found.reason == "SnapshotCorrupt":
            return found
        return SnapshotError(
            "PinnedSnapshotMissing",
            f"spec.pinnedHash {pinned}: no snapshot of that hash is stored; pin a hash of "
            "status.history (proxar status), or wait until the server reports that list",
        )

    def _pin(self, missing: SnapshotError | None) -> Pin | None:
        pinned, before = self.server.spec.pinned_hash, self.server.status.pin
        if pinned is None:
            return None
        unmoved = before is not None and before.hash == pinned and before.set_time is not None
        return Pin(
            hash=pinned,
            source=PinSource.MISSING if missing else PinSource.OBSERVED,
            set_time=before.set_time if before is not None and unmoved else self.seen.now,
        )

    def _drift(
        self, baseline: Baseline | None, snapshot: Snapshot | None, diff: Diff | None
    ) -> Drift | None:
        before, now = self.server.status.drift, self.seen.now
        if baseline is None or snapshot is None:
            return None
        if diff is None:
            return before  # one of the two lists is gone: what was known is better than "no drift"
        verdict = DriftVerdict(diff.verdict.value.capitalize())
        told = [change for change in diff.changes if change.verdict > Verdict.COSMETIC]
        continued = (
            before is not None
            and before.first_seen_time is not None
            and before.verdict not in (None, DriftVerdict.NONE)
        )
        first_seen = before.first_seen_time if before is not None and continued else now
        return Drift(
            verdict=verdict,
            breaking=diff.summary["breaking"],
            advisory=diff.summary["advisory"],
            compatible=diff.summary["compatible"],
            omitted=max(0, len(told) - MAX_CHANGES),
            first_seen_time=None if verdict is DriftVerdict.NONE else first_seen,
            settle_time=baselines.settle_time(self.server, baseline, snapshot, self._diff_between),
            changes=tuple(
                Change(
                    tool=clean(change.tool, characters=256),
                    path=clean(change.path, characters=1024),
                    rule=change.rule,
                    verdict=change.verdict.value.capitalize(),
                    message=clean(change.message, characters=1024),
                    fingerprint=change.fingerprint,
                )
                for change in told[:MAX_CHANGES]
            ),
        )

    def _events(
        self,
        decision: baselines.Decision,
        snapshot: Snapshot | None,
        number: int,
        diff: Diff | None,
        missing: SnapshotError | None,
    ) -> tuple[Event, ...]:
        status, spec = self.server.status, self.server.spec
        generation = self.server.metadata.generation
        events: list[Event | None] = []
        if self.look is not None or self.fault is not None:
            events.append(
                reachability_event(
                    status.condition(ConditionType.REACHABLE), self.fault, generation
                )
            )
        former, reported = status.baseline, snapshot.hash if snapshot else None
        transition = Transition(
            number=number,
            from_hash=status.snapshot.hash if status.snapshot else None,
            to_hash=reported,
            baseline_moved=decision.moved,
            baseline_hash=decision.baseline.hash if decision.baseline else None,
            former_baseline=f"{former.hash} {former.since_time}" if former else "",
            tool_count=(snapshot.tool_count or 0) if snapshot else 0,
        )
        before = DriftVerdict(status.drift.verdict or "None") if status.drift else DriftVerdict.NONE
        told = drift_event(transition, before, diff) if snapshot else None
        if told is None and spec.pinned_hash and self._pin_moved(missing):
            told = pin_event(
                spec.pinned_hash, diff, missing, reported=reported or "", generation=generation
            )
        events.append(told)
        return tuple(event for event in events if event is not None)

    def _pin_moved(self, missing: SnapshotError | None) -> bool:
        before, pinned = self.server.status.pin, self.server.spec.pinned_hash
        source = PinSource.MISSING if missing else PinSource.OBSERVED
        return before is None or before.hash != pinned or before.source != source

    def _endpoint(self) -> EndpointStatus:
        name = self.server.spec.endpoint.name
        before = next(
            (item for item in self.server.status.endpoints if item.name == name),
            EndpointStatus(name=name),
        )
        if self.fault is not None:
            same = before.reason == self.fault.reason and self.server.metadata.generation == (
                self.server.status.observed_generation
            )
            message = before.message if same else clean(self.fault.message, characters=1024)
            return before.model_copy(
                update={
                    "reachable": ConditionStatus.FALSE,
                    "reason": self.fault.reason,
                    "message": message,
                }
            )
        if self.look is None:
            return before
        return EndpointStatus(
            name=name,
            reachable=ConditionStatus.TRUE,
            reason="Fetched",
            hash=self.look.tools.hash,
            protocol_version=clean(self.look.protocol_version or "", characters=32) or None,
            transport=self.look.transport,
            last_success_time=self.seen.now,
        )

    def _history(self, snapshot: Snapshot | None, changed: bool) -> tuple[HistoryEntry, ...]:
        before = self.server.status.history
        if snapshot is None or not snapshot.hash or self.look is None:
            return before[: self.server.spec.history_limit]
        entry = HistoryEntry(
            hash=snapshot.hash,
            config_map_ref=snapshot.config_map_ref,
            tool_count=snapshot.tool_count,
            first_seen_time=snapshot.first_seen_time,
            last_seen_time=snapshot.last_seen_time,
        )
        older = before if changed else before[1:]
        return (entry, *older)[: self.server.spec.history_limit]

    def _handled_request(self) -> str | None:
        before = self.server.status.last_handled_reconcile_at
        return before if self.seen.found is None else self.seen.requested or before

    def _conditions(
        self,
        snapshot: Snapshot | None,
        baseline: Baseline | None,
        drift: Drift | None,
        diff: Diff | None,
        missing: SnapshotError | None,
    ) -> tuple[Condition, ...]:
        server, spec = self.server, self.server.spec
        before = {condition.type: condition for condition in server.status.conditions}
        said: list[conditions.Said] = []
        kept: list[Condition] = []
        unjudged = self.seen.found is None
        if unjudged and ConditionType.READY in before:
            kept += [
                before[kind]
                for kind in (ConditionType.READY, ConditionType.STALLED)
                if kind in before
            ]
        else:
            tools = snapshot.tool_count or 0 if snapshot else None
            said.append(
                conditions.ready(
                    tool_count=tools,
                    fault=self.fault,
                    store_error=self.seen.store_error,
                    drift=drift,
                )
            )
            said += [item for item in (conditions.stalled(self.fault),) if item]
        if self.fault is not None or self.look is not None:
            endpoint = self._endpoint()
            said.append(
                conditions.reachable(
                    self.fault,
                    transport=endpoint.transport or "",
                    protocol=endpoint.protocol_version or "unknown",
                )
            )
        elif ConditionType.REACHABLE in before:
            kept.append(before[ConditionType.REACHABLE])
        if diff is None and baseline is not None and snapshot is not None:
            said.append(conditions.incomparable(baseline.hash or ""))
        elif drift is not None and baseline is not None:
            against = f"the {'pin' if baseline.source == 'Pinned' else 'baseline'} {baseline.hash}"
            said.append(conditions.schema_compatible(drift, against))
        if spec.pinned_hash:
            reported = snapshot.hash if snapshot else None
            judged = drift if diff is not None else None
            said.append(
                conditions.pin_matched(
                    spec.pinned_hash, reported=reported, drift=judged, missing=missing
                )
            )
        generation = server.metadata.generation
        made = conditions.merged(said, before.values(), generation=generation, now=self.seen.now)
        carried = tuple(
            item.model_copy(update={"observed_generation": generation}) for item in kept
        )
        return tuple(sorted((*made, *carried), key=lambda item: _ORDER.index(item.type)))

    def _heartbeat_due(self) -> bool:
        snapshot = self.server.status.snapshot
        if self.look is None or snapshot is None or snapshot.last_seen_time is None:
            return False
        # Up to a fifth longer, different for each server, so that a fleet that started together
        # does not write together.
        jitter = int(self.server.spec.target_digest[:4], 16) / 0xFFFF / 5
        return self.seen.now - snapshot.last_seen_time >= HEARTBEAT * (1 + jitter)

    def _keep(self, status: Status, pinned: str | None) -> frozenset[str]:
        hashes = {
            pinned,
            status.last_handled_accepted_hash,
            *(entry.hash for entry in status.history),
        }
        hashes |= {
            section.hash for section in (status.snapshot, status.baseline) if section is not None
        }
        return frozenset(hash_ for hash_ in hashes if hash_)

    def _requeue_after(self, drift: Drift | None) -> timedelta | None:
        spec = self.server.spec
        if spec.suspend:
            return None
        wait = spec.interval
        if self.fault is not None and self.fault.retry_after is not None:
            wait = max(wait, min(timedelta(seconds=self.fault.retry_after), MAX_RETRY_AFTER))
        elif drift is not None and drift.settle_time is not None:
            wait = min(wait, max(drift.settle_time - self.seen.now, timedelta(seconds=1)))
        return wait


_ORDER = tuple(ConditionType)


def _without_times(status: Status) -> Status:
    """What counts as content: a look that found the same again moves only these, and is not
    written."""
    update: dict[str, object] = {
        "endpoints": tuple(
            item.model_copy(update={"last_success_time": None}) for item in status.endpoints
        ),
        "history": tuple(
            item.model_copy(update={"last_seen_time": None}) for item in status.history
        ),
    }
    if status.snapshot is not None:
        update["snapshot"] = status.snapshot.model_copy(update={"last_seen_time": None})
    return status.model_copy(update=update)
