"""The reconcile of one MCPServer: look, gather, plan, and apply onto the very object that was
looked at for.

The shell around `plan`: it fetches, reads and writes, and decides only whether the world moved
underneath.
"""

import logging
from collections.abc import Mapping
from dataclasses import replace
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
from proxar.controller.apply import Application
from proxar.controller.conditions import reconciling
from proxar.controller.evidence import Seen
from proxar.controller.hosts import hosts_of
from proxar.controller.listening import Listeners
from proxar.controller.lists import apart
from proxar.controller.looking import Looker, Looks
from proxar.controller.observation import Look
from proxar.controller.plan import Plan, begin, plan
from proxar.controller.rest import Rest, rest_of, sight_of, still
from proxar.controller.shelf import Shelf
from proxar.controller.tools import Tools
from proxar.controller.watchlag import WatchLag
from proxar.errors import Conflict, KubernetesError, SnapshotError
from proxar.kube import mcpservers
from proxar.kube.client import is_terminating
from proxar.kube.text import clean

__all__ = ["Key", "Reconciler", "Tools"]

log = logging.getLogger(__name__)

Key = tuple[str, str]
"""Namespace and name."""

TOKEN_CHARACTERS = 256
"""Of a request for a look, as status.lastHandledReconcileAt takes it; an annotation may be
longer."""


