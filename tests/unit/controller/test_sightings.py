"""What becomes of lists that do not stand still: nothing is hidden, and nobody is flooded."""

from collections import deque
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxar.contract import ToolList
from proxar.controller.flapping import CHANGES, window
from tests.support.toolserver import tool
from tests.unit.controller.eyes import Eyes
from tests.unit.controller.world import (
    ADVISORY,
    BREAKING,
    COMPATIBLE,
    COSMETIC,
    FIRST,
    OTHER,
    World,
    tool_list,
)

MINUTE = timedelta(minutes=1)
EMPTY = tool_list()
WORSE = 4
"""Verdicts above none: so often a list can be worse than all before."""

quick = settings(max_examples=15, deadline=None)


def eyes(first: ToolList = FIRST, **spec: object) -> Eyes:
    """Somebody who has looked once."""
    looker = Eyes(World.new(**spec))
    looker.look(first)
    return looker


def stamped(number: int, *, limit: bool = False) -> ToolList:
    """A list with a time in a description, and maybe with a breaking change."""
    required = ("query", "limit") if limit else ("query",)
    text = f"Search; it is {number} now."
    return tool_list(tool("search_issues", required, text, query="string", limit="integer"))


def test_replicas_that_differ_are_told_once() -> None:
    """Three transitions as any, then Flapping, and from then on neither Event nor write."""
    looker = eyes()
    for tools in (BREAKING, FIRST, BREAKING, FIRST):
        looker.look(tools)

    told = ["BreakingDrift", "DriftResolved", "BreakingDrift", "Flapping"]
    world = looker.world
    assert world.reasons == ["BaselineEstablished", *told]
    assert world.condition("Consistent") == ("False", "Flapping")
    for tools in (BREAKING, FIRST) * 5:
        made = looker.look(tools)
        assert (made.write, made.events, made.store) == (False, (), None)
    assert world.status.transitions == 3


def test_the_worst_of_the_lists_stays() -> None:
    """Drift, snapshot and condition are of it, whichever is seen last; both are named."""
    for last in (FIRST, BREAKING):
        looker = eyes()
        for tools in (BREAKING, FIRST) * 5:
            looker.look(tools)
        looker.look(last)

        status, world = looker.world.status, looker.world
        assert status.snapshot is not None
        assert status.drift is not None
        assert status.snapshot.hash == BREAKING.hash == status.endpoints[0].hash
        assert status.drift.verdict == "Breaking"
        assert world.condition("SchemaCompatible") == ("False", "BreakingDrift")
        condition = status.condition("Consistent")
        assert condition is not None
        assert {FIRST.hash, BREAKING.hash} <= set(condition.message.replace(",", "").split())


def test_a_worse_list_counts_while_others_flap() -> None:
    """And is told as any drift is."""
    looker = eyes()
    for tools in (ADVISORY, FIRST) * 3:
        looker.look(tools)
    assert looker.world.status.drift is not None
    assert looker.world.status.drift.verdict == "Advisory"

    made = looker.look(BREAKING)

    assert [event.reason for event in made.events] == ["BreakingDrift"]
    assert looker.world.status.drift.verdict == "Breaking"
    assert looker.look(FIRST).events == ()


@pytest.mark.parametrize("last", [FIRST, BREAKING])
def test_when_it_stands_still_it_is_resolved_once(last: ToolList) -> None:
    """What it came to rest on counts."""
    looker = eyes()
    for tools in (BREAKING, FIRST) * 4:
        looker.look(tools)
    told = len(looker.world.reasons)

    for _ in range(25):
        looker.look(last)

    status = looker.world.status
    assert status.snapshot is not None
    assert status.snapshot.hash == last.hash
    assert looker.world.condition("Consistent") == ("", "")
    assert looker.world.reasons[told:] == (["DriftResolved"] if last is FIRST else [])


def test_a_description_with_a_time_in_it_is_told_once() -> None:
    """Four transitions, and then no more, for ever."""
    looker = eyes(stamped(0))
    for number in range(1, 60):
        looker.look(stamped(number))

    assert looker.world.status.transitions == 4
    assert looker.world.reasons[-1] == "Flapping"
    assert looker.world.condition("Consistent") == ("False", "Flapping")


def test_a_description_with_a_time_in_it_hides_no_breaking_change() -> None:
    """It counts at the first look, whatever the hash does."""
    looker = eyes(stamped(0))
    for number in range(1, 20):
        looker.look(stamped(number))

    made = looker.look(stamped(20, limit=True))

    assert [event.reason for event in made.events] == ["BreakingDrift"]
    assert looker.look(stamped(21, limit=True)).write is False


