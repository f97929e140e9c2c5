"""Run a program inside the namespaces of a node.

A script of its own, for the reason that ``launch.py`` gives. A process cannot move into a namespace
of processes, only its children are born there. So this one stays outside as the program's keeper:
it passes on what ends it, and returns what it returned.
"""

import ctypes
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

__all__ = ["PR_SET_PDEATHSIG", "entered", "join"]

PR_SET_PDEATHSIG = 1
"""From <linux/prctl.h>."""

libc = ctypes.CDLL(None, use_errno=True)


def entered(init: int, command: Sequence[str | Path]) -> list[str]:
    """Return the command line that runs a command inside.

    Args:
        init: The process id, out here, of the first process inside.
    """
    return [sys.executable, "-I", "-S", __file__, str(init), *map(str, command)]


def join(init: int, *names: str) -> None:
    """Move this thread, or its future children, into namespaces: of ``mnt``, ``net``, ``pid``."""
    # All are opened before the first is joined: behind ``mnt``, /proc shows only what is inside.
    files = [os.open(f"/proc/{init}/ns/{name}", os.O_RDONLY | os.O_CLOEXEC) for name in names]
    for file, name in zip(files, names, strict=True):
        if libc.setns(file, 0):
            code = ctypes.get_errno()
            raise OSError(code, f"cannot enter namespace {name} of {init}: {os.strerror(code)}")
        os.close(file)


def main(init: int, command: list[str]) -> int:
    join(init, "mnt", "net", "pid")
    child = os.fork()
    if not child:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        os.execvp(command[0], command)

    def pass_on(number: int, _: FrameType | None) -> None:
        os.kill(child, number)

    signal.signal(signal.SIGTERM, pass_on)
    signal.signal(signal.SIGINT, pass_on)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
