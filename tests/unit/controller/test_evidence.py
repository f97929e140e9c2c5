"""What a plan is made from."""

from dataclasses import replace

from proxar.controller.evidence import Evidence
from proxar.controller.observation import Look
from proxar.errors import SnapshotError
from tests.unit.controller.world import BREAKING, DOWN, FIRST, NOON, World, fetched


def test_the_current_list_is_as_this_server_speaks() -> None:
    """Lists are remembered by hash, which has no protocol version in it: the one at hand may be
    another server's, and a verdict must not depend on that."""
    world = World.new()
    world.look(FIRST)
    world.stored[FIRST.hash] = replace(FIRST, protocol_version="2024-11-05")

    evidence = Evidence.of(world.server, world.seen(DOWN))

    assert evidence.lists[FIRST.hash].protocol_version == "2026-07-28"


def test_a_list_that_was_not_stored_is_no_evidence() -> None:
    """Nothing may move to it."""
    world = World.new()
    refused = SnapshotError("SnapshotNotStored", "the name is taken")

    evidence = Evidence.of(world.server, world.seen(Look(fetched(FIRST)), store_error=refused))

    assert (evidence.look, dict(evidence.lists)) == (None, {})


def test_only_what_is_at_hand_is_compared() -> None:
    """The same list is the same, known or not; anything else has to be there."""
    world = World.new()
    world.look(FIRST)
    evidence = Evidence.of(world.server, world.seen(Look(fetched(BREAKING))))

    assert evidence.diff_between(FIRST.hash, BREAKING.hash) is not None
    assert evidence.diff_between(FIRST.hash, "sha256:unknown") is None
    assert evidence.diff_between(None, FIRST.hash) is None
    same = evidence.diff_between("sha256:unknown", "sha256:unknown")
    assert same is not None
    assert same.changes == ()
    assert evidence.seen.now == NOON
