"""One part of the control plane as a process that never outlives its owner for long."""

import os
import shlex
import signal
import subprocess
import time
from concurrent.futures import Executor
from datetime import timedelta
from pathlib import Path

from tests.kubernetes import launch
from tests.kubernetes.errors import ClusterError
from tests.kubernetes.progress import tail

__all__ = ["Part", "kill_leftovers"]

LAUNCH = Path(launch.__file__)
"""The script that ties a process to its starter; ``launch.tied`` puts it before a command."""

KILL_DEADLINE = timedelta(seconds=10)
"""For the kernel to end a process after SIGKILL."""


class Part:
    """A started part.

    Its log is ``<name>.log`` and its process id ``<name>.pid``, both in the run folder.

    Args:
        command: Names the run folder in some argument; by that the next start knows it for ours.
        starter: Of one thread, which must live as long as the part: Linux kills the part when the
            *thread* that started it ends.
    """

    def __init__(self, name: str, command: list[str], folder: Path, starter: Executor) -> None:
        self.name = name
        self.log = folder / f"{name}.log"
        self._pid_file = folder / f"{name}.pid"
        with self.log.open("wb") as log:
            self._process = starter.submit(
                subprocess.Popen,
                launch.tied(command),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=folder,
                # Ctrl-C is for the owner, which stops the parts in the right order.
                start_new_session=True,
            ).result()
        self._pid_file.write_text(f"{self._process.pid}\n", encoding="ascii")
        self.command = command

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def check(self) -> None:
        """Raise unless the part still runs.

        Raises:
            ClusterError: It ended; the end of its log is in the message.
        """
        code = self._process.poll()
        if code is not None:
            raise ClusterError(
                f"{self.name} ended with exit code {code}; it was started as\n"
                f"    {shlex.join(self.command)}\nand its log ends with\n{self.log_tail()}"
            )

    def log_tail(self) -> str:
        """Return the end of the log, indented."""
        return tail(self.log.read_text(encoding="utf-8", errors="replace"))

    def stop(self, grace: timedelta) -> None:
        """Ask it to end, wait for ``grace``, then make it end."""
        self._process.terminate()
        if not self.wait(grace):
            self._process.kill()
            self._process.wait(KILL_DEADLINE.total_seconds())
        self._pid_file.unlink(missing_ok=True)

    def wait(self, limit: timedelta) -> bool:
        """Wait for it to end by itself; return whether it did."""
        try:
            self._process.wait(limit.total_seconds())
        except subprocess.TimeoutExpired:
            return False
        return True


def kill_leftovers(folder: Path) -> None:
    """End the processes that a killed owner left behind in its run folder."""
    for pid_file in folder.glob("*.pid"):
        pid = int(pid_file.read_text(encoding="ascii") or 0)
        # The number may be someone else's by now: only ours have the folder in their arguments.
        if pid and str(folder) in _command_line(pid):
            _kill(pid)
        pid_file.unlink()


def _command_line(pid: int) -> str:
    """Return the arguments of a process; nothing if it has ended."""
    proc = Path("/proc")
    if (proc / "self").exists():
        try:
            return (proc / str(pid) / "cmdline").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""
    ps = ["ps", "-ww", "-o", "command=", "-p", str(pid)]
    return subprocess.run(ps, capture_output=True, text=True, timeout=10, check=False).stdout


def _kill(pid: int) -> None:
    deadline = time.monotonic() + KILL_DEADLINE.total_seconds()
    try:
        while time.monotonic() < deadline and _command_line(pid):  # a zombie has none
            os.kill(pid, signal.SIGKILL)
            time.sleep(0.05)
    except ProcessLookupError:
        return
