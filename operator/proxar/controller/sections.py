"""The sections of a status, each a function of the evidence and of what was decided before it."""

from proxar.api import (
    MAX_CHANGES,
    MAX_FINDINGS,
    Baseline,
    Change,
    ConditionReason,
    ConditionStatus,
    ConfigMapRef,
    Drift,
    DriftVerdict,
    EndpointStatus,
    HistoryEntry,
    Lint,
    LintFinding,
    Pin,
    PinSource,
    ServerInfo,
    Snapshot,
)
from proxar.api.managers import pin_manager
from proxar.contract import Diff, Verdict
from proxar.contract.lint import Severity, lint
from proxar.controller.baseline import settle_time
from proxar.controller.evidence import Evidence
from proxar.controller.observation import Fault, Held, Look
from proxar.fetch import Fetched
from proxar.kube.snapshots import snapshot_name
from proxar.kube.text import clean

__all__ = [
    "drift_of",
    "endpoints_of",
    "handled_request",
    "history_of",
    "lint_of",
    "pin_of",
    "snapshot_of",
]

# Lengths are the CRD's.
NAME_CHARACTERS = 256
PATH_CHARACTERS = 1024
MESSAGE_CHARACTERS = 1024
VERSION_CHARACTERS = 32


def snapshot_of(evidence: Evidence) -> Snapshot | None:
    """The last list that counted, this look included."""
    before, look, now = evidence.server.status.snapshot, evidence.look, evidence.seen.now
    if look is None:
        return before
    hash_ = look.tools.hash
    same = before is not None and before.hash == hash_
    return Snapshot(
        hash=hash_,
        config_map_ref=ConfigMapRef(name=snapshot_name(evidence.server.metadata.name, hash_)),
        tool_count=len(look.tools.tools),
        protocol_version=_version(look.protocol_version),
        server_info=ServerInfo(
            name=clean(look.server_name or "", characters=NAME_CHARACTERS),
            version=clean(look.server_version or "", characters=NAME_CHARACTERS),
        ),
        first_seen_time=before.first_seen_time if before is not None and same else now,
        last_seen_time=now,
    )


def history_of(evidence: Evidence, snapshot: Snapshot | None) -> tuple[HistoryEntry, ...]:
    """Newest first; a list that comes back is a new entry."""
    status, limit = evidence.server.status, evidence.server.spec.history_limit
    if snapshot is None or not snapshot.hash or evidence.look is None:
        return status.history[:limit]
    entry = HistoryEntry(
        hash=snapshot.hash,
        config_map_ref=snapshot.config_map_ref,
        tool_count=snapshot.tool_count,
        first_seen_time=snapshot.first_seen_time,
        last_seen_time=snapshot.last_seen_time,
    )
    same = status.snapshot is not None and status.snapshot.hash == snapshot.hash
    return (entry, *status.history[same:])[:limit]


def pin_of(evidence: Evidence) -> Pin | None:
    """The pin as it is taken up."""
    pinned, before = evidence.server.spec.pinned_hash, evidence.server.status.pin
    if pinned is None:
        return None
    same = before is not None and before.hash == pinned and before.set_time is not None
    return Pin(
        hash=pinned,
        source=PinSource.MISSING if evidence.missing_pin else PinSource.OBSERVED,
        manager=clean(pin_manager(evidence.server.metadata) or "", characters=NAME_CHARACTERS)
        or None,
        set_time=before.set_time if before is not None and same else evidence.seen.now,
    )


def drift_of(
    evidence: Evidence, baseline: Baseline | None, snapshot: Snapshot | None, diff: Diff | None
) -> Drift | None:
    """What changed since the baseline; what was known before where it cannot be compared."""
    before = evidence.server.status.drift
    if baseline is None or snapshot is None:
        return None
    if diff is None:
        # Nor does it settle; a settle time that passes would hurry the looks for ever.
        return before.model_copy(update={"settle_time": None}) if before is not None else None
    verdict = DriftVerdict(diff.verdict.value.capitalize())
    told = [change for change in diff.changes if change.verdict > Verdict.COSMETIC]
    since = before.first_seen_time if before is not None else None
    settles = settle_time(evidence.server, baseline, snapshot, evidence.diff_between)
    return Drift(
        verdict=verdict,
        breaking=diff.summary["breaking"],
        advisory=diff.summary["advisory"],
        compatible=diff.summary["compatible"],
        omitted=max(0, len(told) - MAX_CHANGES),
        first_seen_time=None if verdict is DriftVerdict.NONE else since or evidence.seen.now,
        settle_time=None if evidence.is_flapping else settles,
        changes=tuple(
            Change(
                tool=clean(change.tool, characters=NAME_CHARACTERS),
                path=clean(change.path, characters=PATH_CHARACTERS),
                rule=change.rule,
                verdict=change.verdict.value.capitalize(),
                message=clean(change.message, characters=MESSAGE_CHARACTERS),
                fingerprint=change.fingerprint,
                overridden_by=change.overridden_by,
            )
            for change in told[:MAX_CHANGES]
        ),
    )


