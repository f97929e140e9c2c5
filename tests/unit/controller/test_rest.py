"""A look that is not planned ends as if it had been."""

from collections.abc import Callable
from dataclasses import fields, replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxar.api import MCPServer
from proxar.contract import ToolList
from proxar.controller.evidence import Other
from proxar.controller.observation import Fault, Held, Look, Pending
from proxar.controller.plan import Plan, next_heartbeat
from proxar.controller.rest import Rest, rest_of, sight_of, still
from proxar.errors import SnapshotError
from proxar.fetch import Era, Fetched
from tests.unit.controller.steps import Step, histories
from tests.unit.controller.world import (
    ADVISORY,
    BREAKING,
    COMPATIBLE,
    COSMETIC,
    DOWN,
    FIRST,
    NOON,
    World,
    fetched,
)

MINUTE = timedelta(minutes=1)

Found = ToolList | Look | Fault | Held | None


class Rested:
    """A world whose looks are planned in full, beside what would be said without a plan."""

    def __init__(self, **spec: Any) -> None:
        self.world = World.new(**spec)
        self.rest: Rest | None = None
        self._read: tuple[str, MCPServer] = ("", self.world.server)

    @property
    def server(self) -> MCPServer:
        """One for each copy of the object, as the operator has it."""
        if self._read[0] != (text := repr(self.world.raw)):
            self._read = text, self.world.server
        return self._read[1]

    def look(self, found: Found, **more: Any) -> tuple[timedelta | None, Plan]:
        """What the short-cut says, and the plan that was made and written."""
        world, server = self.world, self.server
        seen = world.seen(Look(fetched(found)) if isinstance(found, ToolList) else found, **more)
        sight = sight_of(seen.found, seen.others, seen.flapping)
        wait = still(self.rest, server, sight, world.now, has=self._has)
        made = world.plan(seen.found, **more)
        self.rest = rest_of(server, seen, made)
        world.apply(made)
        return wait, made

    def _has(self, hash_: str) -> bool:
        return isinstance(self.world.stored.get(hash_), ToolList)

    def settle_down(self, found: Found = FIRST, **more: Any) -> None:
        """Look until there is nothing to do."""
        for _ in range(4):
            self.look(found, **more)


def at_rest(**spec: Any) -> Rested:
    """A server that was looked at until there was nothing to do."""
    rested = Rested(**spec)
    rested.settle_down()
    return rested


RULES = [
    {
        "name": "known",
        "rule": "*",
        "verdict": "Ignored",
        "reason": "agreed",
        "expirationTime": "2026-11-30T12:30:00Z",
    },
    {
        "name": "strict",
        "rule": "*",
        "verdict": "Breaking",
        "reason": "agreed",
        "expirationTime": "2026-11-30T13:10:30Z",
    },
]
WAITS = st.lists(st.sampled_from([0, 1, 29, 60, 600, 899, 900, 1800, 3599]), max_size=4)


@settings(max_examples=20, deadline=None)
@given(
    histories(loses=True),
    st.lists(WAITS, min_size=10, max_size=10),
    st.sampled_from([[], RULES[:1], RULES[1:], RULES]),
)
def test_a_look_that_is_not_planned_had_nothing_to_do(
    steps: list[Step], waits: list[list[int]], rules: list[dict[str, str]]
) -> None:
    """Whatever came before it: a whole plan would have written, told and stored nothing, shown the
    same in the metrics, and come back at the same time."""
    rested = Rested(driftPolicy={"settleAfter": "1h", "rules": rules})
    for step, seconds in zip(steps, waits, strict=False):
        step.act(rested.world)
        found = step.seen_by(rested.world)
        look_again(rested, found, [0, *seconds])


@settings(max_examples=50, deadline=None)
@given(
    st.sampled_from([ADVISORY, BREAKING]),
    st.lists(st.integers(-60, 900), min_size=4, max_size=8),
    st.sampled_from([RULES[:1], RULES[1:]]),
    st.sampled_from(["10m", "1h"]),
)
def test_time_alone_is_not_overlooked(
    found: ToolList, seconds: list[int], rules: list[dict[str, str]], settles: str
) -> None:
    """While a list stays, overrides expire, drift settles and heartbeats come: each at its time."""
    rested = at_rest(driftPolicy={"settleAfter": settles, "rules": rules})
    rested.settle_down(found)

    look_again(rested, found, seconds)


def look_again(rested: Rested, found: Found, seconds: list[int]) -> None:
    """After each of these waits; a look that would not be planned has nothing to plan."""
    shown: Any = None
    for wait in seconds:
        rested.world.wait(timedelta(seconds=wait))
        without, made = rested.look(found)
        if without is not None:
            assert (made.write, made.events, made.store) == (False, (), None)
            assert made.requeue_after == without
            assert shown in (None, in_metrics(made))
        shown = in_metrics(made)


def in_metrics(made: Plan) -> Any:
    """What the metrics take of a plan."""
    status = made.status
    since = status.snapshot.first_seen_time if status.snapshot is not None else None
    tools = status.snapshot.tool_count if status.snapshot is not None else None
    return since, tools, status.pin, status.drift, status.conditions, status.transitions, made.diff


