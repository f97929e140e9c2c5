"""Whether all looks at a server give the same list: from endpoint to endpoint, and from one moment
to the next.

Every endpoint is compared with the reference. One that cannot be looked at is no difference: what
it last reported stands, and it is said that it could not be looked at. Lists whose hashes differ
but whose comparison finds nothing above cosmetic, in both directions, agree, as they do for a pin;
so do those that differ only in what the drift policy ignores. Anything else is a difference,
compatible or not, since what is compatible from here to there is breaking on the way back.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from proxar.api import Condition, ConditionReason, ConditionStatus, ConditionType, Snapshot
from proxar.contract import Change, Verdict
from proxar.controller.conditions import Said
from proxar.controller.evidence import Evidence, Other
from proxar.controller.observation import Held, Look
from proxar.kube.text import clean

__all__ = ["consistent", "flapping_of"]

CHANGE_CHARACTERS = 300
"""Of the first difference of one endpoint."""

DETAILED = 3
"""Endpoints whose first difference is told; the others that differ are named."""

SHOWN_OF_OTHERS = 2
"""Hashes told of a flapping endpoint that is not the reference: there may be fifteen."""

HASH = re.compile("sha256:[0-9a-f]{64}")
SENTENCE = re.compile(
    r"(?:endpoint (?P<name>[a-z0-9-]+): )?the tool list "
    r"(?:alternates between|keeps changing, among) "
    rf"(?P<hashes>{HASH.pattern}(?:(?:, | and ){HASH.pattern})*)"
)


def consistent(evidence: Evidence, snapshot: Snapshot | None) -> Said | None:
    """The condition Consistent; `None` where there is nothing to be consistent with."""
    flapping = evidence.seen.flapping
    if flapping:
        sentences = (
            *_flapping_sentences(evidence),
            *_judged_by(evidence, snapshot),
            *_differing_besides(evidence, snapshot),
        )
        message = "; ".join(sentences)
        return Said(
            ConditionType.CONSISTENT, ConditionStatus.FALSE, ConditionReason.FLAPPING, message
        )
    if len(evidence.server.spec.endpoints) == 1:
        return None
    return _compared([_standing(evidence, snapshot, name) for name in _others(evidence)], evidence)


def flapping_of(condition: Condition | None) -> Mapping[str, tuple[str, ...]]:
    """Among which lists each endpoint flapped when this condition was written, `""` standing for
    the only one: the message is where that outlives a restart."""
    if condition is None or condition.reason != ConditionReason.FLAPPING:
        return {}
    return {
        found["name"] or "": tuple(HASH.findall(found["hashes"]))
        for found in SENTENCE.finditer(condition.message)
    }


def _flapping_sentences(evidence: Evidence) -> Iterator[str]:
    spec = evidence.server.spec
    for endpoint in spec.endpoints:
        hashes = evidence.seen.flapping.get(endpoint.name, ())
        if not hashes:
            continue
        if endpoint.name != spec.endpoint.name:
            hashes = hashes[:SHOWN_OF_OTHERS]
        of = f"endpoint {endpoint.name}: " if len(spec.endpoints) > 1 else ""
        *most, last = hashes
        among = f"{', '.join(most)} and {last}" if most else last
        how = "alternates between" if len(hashes) == 2 else "keeps changing, among"
        yield f"{of}the tool list {how} {among}"


def _judged_by(evidence: Evidence, snapshot: Snapshot | None) -> Iterator[str]:
    if not evidence.is_flapping:
        return
    if snapshot is not None and snapshot.hash:
        yield f"drift is that of the worst list seen, {snapshot.hash}, until they stand still"
    yield "do replicas behind one address differ, or does a description hold a time?"


def _differing_besides(evidence: Evidence, snapshot: Snapshot | None) -> Iterator[str]:
    """Endpoints that stand still, but differ from a reference that does."""
    if evidence.is_flapping:
        return
    still = [name for name in _others(evidence) if name not in evidence.seen.flapping]
    standings = [_standing(evidence, snapshot, name) for name in still]
    differ = [standing.name for standing in standings if standing.agrees is False]
    if differ:
        yield f"besides, {', '.join(differ)} lists other tools than the reference"


@dataclass(frozen=True, slots=True)
class Standing:
    """How one endpoint compares with the reference."""

    name: str
    agrees: bool | None
    """`None`: nobody knows yet."""
    verdict: Verdict | None = None
    first: Change | None = None
    is_reached: bool = True


def _others(evidence: Evidence) -> list[str]:
    return [endpoint.name for endpoint in evidence.server.spec.endpoints[1:]]


def _standing(evidence: Evidence, snapshot: Snapshot | None, name: str) -> Standing:
    other = evidence.seen.others.get(name, Other(None, None))
    is_reached = _answered(other)
    reference = evidence.lists.get(snapshot.hash) if snapshot and snapshot.hash else None
    if snapshot is None:
        return Standing(name, None, is_reached=is_reached)
    if other.tools is not None and reference is not None:
        diff = evidence.judged(reference, other.tools)
        back = evidence.judged(other.tools, reference)
        if max(diff.verdict, back.verdict) <= Verdict.COSMETIC:
            return Standing(name, True, diff.verdict, is_reached=is_reached)
        # As seen from the reference: what the other one has besides is added there.
        told = diff if diff.verdict > Verdict.COSMETIC else back
        return Standing(name, False, diff.verdict, next(iter(told.changes), None), is_reached)
    known = {endpoint.name: endpoint.hash for endpoint in evidence.server.status.endpoints}
    if known.get(name) is not None and known[name] == snapshot.hash:
        return Standing(name, True, is_reached=is_reached)
    # The list that it last reported is not at hand any more, after a restart say. What was known of
    # it stays: a difference does not go because nobody can look.
    before = evidence.server.status.condition(ConditionType.CONSISTENT)
    differed = before is not None and before.reason == ConditionReason.ENDPOINTS_DIFFER
    was_seen = known.get(name) is not None
    return Standing(name, False if was_seen and differed else None, is_reached=is_reached)


def _answered(other: Other) -> bool:
    """Whether the endpoint gave a list, though maybe one that does not count yet."""
    match other.found:
        case Look():
            return True
        case Held(fault=fault):
            return fault is None
    return False


def _compared(standings: list[Standing], evidence: Evidence) -> Said:
    reference = evidence.server.spec.endpoint.name
    unseen = [standing.name for standing in standings if not standing.is_reached]
    more = f"; could not be looked at: {', '.join(unseen)}" if unseen else ""
    differ = [standing for standing in standings if standing.agrees is False]
    if differ:
        told = [_difference(standing) for standing in differ[:DETAILED]]
        told += [standing.name for standing in differ[DETAILED:]]
        message = f"not every endpoint lists what {reference} lists: {'; '.join(told)}{more}"
        return Said(
            ConditionType.CONSISTENT,
            ConditionStatus.FALSE,
            ConditionReason.ENDPOINTS_DIFFER,
            message,
        )
    agree = [standing for standing in standings if standing.agrees]
    if not agree:
        names = ", ".join(standing.name for standing in standings)
        return Said(
            ConditionType.CONSISTENT,
            ConditionStatus.UNKNOWN,
            ConditionReason.NOT_YET_OBSERVED,
            f"nothing to compare yet: {reference} and {names}{more}",
        )
    message = f"{len(agree) + 1} endpoints list the same tools"
    form = [standing.name for standing in agree if standing.verdict is Verdict.COSMETIC]
    if form:
        message += f"; in form only differ: {', '.join(form)}"
    return Said(
        ConditionType.CONSISTENT, ConditionStatus.TRUE, ConditionReason.AGREE, message + more
    )


def _difference(standing: Standing) -> str:
    if standing.first is None:
        return standing.name
    first = standing.first
    told = clean(f"{first.path}: {first.message} ({first.rule})", characters=CHANGE_CHARACTERS)
    return f"{standing.name} ({told})"
