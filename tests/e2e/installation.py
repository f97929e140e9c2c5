"""Proxar as its users have it: the image in a pod, installed by helm from the chart."""

import json
import urllib.request
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.e2e.workloads import PATIENCE_SECONDS
from tests.image.build import IMAGE
from tests.kubernetes.node.node import HelmError, Node
from tests.support.operatorprocess import eventually

__all__ = ["CHART", "NAMESPACE", "RELEASE", "Installation"]

CHART = Path(__file__).parents[2] / "charts" / "proxar"
RELEASE = "proxar"
NAMESPACE = "proxar-system"

REPOSITORY, _, TAG = IMAGE.rpartition(":")


@dataclass(frozen=True, slots=True)
class Installation:
    """The release `proxar` in its own namespace."""

    node: Node

    def upgrade(self, *settings: str, chart: Path = CHART) -> None:
        """Upgrade it, or install it, and wait until the operator is ready.

        Args:
            settings: As ``helm --set`` takes them; all others are the chart's own.
        """
        image = (f"image.repository={REPOSITORY}", f"image.tag={TAG}", "image.pullPolicy=Never")
        values = [f"--set={setting}" for setting in (*image, *settings)]
        command = ("upgrade", "--install", RELEASE, str(chart), "--wait", "--timeout=2m", *values)
        try:
            self.helm(*command)
        except HelmError as error:
            error.add_note(self.kubectl("describe", "pods"))
            error.add_note(self.kubectl("logs", f"deployment/{RELEASE}", check=False))
            raise

    def helm(self, *arguments: str) -> str:
        """Run helm in the namespace and return what it printed."""
        return self.node.helm(*arguments, f"--namespace={NAMESPACE}").stdout

    def kubectl(self, *arguments: str, check: bool = True) -> str:
        """Run kubectl in the namespace and return what it printed."""
        return self.node.kubectl(f"--namespace={NAMESPACE}", *arguments, check=check).stdout

    def get(self, *arguments: str) -> Any:
        """Return what kubectl finds in the namespace, as JSON."""
        return json.loads(self.kubectl("get", *arguments, "--output=json"))

    def pod(self) -> dict[str, Any]:
        """Return the operator's only pod."""
        selector = "--selector=app.kubernetes.io/component=operator"
        (found,) = self.get("pods", selector)["items"]
        return dict(found)

    def container(self) -> dict[str, Any]:
        """Return the status of the operator's container."""
        (status,) = self.pod()["status"]["containerStatuses"]
        return dict(status)

    def process(self) -> int:
        """Return the process id of the operator, as this machine knows it."""
        container = self.container()["containerID"].rpartition("/")[2]
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                inside = (process / "status").read_text("ascii").partition("NSpid:")[2]
                first = inside.partition("\n")[0].split()[-1] == "1"
                if first and container in (process / "cgroup").read_text("utf-8"):
                    return int(process.name)
        raise AssertionError(f"no process runs in container {container}")

    def until_restarted(self, restarts: int) -> None:
        """Wait until the container was restarted more often than that, and is ready again."""

        def restarted() -> bool:
            status = self.container()
            return bool(status["restartCount"] > restarts and status["ready"])

        eventually(restarted, PATIENCE_SECONDS, "the operator was restarted and is ready")

    def metrics_address(self) -> str:
        """Return where the Service of the operator's metrics is reached from outside."""
        service = self.get("service", f"{RELEASE}-metrics")["spec"]
        port = self.node.reach(service["clusterIP"], service["ports"][0]["port"])
        return f"127.0.0.1:{port}"

    def series(self, prefix: str, **labels: str) -> list[str]:
        """Return the operator's series that begin so and carry all of the labels."""
        url = f"http://{self.metrics_address()}/metrics"
        with urllib.request.urlopen(url, timeout=10) as answer:
            lines = answer.read().decode().splitlines()
        wanted = [f"{name}={json.dumps(value)}" for name, value in labels.items()]
        return [
            line
            for line in lines
            if line.startswith(prefix) and all(pair in line for pair in wanted)
        ]
