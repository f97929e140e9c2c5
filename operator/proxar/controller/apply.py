"""Writing a plan out, in the order that makes every crash safe.

    snapshots -> Events -> status -> prune

A snapshot exists before a status speaks of it; an Event has a computed name, so sending it again
changes nothing, and is sent before the status that would keep it from being planned again; what
nobody needs is deleted only after the status stopped naming it. Killed between any two steps, the
next run plans the same and redoes what is missing.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from proxar.api import ConditionReason, ConditionStatus, ConditionType, MCPServer
from proxar.controller.plan import Plan
from proxar.errors import KubernetesError
from proxar.kube import events, mcpservers
from proxar.kube.client import KubeClient, is_refusal
from proxar.kube.snapshots import Owner, SnapshotStore

__all__ = ["Application", "Applier"]

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Application:
    """One plan on its way out, onto the object that it was made from."""

    raw: Mapping[str, Any]
    server: MCPServer
    plan: Plan
    applied: dict[str, Any] | None = None
    """The object as the API server returned it after the status write."""
    is_complete: bool = True
    """Whether all of the status was written."""

    @property
    def owner(self) -> Owner:
        """Whom snapshots and Events belong to."""
        metadata = self.server.metadata
        return Owner(metadata.namespace, metadata.name, metadata.uid)


Step = Callable[[Application], Awaitable[None]]


class Applier:
    """The steps, each idempotent. `steps` is public so that tests can die between any two of
    them."""

    def __init__(self, client: KubeClient, store: SnapshotStore, instance: str) -> None:
        self._client = client
        self._store = store
        self._instance = instance
        self._pruned: dict[tuple[str, str], tuple[str, frozenset[str]]] = {}
        """By object what was kept when there was nothing else, and the uid."""
        self.steps: list[Step] = [
            self.store_snapshot,
            self.send_events,
            self.write_status,
            self.prune,
        ]

    async def apply(self, application: Application) -> None:
        """Run the steps.

        Raises:
            SnapshotError: The snapshot could not be stored; nothing after it was done.
            Conflict: The object is not the one that was planned for; plan again.
            KubernetesError: Anything else; what is missing is redone by the next run.
        """
        for step in self.steps:
            await step(application)

    async def store_snapshot(self, application: Application) -> None:
        """Write the tool list that the status will speak of."""
        fetched = application.plan.store
        if fetched is not None:
            self.forget(application.server.key)
            await self._store.write(
                application.owner,
                fetched.tools,
                protocol_version=fetched.protocol_version,
                server_info={
                    "name": fetched.server_name or "",
                    "version": fetched.server_version or "",
                },
            )

    async def send_events(self, application: Application) -> None:
        """Tell of the transition."""
        server = application.server
        for event in application.plan.events:
            manifest = events.event_manifest(
                application.owner, event, datetime.now(UTC), self._instance
            )
            try:
                await events.send(self._client, manifest)
            except KubernetesError as error:
                # Sending it again would not help, and the status says more than the Event.
                if not is_refusal(error):
                    raise
                log.warning("the Event %s of %s/%s: %s", event.reason, *server.key, error)

    async def write_status(self, application: Application) -> None:
        """Apply the status, with the resourceVersion of the object that was planned for."""
        if not application.plan.write:
            return
        status = application.plan.status.to_json()
        try:
            application.applied = await mcpservers.apply_status(
                self._client, application.raw, status
            )
        except KubernetesError as error:
            if "field not declared in schema" not in error.message:
                raise
            application.is_complete = False
            application.applied = await self._write_conditions_only(application, status)

    async def _write_conditions_only(
        self, application: Application, status: dict[str, Any]
    ) -> dict[str, Any]:
        """The installed CRD is older than this operator: say so where any version has room.

        Everything else stays as it is stored. An apply without it would take it away, and with it
        the baseline.
        """
        told = (
            "the installed CRD is older than the operator and lacks a status field; "
            "apply the CRD of this version"
        )
        outdated = {
            "status": ConditionStatus.FALSE,
            "reason": ConditionReason.CRD_OUTDATED,
            "message": told,
        }
        known = application.server.status.condition(ConditionType.READY)
        if known is not None and known.status == ConditionStatus.FALSE:
            # Or each look would seem to be another failure, and cost a write.
            outdated["lastTransitionTime"] = known.to_json()["lastTransitionTime"]
        said = {
            "conditions": [
                condition | (outdated if condition["type"] == ConditionType.READY else {})
                for condition in status["conditions"]
            ]
        }
        said |= {
            key: status[key]
            for key in ("observedGeneration", "lastHandledReconcileAt")
            if key in status
        }
        stored = application.raw.get("status") or {}
        return await mcpservers.apply_status(self._client, application.raw, stored | said)

    async def prune(self, application: Application) -> None:
        """Delete snapshots that nothing names any more, unless that was done: none came since."""
        if not (application.plan.write and application.is_complete):
            return
        owner, kept = application.owner, application.plan.keep
        if self._pruned.get(application.server.key) != (owner.uid, kept):
            await self._store.prune(owner, kept)
            self._pruned[application.server.key] = owner.uid, kept

    def forget(self, key: tuple[str, str]) -> None:
        """An object, by namespace and name, is gone or gets another snapshot."""
        self._pruned.pop(key, None)
