"""A node, with the control plane that it belongs to, as one cluster for tests."""

import os
import shutil
import subprocess
from datetime import timedelta
from pathlib import Path
from typing import ClassVar

from tests.kubernetes import cache
from tests.kubernetes.binary import (
    NODE_PARTS,
    PARTS,
    Assets,
    build,
    helm_program,
    key_of,
    kubernetes_program,
    static_program,
)
from tests.kubernetes.controlplane import ControlPlane
from tests.kubernetes.errors import ClusterError
from tests.kubernetes.layout import Layout, User
from tests.kubernetes.node import cgroups
from tests.kubernetes.node.archive import write_image
from tests.kubernetes.node.door import Door
from tests.kubernetes.node.enter import entered
from tests.kubernetes.node.inside import ADDRESS, kept
from tests.kubernetes.node.layout import NODE, PAUSE_IMAGE, USERS, NodeLayout
from tests.kubernetes.node.namespaces import Namespaces
from tests.kubernetes.node.packages import NODE as PROGRAMS
from tests.kubernetes.node.packages import find, install
from tests.kubernetes.node.possible import obstacle
from tests.kubernetes.part import kill_leftovers
from tests.kubernetes.progress import tail
from tests.kubernetes.runfolder import RunFolders

__all__ = ["CTR_IMPORT", "HelmError", "Node", "node_assets"]

HELM_DEADLINE = timedelta(minutes=5)
"""For one command. Its own ``--timeout`` should end it earlier and say more."""

INSIDE_DEADLINE = timedelta(minutes=2)
"""For one command inside. An image of hundreds of megabytes takes some seconds."""

API_PORT = 6443

CTR_IMPORT = ("ctr", "--namespace=k8s.io", "images", "import")
"""Makes the images of an archive known to kubelet's half of containerd."""


class HelmError(ClusterError):
    """A helm command failed; its words are in the message."""

    def __init__(self, completed: subprocess.CompletedProcess[str]) -> None:
        self.completed = completed
        arguments = " ".join(completed.args[1:])
        super().__init__(f"exit code {completed.returncode} of {arguments}\n{completed.stderr}")


def node_assets() -> Assets:
    """Return the parts of a node and its control plane, after building them if need be.

    Raises:
        ClusterError: The build failed.
    """
    return Assets.of_binary(build(kubernetes_program(node=True)), PARTS + NODE_PARTS)


def clear(folder: Path) -> None:
    """End and remove what a killed owner left behind, but for the run folder itself."""
    kill_leftovers(folder)  # with the warden goes everything inside
    cgroups.remove(cgroups.name_for(folder))
    # Pods and images of a former node, which this one would take for its own.
    for own in (folder / "containerd", *kept(folder).values()):
        shutil.rmtree(own, ignore_errors=True)


