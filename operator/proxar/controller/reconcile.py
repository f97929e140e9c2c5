"""The reconcile of one MCPServer: look, gather, plan, and apply onto the very object that was
looked at for.

The shell around `plan`: it fetches, reads and writes, and decides only whether the world moved
underneath.
"""

import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from proxar.api import (
    ACCEPTED_HASH,
    RECONCILE_REQUESTED_AT,
    InvalidObject,
    MCPServer,
    parse_mcpserver,
)
from proxar.contract import ToolList
from proxar.controller import invalid
from proxar.controller.apply import Application, Applier
from proxar.controller.evidence import Seen, Stored
from proxar.controller.lists import ListCache
from proxar.controller.metrics import Board, OperatorMetrics
from proxar.controller.observation import Fault, Held, Look, Pending, confirm
from proxar.controller.plan import HEARTBEAT, Plan, begin, plan
from proxar.controller.targets import target_of
from proxar.errors import Conflict, FetchError, KubernetesError, SnapshotError
from proxar.fetch import Era, Fetched, Fetcher
from proxar.kube import mcpservers
from proxar.kube.client import KubeClient, is_terminating
from proxar.kube.snapshots import SnapshotStore
from proxar.kube.text import clean

__all__ = ["Key", "Reconciler", "Tools"]

log = logging.getLogger(__name__)

Key = tuple[str, str]
"""Namespace and name."""

TOKEN_CHARACTERS = 256
"""Of a request for a look, as status.lastHandledReconcileAt takes it; an annotation may be
longer."""

