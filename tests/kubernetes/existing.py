"""A cluster that someone else runs, named in full: no test may reach a cluster by accident."""

import base64
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.kubernetes.binary import Assets
from tests.kubernetes.cluster import Cluster
from tests.kubernetes.credentials import write_secret
from tests.kubernetes.errors import ClusterError

__all__ = ["ExistingCluster"]


class ExistingCluster(Cluster):
    """One context of a kubeconfig; the current one does not matter.

    Only a copy that holds this context alone is used, so that nothing that reads it, a test or the
    operator under test, can go anywhere else.
    """

    def __init__(self, kubeconfig: Path, context: str, *, assets: Assets | None = None) -> None:
        name = f"proxar-existing-{secrets.token_hex(8)}"
        super().__init__(Path(tempfile.gettempdir()) / name, assets)
        self._source = kubeconfig
        self._context = context

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def ca_file(self) -> Path:
        """The certificates to trust; missing where the cluster's are publicly trusted."""
        return self.folder / "ca.crt"

    def start(self) -> None:
        """Copy the context out of the kubeconfig, and see that its API server answers.

        Raises:
            ClusterError: There is no such file or context, or nobody answers.
        """
        if not self._source.is_file():
            raise ClusterError(f"there is no kubeconfig {self._source}")
        self.folder.mkdir(mode=0o700)
        try:
            write_secret(self.kubeconfig, self._only_context())
            data = self._connection().get("certificate-authority-data")
            if data:
                self.ca_file.write_bytes(base64.b64decode(data))
            self.kubectl("version", "--request-timeout=30s")
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Forget the copy. The cluster is left as it is."""
        shutil.rmtree(self.folder)

    def audit_events(self) -> Iterator[dict[str, Any]]:
        """Raise: the audit log of a cluster is not served by its API."""
        raise ClusterError(
            f"the audit log of context {self._context} cannot be read from outside; run this test "
            "with PROXAR_TEST_KUBECONFIG and PROXAR_TEST_CONTEXT unset"
        )

    def _only_context(self) -> str:
        command = self.assets.command(
            "kubectl",
            "config",
            "view",
            f"--kubeconfig={self._source}",
            f"--context={self._context}",
            "--minify",
            "--flatten",
            "--raw",
            "--output=json",
        )
        completed = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        if completed.returncode:
            raise ClusterError(
                f"{self._source} has no usable context {self._context}: {completed.stderr.strip()}"
            )
        return completed.stdout
