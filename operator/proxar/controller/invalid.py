"""What to say on an object that cannot be worked with: stored before the CRD had today's rules,
say."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from proxar.api import ConditionReason, ConditionStatus, ConditionType, InvalidObject
from proxar.kube.text import clean

__all__ = ["status"]


def status(raw: Mapping[str, Any], error: InvalidObject, now: datetime) -> dict[str, Any] | None:
    """The stored status with Stalled=True added, or `None` when it says so already."""
    before: dict[str, Any] = dict(raw.get("status") or {})
    generation = raw["metadata"].get("generation", 0)
    message = clean(f"{error.field}: {error.message}", characters=1024)
    conditions = {condition["type"]: condition for condition in before.get("conditions") or ()}
    conditions.pop(ConditionType.RECONCILING, None)
    known = conditions.get(ConditionType.STALLED)
    if known and known["message"] == message and before.get("observedGeneration") == generation:
        return None
    moment = now.strftime("%Y-%m-%dT%H:%M:%SZ")
    said = {
        "status": ConditionStatus.TRUE,
        "reason": ConditionReason.INVALID_SPEC,
        "message": message,
        "observedGeneration": generation,
        "lastTransitionTime": moment,
    }
    conditions[ConditionType.STALLED] = {"type": ConditionType.STALLED, **said}
    conditions.setdefault(
        ConditionType.READY,
        {
            "type": ConditionType.READY,
            **said,
            "status": ConditionStatus.UNKNOWN,
            "reason": ConditionReason.NOT_YET_OBSERVED,
        },
    )
    return before | {"observedGeneration": generation, "conditions": list(conditions.values())}
