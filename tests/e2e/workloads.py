"""Pods, Deployments and Services for tests of the node, and what tests ask about them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tests.e2e.images import ISSUES, WEB
from tests.kubernetes.node.node import Node

__all__ = ["PATIENCE_SECONDS", "Workload", "issues", "web"]

Manifest = dict[str, Any]

PATIENCE_SECONDS = 90.0
"""For what takes a second or two on an idle machine."""


@dataclass(frozen=True, slots=True)
class Workload:
    """A Deployment and its Service, of one name, in a namespace."""

    node: Node
    namespace: str
    name: str
    image: str
    """With `{version}` in it where each version is an image of its own. Any other image is told its
    version by the environment."""
    port: int

    def apply(
        self,
        *,
        replicas: int = 1,
        version: str = "1",
        volumes: Sequence[Manifest] = (),
        **container: object,
    ) -> None:
        """Apply both, and wait until every replica is available.

        Args:
            container: Fields of the container beside those that every one has.
        """
        spec = self._pod(version, container) | {"volumes": volumes}
        self._apply(self._deployment(replicas, spec), self._service())
        self.kubectl("rollout", "status", f"deployment/{self.name}", "--timeout=90s")

    def apply_pod(self, name: str, version: str = "1", **container: object) -> None:
        """Apply a pod of its own, which the Service selects too."""
        metadata = self._metadata() | {"name": name}
        pod = self._pod(version, container)
        self._apply({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": pod})

    def get(self, *arguments: str) -> Any:
        """Return what kubectl finds, as JSON."""
        return json.loads(self.kubectl("get", *arguments, "--output=json"))

    def inside(self, *command: str, check: bool = True) -> str:
        """Run a command of the image's program in a pod and return what it printed."""
        return self.kubectl(
            *("exec", f"deployment/{self.name}", "--", f"/bin/{self.name}", *command), check=check
        )

    def kubectl(self, *arguments: str, check: bool = True) -> str:
        """Run kubectl in the namespace and return what it printed."""
        command = [f"--namespace={self.namespace}", *arguments]
        return self.node.kubectl(*command, check=check).stdout

    def answers(self) -> set[str]:
        """Ask the Service many times, from inside, and return the different answers."""
        url = f"http://{self.name}.{self.namespace}/"
        return {self.inside("get", url, check=False).strip() for _ in range(8)}

    def _apply(self, *items: Manifest) -> None:
        self.node.apply(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))

    def _metadata(self) -> Manifest:
        return {"name": self.name, "namespace": self.namespace, "labels": {"app": self.name}}

    def _deployment(self, replicas: int, spec: Manifest) -> Manifest:
        labels = {"app": self.name}
        return {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": self._metadata(),
            "spec": {
                "replicas": replicas,
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": spec},
            },
        }

    def _service(self) -> Manifest:
        ports = [{"port": 80, "targetPort": self.port}]
        return {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": self._metadata(),
            "spec": {"selector": {"app": self.name}, "ports": ports},
        }

    def _pod(self, version: str, container: dict[str, object]) -> Manifest:
        """Return the spec of a pod that the restricted security standard admits."""
        security = {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
        image = self.image.format(version=version)
        environment = [{"name": "VERSION", "value": version}] if image == self.image else []
        return {
            "terminationGracePeriodSeconds": 1,
            "securityContext": security,
            "containers": [
                {
                    "name": self.name,
                    "image": image,
                    "imagePullPolicy": "Never",
                    "env": environment,
                    "readinessProbe": {"tcpSocket": {"port": self.port}, "periodSeconds": 1},
                    "securityContext": {
                        "allowPrivilegeEscalation": False,
                        "readOnlyRootFilesystem": True,
                        "capabilities": {"drop": ["ALL"]},
                    },
                    **container,
                }
            ],
        }


def web(node: Node, namespace: str) -> Workload:
    """Return what answers with its version and its pod's name; nothing is applied yet."""
    return Workload(node, namespace, "web", WEB, 8080)


def issues(node: Node, namespace: str) -> Workload:
    """Return an MCP server, each version an image and a tool list; nothing is applied yet."""
    return Workload(node, namespace, "issues", ISSUES, 8000)
