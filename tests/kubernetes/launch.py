"""Become another program, one that the kernel kills as soon as whoever started it dies.

A script of its own, run between fork and exec, because Python code there (``preexec_fn``) can
deadlock in a process with threads. Only Linux can do this; elsewhere the next start cleans up.
"""

import ctypes
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

__all__ = ["tied"]

PR_SET_PDEATHSIG = 1
"""From <linux/prctl.h>."""


def tied(command: Sequence[str | Path]) -> list[str]:
    """Return the command line that runs a command, named by its full path, tied to this process.

    Strictly, Linux ties it to the thread that starts it: that one must live as long.
    """
    return [sys.executable, "-I", "-S", __file__, str(os.getpid()), *map(str, command)]


def main(parent: int, command: list[str]) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it died before we asked
            sys.exit(f"process {parent}, which started {command[0]}, is gone")
    os.execv(command[0], command)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
