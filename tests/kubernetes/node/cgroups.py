"""The control groups of one node: made before it starts, removed after it ended.

Unlike all else of a node they live in no namespace that ends by itself.
"""

import hashlib
import os
import time
from datetime import timedelta
from pathlib import Path

from tests.kubernetes.errors import ClusterError

__all__ = ["hierarchies", "make", "name_for", "remove"]

REMOVAL_DEADLINE = timedelta(seconds=20)
"""The kernel keeps a group until the last of its killed processes is gone."""


def name_for(folder: Path) -> str:
    """Return the name of the group that holds the pods of the node in a run folder."""
    return f"proxar-node-{hashlib.sha256(bytes(folder)).hexdigest()[:12]}"


def hierarchies() -> list[Path]:
    """Return where groups are made: one folder with version 2, one for each controller with 1."""
    mounted = _mounted()
    versions = {kind for _, kind in mounted}
    # Where both are mounted, the controllers are with version 1.
    used = "cgroup" if "cgroup" in versions else "cgroup2"
    return [path for path, kind in mounted if kind == used]


def make(name: str) -> None:
    """Make a group in every hierarchy; kubelet takes only one that exists."""
    for hierarchy in hierarchies():
        (hierarchy / name).mkdir(exist_ok=True)


def remove(name: str) -> None:
    """Remove a group and all below it, once its processes have ended.

    Raises:
        ClusterError: They do not end.
    """
    deadline = time.monotonic() + REMOVAL_DEADLINE.total_seconds()
    for hierarchy, _ in _mounted():
        while (left := _remove_below(hierarchy / name)) is not None:
            if time.monotonic() > deadline:
                raise ClusterError(f"the cgroup {left} cannot be removed: something runs in it")
            time.sleep(0.05)


def _remove_below(group: Path) -> Path | None:
    """Remove a group and all below it; return one that is still in use."""
    for folder, _, _ in os.walk(group, topdown=False):  # its files cannot and need not be removed
        try:
            Path(folder).rmdir()
        except FileNotFoundError:
            continue
        except OSError:
            return Path(folder)
    return None


def _mounted() -> list[tuple[Path, str]]:
    """Return the mount point and type of every hierarchy."""
    try:
        lines = Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    mounts = [line.split() for line in lines]
    return [(Path(at), kind) for _, at, kind, *_ in mounts if kind in {"cgroup", "cgroup2"}]
