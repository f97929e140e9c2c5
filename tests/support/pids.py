"""Whether processes are still there."""

import os
import subprocess
from pathlib import Path

__all__ = ["is_running", "is_unwaited"]


def is_running(pid: int) -> bool:
    """Whether a process runs. A zombie has ended: it only waits for whoever adopted it."""
    if not Path("/proc/self/stat").exists():
        shown = subprocess.run(
            ["ps", "-o", "stat=", "-p", str(pid)], check=False, capture_output=True, text=True
        )
        return bool(shown.stdout.strip()) and not shown.stdout.startswith("Z")
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
    except (FileNotFoundError, ProcessLookupError):
        return False
    return text.rpartition(")")[2].split()[0] != "Z"


def is_unwaited(pid: int) -> bool:
    """Whether this is a child of ours that nobody has waited for."""
    try:
        os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return False
    return True
