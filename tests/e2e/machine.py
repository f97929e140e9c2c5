"""What a node could leave behind on the machine, looked at before and after."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from tests.kubernetes.node import cgroups
from tests.kubernetes.node.inside import SETTINGS
from tests.kubernetes.node.packages import find

__all__ = ["Machine", "devices", "process_namespace", "processes_in"]

FOLDERS = (
    *("/etc/cni", "/opt", "/run", "/run/netns", "/usr/libexec", "/usr/libexec/kubernetes"),
    *("/var/lib", "/var/lib/cni", "/var/lib/kubelet", "/var/log", "/var/log/pods"),
)
"""Where the parts of a node write if they are not kept from it."""


MOUNTED = ("/proc", "/run", "/var/lib", "/var/log")
"""Below what a node mounts file systems."""


@dataclass(frozen=True)
class Machine:
    """The machine at one moment, outside of any node."""

    devices: frozenset[str]
    routes: str
    mounts: frozenset[str]
    cgroups: frozenset[Path]
    settings: dict[str, str]
    folders: dict[str, frozenset[str]]

    @classmethod
    def now(cls) -> Self:
        """Look at it."""
        return cls(
            devices=frozenset(device["ifname"] for device in devices()),
            routes=_ip("route", "show", "table", "all"),
            mounts=frozenset(
                line
                for line in Path("/proc/self/mounts").read_text("utf-8").splitlines()
                if line.split()[1].startswith(MOUNTED)
            ),
            cgroups=frozenset(
                group
                for hierarchy in cgroups.hierarchies()
                for group in hierarchy.glob("proxar-node-*")
            ),
            settings={name: (Path("/proc/sys") / name).read_text("utf-8") for name in SETTINGS},
            folders={folder: _names(Path(folder)) for folder in FOLDERS},
        )


def devices(*, run: Any = None) -> list[dict[str, Any]]:
    """Return the network devices, of this machine or where ``run`` runs a command."""
    text = (
        run(str(find("ip")), "-json", "-details", "link")
        if run
        else _ip("-json", "-details", "link")
    )
    found: list[dict[str, Any]] = json.loads(text)
    return found


def process_namespace(process: int) -> str:
    """Return the kernel's name of the namespace that a process, seen from here, lives in."""
    return str(Path(f"/proc/{process}/ns/pid").readlink())


def processes_in(namespace: str) -> list[int]:
    """Return the processes in a namespace of processes."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if process_namespace(int(process.name)) == namespace:
                found.append(int(process.name))
        except OSError:
            continue  # it has just ended
    return found


def _names(folder: Path) -> frozenset[str]:
    return frozenset(path.name for path in folder.iterdir()) if folder.is_dir() else frozenset()


def _ip(*arguments: str) -> str:
    return subprocess.run(
        [find("ip"), *arguments], capture_output=True, text=True, timeout=30, check=True
    ).stdout
