"""The running operator: the watch fills the queue, workers empty it, a small HTTP server answers
probes and scrapes."""

import asyncio
import logging
import os
import random
import socket
import time
from collections.abc import Mapping
from contextlib import AsyncExitStack, suppress
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from prometheus_client import (
    CollectorRegistry,
    GCCollector,
    PlatformCollector,
    ProcessCollector,
    disable_created_metrics,
)
from prometheus_client.exposition import generate_latest

from proxar import __version__
from proxar.api import RECONCILE_REQUESTED_AT, InvalidObject, parse_duration, parse_mcpserver
from proxar.controller.apply import Applier
from proxar.controller.egress import egress_policy
from proxar.controller.informer import is_watching, watch
from proxar.controller.listening import Listeners
from proxar.controller.lists import ListCache
from proxar.controller.logs import configure_logging
from proxar.controller.memory import one_arena
from proxar.controller.metrics import CONTROLLER, Board, OperatorMetrics
from proxar.controller.plan import JITTER
from proxar.controller.queue import WorkQueue
from proxar.controller.reconcile import Key, Reconciler, Tools
from proxar.controller.serving import metrics_handler, probe, serving
from proxar.controller.settings import OperatorSettings
from proxar.errors import KubernetesError
from proxar.fetch import Fetcher
from proxar.kube import mcpservers
from proxar.kube.client import Connection, KubeClient
from proxar.kube.snapshots import SnapshotStore

__all__ = ["Operator", "run"]

log = logging.getLogger(__name__)

RESYNC_SECONDS = 3600.0
"""Between two full lists: an object deleted in a 410 gap of the watch gives no event."""

FIRST_LIST_RETRY_SECONDS = 5.0
"""Between two tries at the first one."""

STARTUP_SPREAD_SECONDS = 30.0
"""After a restart, objects that were handled before are looked at within so many seconds, or their
interval."""

WATCHER_GRACE_SECONDS = 30.0
"""How long the watcher's task may be missing (start, reconnect) before liveness fails."""


def run(settings: OperatorSettings) -> int:
    """Run until SIGTERM or SIGINT; return the exit code.

    Raises:
        UsageError: A setting cannot be used.
        KubernetesError: The API server was not reached at start-up.
    """
    one_arena()
    configure_logging(settings.log_format, settings.log_level)
    return asyncio.run(_run(settings))


async def _run(settings: OperatorSettings) -> int:
    if settings.kubeconfig is not None:
        connection = await Connection.from_kubeconfig(settings.kubeconfig, settings.context)
    else:
        connection = Connection.in_cluster()
    async with AsyncExitStack() as stack:
        return await (await Operator.open(settings, connection, stack)).run()


