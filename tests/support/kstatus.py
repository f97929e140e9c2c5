"""What Flux, Argo CD's health and other tools conclude from conditions: the generic rules of
kstatus.

After sigs.k8s.io/cli-utils/pkg/kstatus/status, for resources that it does not know by name.
"""

from typing import Any

__all__ = ["kstatus"]


def kstatus(resource: dict[str, Any]) -> str:
    """Return `InProgress`, `Failed`, `Terminating` or `Current`."""
    metadata, status = resource["metadata"], resource.get("status") or {}
    if metadata.get("deletionTimestamp"):
        return "Terminating"
    observed = status.get("observedGeneration")
    if observed is not None and observed != metadata.get("generation"):
        return "InProgress"
    conditions = {
        condition["type"]: condition["status"] for condition in status.get("conditions") or ()
    }
    if conditions.get("Reconciling") == "True":
        return "InProgress"
    if conditions.get("Stalled") == "True":
        return "Failed"
    if conditions.get("Ready") in ("False", "Unknown"):
        return "InProgress"
    return "Current"