def test_a_tool_that_comes_and_goes_is_seen_to_be_gone() -> None:
    """Never twice in a row, so no look would confirm the other; but often enough."""
    looker = eyes(COMPATIBLE)
    for tools in (FIRST, COMPATIBLE) * 4:
        looker.look(tools)

    assert looker.world.reasons == ["BaselineEstablished", "Flapping", "BreakingDrift"]
    assert looker.world.status.transitions == 1


def test_a_replica_that_lists_nothing_is_told() -> None:
    """After the minute that every empty list has to stay."""
    looker = eyes()
    for tools in (EMPTY, FIRST) * 4:
        looker.look(tools)

    assert looker.world.status.drift is not None
    assert looker.world.status.drift.verdict == "Breaking"
    assert "Flapping" in looker.world.reasons
    for tools in (EMPTY, FIRST) * 4:
        assert looker.look(tools).events == ()


@pytest.mark.parametrize("confirmations", [1, 2, 5])
def test_a_new_list_has_to_be_seen_as_often_as_is_asked_for(confirmations: int) -> None:
    """The first one too; in between nothing is written."""
    looker = Eyes(World.new(driftPolicy={"confirmations": confirmations}))
    for tools in (FIRST, BREAKING):
        for _ in range(confirmations - 1):
            made = looker.look(tools)
            assert (made.write, made.events) == (False, ())
            assert made.requeue_after == timedelta(seconds=5)
        assert looker.look(tools).events

    assert looker.world.status.transitions == 1


def test_looks_that_do_not_agree_confirm_nothing() -> None:
    """The count begins anew."""
    looker = eyes()
    looker.world.edit(driftPolicy={"confirmations": 3})
    for tools in (ADVISORY, ADVISORY, FIRST, ADVISORY, ADVISORY):
        looker.look(tools)

    assert looker.world.status.transitions == 0
    looker.look(ADVISORY)
    assert looker.world.status.transitions == 1


def test_settling_waits_until_it_stands_still() -> None:
    """What comes and goes has not stood for settleAfter."""
    looker = eyes(driftPolicy={"settleAfter": "5m"})
    for tools in (ADVISORY, FIRST) * 10:
        looker.look(tools)

    status = looker.world.status
    assert status.baseline is not None
    assert status.drift is not None
    assert status.baseline.source == "FirstSeen"
    assert status.drift.settle_time is None


LISTS = [FIRST, BREAKING, OTHER, ADVISORY, COMPATIBLE, COSMETIC]
fresh = st.integers(0, 10**6).map(stamped)
anything = st.sampled_from(LISTS) | fresh


@quick
@given(st.lists(anything, min_size=1, max_size=60), st.integers(1, 3))
def test_no_history_floods_anybody(lists: list[ToolList], confirmations: int) -> None:
    """In no window of time are there more transitions, or Events, than the rules allow."""
    looker = Eyes(World.new(driftPolicy={"confirmations": confirmations}))
    span, recent = window(MINUTE), deque[int]()
    for tools in lists:
        made = looker.look(tools)
        recent.append(len(made.events))
        if len(recent) > span / MINUTE:
            recent.popleft()

        # A change each, one Event for Flapping, and one more when it came to rest.
        assert sum(recent) <= CHANGES + WORSE + 2


@quick
@given(
    st.lists(anything, max_size=40),
    st.lists(
        st.sampled_from([BREAKING, OTHER]) | st.integers().map(lambda n: stamped(n, limit=True)),
        min_size=30,
        max_size=30,
    ),
    st.integers(1, 3),
)
def test_breaking_drift_is_not_hidden(
    before: list[ToolList], after: list[ToolList], confirmations: int
) -> None:
    """Once every look gives a list that breaks the baseline, whichever, it is told within a few."""
    looker = eyes(driftPolicy={"confirmations": confirmations, "baseline": "Hold"})
    for tools in (*[FIRST] * confirmations, *before, *after):
        looker.look(tools)

    assert looker.world.status.drift is not None
    assert looker.world.status.drift.verdict == "Breaking"


@quick
@given(
    st.lists(st.sampled_from([FIRST, ADVISORY, COSMETIC, COMPATIBLE]), min_size=2, max_size=2),
    st.sampled_from([BREAKING, OTHER]),
    st.integers(1, 3),
)
def test_breaking_drift_is_not_hidden_behind_a_better_list(
    better: list[ToolList], breaking: ToolList, confirmations: int
) -> None:
    """One look in three gives it: it is told in the end, and stays."""
    looker = eyes(driftPolicy={"confirmations": confirmations, "baseline": "Hold"})
    for _ in range(confirmations):
        looker.look(FIRST)
    verdicts = []
    for _ in range(20):
        for tools in (*better, breaking):
            looker.look(tools)
            drift = looker.world.status.drift
            verdicts.append(drift.verdict if drift is not None else None)

    assert set(verdicts[-30:]) == {"Breaking"}
