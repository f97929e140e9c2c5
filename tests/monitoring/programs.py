"""Prometheus and Alertmanager: those on the PATH, or Debian's, unpacked once for each user.

Debian's packages would start services of their own when installed, so their programs are only
taken out: that needs no privilege either, but for the package lists. Debian's Alertmanager reads
its templates from /usr/share, so it is run where that is the unpacked one. Where a user may not
have mounts of his own, install the packages instead.
"""

import os
import platform
import shutil
from pathlib import Path

from tests.kubernetes import cache, progress
from tests.kubernetes.errors import ClusterError

__all__ = ["command", "find"]

PACKAGES = ("prometheus", "prometheus-alertmanager")
NAMES = {"alertmanager": ("alertmanager", "prometheus-alertmanager")}
"""What Debian calls otherwise than everybody else."""

LISTS = Path("/var/lib/apt/lists")


MOUNTED = 'mount --bind "$0" /usr/share && exec "$@"'


def command(name: str) -> list[str]:
    """Return how a program is started; its arguments follow.

    Raises:
        ClusterError: As `find`.
    """
    program = find(name)
    share = program.parent.parent / "share"
    if name != "alertmanager" or not program.is_relative_to(cache.cache_folder()):
        return [str(program)]
    identity = [] if os.geteuid() == 0 else ["--map-root-user"]
    unshare = [_on_path("unshare"), "--mount", *identity]
    return [*unshare, "sh", "-c", MOUNTED, str(share), str(program)]


def find(name: str) -> Path:
    """Return a program: prometheus, promtool, alertmanager or amtool.

    Raises:
        ClusterError: It is not on the PATH and this is no Debian, or the packages were not to be
            had.
    """
    names = NAMES.get(name, (name,))
    for known in names:
        if found := shutil.which(known):
            return Path(found)
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        raise ClusterError(
            f"{name} is not on the PATH, and this is no Debian to get it from: install Prometheus "
            "2.42 and Alertmanager 0.25 or later"
        )
    system = "-".join([*_release(), platform.machine()])
    folder = cache.made_once(cache.cache_folder() / "monitoring" / system, _unpack)
    unpacked = [folder / "usr" / "bin" / known for known in names]
    return next(path for path in unpacked if path.exists())


def _release() -> tuple[str, str]:
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        return "unknown", ""
    return release["ID"], release.get("VERSION_ID", "")


def _unpack(target: Path) -> None:
    target.mkdir()
    packages = " and ".join(PACKAGES)
    if os.geteuid() == 0 and not any(LISTS.glob("*_Packages*")):
        _run(["apt-get", "update"], "reading the package lists for Prometheus", target)
    _run(
        ["apt-get", "download", *PACKAGES],
        f"downloading Debian's packages {packages}, whose programs are used and nothing installed",
        target,
    )
    for package in sorted(target.glob("*.deb")):
        _run(["dpkg-deb", "--extract", package.name, "."], f"unpacking {package.name}", target)
        package.unlink()


def _run(words: list[str], doing: str, folder: Path) -> None:
    progress.run([_on_path(words[0]), *words[1:]], doing=doing, env=os.environ, cwd=folder)


def _on_path(name: str) -> str:
    executable = shutil.which(name)
    if executable is None:
        raise ClusterError(f"{name} is not on the PATH")
    return executable
