"""One MCPServer in a world without I/O: an object, the lists that are stored, the Events that were
sent, and a clock that a test sets."""

import copy
import json
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from proxar.api import ACCEPTED_HASH, RECONCILE_REQUESTED_AT, MCPServer, Status, parse_mcpserver
from proxar.contract import ToolList
from proxar.controller.evidence import Seen, Stored
from proxar.controller.lists import ListCache
from proxar.controller.observation import Fault, Held, Look
from proxar.controller.plan import Plan, plan
from proxar.errors import SnapshotError
from proxar.fetch import Era, Fetched, Reason
from proxar.kube.events import event_manifest
from proxar.kube.snapshots import Owner
from tests.support.mcpservers import mcpserver
from tests.support.toolserver import tool

__all__ = [
    "ADVISORY",
    "BREAKING",
    "COMPATIBLE",
    "COSMETIC",
    "DOWN",
    "FIRST",
    "NOON",
    "OTHER",
    "UNAUTHORIZED",
    "UNKNOWN",
    "URL",
    "World",
    "fetched",
    "tool_list",
]

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
URL = "https://mcp.example.com/mcp"
UNKNOWN = f"sha256:{'0' * 64}"


def tool_list(*tools: Any) -> ToolList:
    """The list of these raw tools."""
    return ToolList.of(tools)


def fetched(tools: ToolList, **said: Any) -> Fetched:
    """A look that gave this list; `said` is what the server said of itself."""
    plain = Fetched(tools, "2026-07-28", "issues-server", "1", "StreamableHTTP", Era.MODERN)
    return replace(plain, **said)


SEARCH = tool("search_issues", ("query",), query="string", limit="integer")

FIRST = tool_list(SEARCH)
BREAKING = tool_list(tool("search_issues", ("query", "limit"), query="string", limit="integer"))
OTHER = tool_list(tool("search_issues", ("limit",), query="string", limit="string"))
ADVISORY = tool_list(
    tool("search_issues", ("query",), "Finds issues.", query="string", limit="integer")
)
COMPATIBLE = tool_list(SEARCH, tool("close_issue", ("number",), number="integer"))
COSMETIC = tool_list({**SEARCH, "icons": [{"src": "https://example.com/icon.png"}]})

COMPARED = ListCache()
"""Of all worlds: comparing is what takes time."""

DOWN = Fault(Reason.CONNECT_FAILED, "connection refused")
UNAUTHORIZED = Fault(Reason.UNAUTHORIZED, "401")


@dataclass
class World:
    """Plans and applies as the operator does."""

    raw: dict[str, Any]
    now: datetime = NOON
    stored: dict[str, ToolList | SnapshotError | None] = field(default_factory=dict)
    events: dict[str, str] = field(default_factory=dict)
    """Reasons of the Events sent, by name."""

    @classmethod
    def new(cls, **spec: Any) -> "World":
        """A world with an object that was just created."""
        raw = mcpserver("issues-mcp", URL, **({"interval": "1m"} | spec))
        raw["metadata"] |= {
            "namespace": "team",
            "uid": "6c1f",
            "generation": 1,
            "resourceVersion": "1",
            "annotations": {},
        }
        raw["status"] = {"observedGeneration": -1}
        return cls(raw)

    def copy(self) -> "World":
        """The same world, to go on differently."""
        return copy.deepcopy(self)

    @property
    def server(self) -> MCPServer:
        """The object as it is read from the API."""
        return parse_mcpserver(self.raw)

    @property
    def status(self) -> Status:
        """Its status as stored."""
        return self.server.status

    @property
    def reasons(self) -> list[str]:
        """The reasons of the Events sent, oldest first."""
        return list(self.events.values())

    def condition(self, type_: str) -> tuple[str, str]:
        """Status and reason of a condition; empty when it is absent."""
        found = self.status.condition(type_)
        return (found.status, found.reason) if found else ("", "")

    def edit(self, **spec: Any) -> None:
        """Change the spec; `None` takes a field away."""
        wanted = self.raw["spec"] | spec
        self.raw["spec"] = {key: value for key, value in wanted.items() if value is not None}
        self.raw["metadata"]["generation"] += 1

    def point_to(self, url: str) -> None:
        """Look at another server from now on."""
        self.edit(endpoints=[{"name": "primary", "url": url}])

    def accept(self, hash_: str | None) -> None:
        """Annotate the object with an accepted hash, or take the annotation away."""
        annotations = {ACCEPTED_HASH: hash_} if hash_ else {}
        self.raw["metadata"]["annotations"] = annotations

    def request(self, token: str) -> None:
        """Ask for a look."""
        self.raw["metadata"]["annotations"][RECONCILE_REQUESTED_AT] = token

    def wait(self, time: timedelta) -> None:
        """Let time pass."""
        self.now += time

    def seen(self, found: Look | Fault | Held | None, **more: Any) -> Seen:
        """What the operator gathers around a look."""
        requested = self.raw["metadata"]["annotations"].get(RECONCILE_REQUESTED_AT)
        fixed: dict[str, Any] = {"requested": requested, "compare": COMPARED.compare}
        return Seen(found, self.gathered(), self.now, **(fixed | more))

    def gathered(self) -> Stored:
        """The stored lists that the operator reads for a plan."""
        metadata, spec, status = self.raw["metadata"], self.raw["spec"], self.raw["status"]
        wanted = {spec.get("pinnedHash"), metadata["annotations"].get(ACCEPTED_HASH)}
        wanted |= {status[part]["hash"] for part in ("snapshot", "baseline") if part in status}
        return {hash_: self.stored.get(hash_) for hash_ in wanted if hash_}

    def plan(self, found: Look | Fault | Held | None, **more: Any) -> Plan:
        """Plan and write nothing."""
        return plan(self.server, self.seen(found, **more))

    def apply(self, made: Plan, steps: int = 4) -> None:
        """Write a plan out; with fewer than four steps the operator is killed after so many."""
        for step in (self._store, self._send, self._write, self._prune)[:steps]:
            step(made)

    def look(
        self, found: ToolList | Look | Fault | Held | None, *, steps: int = 4, **more: Any
    ) -> Plan:
        """Plan a look that gave this, and write it out; `None` is no look (suspended)."""
        made = self.plan(Look(fetched(found)) if isinstance(found, ToolList) else found, **more)
        self.apply(made, steps)
        return made

    def _store(self, made: Plan) -> None:
        if made.store is not None:
            self.stored[made.store.tools.hash] = made.store.tools

    def _send(self, made: Plan) -> None:
        metadata = self.raw["metadata"]
        owner = Owner(metadata["namespace"], metadata["name"], metadata["uid"])
        for event in made.events:
            name = event_manifest(owner, event, self.now, "here")["metadata"]["name"]
            self.events.setdefault(name, event.reason)

    def _write(self, made: Plan) -> None:
        if made.write:
            # Through JSON, as the API server keeps it.
            self.raw["status"] = json.loads(json.dumps(made.status.to_json()))

    def _prune(self, made: Plan) -> None:
        if made.write:
            self.prune(made)

    def prune(self, made: Plan) -> None:
        """Drop what a plan does not keep."""
        self.stored = {key: kept for key, kept in self.stored.items() if key in made.keep}
