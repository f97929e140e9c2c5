"""What drift is measured against, over the life of an object."""

from datetime import timedelta

import pytest

from proxar.contract import ToolList
from proxar.controller.observation import Fault
from proxar.errors import SnapshotError
from tests.unit.controller.world import (
    ADVISORY,
    BREAKING,
    COMPATIBLE,
    COSMETIC,
    DOWN,
    FIRST,
    NOON,
    OTHER,
    UNKNOWN,
    World,
)

HOUR = timedelta(hours=1)
ELSEWHERE = "https://other.example.com/mcp"


@pytest.fixture
def world() -> World:
    """An object that was looked at once; drift settles after an hour."""
    world = World.new(driftPolicy={"settleAfter": "1h"})
    world.look(FIRST)
    return world


def baseline(world: World) -> tuple[str | None, str | None]:
    """Hash and source of the baseline."""
    found = world.status.baseline
    return (found.hash, found.source) if found else (None, None)


# Settling.


@pytest.mark.parametrize("tools", [COMPATIBLE, ADVISORY, COSMETIC])
def test_drift_that_does_not_break_settles(world: World, tools: ToolList) -> None:
    """Once it has stood for settleAfter, and not a second sooner."""
    world.wait(HOUR)
    world.look(tools)
    world.wait(HOUR - timedelta(seconds=1))
    world.look(tools)
    assert baseline(world) == (FIRST.hash, "FirstSeen")
    world.wait(timedelta(seconds=1))

    world.look(tools)

    assert baseline(world) == (tools.hash, "Settled")
    assert world.reasons[-1] == "BaselineSettled"
    assert world.status.drift is not None
    assert world.status.drift.verdict == "None"
    assert not world.look(tools).write


def test_a_change_begins_the_time_anew(world: World) -> None:
    """It counts from when the list last changed."""
    world.look(COMPATIBLE)
    world.wait(HOUR / 2)
    world.look(ADVISORY)
    world.wait(HOUR / 2)

    world.look(ADVISORY)

    assert baseline(world) == (FIRST.hash, "FirstSeen")
    assert world.status.drift is not None
    assert world.status.drift.settle_time == NOON + HOUR * 1.5


@pytest.mark.parametrize(
    ("policy", "tools"),
    [
        ({"settleAfter": "1h"}, BREAKING),
        ({"settleAfter": "1h", "baseline": "Hold"}, COMPATIBLE),
    ],
    ids=["breaking", "hold"],
)
def test_some_drift_never_settles(policy: dict[str, str], tools: ToolList) -> None:
    """Breaking drift stays until a person says something; Hold is for people who always want to."""
    world = World.new(driftPolicy=policy)
    world.look(FIRST)
    world.look(tools)
    world.wait(HOUR * 24 * 365)

    world.look(tools)

    assert baseline(world) == (FIRST.hash, "FirstSeen")
    assert world.status.drift is not None
    assert world.status.drift.settle_time is None


def test_pinned_drift_never_settles(world: World) -> None:
    """The pin is the word of Git."""
    world.edit(pinnedHash=FIRST.hash)
    world.look(COMPATIBLE)
    world.wait(HOUR * 24)

    world.look(COMPATIBLE)

    assert baseline(world) == (FIRST.hash, "Pinned")


# Accepting.


def test_the_current_list_is_accepted(world: World) -> None:
    """Once: with the annotation still there, later drift is drift again."""
    world.look(BREAKING)
    world.accept(BREAKING.hash)

    world.look(BREAKING)

    assert baseline(world) == (BREAKING.hash, "Accepted")
    assert world.reasons[-1] == "BaselineAccepted"
    assert world.status.last_handled_accepted_hash == BREAKING.hash
    assert not world.look(BREAKING).write
    world.look(OTHER)
    assert baseline(world) == (BREAKING.hash, "Accepted")
    assert world.condition("SchemaCompatible") == ("False", "BreakingDrift")


def test_an_older_stored_list_is_accepted(world: World) -> None:
    """Also one that the server does not report now."""
    world.look(BREAKING)
    world.look(OTHER)
    world.accept(BREAKING.hash)

    world.look(OTHER)

    assert baseline(world) == (BREAKING.hash, "Accepted")


def test_accepting_works_while_the_server_is_down(world: World) -> None:
    """A person's word does not wait for the vendor."""
    world.look(BREAKING)
    world.accept(BREAKING.hash)

    world.look(DOWN)

    assert baseline(world) == (BREAKING.hash, "Accepted")


