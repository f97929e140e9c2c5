"""The generated section of docs/reference/metrics.md, out of what the operator exposes."""

from collections.abc import Iterator
from typing import NamedTuple

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from proxar.controller.metrics import Board, OperatorMetrics

__all__ = ["families", "sections"]


class Family(NamedTuple):
    """A metric as a query names it."""

    name: str
    type: str
    labels: tuple[str, ...]
    documentation: str


def families() -> dict[str, list[Family]]:
    """Return all families: those of the servers, and those of the operator itself."""
    registry = CollectorRegistry()
    OperatorMetrics(registry)
    return {
        "servers": [
            Family(it.name, it.type, it.labels, it.documentation) for it in Board().families()
        ],
        "operator": list(_of_operator(registry)),
    }


def _of_operator(registry: CollectorRegistry) -> Iterator[Family]:
    for collector in registry._collector_to_names:
        if not isinstance(collector, Counter | Gauge | Histogram):
            raise TypeError(f"{collector} is of a kind that the reference cannot tell about")
        (family,) = collector.describe()
        total = "_total" if isinstance(collector, Counter) else ""
        yield Family(
            f"{family.name}{total}", family.type, collector._labelnames, family.documentation
        )


def sections() -> dict[str, str]:
    """Return the generated text by section name."""
    return {name: _table(found) for name, found in families().items()}


def _table(found: list[Family]) -> str:
    rows = ["| metric | type | labels | what it says |", "|---|---|---|---|"]
    for family in found:
        labels = ", ".join(f"`{label}`" for label in family.labels)
        rows.append(f"| `{family.name}` | {family.type} | {labels} | {family.documentation} |")
    return "\n".join(rows)
