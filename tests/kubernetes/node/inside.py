"""What a node sees of the machine: its own network and processes, and few files to write to.

Run by the first process of the namespaces, before anything else is there. The programs and the run
folder are the machine's. What the node's parts write elsewhere, by habit and without a flag to
change it, goes to places of their own.
"""

import subprocess
from pathlib import Path

from tests.kubernetes.node.packages import find

__all__ = ["ADDRESS", "BRIDGE", "SETTINGS", "kept", "prepare"]

BRIDGE = "node0"
"""The network device that carries the node's address. Nothing is attached to it."""

ADDRESS = "10.250.0.1"
"""The node's; like those of pods and Services it exists only inside."""

KEPT = ("/var/lib", "/var/log")
"""Written to by kubelet and the network plugins; kept in the run folder, for who looks for the
reason of a failure."""

SETTINGS = (
    "kernel/keys/root_maxbytes",
    "kernel/keys/root_maxkeys",
    "kernel/panic",
    "kernel/panic_on_oops",
    "vm/overcommit_memory",
    "vm/panic_on_oom",
)
"""Of the whole machine's kernel. Kubelet insists on setting them, and gets files to write to."""


def kept(folder: Path) -> dict[str, Path]:
    """Return where in the run folder that is kept which is written to each of ``KEPT``."""
    return {path: folder / path.strip("/").replace("/", "-") for path in KEPT}


def prepare(folder: Path) -> None:
    """Turn new, unshared namespaces into those of a node."""
    _run("mount", "--make-rprivate", "/")  # nothing mounted from here on is seen outside
    _run("mount", "-t", "proc", "proc", "/proc")
    _run("mount", "-t", "tmpfs", "tmpfs", "/run")  # sockets; namespaces of pods
    for path, own in kept(folder).items():
        own.mkdir(exist_ok=True)
        _run("mount", "--bind", own, path)
    _pretend_settings(folder / "proc-sys")
    _set_up_network()


def _pretend_settings(folder: Path) -> None:
    for name in SETTINGS:
        setting = Path("/proc/sys") / name
        if setting.exists():
            own = folder / name
            own.parent.mkdir(parents=True, exist_ok=True)
            own.write_bytes(setting.read_bytes())
            _run("mount", "--bind", own, setting)


def _set_up_network() -> None:
    _run("ip", "link", "set", "lo", "up")
    # Not a dummy device, which some kernels lack.
    _run("ip", "link", "add", BRIDGE, "type", "bridge")
    _run("ip", "address", "add", f"{ADDRESS}/24", "dev", BRIDGE)
    _run("ip", "link", "set", BRIDGE, "up")
    # Kubelet and kube-proxy look for a default route. It leads to the bridge, where nobody is.
    _run("ip", "route", "add", "default", "via", "10.250.0.254", "dev", BRIDGE)
    Path("/proc/sys/net/ipv4/ip_forward").write_text("1", encoding="ascii")


def _run(program: str, *arguments: str | Path) -> None:
    subprocess.run([find(program), *arguments], check=True, timeout=30, stdin=subprocess.DEVNULL)
