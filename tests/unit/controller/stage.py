"""A reconciler with an API server on a page and a server that answers as it is told."""

import copy
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from prometheus_client import CollectorRegistry

from proxar.contract import ToolList
from proxar.controller.apply import Applier
from proxar.controller.lists import ListCache
from proxar.controller.metrics import Board, OperatorMetrics
from proxar.controller.reconcile import Key, Reconciler, Tools
from proxar.errors import FetchError
from proxar.fetch import Era, Fetched, Fetcher, Target
from proxar.kube.snapshots import SnapshotStore
from tests.support.fakecluster import FakeCluster
from tests.unit.controller.world import FIRST, World, fetched

__all__ = ["KEY", "PATH", "FakeFetcher", "Stage"]

KEY: Key = ("team", "issues-mcp")
PATH = "/apis/proxar.dev/v1alpha1/namespaces/team/mcpservers/issues-mcp"


class FakeFetcher(Fetcher):
    """Answers without a connection."""

    def __init__(self) -> None:
        self.answer: ToolList | FetchError = FIRST
        self.answers: dict[str, ToolList | FetchError] = {}
        """By url, where it is not the same."""
        self.targets: list[Target] = []
        """What was fetched."""
        self.eras: list[Era | None] = []
        self.fresh: list[bool] = []
        """Whether over a new connection."""
        self.during: Callable[[], None] = lambda: None
        """Happens during the next fetch."""

    async def fetch(
        self, target: Target, *, era: Era | None = None, fresh: bool = False
    ) -> Fetched:
        """Give the answer."""
        self.targets.append(target)
        self.eras.append(era)
        self.fresh.append(fresh)
        during, self.during = self.during, lambda: None
        during()
        answer = self.answers.get(target.url, self.answer)
        if isinstance(answer, FetchError):
            raise answer
        return fetched(answer)


class Stage:
    """One MCPServer, applied and known from the watch."""

    def __init__(self, **spec: Any) -> None:
        self.cluster, self.fetcher, self.board = FakeCluster(), FakeFetcher(), Board()
        self.registry = CollectorRegistry()
        self.tools = self._tools()
        self.reconciler = Reconciler(self.tools)
        self.create(**spec)
        self.watch()

    def _tools(self) -> Tools:
        store = SnapshotStore(self.cluster)
        return Tools(
            client=self.cluster,
            store=store,
            fetcher=self.fetcher,
            applier=Applier(self.cluster, store, "here"),
            board=self.board,
            metrics=OperatorMetrics(self.registry),
            lists=ListCache(),
            monotonic=lambda: 0.0,
        )

    def restart(self) -> None:
        """A new process: nothing is remembered."""
        self.board, self.registry = Board(), CollectorRegistry()
        self.tools = self._tools()
        self.reconciler = Reconciler(self.tools)
        self.watch()

    # What people do.

    def create(self, **spec: Any) -> None:
        """Apply a new object."""
        raw = World.new(**spec).raw
        del raw["metadata"]["uid"]
        self.cluster.put(PATH, raw)

    def edit(self, **spec: Any) -> None:
        """Change the spec."""
        raw = self.raw
        raw["spec"] |= spec
        raw["metadata"]["generation"] += 1
        self.cluster.put(PATH, raw)

    def annotate(self, **annotations: str) -> None:
        """Set annotations of ours, such as `accepted_hash`."""
        raw = self.raw
        raw["metadata"]["annotations"] = {
            f"proxar.dev/{name.replace('_', '-')}": value for name, value in annotations.items()
        }
        self.cluster.put(PATH, raw)

    def set_status(self, **status: Any) -> None:
        """Change the stored status, as if written by another version or long ago."""
        raw = self.raw
        raw["status"] |= status
        self.cluster.put(PATH, raw)

    def delete(self) -> None:
        """Delete the object and, as the garbage collector does, what it owns."""
        uid = self.raw["metadata"]["uid"]
        self.cluster.objects = {
            path: item
            for path, item in self.cluster.objects.items()
            if path != PATH and uid not in str(item["metadata"].get("ownerReferences"))
        }

    # What the operator does.

    def watch(self) -> bool:
        """Have the watch tell of the object; whether it asks for a look."""
        return self.reconciler.remember(self.raw)

    async def look(self) -> timedelta | None:
        """One reconcile."""
        return await self.reconciler.reconcile(KEY)

    # What there is.

    @property
    def raw(self) -> dict[str, Any]:
        """The object as stored."""
        return copy.deepcopy(self.cluster.objects[PATH])

    @property
    def status(self) -> dict[str, Any]:
        """Its status."""
        return dict(self.raw["status"])

    def condition(self, type_: str) -> tuple[str, str]:
        """Status and reason of a condition; empty when it is absent."""
        for item in self.status.get("conditions", ()):
            if item["type"] == type_:
                return item["status"], item["reason"]
        return "", ""

    def message(self, type_: str) -> str:
        """The message of a condition; empty when it is absent."""
        found = {item["type"]: item["message"] for item in self.status.get("conditions", ())}
        return str(found.get(type_, ""))

    def events(self) -> list[str]:
        """Reasons of the Events, oldest first."""
        return [event["reason"] for event in self.cluster.of("events")]

    def series(self) -> list[str]:
        """What a scrape gives of the server."""
        return [line for line in self.board.page().splitlines() if "{" in line]
