"""What `proxar doctor` makes of what it found. Pure: the facts are gathered elsewhere."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from proxar import __version__

if TYPE_CHECKING:
    from proxar.api import MCPServer
    from proxar.kube.rights import Right

__all__ = [
    "Check",
    "OperatorFacts",
    "Outcome",
    "clock",
    "crd",
    "kubernetes_version",
    "namesakes",
    "operator",
    "rights",
    "servers",
]

OLDEST = (1, 31)
"""The first minor version whose API server takes every rule of the CRD; as in Chart.yaml."""

CLOCK_TOLERANCE = timedelta(seconds=30)
"""Settling, expiry and staleness go by minutes; signed tokens are refused from about here on."""

HEARTBEAT = timedelta(minutes=18)
"""How old `lastSeenTime` grows at most while looks succeed, besides the looks' own interval."""

LISTED = 20
"""Servers that are named; the others are counted."""


class Outcome(StrEnum):
    """How a check went."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the report."""

    name: str
    outcome: Outcome
    message: str


@dataclass(frozen=True, slots=True)
class OperatorFacts:
    """What the operator's metrics say of it."""

    is_ready: bool
    version: str | None


def kubernetes_version(version: tuple[int, int]) -> Check:
    """Whether the API server is new enough."""
    text = ".".join(map(str, version))
    if version >= OLDEST:
        return Check("kubernetes", Outcome.OK, f"version {text}")
    oldest = ".".join(map(str, OLDEST))
    return Check("kubernetes", Outcome.PROBLEM, f"version {text}: Proxar needs {oldest} or later")


def clock(server: datetime | None, here: datetime) -> Check:
    """Whether this machine and the API server agree what time it is."""
    if server is None:
        return Check("clock", Outcome.WARNING, "the API server does not tell its time")
    # The header has whole seconds and the answer took a moment.
    off = abs(here - server)
    if off <= CLOCK_TOLERANCE:
        return Check("clock", Outcome.OK, "as the API server's")
    return Check(
        "clock",
        Outcome.PROBLEM,
        f"{off.total_seconds():.0f} s off the API server's: times in status and the settling of "
        "drift go by it; synchronise this machine's clock",
    )


def crd(missing: Sequence[str] | None) -> Check:
    """Whether the kind is installed, and not older than this version."""
    if missing is None:
        return Check(
            "crd",
            Outcome.PROBLEM,
            "mcpservers.proxar.dev is not installed: install the chart with crds.install=true",
        )
    if missing:
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        return Check(
            "crd",
            Outcome.PROBLEM,
            f"older than this Proxar: it lacks {', '.join(missing[:3])}{more}; upgrade the chart "
            "with crds.install=true",
        )
    return Check("crd", Outcome.OK, "mcpservers.proxar.dev v1alpha1 has every field")


def namesakes(groups: Sequence[str]) -> Check:
    """Whether another project's kind is called MCPServer too."""
    if not groups:
        return Check("names", Outcome.OK, "no other kind MCPServer is installed")
    return Check(
        "names",
        Outcome.WARNING,
        f"{', '.join(groups)} has a kind MCPServer too: say pmcp, or mcpservers.proxar.dev",
    )


def rights(lacking: Iterable[tuple["Right", str | None]], whose: str) -> Check:
    """Whether a right is missing, each with the namespace that it is missing in."""
    found = [f"{right}{f' in {where}' if where else ''}" for right, where in lacking]
    if not found:
        return Check("rights", Outcome.OK, f"{whose} has every right that it needs")
    more = f" and {len(found) - 5} more" if len(found) > 5 else ""
    return Check(
        "rights",
        Outcome.PROBLEM,
        f"{whose} may not {', '.join(found[:5])}{more}: compare its RBAC with the chart's",
    )


def operator(facts: OperatorFacts) -> Check:
    """Whether the operator is ready, and of this version."""
    if not facts.is_ready:
        return Check(
            "operator",
            Outcome.PROBLEM,
            "it runs, but has not listed the MCPServers yet: look at its log",
        )
    if facts.version not in (None, __version__):
        return Check(
            "operator",
            Outcome.WARNING,
            f"it is of version {facts.version}, this is {__version__}",
        )
    return Check("operator", Outcome.OK, f"ready, version {__version__}")


def servers(found: Sequence["MCPServer"], at: datetime) -> Iterator[Check]:
    """What ails single servers: what a person must fix, is unreachable, or is not looked at."""
    ailing = [check for server in found for check in (_server(server, at),) if check is not None]
    ailing.sort(key=lambda check: (check.outcome is not Outcome.PROBLEM, check.name))
    yield from ailing[:LISTED]
    suspended = sum(server.spec.suspend for server in found)
    fine = len(found) - len(ailing) - suspended
    more = f"{len(ailing) - LISTED} more are not, " if len(ailing) > LISTED else ""
    yield Check(
        "servers",
        # Of none there is nothing to say against.
        Outcome.WARNING if more else Outcome.OK,
        f"{fine} of {len(found)} are looked at without a fault, {more}{suspended} suspended",
    )


def _server(server: "MCPServer", at: datetime) -> Check | None:
    name = f"{server.metadata.namespace}/{server.metadata.name}"
    status, spec = server.status, server.spec
    if spec.suspend:
        return None
    ready, reachable = status.condition("Ready"), status.condition("Reachable")
    if status.observed_generation != server.metadata.generation or ready is None:
        return Check(
            name,
            Outcome.WARNING,
            "was not looked at yet in its present form; if that lasts longer than its timeout, "
            "no operator watches it",
        )
    if ready.status == "False":
        return Check(name, Outcome.PROBLEM, f"{ready.reason}: {ready.message}")
    if reachable is not None and reachable.status == "False":
        return Check(name, Outcome.WARNING, f"{reachable.reason}: {reachable.message}")
    seen = status.snapshot.last_seen_time if status.snapshot else None
    if seen is not None and at - seen > HEARTBEAT + 3 * spec.interval:
        minutes = int((at - seen).total_seconds() // 60)
        return Check(
            name,
            Outcome.PROBLEM,
            f"was last looked at {minutes} minutes ago, and its interval is shorter: does the "
            "operator run?",
        )
    return None