def test_an_unknown_hash_is_pending_until_it_is_reported(world: World) -> None:
    """Nothing moves to what nobody can compare; accepting ahead of a release works."""
    world.accept(BREAKING.hash)
    world.look(FIRST)
    assert baseline(world) == (FIRST.hash, "FirstSeen")
    assert world.status.last_handled_accepted_hash is None

    world.look(BREAKING)

    assert baseline(world) == (BREAKING.hash, "Accepted")


def test_a_removed_annotation_can_be_set_again(world: World) -> None:
    """The echo goes with it."""
    world.look(BREAKING)
    world.accept(BREAKING.hash)
    world.look(BREAKING)
    world.accept(FIRST.hash)
    world.look(BREAKING)
    world.accept(None)
    world.look(BREAKING)
    assert world.status.last_handled_accepted_hash is None
    world.accept(BREAKING.hash)

    world.look(BREAKING)

    assert baseline(world) == (BREAKING.hash, "Accepted")


def test_accepting_the_baseline_is_handled_without_a_word(world: World) -> None:
    """It is that already."""
    world.accept(FIRST.hash)

    made = world.look(FIRST)

    assert made.events == ()
    assert world.status.last_handled_accepted_hash == FIRST.hash
    assert baseline(world) == (FIRST.hash, "FirstSeen")


# Another target.


def test_another_target_starts_a_new_baseline(world: World) -> None:
    """It is not the vendor's drift: no transition, one Event."""
    world.point_to(ELSEWHERE)

    world.look(BREAKING)

    assert baseline(world) == (BREAKING.hash, "FirstSeen")
    assert world.status.transitions == 0
    assert world.reasons == ["BaselineEstablished", "TargetChanged"]


def test_another_target_with_the_same_list_is_told_too(world: World) -> None:
    """And there and back again is two Events."""
    world.point_to(ELSEWHERE)
    world.look(FIRST)
    world.wait(timedelta(minutes=1))
    world.point_to("https://mcp.example.com/mcp")
    world.look(FIRST)

    assert world.reasons == ["BaselineEstablished", "TargetChanged", "TargetChanged"]


def test_another_target_that_is_down_changes_nothing_yet(world: World) -> None:
    """The baseline moves with the first list of the new target."""
    world.point_to(ELSEWHERE)
    world.look(DOWN)
    assert baseline(world) == (FIRST.hash, "FirstSeen")

    world.look(BREAKING)

    assert world.reasons[-1] == "TargetChanged"


@pytest.mark.parametrize("found", [DOWN, None])
def test_what_moves_before_the_new_target_was_seen_is_of_the_old_one(
    world: World, found: Fault | None
) -> None:
    """Settled while the new target is down or suspended: its first list is still no drift."""
    world.look(COMPATIBLE)
    world.point_to(ELSEWHERE)
    world.wait(HOUR)
    world.look(found)
    assert baseline(world) == (COMPATIBLE.hash, "Settled")

    world.look(OTHER)

    assert world.reasons[-1] == "TargetChanged"
    assert world.status.transitions == 1


def test_a_pinned_server_keeps_its_pin_wherever_it_is(world: World) -> None:
    """The pin says what clients should see, whoever serves it."""
    world.edit(pinnedHash=FIRST.hash)
    world.look(FIRST)
    world.point_to(ELSEWHERE)

    world.look(BREAKING)

    assert baseline(world) == (FIRST.hash, "Pinned")
    assert world.reasons[-1] == "BreakingDrift"


# Pinning.


def test_a_pin_takes_the_place_of_the_baseline(world: World) -> None:
    """Drift is against it, PinMatched says so, and the Event has the paths."""
    world.look(BREAKING)
    world.edit(pinnedHash=FIRST.hash)

    world.look(BREAKING)

    assert baseline(world) == (FIRST.hash, "Pinned")
    assert world.status.pin is not None
    assert (world.status.pin.source, world.status.pin.set_time) == ("Observed", NOON)
    assert world.condition("PinMatched") == ("False", "Drifted")
    assert world.condition("Ready") == ("True", "Tracking")
    assert world.reasons[-1] == "BreakingDrift"
    assert not world.look(BREAKING).write


def test_a_pin_of_the_current_list_matches(world: World) -> None:
    """Told once."""
    world.edit(pinnedHash=FIRST.hash)

    world.look(FIRST)

    assert world.condition("PinMatched") == ("True", "Identical")
    assert world.reasons == ["BaselineEstablished", "PinMatched"]
    assert not world.look(FIRST).events


def test_a_list_that_differs_only_in_form_matches(world: World) -> None:
    """Equivalent: no client sees a difference."""
    world.edit(pinnedHash=FIRST.hash)

    world.look(COSMETIC)

    assert world.condition("PinMatched") == ("True", "Equivalent")
    assert world.condition("SchemaCompatible") == ("True", "NoDrift")


