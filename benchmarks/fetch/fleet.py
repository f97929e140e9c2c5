"""What a fleet costs: the real operator, a real control plane, and as many MCPServers as are asked
for, all on one fast local server and looked at once a minute.

Nothing changes meanwhile, as nearly always. Counted is the operator's process, once every server
has been looked at, and for so long that each status is written once for its times alone.
"""

import json
import re
import tempfile
import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.fetch.processes import processor_seconds, resident_bytes
from benchmarks.fetch.server import running
from tests.kubernetes.cluster import Cluster
from tests.kubernetes.controlplane import ControlPlane
from tests.kubernetes.progress import say
from tests.support.install import install
from tests.support.mcpservers import mcpserver
from tests.support.operatorprocess import OperatorProcess

__all__ = ["Usage", "measure", "report"]

NAMESPACE = "fleet"
AT_ONCE = 200
"""Objects in one call of kubectl."""

INTERVAL_SECONDS = 60
START_SECONDS = 900.0
"""For all of them to be looked at a first time, which writes three objects each."""

PAUSE_SECONDS = 10.0
"""Between two scrapes; each costs the operator something too."""

SETTLE_SECONDS = 60.0
MEASURE_SECONDS = 17 * 60.0
"""A round of heartbeats: they come 15 to 18 minutes after one another."""

SAMPLES = 100

MOST_PROCESSOR = 0.03
MOST_BYTES = 150 << 20


@dataclass(frozen=True, slots=True)
class Usage:
    """What the operator used."""

    servers: int
    seconds: float
    polls: int
    writes: int
    processor: float
    """Seconds."""
    most_bytes: int
    """Resident, at its highest."""


def measure(servers: int) -> Usage:
    """Run a fleet for some minutes."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running() as url,
        ControlPlane() as cluster,
    ):
        kubeconfig = install(cluster)
        cluster.kubectl("create", "namespace", NAMESPACE)
        arguments = ("--workers", "16", "--per-host", "16", "--log-level", "info")
        log = Path(folder) / "operator.log"
        with OperatorProcess(kubeconfig, log, namespace=NAMESPACE, arguments=arguments) as operator:
            _create(cluster, url, servers)
            say(f"waiting until {servers} servers have been looked at")
            _wait(lambda: known(operator) >= servers, START_SECONDS)
            time.sleep(SETTLE_SECONDS)
            say(f"measuring for {MEASURE_SECONDS:.0f} s")
            return _use(operator, servers)


def _create(cluster: Cluster, url: str, servers: int) -> None:
    items: list[dict[str, Any]] = []
    for number in range(servers):
        item = mcpserver(f"server-{number:05}", f"{url}/{number}", interval=f"{INTERVAL_SECONDS}s")
        item["metadata"]["namespace"] = NAMESPACE
        items.append(item)
    for start in range(0, servers, AT_ONCE):
        some = {"apiVersion": "v1", "kind": "List", "items": items[start : start + AT_ONCE]}
        cluster.apply(json.dumps(some))


def _use(operator: OperatorProcess, servers: int) -> Usage:
    pid = operator.pid
    # The scrapes of our own are not to be counted.
    polled, written = polls(operator), writes(operator)
    used, started = processor_seconds(pid), time.monotonic()
    most = 0
    for _ in range(SAMPLES):
        time.sleep(MEASURE_SECONDS / SAMPLES)
        most = max(most, resident_bytes(pid))
    seconds, used = time.monotonic() - started, processor_seconds(pid) - used
    polled, written = polls(operator) - polled, writes(operator) - written
    return Usage(servers, seconds, polled, written, used, most)


def polls(operator: OperatorProcess) -> int:
    """Looks that gave a list, since the operator's start."""
    return _counted(operator, r'proxar_poll_total\{result="Fetched"\}')


def writes(operator: OperatorProcess) -> int:
    """Status writes since the operator's start."""
    return _counted(operator, r'proxar_status_update_total\{result="success"\}')


def known(operator: OperatorProcess) -> int:
    """Servers whose tools are known."""
    return len(re.findall(r"^proxar_mcpserver_tools\{", _page(operator), re.MULTILINE))


def _counted(operator: OperatorProcess, series: str) -> int:
    found = re.search(rf"^{series} (\S+)$", _page(operator), re.MULTILINE)
    return int(float(found[1])) if found else 0


def _page(operator: OperatorProcess) -> str:
    with urllib.request.urlopen(f"{operator.url}/metrics", timeout=60) as answer:
        return str(answer.read().decode())


def _wait(is_so: Callable[[], bool], seconds: float) -> None:
    until = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > until:
            raise RuntimeError(f"not all servers were looked at within {seconds:.0f} s")
        time.sleep(PAUSE_SECONDS)


def report(usage: Usage) -> tuple[str, bool]:
    """The table, and whether the operator keeps its promise."""
    share = usage.processor / usage.seconds
    rows = [
        ("servers", "interval", "looks a second", "status writes", "CPU of one core", "memory"),
        ("---",) * 6,
        (
            f"{usage.servers:,}",
            f"{INTERVAL_SECONDS} s",
            f"{usage.polls / usage.seconds:.1f}",
            f"{usage.writes:,}",
            f"{share:.2%}",
            f"{usage.most_bytes / (1 << 20):.0f} MiB",
        ),
    ]
    table = "\n".join("| " + " | ".join(row) + " |" for row in rows)
    verdict = (
        f"a thousand servers may cost {MOST_PROCESSOR:.0%} of a core and {MOST_BYTES >> 20} MiB"
    )
    return f"{table}\n\n{verdict}", share < MOST_PROCESSOR and usage.most_bytes < MOST_BYTES