class Reconciler:
    """Holds the newest known copy of each object and reconciles one at a time per key (the queue
    sees to that)."""

    def __init__(self, tools: Tools, listeners: Listeners | None = None) -> None:
        """`listeners` are told whom to listen to; without them nobody is listened to."""
        self._tools = tools
        self._listeners = listeners
        self._objects: dict[Key, Mapping[str, Any]] = {}
        self._parsed: dict[Key, MCPServer] = {}
        """What was made of the very copies in `_objects`, and goes with them; so do the next two.
        """
        self._rests: dict[Key, Rest] = {}
        self._hosts: dict[Key, frozenset[str]] = {}
        self._shelf = Shelf(tools.store, tools.lists)
        self._looker = Looker(tools, self._shelf)
        self.watch_lag = WatchLag(tools.monotonic)

    def remember(self, raw: Mapping[str, Any]) -> bool:
        """Take in an object from the watch or from a write; `True` when it asks for a look at once.

        Own status writes come back through the watch and ask for nothing.
        """
        key = (raw["metadata"]["namespace"], raw["metadata"]["name"])
        known = self._objects.get(key)
        if known is not None and not _is_newer(raw, known):
            return False
        self._hold(key, raw)
        return known is None or _asks(known) != _asks(raw)

    def is_last(self, raw: Mapping[str, Any]) -> bool:
        """Whether this very object is the one that is known by its name, and not one made since:
        kopf tells of different objects in any order."""
        known = self._objects.get((raw["metadata"]["namespace"], raw["metadata"]["name"]))
        return known is None or _uid(known) == _uid(raw)

    def forget(self, key: Key) -> None:
        """The object is gone: so are its memory and its series."""
        self._objects.pop(key, None)
        self._drop(key)
        self._looker.forget(key)
        self._stop_listening(key)
        self.watch_lag.forget(key)
        self._tools.board.forget(key)
        self._tools.applier.forget(key)

    def knows(self, key: Key) -> bool:
        """Whether there is such an object, as far as is known."""
        return key in self._objects

    def hosts(self, key: Key) -> frozenset[str]:
        """Whom a look at an object asks."""
        if key not in self._hosts and key in self._objects:
            self._hosts[key] = hosts_of(self._objects[key])
        return self._hosts.get(key, frozenset())

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
        if _version(fresh) == _version(known):
            return known  # nearly always: what was made of it stands
        if known is not before and not _is_newer(fresh, known):
            return known  # the watch was faster
        self._hold(key, fresh)
        return fresh

    def _hold(self, key: Key, raw: Mapping[str, Any]) -> None:
        """This copy is the newest; nothing that was made of the former one stands for it."""
        _lighten(raw)
        self._objects[key] = raw
        self._drop(key)

    def _drop(self, key: Key) -> None:
        for made in (self._parsed, self._rests, self._hosts):
            made.pop(key, None)

    def _parse(self, key: Key, raw: Mapping[str, Any]) -> MCPServer:
        """Read an object; the copy that is held, once."""
        is_held = self._objects.get(key) is raw
        server = self._parsed.get(key) if is_held else None
        if server is None:
            server = parse_mcpserver(raw)
            if is_held:
                self._parsed[key] = server
        return server

    def _take_own(self, written: Mapping[str, Any]) -> bool:
        """Take in what a write returned; `False` when the watch told of the object's end
        meanwhile, and it is not to come back by this."""
        key = (written["metadata"]["namespace"], written["metadata"]["name"])
        known = self._objects.get(key)
        is_known = known is not None and self.is_last(written)
        if known is not None and is_known:
            if _is_newer(written, known):  # else nothing changed, or the watch was faster
                self.watch_lag.wrote(key, written)
            self.remember(written)
        return is_known

    async def _reconcile(self, key: Key, raw: Mapping[str, Any]) -> timedelta | None:
        try:
            server = self._parse(key, raw)
        except InvalidObject as error:
            self._stop_listening(key)
            await self._report_invalid(raw, error)
            return None
        if server.metadata.deletion_timestamp is not None:
            # Somebody's finalizer may hold it for long; nothing more is to be said of it.
            self._stop_listening(key)
            self._tools.board.forget(key)
            return None
        requested = server.metadata.annotations.get(RECONCILE_REQUESTED_AT)
        if requested is not None:
            requested = clean(requested, characters=TOKEN_CHARACTERS)
        now = _now()
        started = None if server.spec.suspend else begin(server, requested, now)
        if started is not None:
            raw = await self._write_status(raw, started.to_json())
            if not self._take_own(raw):
                return None
            server = self._parse(key, raw)
        asked = reconciling(server, requested) is not None
        looks = await self._looker.look(server, _now, asked=asked)
        if self._listeners is not None and self.knows(key) and self.is_last(raw):
            self._listeners.follow(server, looks.eras)
        wait = self._rested(key, server, looks)
        if wait is not None:
            return wait
        seen = await self._seen(server, looks, requested)
        result = await _planned(server, seen)
        if not (result.write or result.events or result.store):
            self._show(server, result, seen, counted=None)
            self._rest(key, server, rest_of(server, seen, result))
            return result.requeue_after
        return await self._write(server, looks, seen, result)

    def _rested(self, key: Key, server: MCPServer, looks: Looks) -> timedelta | None:
        """When to look again, where a plan is known to have nothing to do."""
        now, sight = _now(), sight_of(looks.found, looks.others, looks.flapping)
        lists = self._tools.lists
        if isinstance(looks.found, Look):
            lists.put(looks.found.fetched.tools)
        wait = still(
            self._rests.get(key), server, sight, now, has=lambda hash_: lists.get(hash_) is not None
        )
        if wait is not None:
            self._tools.board.looked(key, now.timestamp())
        return wait

    def _rest(self, key: Key, server: MCPServer, rest: Rest | None) -> None:
        """Remember a plan that had nothing to do, unless the object changed meanwhile."""
        if rest is not None and self._parsed.get(key) is server:
            self._rests[key] = rest
        else:
            self._rests.pop(key, None)

    async def _write(
        self, looked_for: MCPServer, looks: Looks, seen: Seen, result: Plan
    ) -> timedelta | None:
        """Apply a plan: to the object as it is now, planned again if that is not the one that was
        looked for, and not at all if it asks for another look.

        A mere heartbeat goes to the object as the watch told of it last: it has nothing to tell
        that would be worth asking for another, and one that is not the newest is a conflict.
        """
        key = looked_for.key
        raw = self._objects.get(key) if result.is_heartbeat else await self._refresh(key)
        if raw is None:
            return None
        try:
            server = self._parse(key, raw)
        except InvalidObject:
            return timedelta()  # it is reported when it is looked at as it is now
        if not _same(server, looked_for):
            log.info("dropped a look at %s/%s: the object changed meanwhile", *key)
            return timedelta()
        if server is not looked_for:
            seen = await self._seen(server, looks, seen.requested)
            result = await _planned(server, seen)
        application = Application(raw, server, result)
        try:
            await self._apply(application)
        except SnapshotError as error:
            log.warning("%s/%s: %s", *key, error)
            result = await _planned(server, replace(seen, store_error=error))
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

    async def _seen(self, server: MCPServer, looks: Looks, requested: str | None) -> Seen:
        now = _now()
        at_hand = None
        if isinstance(looks.found, Look):
            self._tools.lists.put(looks.found.fetched.tools)
            at_hand = looks.found.fetched.tools.hash
        return Seen(
            looks.found,
            await self._shelf.gather(server, at_hand, now),
            now,
            requested=requested,
            compare=self._tools.lists.compare,
            others=looks.others,
            flapping=looks.flapping,
        )

    def _show(
        self, server: MCPServer, result: Plan, seen: Seen, *, counted: dict[str, int] | None
    ) -> None:
        known = self._objects.get(server.key)
        if known is None or _uid(known) != server.metadata.uid:
            return  # deleted while it was looked at: no series may come back
        success_at = seen.now.timestamp() if isinstance(seen.found, Look) else None
        self._tools.board.update(
            server, result.status, diff=result.diff, success_at=success_at, counted=counted
        )

    def _stop_listening(self, key: Key) -> None:
        if self._listeners is not None:
            self._listeners.stop(key)

    async def _report_invalid(self, raw: Mapping[str, Any], error: InvalidObject) -> None:
        log.warning("%s/%s: %s", raw["metadata"]["namespace"], raw["metadata"]["name"], error)
        status = invalid.status(raw, error, _now())
        if status is not None:
            self._take_own(await self._write_status(raw, status))

    async def _write_status(
        self, raw: Mapping[str, Any], status: dict[str, Any]
    ) -> Mapping[str, Any]:
        """Apply a status that no plan is behind."""
        with self._tools.metrics.status_write():
            return await mcpservers.apply_status(self._tools.client, raw, status)


