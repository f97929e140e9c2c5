"""The process in which a node begins and ends, however its owner ends.

It makes the namespaces, whose first process is its child, and holds them until its standard input
closes: the owner lets go, or is dead. It then kills the first process, with which the kernel kills
every other one inside, and the mounts and the network go too. What is left it removes.

    python -m tests.kubernetes.node.warden RUN_FOLDER {keep,remove}

It prints the process id of the first process when the namespaces are ready. An owner that lets go
in good order says a word before, and then sees to the run folder itself. If the warden is killed,
its child goes with it, and the next start in the folder removes the rest.
"""

import ctypes
import os
import shutil
import signal
import sys
import traceback
from pathlib import Path
from typing import NoReturn

from tests.kubernetes.node import cgroups, inside
from tests.kubernetes.node.enter import PR_SET_PDEATHSIG, libc

CLONE_NEWNS = 0x00020000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000
"""From <linux/sched.h>."""


def main(folder: Path, *, remove: bool) -> int:
    """Hold a node until standard input closes, and return the exit code."""
    group = cgroups.name_for(folder)
    in_good_order = True
    cgroups.make(group)
    try:
        in_good_order = _hold(folder)
    finally:
        cgroups.remove(group)
        if remove and not in_good_order:
            shutil.rmtree(folder, ignore_errors=True)
    return 0


def _hold(folder: Path) -> bool:
    """Return whether the owner let go in good order."""
    read, write = os.pipe()
    _unshare(CLONE_NEWPID)  # for the next child, not for this process
    warden = os.getpid()
    init = os.fork()
    if not init:
        _be_first(folder, write, warden)
    os.close(write)
    try:
        if not os.read(read, 1):
            return True  # it has said why; the owner sees that it did not begin
        print(init, flush=True)
        os.close(sys.stdout.fileno())
        return bool(sys.stdin.buffer.read())
    finally:
        os.kill(init, signal.SIGKILL)
        os.waitpid(init, 0)  # returns when everything inside has ended


def _be_first(folder: Path, write: int, warden: int) -> NoReturn:
    try:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if Path(f"/proc/{warden}").exists():  # this is still the machine's /proc
            _unshare(CLONE_NEWNS | CLONE_NEWNET)
            inside.prepare(folder)
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # orphans leave no zombies
            os.write(write, b"1")
            os.close(write)
            while True:
                signal.pause()
    except BaseException:  # noqa: BLE001 -- a forked child must not go on as its parent
        traceback.print_exc()
    finally:
        os._exit(1)


def _unshare(flags: int) -> None:
    if libc.unshare(flags):
        code = ctypes.get_errno()
        raise OSError(code, f"cannot make namespaces: {os.strerror(code)}")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), remove=sys.argv[2] == "remove"))
