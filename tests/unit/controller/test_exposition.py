"""Our text is that of prometheus_client, only sooner."""

from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import generate_latest
from prometheus_client.registry import Collector

from proxar.controller.exposition import Family

LABELS = ("namespace", "name", "condition")

values = st.tuples(*[st.text(st.characters(exclude_categories=["Cs"]))] * len(LABELS)) | st.tuples(
    *[st.text('a"\\\n{}%,= ')] * len(LABELS)
)
numbers = st.floats(min_value=0) | st.integers(min_value=0)


class One(Collector):
    """Gives one family."""

    def __init__(self, family: Metric) -> None:
        self._family = family

    def collect(self) -> list[Metric]:
        """Give it."""
        return [self._family]


def theirs(family: Metric) -> str:
    """What prometheus_client makes of a family."""
    registry = CollectorRegistry()
    registry.register(One(family))
    return generate_latest(registry).decode()


@given(st.lists(st.tuples(values, numbers)))
def test_a_gauge(series: list[tuple[tuple[str, ...], float]]) -> None:
    """Whatever its labels hold, and whatever its numbers are."""
    ours = Family("proxar_it", "What it says.", LABELS)
    peer = GaugeMetricFamily("proxar_it", "What it says.", labels=LABELS)
    for labels, number in series:
        ours.add(labels, number)
        peer.add_metric(labels, number)

    assert ours.text() == theirs(peer)


def test_a_counter() -> None:
    """It has the name that a query uses."""
    ours = Family("proxar_it_total", "What it says.", ("name",), type_="counter")
    ours.add(("a",), 3)
    peer = CounterMetricFamily("proxar_it", "What it says.", labels=("name",))
    peer.add_metric(("a",), 3)

    assert ours.text() == theirs(peer)
