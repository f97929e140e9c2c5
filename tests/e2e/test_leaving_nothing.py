"""A node leaves nothing behind, in whatever way it ends."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.machine import Machine, process_namespace, processes_in
from tests.e2e.workloads import PATIENCE_SECONDS
from tests.kubernetes.node.node import Node, clear
from tests.support.operatorprocess import eventually

ROOT = Path(__file__).parents[2]

OWNER = """
import sys
from pathlib import Path
from tests.e2e.images import web_image
from tests.e2e.workloads import web
from tests.kubernetes.node.node import Node

folder = Path(sys.argv[1]) if sys.argv[1:] else None
node = Node(folder)
node.start()
node.load_image(web_image())
web(node, "default").apply()
print(node.folder, node.namespaces.init, flush=True)
sys.stdin.read()
"""


@dataclass(frozen=True, slots=True)
class Owned:
    """A node with a running pod, of another process."""

    owner: subprocess.Popen[str]
    folder: Path
    namespace: str
    """Of its processes."""

    def kill(self) -> None:
        """Kill the owner, and nothing else."""
        self.owner.send_signal(signal.SIGKILL)
        self.owner.wait(10)


@contextmanager
def owned(*arguments: str) -> Iterator[Owned]:
    """Have another process start a node."""
    with subprocess.Popen(
        [sys.executable, "-c", OWNER, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as owner:
        try:
            assert owner.stdout
            folder, init = owner.stdout.readline().split()
            yield Owned(owner, Path(folder), process_namespace(int(init)))
        finally:
            owner.kill()


def test_a_stopped_node() -> None:
    """After the end of a node the machine is as it was."""
    before = Machine.now()

    with Node() as node:
        folder = node.folder
        namespace = process_namespace(node.namespaces.init)
        assert processes_in(namespace)

    assert not processes_in(namespace)
    assert not folder.exists()
    assert Machine.now() == before


def test_a_killed_owner(node: Node) -> None:
    """SIGKILL of its owner ends a node, beside one that goes on, and what is left is removed."""
    before = Machine.now()

    with owned() as other:
        assert len(processes_in(other.namespace)) > 5
        assert Machine.now().cgroups > before.cgroups
        other.kill()

        eventually(lambda: not other.folder.exists(), PATIENCE_SECONDS, "the run folder is removed")
        assert not processes_in(other.namespace)
        assert Machine.now() == before
    assert node.kubectl("get", "--raw=/readyz").stdout == "ok"


def test_a_killed_owner_and_warden(tmp_path: Path) -> None:
    """If the warden is killed too, the kernel ends the node, and the next start clears the rest."""
    before = Machine.now()

    with owned(str(tmp_path / "run")) as other:
        warden = int((other.folder / "warden.pid").read_text(encoding="ascii"))
        os.kill(warden, signal.SIGKILL)
        other.kill()

        eventually(
            lambda: not processes_in(other.namespace), PATIENCE_SECONDS, "every process ends"
        )
        assert Machine.now().cgroups > before.cgroups
        clear(other.folder)
        assert Machine.now() == before