HASH = re.compile("sha256:[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Tools:
    """What a reconcile works with; all of it outlives any one object."""

    client: KubeClient
    store: SnapshotStore
    fetcher: Fetcher
    applier: Applier
    board: Board
    metrics: OperatorMetrics
    lists: ListCache
    monotonic: Callable[[], float]
    """Seconds, for durations."""


@dataclass(slots=True)
class Memory:
    """What is known of one object besides the API server's copy. Losing it costs time, never
    truth."""

    uid: str
    target: str = ""
    era: Era | None = None
    pending: Pending | None = None


class Reconciler:
    """Holds the newest known copy of each object and reconciles one at a time per key (the queue
    sees to that)."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._objects: dict[Key, Mapping[str, Any]] = {}
        self._memories: dict[Key, Memory] = {}

    def remember(self, raw: Mapping[str, Any]) -> bool:
        """Take in an object from the watch or from a write; `True` when it asks for a look at once.

        Own status writes come back through the watch and ask for nothing.
        """
        key = (raw["metadata"]["namespace"], raw["metadata"]["name"])
        known = self._objects.get(key)
        if known is not None and not _is_newer(raw, known):
            return False
        self._objects[key] = raw
        return known is None or _asks(known) != _asks(raw)

    def is_last(self, raw: Mapping[str, Any]) -> bool:
        """Whether this very object is the one that is known by its name, and not one made since:
        kopf tells of different objects in any order."""
        known = self._objects.get((raw["metadata"]["namespace"], raw["metadata"]["name"]))
        return known is None or _uid(known) == _uid(raw)

    def forget(self, key: Key) -> None:
        """The object is gone: so are its memory and its series."""
        self._objects.pop(key, None)
        self._memories.pop(key, None)
        self._tools.board.forget(key)

    def knows(self, key: Key) -> bool:
        """Whether there is such an object, as far as is known."""
        return key in self._objects

    def keys(self) -> set[Key]:
        """Every object known."""
        return set(self._objects)

    async def reconcile(self, key: Key) -> timedelta | None:
        """Look at one server and write what follows; return when to look again (`None`: when
        something changes).

        Raises:
            KubernetesError: Try again later; nothing is lost.
        """
        raw = self._objects.get(key)
        if raw is None:
            return None
        try:
            wait = await self._reconcile(key, raw)
        except KubernetesError as error:
            if is_terminating(error):
                return None
            # DELETED is lost in a 410 gap of the watch, so a 404 on a write is the only news there
            # is.
            lost = isinstance(error, Conflict) or error.status == 404
            if lost and await self._refresh(key) is None:
                return None
            raise
        newest = self._objects.get(key)
        if newest is not None and _asks(newest) != _asks(raw):
            # Asked for meanwhile and read here before the watch told of it, which is old news then.
            return timedelta()
        return wait

    async def _refresh(self, key: Key) -> Mapping[str, Any] | None:
        """Read the object anew; `None` when it is gone, or the watch told of its end meanwhile."""
        before = self._objects.get(key)
        fresh = await mcpservers.get(self._tools.client, *key)
        known = self._objects.get(key)
        if fresh is None and known is before:
            self.forget(key)
        if fresh is None or known is None:
            return None
        if known is not before and not _is_newer(fresh, known):
            return known  # the watch was faster
        self._objects[key] = fresh
        return fresh

    def _take_own(self, written: Mapping[str, Any]) -> bool:
        """Take in what a write returned; `False` when the watch told of the object's end
        meanwhile, and it is not to come back by this."""
        key = (written["metadata"]["namespace"], written["metadata"]["name"])
        is_known = self.knows(key) and self.is_last(written)
        if is_known:
            self.remember(written)
        return is_known

    async def _reconcile(self, key: Key, raw: Mapping[str, Any]) -> timedelta | None:
        try:
            server = parse_mcpserver(raw)
        except InvalidObject as error:
            await self._report_invalid(raw, error)
            return None
        if server.metadata.deletion_timestamp is not None:
            # Somebody's finalizer may hold it for long; nothing more is to be said of it.
            self._tools.board.forget(key)
            return None
        requested = server.metadata.annotations.get(RECONCILE_REQUESTED_AT)
        if requested is not None:
            requested = clean(requested, characters=TOKEN_CHARACTERS)
        now = _now()
        started = None if server.spec.suspend else begin(server, requested, now)
        if started is not None:
            raw = await mcpservers.apply_status(self._tools.client, raw, started.to_json())
            if not self._take_own(raw):
                return None
            server = parse_mcpserver(raw)
        found = await self._look(server, self._memory(server))
        seen = await self._seen(server, found, requested)
        result = plan(server, seen)
        if not (result.write or result.events or result.store):
            self._show(server, result, seen, counted=None)
            return result.requeue_after
        return await self._write(key, server, seen)

    async def _write(self, key: Key, looked_for: MCPServer, seen: Seen) -> timedelta | None:
        """Plan again on the object as it is now, and apply, unless the look was for another one."""
        raw = await self._refresh(key)
        if raw is None:
            return None
        try:
            server = parse_mcpserver(raw)
        except InvalidObject:
            return timedelta()  # it is reported when it is looked at as it is now
        if not _same(server, looked_for):
            log.info("dropped a look at %s/%s: the object changed meanwhile", *key)
            return timedelta()
        seen = await self._seen(server, seen.found, seen.requested)
        result = plan(server, seen)
        application = Application(raw, server, result)
        try:
            await self._apply(application)
        except SnapshotError as error:
            log.warning("%s/%s: %s", *key, error)
            result = plan(server, replace(seen, store_error=error))
            application = Application(raw, server, result)
            await self._apply(application)
        counted = result.diff.summary if result.diff and result.transition else None
        self._show(server, result, seen, counted=counted)
        return result.requeue_after

    async def _apply(self, application: Application) -> None:
        updates = self._tools.metrics.status_updates
        try:
            await self._tools.applier.apply(application)
        except KubernetesError as error:
            updates.labels("conflict" if isinstance(error, Conflict) else "error").inc()
            raise
        if application.plan.store is not None:
            self._tools.metrics.snapshots.inc()
        if application.applied is not None:
            updates.labels("success").inc()
            self._take_own(application.applied)

    def _memory(self, server: MCPServer) -> Memory:
        memory = self._memories.get(server.key)
        if memory is None or memory.uid != server.metadata.uid:
            memory = self._memories[server.key] = Memory(server.metadata.uid)
            memory.target = server.spec.target_digest
            # Remembered in status over restarts, so that a bad hour at start-up cannot change the
            # protocol spoken.
            endpoints = server.status.endpoints
            memory.era = Era.of(endpoints[0].protocol_version) if endpoints else None
        if memory.target != server.spec.target_digest:
            memory.target, memory.era, memory.pending = server.spec.target_digest, None, None
        return memory

    async def _look(self, server: MCPServer, memory: Memory) -> Look | Held | Fault | None:
        """Fetch once and decide whether the list counts; `None` while suspended."""
        if server.spec.suspend:
            return None
        metrics, started = self._tools.metrics, self._tools.monotonic()
        try:
            target = await target_of(self._tools.client, server, server.spec.endpoint)
            fetched = await self._tools.fetcher.fetch(target, era=memory.era)
        except FetchError as error:
            metrics.polls.labels(error.reason).inc()
            return Fault(error.reason, error.message, error.retry_after)
        finally:
            metrics.poll_seconds.observe(self._tools.monotonic() - started)
        metrics.polls.labels("Fetched").inc()
        memory.era = fetched.era
        found = confirm(fetched, await self._names_before(server, fetched), memory.pending, _now())
        memory.pending = found.pending if isinstance(found, Held) else None
        return found

    async def _names_before(self, server: MCPServer, fetched: Fetched) -> list[str] | None:
        """The tools of the last list that counted; another target's list is not compared with."""
        snapshot, baseline = server.status.snapshot, server.status.baseline
        if snapshot is None or not snapshot.hash:
            return None
        if baseline is not None and baseline.target not in (None, server.spec.target_digest):
            return None
        tools: ToolList | SnapshotError | None = fetched.tools
        if snapshot.hash != fetched.tools.hash:
            tools = self._tools.lists.get(snapshot.hash) or await self._read(server, snapshot.hash)
        return [tool.name for tool in tools.tools] if isinstance(tools, ToolList) else None

    async def _seen(
        self, server: MCPServer, found: Look | Held | Fault | None, requested: str | None
    ) -> Seen:
        now = _now()
        if isinstance(found, Look):
            self._tools.lists.put(found.fetched.tools)
        stored = await self._gather(server, found, now)
        return Seen(found, stored, now, requested=requested, compare=self._tools.lists.compare)

    async def _gather(
        self, server: MCPServer, found: Look | Held | Fault | None, now: datetime
    ) -> Stored:
        """Read the stored lists that the plan may need and that are not at hand."""
        status = server.status
        at_hand = found.fetched.tools.hash if isinstance(found, Look) else None
        wanted = {server.spec.pinned_hash, server.metadata.annotations.get(ACCEPTED_HASH)}
        wanted |= {section.hash for section in (status.snapshot, status.baseline) if section}
        stored: dict[str, ToolList | SnapshotError | None] = {}
        # Only what can be a hash: an annotation holds whatever its author typed.
        for hash_ in sorted(hash_ for hash_ in wanted if hash_ and HASH.fullmatch(hash_)):
            if _is_stale(server, hash_, now):
                stored[hash_] = await self._read(server, hash_)
            elif hash_ != at_hand:
                stored[hash_] = self._tools.lists.get(hash_) or await self._read(server, hash_)
        return stored

    async def _read(self, server: MCPServer, hash_: str) -> Any:
        try:
            tools = await self._tools.store.read(*server.key, hash_)
        except SnapshotError as error:
            log.warning("%s/%s: %s", *server.key, error)
            return error
        if tools is not None:
            self._tools.lists.put(tools)
        return tools

    def _show(
        self, server: MCPServer, result: Plan, seen: Seen, *, counted: dict[str, int] | None
    ) -> None:
        known = self._objects.get(server.key)
        if known is None or _uid(known) != server.metadata.uid:
            return  # deleted while it was looked at: no series may come back
        success_at = seen.now.timestamp() if isinstance(seen.found, Look) else None
        self._tools.board.update(server, result.status, success_at=success_at, counted=counted)

    async def _report_invalid(self, raw: Mapping[str, Any], error: InvalidObject) -> None:
        log.warning("%s/%s: %s", raw["metadata"]["namespace"], raw["metadata"]["name"], error)
        status = invalid.status(raw, error, _now())
        if status is not None:
            self._take_own(await mcpservers.apply_status(self._tools.client, raw, status))


def _is_stale(server: MCPServer, hash_: str, now: datetime) -> bool:
    """Whether it is time to look whether the current snapshot's ConfigMap is still there: with each
    heartbeat."""
    snapshot = server.status.snapshot
    return bool(
        snapshot
        and snapshot.hash == hash_
        and snapshot.last_seen_time
        and now - snapshot.last_seen_time >= HEARTBEAT
    )


def _same(server: MCPServer, looked_for: MCPServer) -> bool:
    now, then = server.metadata, looked_for.metadata
    return (
        now.uid == then.uid and now.generation == then.generation and now.deletion_timestamp is None
    )


def _asks(raw: Mapping[str, Any]) -> tuple[Any, ...]:
    metadata = raw["metadata"]
    annotations = metadata.get("annotations") or {}
    return (
        metadata["uid"],
        metadata.get("generation"),
        annotations.get(RECONCILE_REQUESTED_AT),
        annotations.get(ACCEPTED_HASH),
    )


def _uid(raw: Mapping[str, Any]) -> str:
    return str(raw["metadata"]["uid"])


def _is_newer(raw: Mapping[str, Any], known: Mapping[str, Any]) -> bool:
    # Opaque by the letter of the API conventions; integers in fact, and comparable by promise since
    # Kubernetes 1.35 (KEP-5504), also between an object and one of its name made after it.
    version, former = (str(item["metadata"].get("resourceVersion", "")) for item in (raw, known))
    return not (version.isdigit() and former.isdigit()) or int(version) > int(former)


def _now() -> datetime:
    """The API keeps whole seconds; so do decisions, or a status read back would differ from the one
    written."""
    return datetime.now(UTC).replace(microsecond=0)
