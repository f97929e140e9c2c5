"""What is made once for each user and kept: the binaries, and a toolchain where there is none.

A checkout is no place for it: three checkouts would build Kubernetes three times.
"""

import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.kubernetes.errors import ClusterError
from tests.kubernetes.progress import say

__all__ = ["cache_folder", "locked", "made_once"]


def cache_folder() -> Path:
    """Return the folder of this user's cached files; it may not exist yet."""
    # The XDG specification: a relative path is invalid and to be ignored.
    configured = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (configured if configured.is_absolute() else Path.home() / ".cache") / "proxar"


@contextmanager
def locked(path: Path, *, waiting: str) -> Iterator[None]:
    """Hold an exclusive lock on ``path``; the kernel lets go of it when the process dies.

    Args:
        waiting: Said once if another process holds the lock.
    """
    with path.open("a", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(waiting)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def made_once(target: Path, make: Callable[[Path], None]) -> Path:
    """Return ``target``, a file or a folder, after making it if no process has yet.

    ``make`` fills the path that it is given, which becomes ``target`` by one rename: whoever sees
    ``target`` sees all of it, also when the maker was killed half-way.
    """
    if target.exists():
        return target
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with locked(
            target.with_name(f"{target.name}.lock"),
            waiting=f"waiting for another process, which is making {target}",
        ):
            if not target.exists():
                partial = target.with_name(f"{target.name}.partial")
                _remove(partial)
                make(partial)
                partial.rename(target)
    except PermissionError as error:
        raise ClusterError(
            f"cannot write {error.filename}: set XDG_CACHE_HOME to a folder that you may write"
        ) from error
    return target


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
