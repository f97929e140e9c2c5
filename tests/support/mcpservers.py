"""MCPServers in a test's namespace: applied, read back and waited for."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from tests.kubernetes.cluster import Cluster
from tests.support.operatorprocess import eventually

__all__ = ["Handle", "mcpserver"]

PATIENCE_SECONDS = 30.0
"""For what takes a few seconds on an idle machine."""


def mcpserver(name: str, url: str, **spec: Any) -> dict[str, Any]:
    """A valid object; `spec` is added to its spec. The interval is long: tests ask for each
    look."""
    return {
        "apiVersion": "proxar.dev/v1alpha1",
        "kind": "MCPServer",
        "metadata": {"name": name},
        "spec": {"endpoints": [{"name": "primary", "url": url}], "interval": "1h", "timeout": "5s"}
        | spec,
    }


@dataclass(frozen=True, slots=True)
class Handle:
    """One MCPServer as its user handles it: with kubectl."""

    cluster: Cluster
    namespace: str
    name: str

    def apply(self, url: str, **spec: Any) -> None:
        """Apply it as a user of GitOps does."""
        manifest = mcpserver(self.name, url, **spec)
        manifest["metadata"]["namespace"] = self.namespace
        self.cluster.apply(json.dumps(manifest))

    def delete(self) -> None:
        """Delete it, without waiting for its children."""
        self.kubectl("delete", "mcpservers.proxar.dev", self.name)

    def kubectl(self, *arguments: str, **options: Any) -> str:
        """Run kubectl in the namespace."""
        return self.cluster.kubectl("-n", self.namespace, *arguments, **options).stdout

    def get(self) -> dict[str, Any]:
        """The whole object."""
        return dict(
            json.loads(self.kubectl("get", "mcpservers.proxar.dev", self.name, "-o", "json"))
        )

    @property
    def status(self) -> dict[str, Any]:
        """Its status."""
        return dict(self.get()["status"])

    def condition(self, type_: str) -> tuple[str, str]:
        """Status and reason of a condition; empty when it is absent."""
        found = [item for item in self.status.get("conditions", ()) if item["type"] == type_]
        return (found[0]["status"], found[0]["reason"]) if found else ("", "")

    def request_look(self) -> str:
        """Ask for a look and return the token."""
        token = datetime.now(UTC).isoformat()
        self.kubectl(
            "annotate",
            "mcpservers.proxar.dev",
            self.name,
            f"proxar.dev/reconcile-requested-at={token}",
            "--overwrite",
        )
        return token

    def look(self) -> dict[str, Any]:
        """Have the operator look now, and return the status that answers."""
        token = self.request_look()
        self.until(
            lambda: self.status.get("lastHandledReconcileAt") == token, "the look was answered"
        )
        return self.status

    def until(self, holds: Any, what: str, seconds: float = PATIENCE_SECONDS) -> None:
        """Wait until it holds."""
        eventually(holds, seconds, f"{self.namespace}/{self.name}: {what}")

    def until_observed(self) -> dict[str, Any]:
        """Wait until the first look is done, as a pipeline would, and return the status."""
        self.kubectl(
            "wait", "--for=condition=Ready", "--timeout=30s", f"mcpservers.proxar.dev/{self.name}"
        )
        return self.status

    def events(self) -> list[dict[str, Any]]:
        """Its Events, oldest first."""
        found = json.loads(self.kubectl("get", "events.events.k8s.io", "-o", "json"))["items"]
        mine = [event for event in found if event["regarding"]["name"] == self.name]
        return sorted(mine, key=lambda event: event["eventTime"])

    def event_reasons(self) -> list[str]:
        """The reasons of its Events, oldest first."""
        return [event["reason"] for event in self.events()]

    def config_maps(self) -> list[str]:
        """Names of its snapshots."""
        selector = f"proxar.dev/server={self.name}"
        return sorted(self.kubectl("get", "configmaps", "-l", selector, "-o", "name").split())
