"""Metrics: what Proxar knows of each server, and how the operator itself is doing.

Series of a server are made at scrape time from the board, so they go with the object: nothing that
was deleted keeps an alert firing. No hash, url or error text is ever a label value; paths are,
bounded to those that status lists.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from proxar import __version__
from proxar.api import Condition, ConditionStatus, Drift, DriftVerdict, MCPServer, Status
from proxar.api.managers import is_out_of_band
from proxar.contract import Diff
from proxar.controller.exposition import Family
from proxar.errors import Conflict, KubernetesError

__all__ = ["Board", "OperatorMetrics", "ServerView"]

VERDICTS = ("breaking", "advisory", "compatible")
SAFETY_RULE = "annotation-withdrawn"
"""The rule for hints that clients act on: read-only, not destructive and the like."""
CONTROLLER = "mcpserver"
POLL_BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)
"""Seconds; a timeout is at most five minutes."""


@dataclass(slots=True)
class ServerView:
    """What the metrics tell of one server."""

    tools: int | None = None
    interval_seconds: float | None = None
    """`None` while suspended, so that a suspended server is never stale."""
    last_success: float | None = None
    """Unix time; of every look, not only of those that wrote a status."""
    last_poll_seconds: float | None = None
    pinned: bool = False
    pin_manager: str | None = None
    pin_out_of_band: bool = False
    snapshot_since: float | None = None
    """Unix time at which the current list was first seen."""
    transitions: int = 0
    drift: Drift | None = None
    withdrawn: int | None = None
    """Breaking changes of `SAFETY_RULE`, those included that status has no room for."""
    conditions: tuple[Condition, ...] = ()
    changes_total: dict[str, int] = field(default_factory=lambda: dict.fromkeys(VERDICTS, 0))
    """Changes seen in transitions since the operator started. Born at 0: a counter born at 1 never
    alerts."""


class Board:
    """The servers as the metrics tell of them, by namespace and name.

    A scrape may be made in a thread: a view is replaced, not changed, so that no scrape shows half
    of one. But for its two times, which move with every look and of which each stands for itself.
    """

    def __init__(self) -> None:
        self._views: dict[tuple[str, str], ServerView] = {}

    def update(
        self,
        server: MCPServer,
        status: Status,
        *,
        diff: Diff | None = None,
        success_at: float | None,
        counted: dict[str, int] | None,
    ) -> None:
        """Note how a server stands after a look.

        Args:
            diff: the drift in full, where it is at hand.
            success_at: Unix time of this look, when it succeeded.
            counted: changes of each verdict, when this look was a transition.
        """
        view = replace(self._views.get(server.key, ServerView()))
        view.tools = status.snapshot.tool_count if status.snapshot else None
        view.interval_seconds = (
            None if server.spec.suspend else server.spec.interval.total_seconds()
        )
        view.pinned = server.spec.pinned_hash is not None
        view.pin_manager = status.pin.manager if status.pin else None
        view.pin_out_of_band = is_out_of_band(server.metadata)
        view.drift, view.conditions = status.drift, status.conditions
        view.transitions = status.transitions
        since = status.snapshot.first_seen_time if status.snapshot else None
        view.snapshot_since = since.timestamp() if since else None
        withdrawn = _withdrawn(diff, status.drift)
        view.withdrawn = view.withdrawn if withdrawn is None else withdrawn
        if success_at is not None:
            view.last_success = success_at
        elif (
            view.last_success is None and status.endpoints and status.endpoints[0].last_success_time
        ):
            view.last_success = status.endpoints[0].last_success_time.timestamp()
        view.changes_total = {
            verdict: number + (counted or {}).get(verdict, 0)
            for verdict, number in view.changes_total.items()
        }
        self._views[server.key] = view

    def looked(self, key: tuple[str, str], success_at: float) -> None:
        """Note a look that succeeded and changed nothing else, by its Unix time."""
        if key in self._views:
            self._views[key].last_success = success_at

    def recall(self, server: MCPServer) -> None:
        """Tell of a server that no look of this run was at yet as its status does: else its series
        would be missing after a restart for as long as the first look takes."""
        if server.key not in self._views and server.metadata.deletion_timestamp is None:
            self.update(server, server.status, success_at=None, counted=None)

    def polled(self, key: tuple[str, str], seconds: float) -> None:
        """Note how long a look took, whatever it gave."""
        if key in self._views:  # or it was deleted meanwhile, and no series may come back
            self._views[key].last_poll_seconds = seconds

    def forget(self, key: tuple[str, str]) -> None:
        """Drop all series of a server that is gone."""
        self._views.pop(key, None)

    def page(self) -> str:
        """All series, as Prometheus reads them."""
        return "".join(family.text() for family in self.families())

    def families(self) -> Iterator[Family]:
        """Yield the metrics of all servers."""
        views = sorted(list(self._views.items()))  # noqa: C414 - a copy that no thread can disturb
        yield _gauge(
            "proxar_mcpserver_tools",
            "Tools in the last good list.",
            ((key, view.tools) for key, view in views),
        )
        yield _gauge(
            "proxar_mcpserver_interval_seconds",
            "Seconds between two looks; absent while suspended.",
            ((key, view.interval_seconds) for key, view in views),
        )
        yield _gauge(
            "proxar_mcpserver_last_success_timestamp_seconds",
            "When a complete tool list was last read.",
            ((key, view.last_success) for key, view in views),
        )
        yield _gauge(
            "proxar_mcpserver_last_poll_duration_seconds",
            "How long the last look took, whatever it gave.",
            ((key, view.last_poll_seconds) for key, view in views),
        )
        yield _gauge(
            "proxar_mcpserver_snapshot_first_seen_timestamp_seconds",
            "When the current tool list was first seen.",
            ((key, view.snapshot_since) for key, view in views),
        )
        yield _gauge(
            "proxar_mcpserver_pinned",
            "1 where spec.pinnedHash is set.",
            ((key, float(view.pinned)) for key, view in views),
        )
        yield _out_of_band(views)
        yield from _conditions(views)
        yield _gauge(
            "proxar_drift_safety_promises_withdrawn",
            "Breaking changes by which a tool no longer promises to be safe.",
            ((key, view.withdrawn) for key, view in views),
        )
        yield from _drift(views)


SERVER = ("namespace", "name")


def _gauge(
    name: str, documentation: str, samples: Iterable[tuple[tuple[str, str], float | None]]
) -> Family:
    family = Family(name, documentation, SERVER)
    for key, value in samples:
        if value is not None:
            family.add(key, value)
    return family


def _out_of_band(views: list[tuple[tuple[str, str], ServerView]]) -> Family:
    family = Family(
        "proxar_mcpserver_pin_out_of_band",
        "1 where Git owns the object and somebody else, the manager, set its pin; else 0.",
        (*SERVER, "manager"),
    )
    for key, view in views:
        if view.pinned and view.pin_manager:
            family.add((*key, view.pin_manager), float(view.pin_out_of_band))
    return family


def _conditions(views: list[tuple[tuple[str, str], ServerView]]) -> Iterator[Family]:
    family = Family(
        "proxar_mcpserver_status_condition",
        "1 for the status that a condition has, 0 for the others.",
        (*SERVER, "condition", "status"),
    )
    reasons = Family(
        "proxar_mcpserver_status_condition_reason",
        "1 for the reason that a condition has.",
        (*SERVER, "condition", "reason"),
    )
    for key, view in views:
        for condition in view.conditions:
            for status in STATUSES:
                family.add((*key, condition.type, status), float(condition.status == status))
            reasons.add((*key, condition.type, condition.reason), 1)
    yield from (family, reasons)


STATUSES = tuple(map(str, ConditionStatus))


def _withdrawn(diff: Diff | None, drift: Drift | None) -> int | None:
    """How many promises of safety the drift breaks; `None` where nobody can say: the diff is not at
    hand, and status has no room for all changes."""
    if diff is not None:
        told = [(change.rule, change.verdict.value) for change in diff.changes]
    elif drift is None or not drift.omitted:
        told = [(it.rule, it.verdict.lower()) for it in (drift.changes if drift else ())]
    else:
        return None
    return told.count((SAFETY_RULE, "breaking"))


def _drift(views: list[tuple[tuple[str, str], ServerView]]) -> Iterator[Family]:
    counts = Family("proxar_drift_changes", "Changes against the baseline.", (*SERVER, "verdict"))
    info = Family(
        "proxar_drift_change_info",
        "1 for each change that status lists; at most 20 a server.",
        (*SERVER, "tool", "path", "rule", "verdict"),
    )
    omitted = Family(
        "proxar_drift_changes_omitted", "Changes beyond those that are listed.", SERVER
    )
    total = Family(
        "proxar_schema_changes_total",
        "Changes seen in drift transitions.",
        (*SERVER, "verdict"),
        type_="counter",
    )
    transitions = Family(
        "proxar_drift_transitions_total",
        "Drift transitions, as status counts them.",
        SERVER,
        type_="counter",
    )
    for key, view in views:
        for verdict, number in view.changes_total.items():
            total.add((*key, verdict), number)
        drift = view.drift or Drift(verdict=DriftVerdict.NONE)
        for verdict in VERDICTS:
            counts.add((*key, verdict), getattr(drift, verdict) or 0)
        # One required list can have several changes of one rule: one series for them.
        for labels in dict.fromkeys(
            (it.tool, it.path, it.rule, it.verdict.lower()) for it in drift.changes
        ):
            info.add((*key, *labels), 1)
        omitted.add(key, drift.omitted or 0)
        transitions.add(key, view.transitions)
    yield from (counts, info, omitted, transitions, total)


class OperatorMetrics:
    """The operator's own metrics, under the names that controller-runtime's dashboards know."""

    def __init__(self, registry: CollectorRegistry) -> None:
        def counter(name: str, documentation: str, *labels: str) -> Counter:
            return Counter(name, documentation, labels, registry=registry)

        def histogram(name: str, documentation: str, *labels: str) -> Histogram:
            return Histogram(name, documentation, labels, registry=registry, buckets=POLL_BUCKETS)

        def gauge(name: str, documentation: str, *labels: str) -> Gauge:
            return Gauge(name, documentation, labels, registry=registry)

        gauge("proxar_build_info", "Always 1; the version is the label.", "version").labels(
            __version__
        ).set(1)
        self.ready = gauge("proxar_ready", "1 when every MCPServer has been listed.")
        self.watch_lag = gauge(
            "proxar_watch_lag_seconds",
            "How long the watch has not told of a write of the operator's own; 0 when it has.",
        )
        self.polls = counter(
            "proxar_poll", "Looks by result: Fetched or the reason of the fault.", "result"
        )
        self.poll_seconds = histogram("proxar_poll_duration_seconds", "How long one look took.")
        self.snapshots = counter("proxar_snapshots_stored", "Snapshots written.")
        self.status_updates = counter("proxar_status_update", "Status writes by result.", "result")
        self.requests = counter(
            "rest_client_requests", "Requests to the API server.", "code", "method", "host"
        )
        reconcile = "controller_runtime_reconcile"
        self.reconciles = counter(reconcile, "Reconciles by result.", "controller", "result")
        self.reconcile_errors = counter(f"{reconcile}_errors", "Failed reconciles.", "controller")
        # The child is looked up once: that takes longer than the counting.
        self.reconcile_seconds = histogram(
            f"{reconcile}_time_seconds", "How long a reconcile took.", "controller"
        ).labels(CONTROLLER)
        self.max_workers = gauge(
            "controller_runtime_max_concurrent_reconciles", "Workers.", "controller"
        )
        self.active = gauge(
            "controller_runtime_active_workers", "Workers at work.", "controller"
        ).labels(CONTROLLER)
        self.depth = gauge("workqueue_depth", "Keys that wait.", "name")
        self.longest = gauge(
            "workqueue_longest_running_processor_seconds",
            "How long the oldest key has been worked on.",
            "name",
        )
        self.unfinished = gauge(
            "workqueue_unfinished_work_seconds", "Seconds of work in progress, summed.", "name"
        )
        self._adds = counter("workqueue_adds", "Keys queued.", "name").labels(CONTROLLER)
        self._retries = counter(
            "workqueue_retries", "Keys put back after a failure.", "name"
        ).labels(CONTROLLER)
        self._waits = histogram("workqueue_queue_duration_seconds", "Waiting time.", "name").labels(
            CONTROLLER
        )
        self._works = histogram("workqueue_work_duration_seconds", "Working time.", "name").labels(
            CONTROLLER
        )
        for result in ("success", "error", "requeue_after"):
            self.reconciles.labels(CONTROLLER, result)
        for result in ("success", "conflict", "error"):
            self.status_updates.labels(result)
        self.reconcile_errors.labels(CONTROLLER)

    @contextmanager
    def status_write(self) -> Iterator[None]:
        """Count a status write by how it ends."""
        try:
            yield
        except Conflict:
            self.status_updates.labels("conflict").inc()
            raise
        except KubernetesError:
            self.status_updates.labels("error").inc()
            raise
        self.status_updates.labels("success").inc()

    # The queue's observer.

    def added(self) -> None:
        """Count a key that began to wait."""
        self._adds.inc()

    def retried(self) -> None:
        """Count a key that was put back."""
        self._retries.inc()

    def taken(self, waited: float) -> None:
        """Note how long a key waited."""
        self._waits.observe(waited)

    def finished(self, worked: float) -> None:
        """Note how long a key was worked on."""
        self._works.observe(worked)