def test_a_server_at_rest_is_not_planned_for() -> None:
    """Look after look."""
    rested = at_rest()

    for _ in range(5):
        rested.world.wait(MINUTE)
        without, made = rested.look(FIRST)
        assert without == made.requeue_after == MINUTE


@pytest.mark.parametrize(
    "found",
    [
        BREAKING,
        COSMETIC,
        DOWN,
        None,
        Held(Pending(frozenset(), NOON), None),
        Look(fetched(FIRST), may_count=False),
        Look(fetched(FIRST, server_version="2")),
    ],
)
def test_anything_else_is_planned(found: Found) -> None:
    """Another list, a fault, a list that does not count."""
    rested = at_rest()

    assert rested.look(found)[0] is None


@pytest.mark.parametrize("field", [field.name for field in fields(Fetched)])
def test_all_that_a_look_gives_is_compared(field: str) -> None:
    """A field that comes with a later version too."""
    other = {"tools": COSMETIC, "era": Era.LEGACY}.get(field, "other")
    plain: Any = fetched(FIRST)

    assert sight_of(Look(plain), {}, {}) != sight_of(Look(replace(plain, **{field: other})), {}, {})


@pytest.mark.parametrize(
    "change",
    [
        lambda world: world.edit(historyLimit=3),
        lambda world: world.edit(suspend=True),
        lambda world: world.accept(BREAKING.hash),
        lambda world: world.request("now"),
        lambda world: world.raw["metadata"].update(resourceVersion="2"),
        lambda world: world.raw["status"].pop("lint", None),
        lambda world: world.stored.clear(),
    ],
)
def test_another_object_or_a_lost_list_is_planned(change: Callable[[World], None]) -> None:
    """Whoever changed it."""
    rested = at_rest()
    change(rested.world)

    assert rested.look(FIRST)[0] is None


def test_the_heartbeat_is_planned() -> None:
    """From the moment at which the store is asked for the list again."""
    rested = at_rest()
    due = next_heartbeat(rested.world.server)
    assert due is not None
    rested.world.now = due - timedelta(seconds=1)
    assert rested.look(FIRST)[0] is not None

    rested.world.wait(timedelta(seconds=1))

    assert rested.look(FIRST)[0] is None


def test_the_end_of_an_override_is_planned() -> None:
    """And looked forward to."""
    rested = at_rest(driftPolicy={"rules": RULES[:1]})
    rested.world.wait(20 * MINUTE)
    rested.settle_down(BREAKING)
    rested.world.wait(timedelta(minutes=9, seconds=30))
    assert rested.look(BREAKING)[0] == timedelta(seconds=30)

    rested.world.wait(timedelta(seconds=30))
    without, made = rested.look(BREAKING)

    assert without is None
    assert made.write


def test_drift_that_settles_is_planned() -> None:
    """And looked forward to."""
    rested = at_rest(driftPolicy={"settleAfter": "10m"})
    rested.settle_down(ADVISORY)
    rested.world.wait(timedelta(minutes=9, seconds=50))
    assert rested.look(ADVISORY)[0] == timedelta(seconds=10)

    rested.world.wait(timedelta(seconds=10))
    without, made = rested.look(ADVISORY)

    assert without is None
    assert [event.reason for event in made.events] == ["BaselineSettled"]


def test_a_clock_that_goes_back_is_planned() -> None:
    """An override that had expired counts again."""
    rested = at_rest()
    rested.world.wait(-timedelta(seconds=1))

    assert rested.look(FIRST)[0] is None


def test_a_list_that_flaps_is_planned() -> None:
    """However often it is the same."""
    rested = Rested()
    rested.settle_down(flapping={"primary": (FIRST.hash, ADVISORY.hash)})

    assert rested.look(FIRST, flapping={"primary": (FIRST.hash, ADVISORY.hash)})[0] is None


def test_a_snapshot_that_cannot_be_stored_is_planned() -> None:
    """Until it can."""
    refused = SnapshotError("SnapshotTooLarge", "too large")
    rested = Rested()
    rested.settle_down(store_error=refused)

    assert rested.look(FIRST)[0] is None


TWO = [{"name": name, "url": f"https://{name}.example.com/mcp"} for name in ("a", "b")]


@pytest.mark.parametrize(
    ("now", "is_rest"),
    [
        (Other(Look(fetched(COMPATIBLE)), COMPATIBLE), True),
        (Other(Look(fetched(FIRST)), FIRST), False),
        (Other(Look(fetched(COMPATIBLE), may_count=False), COMPATIBLE), False),
        (Other(DOWN, COMPATIBLE), False),
        (Other(Held(Pending(frozenset(), NOON), None), COMPATIBLE), False),
        (Other(None, COMPATIBLE), False),
    ],
)
def test_every_endpoint_has_to_give_the_same_again(now: Other, is_rest: bool) -> None:
    """Which need not be the same everywhere."""
    rested = Rested(endpoints=TWO)
    rested.settle_down(others={"b": Other(Look(fetched(COMPATIBLE)), COMPATIBLE)})

    assert (rested.look(FIRST, others={"b": now})[0] is not None) is is_rest
