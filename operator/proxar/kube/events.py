"""Events of `events.k8s.io/v1`, each sent once however often the operator is killed on the way.

The name is computed from what the Event reports, so a repeated POST answers 409: already sent.
"""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from proxar.api import API_VERSION, KIND
from proxar.errors import Conflict
from proxar.kube.client import KubeClient, path_of
from proxar.kube.snapshots import Owner

__all__ = ["Event", "event_manifest", "send"]

NOTE_BYTES = 1024
"""The API server counts bytes, not characters: 600 times "é" is refused."""

INSTANCE_CHARACTERS = 128
"""As much as the API server takes; a pod's name may have twice that."""

CONTROLLER = "proxar.dev/operator"


@dataclass(frozen=True, slots=True)
class Event:
    """One transition worth telling a person."""

    reason: str
    type: Literal["Normal", "Warning"]
    action: str
    """What Proxar did, in UpperCamelCase; the API requires it."""
    note: str
    """At most 1,024 bytes, cleaned."""
    identity: tuple[str, ...]
    """What makes this transition this one and no other: from-hash, to-hash, transition number, and
    the like."""


def event_manifest(owner: Owner, event: Event, now: datetime, instance: str) -> dict[str, Any]:
    """The object to POST."""
    digest = hashlib.sha256(
        "\0".join((owner.uid, event.reason, *event.identity)).encode()
    ).hexdigest()
    # A MicroTime of zero microseconds is a 400 through clients that drop the fraction; isoformat
    # can be told to keep it.
    moment = now.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    return {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {"name": f"{owner.name}.{digest[:32]}", "namespace": owner.namespace},
        "eventTime": moment,
        "reportingController": CONTROLLER,
        "reportingInstance": instance[:INSTANCE_CHARACTERS],
        "action": event.action,
        "reason": event.reason,
        "type": event.type,
        "note": event.note,
        "regarding": {
            "apiVersion": API_VERSION,
            "kind": KIND,
            "namespace": owner.namespace,
            "name": owner.name,
            "uid": owner.uid,
        },
    }


async def send(client: KubeClient, manifest: dict[str, Any]) -> bool:
    """POST an Event; `False` when it had been sent before.

    Raises:
        KubernetesError: The API server refused it.
    """
    path = path_of("events.k8s.io/v1", "events", manifest["metadata"]["namespace"])
    try:
        await client.request("POST", path, body=manifest)
    except Conflict:
        return False
    return True
