"""What a process uses, as the system counts it."""

import os
import re
import subprocess
from pathlib import Path

__all__ = ["processor_seconds", "resident_bytes"]


def resident_bytes(pid: int) -> int:
    """Memory that it holds now."""
    statm = Path(f"/proc/{pid}/statm")
    if statm.exists():
        return int(statm.read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return int(_ps(pid, "rss")) << 10


def processor_seconds(pid: int) -> float:
    """Time that it has used since it began, in user and system mode."""
    stat = Path(f"/proc/{pid}/stat")
    if stat.exists():
        # The name may hold spaces and brackets; what follows it does not.
        fields = stat.read_text("utf-8").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    parts = [float(part) for part in re.split("[-:]", _ps(pid, "time"))]
    return sum(
        part * unit for part, unit in zip(reversed(parts), (1, 60, 3600, 86400), strict=False)
    )


def _ps(pid: int, column: str) -> str:
    command = ["ps", "-o", f"{column}=", "-p", str(pid)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
