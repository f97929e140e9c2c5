"""What every reconcile works with."""

from collections.abc import Callable
from dataclasses import dataclass

from proxar.controller.apply import Applier
from proxar.controller.lists import ListCache
from proxar.controller.metrics import Board, OperatorMetrics
from proxar.fetch import Fetcher
from proxar.kube.client import KubeClient
from proxar.kube.snapshots import SnapshotStore

__all__ = ["Tools"]


@dataclass(frozen=True, slots=True)
class Tools:
    """All of it outlives any one object."""

    client: KubeClient
    store: SnapshotStore
    fetcher: Fetcher
    applier: Applier
    board: Board
    metrics: OperatorMetrics
    lists: ListCache
    monotonic: Callable[[], float]
    """Seconds, for durations."""
