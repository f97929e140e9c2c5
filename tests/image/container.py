"""An image run as a pod of the chart runs it: user, read-only root, no capability, runc.

Its network is the machine's, so that it reaches the tests' control plane on loopback.
"""

import json
import os
import secrets
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.image.archive import Archive
from tests.kubernetes.launch import tied
from tests.kubernetes.node import cgroups
from tests.kubernetes.node.packages import find, install
from tests.support.operatorprocess import OperatorProcess

__all__ = ["ContainedOperator", "Image", "descendants"]

RUNTIME = {"runc": "runc"}
"""The Debian package of what runs containers."""

GROUPS = "proxar-image-"
"""What cgroups of containers are called, before the process id of the tests: a killed runc leaves
its own behind."""


@dataclass(frozen=True, slots=True)
class Image:
    """An unpacked image, and how containers of it are started."""

    root: Path
    config: Mapping[str, Any]
    bundles: Path
    """A folder for what runc wants to know of each container."""
    group: str
    """The cgroup of all of its containers."""

    @classmethod
    @contextmanager
    def unpacked(cls, archive: Archive) -> Iterator["Image"]:
        """Unpack an archive for as long as the context lasts; no container outlives it."""
        install(RUNTIME)
        _remove_groups_of_the_dead()
        # Not a tmp_path: three of those are kept, and this is a quarter of a gigabyte.
        with tempfile.TemporaryDirectory(prefix="proxar-image-") as folder:
            root, bundles = Path(folder, "root"), Path(folder, "bundles")
            archive.unpack(root)
            bundles.mkdir()
            group = f"{GROUPS}{os.getpid()}"
            try:
                yield cls(root, archive.config(), bundles, group)
            finally:
                cgroups.remove(group)

    def command(
        self,
        arguments: Sequence[str] | None = None,
        *,
        entrypoint: Sequence[str] | None = None,
        files: Mapping[str, Path] | None = None,
    ) -> list[str]:
        """Return the command line that runs a container, and ends it when it is killed itself.

        Args:
            arguments: Instead of the image's own command.
            entrypoint: Instead of the image's own.
            files: Of this machine, by their path in the container; read-only there.
        """
        started = [
            *(self.config["Entrypoint"] if entrypoint is None else entrypoint),
            *(self.config["Cmd"] if arguments is None else arguments),
        ]
        name = secrets.token_hex(6)
        bundle = self.bundles / name
        bundle.mkdir()
        specification = json.dumps(self._specification(name, started, files or {}))
        (bundle / "config.json").write_text(specification, encoding="utf-8")
        # runc leaves its container behind when it is killed; a process namespace does not.
        isolated = [str(find("unshare")), *("--pid", "--fork", "--kill-child", "--mount-proc")]
        runc = [str(find("runc")), "--root", str(self.bundles / "state")]
        return [*isolated, *runc, "run", "--bundle", str(bundle), name]

    def run(self, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
        """Run a container to its end and return what it printed; options as for `command`."""
        return subprocess.run(
            tied(self.command(arguments, **options)),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def python(self, code: str, *options: str) -> subprocess.CompletedProcess[str]:
        """Run Python code in a container."""
        return self.run("-c", code, entrypoint=["python", *options])

    def _specification(
        self, name: str, started: list[str], files: Mapping[str, Path]
    ) -> dict[str, Any]:
        user, group = map(int, self.config["User"].split(":"))
        kinds = ("bounding", "effective", "inheritable", "permitted", "ambient")
        return {
            "ociVersion": "1.0.2",
            "process": {
                "terminal": False,
                "user": {"uid": user, "gid": group},
                "args": started,
                "env": self.config["Env"],
                "cwd": self.config["WorkingDir"],
                "capabilities": {kind: [] for kind in kinds},
                "noNewPrivileges": True,
            },
            "root": {"path": str(self.root), "readonly": True},
            "mounts": [
                _mount("/proc", "proc"),
                _mount("/dev", "tmpfs", "nosuid", "mode=755", "size=64k"),
                _mount("/tmp", "tmpfs", "nosuid", "nodev", "mode=1777", "size=64m"),
                *(
                    _mount(inside, "bind", "bind", "ro", source=str(outside))
                    for inside, outside in files.items()
                ),
            ],
            "linux": {
                "cgroupsPath": f"/{self.group}/{name}",
                "namespaces": [{"type": kind} for kind in ("pid", "ipc", "uts", "mount")],
                "maskedPaths": ["/proc/kcore", "/proc/keys", "/proc/timer_list"],
                "readonlyPaths": ["/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys"],
            },
        }


def _remove_groups_of_the_dead() -> None:
    for hierarchy in cgroups.hierarchies():
        for group in hierarchy.glob(f"{GROUPS}*"):
            if not Path("/proc", group.name.removeprefix(GROUPS)).exists():
                cgroups.remove(group.name)


def _mount(destination: str, kind: str, *options: str, source: str = "") -> dict[str, Any]:
    return {
        "destination": destination,
        "type": kind,
        "source": source or kind,
        "options": list(options),
    }


class ContainedOperator(OperatorProcess):
    """`OperatorProcess` from the image: the same arguments, in a container."""

    KUBECONFIG = "/tmp/kubeconfig"

    def __init__(self, image: Image, kubeconfig: Path, log: Path, *, namespace: str) -> None:
        super().__init__(Path(self.KUBECONFIG), log, namespace=namespace)
        arguments = self._command[self._command.index("operator") :]
        self._command = image.command(arguments, files={self.KUBECONFIG: kubeconfig})

    @property
    def pid(self) -> int:
        """The first process of the container, as this machine numbers it."""
        assert self._process is not None
        return descendants(self._process.pid)[-1]

    def cpu_seconds(self) -> float:
        """What it used so far; unlike the time that passed, no matter of who else is at work."""
        user, system = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> int:
        """Send SIGTERM to the first process of the container, as Kubernetes does."""
        os.kill(self.pid, signal.SIGTERM)
        code = self.wait(30)
        self._process = None
        return code


def descendants(pid: int) -> list[int]:
    """The chain of first children: `unshare`, runc, the container's first process."""
    chain = [pid]
    while children := _children(chain[-1]):
        chain.append(children[0])
    return chain


def _children(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task")  # runc is of many threads, and any of them may be the parent
    return [int(each) for path in tasks.glob("*/children") for each in path.read_text().split()]
