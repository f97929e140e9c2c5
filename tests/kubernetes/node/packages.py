"""The Debian packages that a node and its images need, installed where they are missing."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from tests.kubernetes import cache, progress
from tests.kubernetes.errors import ClusterError

__all__ = ["IMAGES", "NODE", "PLUGINS", "can_install", "find", "install", "missing"]

PLUGINS = Path("/usr/lib/cni")
"""Where Debian puts the programs that connect a pod to the network."""

NODE = {
    "containerd": "containerd",
    "ctr": "containerd",
    "runc": "runc",
    str(PLUGINS / "ptp"): "containernetworking-plugins",
    "nft": "nftables",
    "ip": "iproute2",
}
"""The package of each program that a node needs."""

IMAGES = {"buildah": "buildah", "mmdebstrap": "mmdebstrap"}
"""The package of each program that builds images."""

SEARCHED = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"])
"""Some users' PATH, also root's after ``su``, lacks the folders of administration."""


def find(program: str) -> Path:
    """Return the path of a program.

    Raises:
        ClusterError: It is not installed.
    """
    path = shutil.which(program, path=SEARCHED)
    if path is None:
        package = (NODE | IMAGES).get(program, program)
        raise ClusterError(f"{program} is not installed: apt-get install {package}")
    return Path(path)


def missing(programs: Mapping[str, str]) -> list[str]:
    """Return the packages of those programs that are not there."""
    absent = (name for program, name in programs.items() if not _is_there(program))
    return sorted(set(absent))


def can_install() -> bool:
    """Return whether this machine has Debian's way to install packages."""
    return _is_there("apt-get")


def install(programs: Mapping[str, str]) -> None:
    """Install the packages of those programs that are not there, after saying which.

    Raises:
        ClusterError: There is no apt-get, or it failed; its words are in the message.
    """
    if not missing(programs):
        return
    cache.cache_folder().mkdir(parents=True, exist_ok=True)
    with cache.locked(
        cache.cache_folder() / "apt.lock", waiting="waiting for another process, which runs apt-get"
    ):
        packages = missing(programs)
        if packages:
            _apt_get("update", doing="reading the lists of Debian packages")
            _apt_get(
                *("install", "--yes", "--no-install-recommends", *packages),
                doing=f"installing the Debian packages {' '.join(packages)}",
            )


def _apt_get(*arguments: str, doing: str) -> None:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    progress.run([find("apt-get"), *arguments], doing=doing, env=environment)


def _is_there(program: str) -> bool:
    return shutil.which(program, path=SEARCHED) is not None
