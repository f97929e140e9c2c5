"""The namespaces of one node, as their owner holds them; ``warden.py`` is the other end."""

import subprocess
import sys
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from tests.kubernetes.errors import ClusterError
from tests.kubernetes.progress import tail

__all__ = ["Namespaces"]

ROOT = Path(__file__).parents[3]

END_DEADLINE = timedelta(seconds=60)
"""For the kernel to end everything inside, and for the warden to remove what is left."""


class Namespaces:
    """Open until ``close``, or until this process ends in whatever way.

    Args:
        remove: Remove the run folder too, also if this process is killed.

    Raises:
        ClusterError: They could not be made; the warden's words are in the message.
    """

    def __init__(self, folder: Path, *, remove: bool) -> None:
        self._log = folder / "warden.log"
        with self._log.open("wb") as log:
            self._warden = subprocess.Popen(
                [
                    *(sys.executable, "-m", "tests.kubernetes.node.warden"),
                    *(str(folder), "remove" if remove else "keep"),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=ROOT,
                start_new_session=True,  # Ctrl-C is for the owner
            )
        (folder / "warden.pid").write_text(f"{self._warden.pid}\n", encoding="ascii")
        assert self._warden.stdout, "it was asked for"
        with self._warden.stdout as answer:
            init = answer.readline().strip()
        if not init:
            self._warden.wait(END_DEADLINE.total_seconds())
            raise ClusterError(f"no namespaces for a node could be made:\n{self._words()}")
        self.init = int(init)
        """The process id of the first process inside, as it is known outside."""

    def close(self) -> None:
        """End everything inside, and wait until nothing of it is left.

        Raises:
            ClusterError: Something is; the warden's words are in the message.
        """
        assert self._warden.stdin, "it was asked for"
        with suppress(BrokenPipeError):  # someone killed it; the kernel did the most of its work
            self._warden.stdin.write(b"the end\n")
            self._warden.stdin.close()
        if self._warden.wait(END_DEADLINE.total_seconds()):
            raise ClusterError(f"the end of the node left something behind:\n{self._words()}")

    def _words(self) -> str:
        return tail(self._log.read_text(encoding="utf-8", errors="replace"))
