"""The folder in which one cluster runs: held by one live process, and cleared after killed ones."""

import fcntl
import os
import secrets
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from tests.kubernetes.errors import ClusterError

__all__ = ["ABANDONED", "RunFolders"]

ABANDONED = timedelta(minutes=10)
"""The age from which a temporary folder that nobody holds counts as left behind: a start takes its
lock within moments of making it."""


@dataclass(frozen=True, slots=True)
class RunFolders:
    """The run folders of one kind of cluster."""

    prefix: str
    """How the names of temporary ones begin."""
    clear: Callable[[Path], None]
    """End and remove what a killed owner left behind, but for the folder itself."""

    def new(self) -> Path:
        """Return the path of a temporary folder that does not exist yet."""
        return Path(tempfile.gettempdir()) / f"{self.prefix}{secrets.token_hex(8)}"

    @contextmanager
    def used(self, folder: Path, *, temporary: bool) -> Iterator[None]:
        """Have the folder to oneself, cleared of what an earlier owner left.

        Args:
            temporary: Remove it afterwards.

        Raises:
            ClusterError: Another live process uses it.
        """
        if temporary:
            self.remove_abandoned()
        folder.mkdir(mode=0o700, parents=True, exist_ok=not temporary)
        try:
            with _held(folder):
                self.clear(folder)
                yield
        finally:
            if temporary:
                shutil.rmtree(folder, ignore_errors=True)

    def remove_abandoned(self) -> None:
        """Remove the temporary folders of killed owners, which hold hundreds of megabytes each."""
        for folder in Path(tempfile.gettempdir()).glob(f"{self.prefix}*"):
            with suppress(OSError, ClusterError):  # another user's, in use, or just removed
                if time.time() - folder.stat().st_mtime < ABANDONED.total_seconds():
                    continue
                with _held(folder):
                    self.clear(folder)
                    shutil.rmtree(folder)


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Keep other live processes out of a run folder; the kernel lets go when this one dies."""
    with (folder / "lock").open("a+", encoding="ascii") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            owner = lock.read().strip()
            raise ClusterError(
                f"{folder} is in use by process {owner}: stop that, or use another folder"
            ) from None
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n")
        lock.flush()
        yield