class Node(ControlPlane):
    """A new, empty cluster with one node on which pods run.

    Several can run side by side. The API server is reached as that of any control plane, by
    ``kubeconfig``; ``reach`` leads to anything else inside.

    Args:
        folder: Its files are kept after the end, logs included. Without one a temporary folder is
            used, which goes with the node.
    """

    _folders: ClassVar = RunFolders("proxar-node-", clear)
    _users: ClassVar[dict[str, User]] = USERS

    def __init__(self, folder: Path | None = None, *, assets: Assets | None = None) -> None:
        super().__init__(folder, assets=assets)
        self._namespaces: Namespaces | None = None
        self._door: Door | None = None

    @property
    def assets(self) -> Assets:
        if self._assets is None:
            self._assets = node_assets()
        return self._assets

    @property
    def namespaces(self) -> Namespaces:
        """Where it runs.

        Raises:
            ClusterError: It was not started.
        """
        if self._namespaces is None:
            raise ClusterError(f"the node in {self.folder} was not started")
        return self._namespaces

    def start(self) -> None:
        """Start it, and return when the node is ready for pods.

        Raises:
            ClusterError: This machine cannot run a node, another live process uses the folder, or
                a part failed or was too slow.
        """
        reason = obstacle()
        if reason:
            raise ClusterError(f"no node can run here: {reason}")
        install(PROGRAMS)
        super().start()

    def helm(
        self, *arguments: str, check: bool = True, kubeconfig: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run helm and return what it wrote.

        Args:
            kubeconfig: Instead of the administrator's.

        Raises:
            HelmError: It failed, and ``check`` is set.
        """
        own = self.folder / "helm-home"  # the user's own repositories and plugins are not for this
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("HELM_")},
            "KUBECONFIG": str(kubeconfig or self.kubeconfig),
            "HELM_CACHE_HOME": str(own / "cache"),
            "HELM_CONFIG_HOME": str(own / "config"),
            "HELM_DATA_HOME": str(own / "data"),
        }
        completed = subprocess.run(
            [str(build(helm_program())), *arguments],
            stdin=subprocess.DEVNULL,
            env=environment,
            capture_output=True,
            text=True,
            timeout=HELM_DEADLINE.total_seconds(),
            check=False,
        )
        if check and completed.returncode:
            raise HelmError(completed)
        return completed

    def load_image(self, archive: Path) -> None:
        """Make the images of an OCI archive known to the node, by the names that it holds.

        Raises:
            ClusterError: containerd refused it; its words are in the message.
        """
        self.run_inside(*CTR_IMPORT, str(archive))

    def run_inside(self, program: str, *arguments: str) -> str:
        """Run a program of the machine's in the node's namespaces and return what it wrote.

        Raises:
            ClusterError: It failed; its words are in the message.
        """
        completed = subprocess.run(
            entered(self.namespaces.init, [program, *arguments]),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=INSIDE_DEADLINE.total_seconds(),
            check=False,
        )
        if completed.returncode:
            command = " ".join([program, *arguments])
            raise ClusterError(
                f"exit code {completed.returncode} of {command}\n{tail(completed.stderr)}"
            )
        return completed.stdout

    def reach(self, address: str, port: int) -> int:
        """Return a port of 127.0.0.1 that leads to an address inside: of a pod, or of a Service."""
        if self._door is None:
            self._door = Door(self.namespaces.init)
        return self._door.to(address, port)

    def restart_containerd(self) -> None:
        """Restart what runs containers; those that run go on without it."""
        self._restart("containerd")
        self._wait_for_containerd()

    def restart_kubelet(self) -> None:
        """Restart what starts and stops containers. Like a rebooted one it asks for new tokens."""
        self._restart("kubelet")

    def _new_layout(self) -> Layout:
        door = self.reach(ADDRESS, API_PORT)
        group = cgroups.name_for(self.folder)
        return NodeLayout(self.folder, 2379, 2380, API_PORT, door=door, cgroup=group)

    def _start_parts(self) -> None:
        self._namespaces = Namespaces(self.folder, remove=self._temporary)
        super()._start_parts()  # needs them for its layout and its processes
        layout = self.layout
        assert isinstance(layout, NodeLayout), "_new_layout() made it"
        for path, text in layout.files().items():
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        self._start_process("containerd", [str(find("containerd")), *layout.containerd()])
        self._wait_for_containerd()
        self.load_image(pause_image())
        for part, arguments in layout.parts().items():
            self._start_part(part, arguments)
        self._wait_for(f"/api/v1/nodes/{NODE}")
        self.kubectl("wait", "--for=condition=Ready", f"node/{NODE}", "--timeout=60s")

    def _start_process(self, name: str, command: list[str]) -> None:
        super()._start_process(name, entered(self.namespaces.init, command))

    def _stop_parts(self) -> None:
        if self._door:
            self._door.close()
            self._door = None
        try:
            if self._namespaces:
                self._namespaces.close()  # kills all inside at once: none needs a good end
        finally:
            self._namespaces = None
            super()._stop_parts()

    def _wait_for_containerd(self) -> None:
        def silence() -> ClusterError | None:
            try:
                self.run_inside("ctr", "version")
            except ClusterError as error:
                return error
            return None

        self._wait_while("containerd does not answer", silence)


def pause_image() -> Path:
    """Return the archive of the pause image, after making it if need be."""
    program = static_program(Path(__file__).parent / "pause")
    return cache.made_once(
        cache.cache_folder() / "image" / f"pause-{key_of(program)}.tar",
        lambda target: write_image(target, PAUSE_IMAGE, build(program)),
    )
