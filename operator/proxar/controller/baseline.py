"""What drift is measured against, and how that moves.

First seen -> settled or accepted, any number of times; a pin takes its place for as long as it is
there. A list becomes the baseline only by one of these: never because the operator was restarted or
a pin was taken away.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from proxar.api import ACCEPTED_HASH, Baseline, BaselinePolicy, BaselineSource, MCPServer, Snapshot
from proxar.contract import Diff, Verdict
from proxar.controller.evidence import Evidence

__all__ = ["Decision", "decide", "settle_time"]

DiffBetween = Callable[[str | None, str | None], Diff | None]
"""The difference of two lists by hash; `None` when one of them is not at hand."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The baseline from now on."""

    baseline: Baseline | None
    moved: str | None = None
    """The Event reason of the move, or `None` when it stayed or a pin decides."""
    accepted: str | None = None
    """The accept annotation that is settled with this decision."""


def decide(evidence: Evidence, snapshot: Snapshot | None) -> Decision:
    """Return what drift is measured against; `snapshot` is the last list that counted."""
    server, lists, now = evidence.server, evidence.lists, evidence.seen.now
    spec, before = server.spec, server.status.baseline
    # An annotation that was taken away can be set again to the same value.
    accepted = server.metadata.annotations.get(ACCEPTED_HASH)
    handled = server.status.last_handled_accepted_hash if accepted else None

    # The former target's until the new one was seen, whose first list is no drift of the old one.
    former = before.target if before is not None and evidence.look is None else None
    target = former or spec.target_digest

    def moved_to(hash_: str, source: BaselineSource) -> Baseline:
        return Baseline(hash=hash_, source=source, target=target, since_time=now)

    if spec.pinned_hash and spec.pinned_hash in lists:
        if before and before.hash == spec.pinned_hash and before.source == BaselineSource.PINNED:
            return Decision(before.model_copy(update={"target": target}), None, handled)
        return Decision(moved_to(spec.pinned_hash, BaselineSource.PINNED), None, handled)
    if snapshot is None or not snapshot.hash:
        return Decision(before, None, handled)
    if before is None or not before.hash:
        if accepted == snapshot.hash:
            handled = accepted
        return Decision(
            moved_to(snapshot.hash, BaselineSource.FIRST_SEEN), "BaselineEstablished", handled
        )
    if spec.pinned_hash:
        # The pin's list is missing: nothing moves, and the old baseline is better than none.
        return Decision(before, None, handled)
    if evidence.look is not None and before.target not in (None, spec.target_digest):
        # Another server, or another caller, has another list: that is not the vendor's drift. And
        # what was accepted of the former one is not to become the baseline of this one.
        settled = accepted if accepted in lists else handled
        return Decision(
            moved_to(snapshot.hash, BaselineSource.FIRST_SEEN), "TargetChanged", settled
        )
    if accepted and accepted != handled and accepted in lists:
        if accepted == before.hash:
            return Decision(before, None, accepted)
        return Decision(moved_to(accepted, BaselineSource.ACCEPTED), "BaselineAccepted", accepted)
    due = settle_time(server, before, snapshot, evidence.diff_between)
    # A list that comes and goes does not stand, whatever its first seen time says.
    if due is not None and due <= now and not evidence.is_flapping:
        return Decision(moved_to(snapshot.hash, BaselineSource.SETTLED), "BaselineSettled", handled)
    return Decision(before, None, handled)


def settle_time(
    server: MCPServer, baseline: Baseline, snapshot: Snapshot, diff_between: DiffBetween
) -> datetime | None:
    """When the current list becomes the baseline by itself; `None` when it does not.

    Breaking drift never settles: it stays until a person pins or accepts. Neither does what cannot
    be compared.
    """
    policy = server.spec.drift_policy
    if server.spec.pinned_hash or policy.baseline is BaselinePolicy.HOLD:
        return None
    if (
        not baseline.hash
        or not snapshot.hash
        or baseline.hash == snapshot.hash
        or not snapshot.first_seen_time
    ):
        return None
    diff = diff_between(baseline.hash, snapshot.hash)
    if diff is None or diff.verdict is Verdict.BREAKING:
        return None
    return snapshot.first_seen_time + policy.settle_after