def endpoints_of(evidence: Evidence) -> tuple[EndpointStatus, ...]:
    """How the last look at each endpoint went, in the order of the spec."""
    return tuple(
        _endpoint_of(evidence, endpoint.name) for endpoint in evidence.server.spec.endpoints
    )


def _endpoint_of(evidence: Evidence, name: str) -> EndpointStatus:
    server = evidence.server
    known = {endpoint.name: endpoint for endpoint in server.status.endpoints}
    before = known.get(name, EndpointStatus(name=name))
    look, fault = _found(evidence, name)
    if fault is not None:
        handled = server.metadata.generation == server.status.observed_generation
        # As in conditions: the words of an unchanged fault stay as they were first put.
        again = handled and before.reason == fault.reason and not fault.is_of_a_secret
        message = clean(fault.message, characters=MESSAGE_CHARACTERS)
        told = {
            "reachable": ConditionStatus.FALSE,
            "reason": fault.reason,
            "message": before.message if again else message,
        }
        return before.model_copy(update=told)
    if look is None:
        return before
    # The hash of a list that does not stand still would cost a write at each look.
    is_flapping = name in evidence.seen.flapping and name != server.spec.endpoint.name
    return EndpointStatus(
        name=name,
        reachable=ConditionStatus.TRUE,
        reason=ConditionReason.FETCHED,
        hash=before.hash if is_flapping and before.hash else look.tools.hash,
        protocol_version=_version(look.protocol_version),
        transport=look.transport,
        last_success_time=evidence.seen.now,
    )


def _found(evidence: Evidence, name: str) -> tuple[Fetched | None, Fault | None]:
    """What the look at one endpoint gave: a list that counts, or a fault, or nothing new."""
    if name == evidence.server.spec.endpoint.name:
        return evidence.look, evidence.fault
    other = evidence.seen.others.get(name)
    match other.found if other is not None else None:
        case Look(fetched):
            return fetched, None
        case Fault() as fault:
            return None, fault
        case Held(fault=fault):
            return None, fault
    return None, None


def lint_of(evidence: Evidence, snapshot: Snapshot | None) -> Lint | None:
    """What is wrong with the current list by itself; looked for once a list, since it is one's own.

    Advisory only: a mistake that was always there is no drift, and nobody is paged for it.
    """
    before, look = evidence.server.status, evidence.look
    if look is None or snapshot is None:
        return before.lint
    if before.lint is not None and before.snapshot and before.snapshot.hash == snapshot.hash:
        return before.lint
    found = sorted(lint(look.tools), key=lambda finding: finding.severity is not Severity.ERROR)
    errors = sum(finding.severity is Severity.ERROR for finding in found)
    return Lint(
        errors=errors,
        warnings=len(found) - errors,
        findings=tuple(
            LintFinding(
                tool=clean(finding.tool, characters=NAME_CHARACTERS) or None,
                path=clean(finding.path, characters=PATH_CHARACTERS),
                rule=finding.rule,
                severity=finding.severity.value.capitalize(),
                message=clean(finding.message, characters=MESSAGE_CHARACTERS),
            )
            for finding in found[:MAX_FINDINGS]
        ),
    )


def handled_request(evidence: Evidence) -> str | None:
    """The request for a look that was answered last, by this one or before."""
    before = evidence.server.status.last_handled_reconcile_at
    return before if evidence.seen.found is None else evidence.seen.requested or before


def _version(protocol_version: str | None) -> str | None:
    return clean(protocol_version or "", characters=VERSION_CHARACTERS) or None
