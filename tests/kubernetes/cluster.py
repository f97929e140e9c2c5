"""What tests do with a cluster, wherever it came from: kubectl, and the identity of a workload."""

import json
import os
import subprocess
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

from tests.kubernetes.binary import Assets, find_assets
from tests.kubernetes.credentials import kubeconfig as kubeconfig_of
from tests.kubernetes.credentials import write_secret
from tests.kubernetes.errors import ClusterError

__all__ = ["Cluster", "KubectlError"]

KUBECTL_DEADLINE = timedelta(minutes=5)
"""For one command. Its own ``--timeout`` should end it earlier and say more."""


class KubectlError(ClusterError):
    """A kubectl command failed; its words are in the message."""

    def __init__(self, completed: subprocess.CompletedProcess[str]) -> None:
        self.completed = completed
        arguments = " ".join(completed.args[1:])
        super().__init__(f"exit code {completed.returncode} of {arguments}\n{completed.stderr}")


class Cluster:
    """A cluster that runs, and that the kubeconfig at ``kubeconfig`` leads to as administrator."""

    def __init__(self, folder: Path, assets: Assets | None) -> None:
        self.folder = folder
        """Private to this cluster and its tests; kubeconfigs are written here."""
        self._assets = assets

    @property
    def assets(self) -> Assets:
        """The programs; the first to ask may wait for their build."""
        if self._assets is None:
            self._assets = find_assets()
        return self._assets

    @property
    def kubeconfig(self) -> Path:
        """The administrator's. Its only context is the current one."""
        return self.folder / "kubeconfig"

    @property
    def url(self) -> str:
        """The API server's."""
        return str(self._connection()["server"])

    @property
    def ca_file(self) -> Path:
        """The certificates to trust when speaking to ``url``."""
        raise NotImplementedError

    def audit_events(self) -> Iterator[dict[str, Any]]:
        """Return what the API server was asked so far, oldest first, as ``audit.k8s.io/v1`` Events.

        One is written when its answer is complete, a few milliseconds after the client has it: wait
        for an event that you expect, and make a last request of your own before you say that
        there was none.
        """
        raise NotImplementedError

    def kubectl(
        self,
        *arguments: str,
        input: str | None = None,  # noqa: A002 -- the name it has in subprocess
        check: bool = True,
        kubeconfig: Path | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Run kubectl and return what it wrote.

        Args:
            kubeconfig: Instead of the administrator's.

        Raises:
            KubectlError: It failed, and ``check`` is set.
        """
        environment = {
            **os.environ,
            "KUBECONFIG": str(kubeconfig or self.kubeconfig),
            # The user's own cache would mix up clusters that had the same port one after another,
            # and the user's own preferences could change what a command prints.
            "KUBECACHEDIR": str(self.folder / "kubectl-cache"),
            "KUBERC": "off",
        }
        completed = subprocess.run(
            self.assets.command("kubectl", *arguments),
            input=input if input is not None else "",
            env=environment,
            capture_output=True,
            text=True,
            timeout=KUBECTL_DEADLINE.total_seconds(),
            check=False,
        )
        if check and completed.returncode:
            raise KubectlError(completed)
        return completed

    def apply(self, manifest: str) -> None:
        """Apply one or more YAML documents, server-side."""
        self.kubectl("apply", "--server-side", "-f", "-", input=manifest)

    def notice_new_kinds(self) -> None:
        """Spare the next test half a minute after a CRD was applied.

        The garbage collector looks for new kinds every 30 s, and until then their objects' children
        stay. This makes it look now where that is in our power, and does nothing elsewhere.
        """

    def service_account_kubeconfig(self, namespace: str, name: str) -> Path:
        """Return a new kubeconfig with a fresh token, good for a day, of a ServiceAccount."""
        token = self.kubectl("create", "token", name, f"--namespace={namespace}", "--duration=24h")
        path = self.folder / f"{namespace}.{name}.kubeconfig"
        write_secret(path, kubeconfig_of(self._connection(), token.stdout.strip(), namespace))
        return path

    def _connection(self) -> dict[str, Any]:
        config = json.loads(self.kubeconfig.read_text(encoding="utf-8"))
        connection: dict[str, Any] = config["clusters"][0]["cluster"]
        return connection