async def _planned(server: MCPServer, seen: Seen) -> Plan:
    """The plan. Large lists are compared in a thread: the watch and the probes go on meanwhile."""
    found = seen.found.fetched.tools if isinstance(seen.found, Look) else None
    lists = (found, *seen.stored.values(), *(other.tools for other in seen.others.values()))
    compared = [tools for tools in lists if isinstance(tools, ToolList)]
    return await apart(compared, plan, server, seen)


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


def _lighten(raw: Mapping[str, Any]) -> None:
    """Forget which fields of the status are whose: nobody asks, and they are half of an object."""
    for entry in raw["metadata"].get("managedFields") or ():
        if entry.get("subresource") == "status":
            entry.pop("fieldsV1", None)


def _uid(raw: Mapping[str, Any]) -> str:
    return str(raw["metadata"]["uid"])


def _version(raw: Mapping[str, Any]) -> str:
    return str(raw["metadata"].get("resourceVersion", ""))


def _is_newer(raw: Mapping[str, Any], known: Mapping[str, Any]) -> bool:
    # Opaque by the letter of the API conventions; integers in fact, and comparable by promise since
    # Kubernetes 1.35 (KEP-5504), also between an object and one of its name made after it.
    version, former = _version(raw), _version(known)
    return not (version.isdigit() and former.isdigit()) or int(version) > int(former)


def _now() -> datetime:
    """The API keeps whole seconds; so do decisions, or a status read back would differ from the one
    written."""
    return datetime.now(UTC).replace(microsecond=0)
