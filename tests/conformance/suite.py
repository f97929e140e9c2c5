"""The releases of the suite that are used, installed from npm on first use, and how each is run."""

import re
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.kubernetes.toolchain import find_node
from tests.servers.install import node_modules
from tests.support.install import ROOT

__all__ = ["APPLY", "PAGE", "RELEASES", "Outcome", "explained", "run", "scenarios"]

HERE = Path(__file__).parent
PAGE = ROOT / "docs" / "reference" / "conformance.md"

NODE = (22,)
"""The oldest Node on which the suite runs."""

RELEASES = ("0.1.16", "0.2.0-alpha.12")
"""The last release, which ends with the protocol of 2025-11-25, and the one for 2026-07-28."""

APPLY = (
    "auth/client-credentials-basic",
    "auth/client-credentials-jwt",
    "http-standard-headers",
    "initialize",
    "json-schema-ref-no-deref",
    "request-metadata",
)
"""Scenarios for a client that reads the list of tools and does nothing else."""

DEADLINE_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the suite said of one scenario."""

    code: int
    passed: int
    failed: int
    text: str


@cache
def scenarios(release: str) -> frozenset[str]:
    """The names of all scenarios for clients."""
    listed = _suite(release, "list").stdout
    section = listed.partition("Client scenarios")[2].partition("\n\n")[0]
    return frozenset(re.findall(r"^  - (\S+)", section, re.MULTILINE))


def run(release: str, scenario: str, folder: Path) -> Outcome:
    """Run one scenario; it starts the client, and keeps its findings in the folder."""
    done = _suite(
        release,
        *("client", "--command", f"{sys.executable} -m tests.conformance.client"),
        *("--scenario", scenario, "--output-dir", str(folder)),
    )
    text = done.stdout + done.stderr
    counts = re.search(r"Passed: (\d+)/\d+, (\d+) failed, \d+ warnings", text)
    passed, failed = map(int, counts.groups()) if counts else (0, 0)
    return Outcome(done.returncode, passed, failed, text)


def explained() -> dict[str, str]:
    """The scenarios that do not apply, each with the reason, as the page tells them."""
    section = PAGE.read_text("utf-8").partition("## Scenarios that do not apply")[2]
    rows = re.findall(r"^\| (`.+?`) \| (.+) \|$", section, re.MULTILINE)
    return {name: why for names, why in rows for name in re.findall(r"`([^`]+)`", names)}


def _suite(release: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    package = node_modules(HERE / f"conformance-{release}") / "@modelcontextprotocol"
    node = find_node(NODE)
    return subprocess.run(
        [str(node.executable), str(package / "conformance" / "dist" / "index.js"), *arguments],
        cwd=ROOT,
        env=node.environment(),
        capture_output=True,
        text=True,
        timeout=DEADLINE_SECONDS,
        check=False,
    )
