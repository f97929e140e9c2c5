"""Whether a node can run on this machine, and what is in the way."""

import os
import sys
from pathlib import Path

from tests.kubernetes.node import cgroups
from tests.kubernetes.node.packages import NODE, can_install, missing

__all__ = ["obstacle"]

CAPABILITIES = {"CAP_NET_ADMIN": 12, "CAP_SYS_CHROOT": 18, "CAP_SYS_ADMIN": 21, "CAP_MKNOD": 27}
"""From <linux/capability.h>: those without which no container starts."""


def obstacle() -> str | None:
    """Return why no node can run here, for the person who wonders, or nothing."""
    if sys.platform != "linux":
        return f"it needs Linux, and this is {sys.platform}"
    if os.geteuid() != 0:
        return f"it needs root, and this is user {os.geteuid()}"
    effective = _effective_capabilities()
    lacking = [name for name, bit in CAPABILITIES.items() if not effective >> bit & 1]
    if lacking:
        return f"root lacks {', '.join(lacking)} here, as in most containers"
    hierarchies = cgroups.hierarchies()
    unwritable = [str(path) for path in hierarchies if not os.access(path, os.W_OK)]
    if unwritable or not hierarchies:
        return f"cgroups cannot be made in {', '.join(unwritable) or '/sys/fs/cgroup'}"
    absent = missing(NODE)
    if absent and not can_install():
        return f"there is no apt-get to install {', '.join(absent)} with"
    return None


def _effective_capabilities() -> int:
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("CapEff:"):
            return int(line.split()[1], 16)
    return 0