class Operator:
    """Everything that runs, wired by `open`."""

    def __init__(self, settings: OperatorSettings, tools: Tools, queue: WorkQueue[Key]) -> None:
        self.tools = tools
        self.queue = queue
        self.listeners = Listeners(tools.client, tools.fetcher, queue.add_after, tools.monotonic)
        self.reconciler = Reconciler(tools, self.listeners)
        self._settings = settings
        self._synced = asyncio.Event()
        self._listed = asyncio.Event()
        self._stop = asyncio.Event()
        self._watcher_seen = time.monotonic()

    @classmethod
    async def open(
        cls, settings: OperatorSettings, connection: Connection, stack: AsyncExitStack
    ) -> "Operator":
        """Make the connections and listen; `stack` closes all of it."""
        disable_created_metrics()  # a second series for each counter that no alert asks for
        registry = CollectorRegistry()
        for collector in (ProcessCollector, PlatformCollector, GCCollector):
            collector(registry=registry)
        metrics, board = OperatorMetrics(registry), Board()
        host = urlsplit(connection.server).netloc

        def on_response(method: str, status: int) -> None:
            metrics.requests.labels(str(status or "<error>"), method, host).inc()

        client = await stack.enter_async_context(KubeClient(connection, on_response=on_response))
        fetcher = await stack.enter_async_context(
            Fetcher(egress=await egress_policy(settings, client), limits=settings.limits)
        )
        store = SnapshotStore(client)
        instance = os.environ.get("POD_NAME") or socket.gethostname()
        tools = Tools(
            client=client,
            store=store,
            fetcher=fetcher,
            applier=Applier(client, store, instance),
            board=board,
            metrics=metrics,
            lists=ListCache(),
            monotonic=time.monotonic,
        )

        def hosts(key: Key) -> frozenset[str]:
            return operator.reconciler.hosts(key)

        queue = WorkQueue(time.monotonic, metrics, hosts=hosts, per_host=settings.per_host)
        operator = cls(settings, tools, queue)
        await operator._listen(registry, stack)
        return operator

    async def _listen(self, registry: CollectorRegistry, stack: AsyncExitStack) -> None:
        settings, board = self._settings, self.tools.board

        def page() -> bytes:
            return generate_latest(registry) + board.page().encode()

        scrape = {"/metrics": metrics_handler(page, self._measure)}
        probes = {"/livez": probe(self._dead), "/readyz": probe(self._not_ready)}
        if settings.metrics_address == settings.health_address:
            await stack.enter_async_context(serving(settings.metrics_address, scrape | probes))
        else:
            await stack.enter_async_context(serving(settings.metrics_address, scrape))
            await stack.enter_async_context(serving(settings.health_address, probes))

    async def run(self) -> int:
        """Watch and work until told to stop; 0 for an orderly end, 1 when the watch ended by
        itself."""
        settings = self._settings
        scope = ", ".join(settings.namespaces) or "all namespaces"
        log.info("proxar operator %s watches MCPServers in %s", __version__, scope)
        self.tools.metrics.max_workers.labels(CONTROLLER).set(settings.workers)
        connection = self.tools.client.connection
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(self._work(), name=f"worker {n}") for n in range(settings.workers)
            ]
            tasks.append(group.create_task(self._resync(), name="resync"))
            try:
                await watch(
                    connection,
                    settings.namespaces,
                    self._told,
                    stop=self._stop,
                    synced=self._synced,
                )
            finally:
                for task in tasks:
                    task.cancel()
                await self.listeners.aclose()
        if self._stop.is_set():
            return 0
        log.error(
            "the watch of MCPServers ended by itself; the process ends, so that a new one starts"
        )
        return 1

    def _told(self, gone: bool, raw: dict[str, Any]) -> None:
        """Take in one object from the watch."""
        key = (raw["metadata"]["namespace"], raw["metadata"]["name"])
        self.reconciler.watch_lag.heard(key, raw)
        self.notice(gone, raw)

    def notice(self, gone: bool, raw: dict[str, Any]) -> None:
        """Take in one object from the watch or a list."""
        key = (raw["metadata"]["namespace"], raw["metadata"]["name"])
        if gone:
            if self.reconciler.is_last(raw):
                self._forget(key)
            return
        new = not self.reconciler.knows(key)
        if not self.reconciler.remember(raw):
            return
        if new:
            self._recall(raw)
        if new and _was_handled(raw):
            # After a restart nothing is urgent: spread the fleet rather than hit every server in
            # the same second.
            self.queue.add_after(key, random.uniform(0, _spread(raw)))  # noqa: S311
        else:
            self.queue.add(key)

    def _recall(self, raw: dict[str, Any]) -> None:
        with suppress(InvalidObject):  # said when it is looked at
            self.tools.board.recall(parse_mcpserver(raw))

    def _forget(self, key: Key) -> None:
        self.reconciler.forget(key)
        self.queue.forget(key)

    async def _work(self) -> None:
        metrics = self.tools.metrics
        while True:
            key = await self.queue.get()
            started = time.monotonic()
            metrics.active.inc()
            try:
                wait = await self.reconciler.reconcile(key)
            except KubernetesError as error:
                log.warning(
                    "%s/%s: %s; trying again in %.1f s", *key, error, self.queue.add_failed(key)
                )
                self._count("error")
            except Exception:
                # The outermost loop of a worker: without this one bad object would stop all. Lost
                # is this look only.
                log.exception(
                    "%s/%s: a bug in Proxar; trying again in %.1f s",
                    *key,
                    self.queue.add_failed(key),
                )
                self._count("error")
            else:
                self.queue.succeeded(key)
                self._count("success" if wait is None else "requeue_after")
                if wait is not None:
                    # A few percent of jitter keeps servers with one interval from moving in step.
                    self.queue.add_after(key, _jittered(wait))
            finally:
                metrics.active.dec()
                metrics.reconcile_seconds.observe(time.monotonic() - started)
                self.queue.done(key)

    def _count(self, result: str) -> None:
        self.tools.metrics.reconciles.labels(CONTROLLER, result).inc()
        if result == "error":
            self.tools.metrics.reconcile_errors.labels(CONTROLLER).inc()

    async def _resync(self) -> None:
        """List everything at the start, and now and then.

        The first list is what readiness waits for: kopf calls itself ready before it has listed
        anything, and stays so when it may not list at all.
        """
        while True:
            if await self._list():
                self._listed.set()
            seconds = RESYNC_SECONDS if self._listed.is_set() else FIRST_LIST_RETRY_SECONDS
            await asyncio.sleep(seconds * random.uniform(0.9, 1.1))  # noqa: S311

    async def _list(self) -> bool:
        """Take in a full list; one that failed proves nothing."""
        scopes: tuple[str | None, ...] = self._settings.namespaces or (None,)
        known = self.reconciler.keys()
        try:
            listed = [
                raw
                for scope in scopes
                for raw in await mcpservers.list_all(self.tools.client, scope)
            ]
        except KubernetesError as error:
            log.warning("the full list of MCPServers failed: %s", error)
            return False
        for raw in listed:
            self.notice(False, raw)
        for key in known - {
            (raw["metadata"]["namespace"], raw["metadata"]["name"]) for raw in listed
        }:
            self._forget(key)
        return True

    def _dead(self) -> str | None:
        if is_watching():
            self._watcher_seen = time.monotonic()
        silent = time.monotonic() - self._watcher_seen
        return (
            None
            if silent < WATCHER_GRACE_SECONDS
            else f"no watcher of MCPServers for {silent:.0f} s"
        )

    def _not_ready(self) -> str | None:
        if self._synced.is_set() and self._listed.is_set():
            return None
        return "MCPServers have not been listed yet"

    def _measure(self) -> None:
        metrics, in_work = self.tools.metrics, self.queue.in_work()
        metrics.ready.set(float(self._not_ready() is None))
        metrics.watch_lag.set(self.reconciler.watch_lag.seconds)
        metrics.depth.labels(CONTROLLER).set(self.queue.depth)
        metrics.longest.labels(CONTROLLER).set(max(in_work.values(), default=0.0))
        metrics.unfinished.labels(CONTROLLER).set(sum(in_work.values()))


def _jittered(wait: timedelta) -> float:
    return wait.total_seconds() * random.uniform(1 - JITTER, 1 + JITTER)  # noqa: S311


def _was_handled(raw: Mapping[str, Any]) -> bool:
    """Whether an earlier run of the operator left nothing to do for this object but to poll it."""
    metadata, status = raw["metadata"], raw.get("status") or {}
    requested = (metadata.get("annotations") or {}).get(RECONCILE_REQUESTED_AT)
    return bool(
        status.get("observedGeneration") == metadata.get("generation")
        and requested in (None, status.get("lastHandledReconcileAt"))
    )


def _spread(raw: Mapping[str, Any]) -> float:
    try:
        interval = parse_duration(raw["spec"]["interval"]).total_seconds()
    except (KeyError, ValueError):
        return STARTUP_SPREAD_SECONDS
    return min(interval, STARTUP_SPREAD_SECONDS)