def test_unpinning_moves_nothing(world: World) -> None:
    """The baseline stays what it was; pin and PinMatched are gone."""
    world.look(BREAKING)
    world.edit(pinnedHash=FIRST.hash)
    world.look(BREAKING)
    world.edit(pinnedHash=None)

    made = world.look(BREAKING)

    assert baseline(world) == (FIRST.hash, "Pinned")
    assert world.status.pin is None
    assert world.condition("PinMatched") == ("", "")
    assert made.events == ()


def test_an_unknown_pin_moves_nothing(world: World) -> None:
    """It is told, with the remedy, and drift goes on against the old baseline."""
    world.edit(pinnedHash=UNKNOWN)

    world.look(BREAKING)

    assert baseline(world) == (FIRST.hash, "FirstSeen")
    assert world.condition("PinMatched") == ("False", "PinnedSnapshotMissing")
    assert world.condition("Ready") == ("True", "Tracking")
    assert world.status.pin is not None
    assert world.status.pin.source == "Missing"
    assert set(world.reasons[1:]) == {"BreakingDrift", "PinMissing"}
    assert not world.look(BREAKING).events


def test_an_unknown_pin_is_told_with_the_first_look() -> None:
    """A fresh cluster, and Git names a list that nobody stored: the most likely way to get here."""
    world = World.new(pinnedHash=UNKNOWN)

    world.look(FIRST)

    assert sorted(world.reasons) == ["BaselineEstablished", "PinMissing"]


def test_a_pinned_list_that_comes_later_is_taken_up(world: World) -> None:
    """Once the server reports it, it can be compared."""
    world.edit(pinnedHash=OTHER.hash)
    world.look(FIRST)

    world.look(OTHER)

    assert baseline(world) == (OTHER.hash, "Pinned")
    assert world.status.pin is not None
    assert world.status.pin.source == "Observed"
    assert world.condition("PinMatched") == ("True", "Identical")
    assert world.reasons[-1] == "PinMatched"


def test_a_pin_before_the_first_look_matches_with_it() -> None:
    """The list was pinned elsewhere and the server reports it."""
    world = World.new(pinnedHash=FIRST.hash)
    world.look(DOWN)

    world.look(FIRST)

    assert baseline(world) == (FIRST.hash, "Pinned")
    assert world.condition("PinMatched") == ("True", "Identical")


def test_a_corrupt_pin_is_found_out(world: World) -> None:
    """What is stored is not what its hash says: not compared with, and told."""
    world.look(BREAKING)
    world.stored[FIRST.hash] = SnapshotError("SnapshotCorrupt", "holds something else")
    world.edit(pinnedHash=FIRST.hash)

    world.look(BREAKING)

    assert world.condition("PinMatched") == ("False", "SnapshotCorrupt")
    assert world.condition("SchemaCompatible") == ("Unknown", "SnapshotCorrupt")
    assert world.reasons[-1] == "SnapshotCorrupt"


def test_a_pinned_list_that_is_lost_twice_is_told_of_twice(world: World) -> None:
    """Whoever restored it once hears of the next time."""
    world.edit(pinnedHash=COSMETIC.hash)
    for stored in (COSMETIC, None, COSMETIC, None):
        world.stored[COSMETIC.hash] = stored
        world.wait(timedelta(seconds=1))
        world.look(FIRST)

    assert world.reasons[1:] == ["PinMatched", "PinMissing", "PinMatched", "PinMissing"]


def test_accepting_waits_while_a_hash_is_pinned(world: World) -> None:
    """The pin decides as long as it is there."""
    world.look(BREAKING)
    world.edit(pinnedHash=FIRST.hash)
    world.accept(BREAKING.hash)
    world.look(BREAKING)
    assert baseline(world) == (FIRST.hash, "Pinned")
    world.edit(pinnedHash=None)

    world.look(BREAKING)

    assert baseline(world) == (BREAKING.hash, "Accepted")


def test_what_was_accepted_of_another_target_is_not_taken_up() -> None:
    """The annotation may still be there when the url changes; the new list stays the baseline."""
    world = World.new()
    world.look(FIRST)
    world.look(BREAKING)
    world.point_to("https://other.example.com/mcp")
    world.accept(BREAKING.hash)

    world.look(FIRST)
    world.look(FIRST)

    assert world.reasons[-1] == "TargetChanged"
    assert world.status.baseline is not None
    assert (world.status.baseline.hash, world.status.baseline.source) == (FIRST.hash, "FirstSeen")
