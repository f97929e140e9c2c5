"""What the condition Consistent says, and which Event tells of it."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxar.api import Condition
from proxar.contract import ToolList
from proxar.controller.consistency import flapping_of
from proxar.controller.evidence import Other
from proxar.controller.observation import Fault, Look
from proxar.controller.plan import Plan
from tests.unit.controller.world import ADVISORY, BREAKING, DOWN, FIRST, NOON, World, fetched

NAMES = [f"e{number}" for number in range(16)]
HASHES = tuple(f"sha256:{digit * 64}" for digit in "abcdef")


def world_of(*names: str, **spec: Any) -> World:
    """A world whose server has these endpoints."""
    listed = [{"name": name, "url": f"https://{name}.example.com/mcp"} for name in names]
    return World.new(endpoints=listed, **spec)


def look(world: World, **others: ToolList) -> Plan:
    """A look at all endpoints; those not named list what the reference lists."""
    names = [endpoint.name for endpoint in world.server.spec.endpoints[1:]]
    tools = {name: others.get(name, FIRST) for name in names}
    found = {name: Other(Look(fetched(each)), each) for name, each in tools.items()}
    return world.look(FIRST, others=found)


def message(world: World) -> str:
    """Of the condition."""
    found = world.status.condition("Consistent")
    assert found is not None
    return found.message


def test_each_time_they_begin_to_differ_is_told() -> None:
    """Once, and by an Event of its own; that they agree again, the condition says."""
    world = world_of("e0", "e1")
    for number in range(4):
        world.wait(world.server.spec.interval)
        look(world, e1=(FIRST, BREAKING)[number % 2])
        assert look(world, e1=(FIRST, BREAKING)[number % 2]).events == ()

    assert world.reasons == ["BaselineEstablished", "EndpointsDiffer", "EndpointsDiffer"]


def test_fifteen_that_differ_are_all_named() -> None:
    """The first differences of three of them; the Event fits too."""
    world = world_of(*NAMES)
    made = look(world, **dict.fromkeys(NAMES[1:], BREAKING))

    told = message(world)
    assert told.count("parameter-became-required") == 3
    assert all(name in told for name in NAMES)
    assert len(told) <= 2048
    assert len(made.events[0].note.encode()) <= 1024


def test_a_suspended_server_stays_as_it_was() -> None:
    """Nobody looked."""
    world = world_of("e0", "e1")
    look(world, e1=BREAKING)
    world.edit(suspend=True)
    world.look(None)

    assert world.condition("Consistent") == ("False", "EndpointsDiffer")


def test_the_condition_goes_with_the_last_other_endpoint() -> None:
    """There is nothing left to agree with."""
    world = world_of("e0", "e1")
    look(world, e1=BREAKING)
    world.edit(endpoints=[{"name": "e0", "url": "https://e0.example.com/mcp"}])
    world.look(FIRST)

    assert world.condition("Consistent") == ("", "")


@pytest.mark.parametrize("number", [2, 3, 4])
@pytest.mark.parametrize("names", [("e0",), ("e0", "e1", "e2")])
def test_a_restart_reads_from_the_message_what_flapped(names: tuple[str, ...], number: int) -> None:
    """Whoever it was."""
    for name in names:
        world = world_of(*names)
        look(world)
        found = Look(fetched(FIRST))
        world.look(None if found is None else FIRST, flapping={name: HASHES[:number]})

        told = flapping_of(world.status.condition("Consistent"))

        key = name if len(names) > 1 else ""
        shown = number if name == "e0" else 2
        assert told == {key: HASHES[:shown]}


def test_an_endpoint_that_differs_is_not_forgotten_while_another_flaps() -> None:
    """Unless it is the reference that flaps: then there is nothing to differ from."""
    for name, expected in (("e1", True), ("e0", False)):
        world = world_of("e0", "e1", "e2")
        other = Other(Look(fetched(BREAKING)), BREAKING)
        found = {"e1": Other(Look(fetched(FIRST)), FIRST), "e2": other}
        world.look(FIRST, others=found)
        world.look(FIRST, others=found, flapping={name: HASHES[:2]})

        assert ("besides, e2 lists other tools" in message(world)) is expected


def test_a_message_of_somebody_else_tells_nothing() -> None:
    """Only our own words of our own reason."""
    text = f"the tool list alternates between {HASHES[0]} and {HASHES[1]}"
    for reason, expected in (("Agree", {}), ("Flapping", {"": HASHES[:2]})):
        written = Condition(
            type="Consistent",
            status="False",
            last_transition_time=NOON,
            reason=reason,
            message=text,
        )
        assert flapping_of(written) == expected
    assert flapping_of(None) == {}


FOUND = st.sampled_from([FIRST, BREAKING, ADVISORY, DOWN])
ROUNDS = st.lists(st.tuples(FOUND, FOUND, st.booleans()), min_size=1, max_size=8)


@settings(max_examples=25, deadline=None)
@given(ROUNDS, st.lists(st.integers(0, 4), min_size=8, max_size=8))
def test_killed_anywhere_it_ends_the_same(rounds: list[Any], deaths: list[int]) -> None:
    """Endpoints that differ, fail and flap: no Event is lost or sent twice, and the status is as
    if nobody had been killed. A look more changes nothing."""
    unharmed, killed = world_of("e0", "e1"), world_of("e0", "e1")
    for (first, second, flaps), death in zip(rounds, deaths, strict=False):
        found = second if isinstance(second, Fault) else Look(fetched(second))
        tools = second if isinstance(second, ToolList) else None
        more: dict[str, Any] = {"others": {"e1": Other(found, tools)}}
        more["flapping"] = {"e0": HASHES[:2]} if flaps else {}
        for world in (unharmed, killed):
            world.wait(world.server.spec.interval)
        told = len(unharmed.events)
        made = unharmed.look(first, **more)
        assert len(unharmed.events) == told + len(made.events)

        killed.look(first, steps=death, **more)
        killed.prune(killed.look(first, **more))
        again = killed.look(first, **more)

        assert (again.write, again.events, again.store) == (False, (), None)
        assert killed.raw == unharmed.raw
        assert sorted(killed.events) == sorted(unharmed.events)


def test_a_fault_while_it_flaps_keeps_what_is_known() -> None:
    """It still flaps, and cannot be read now."""
    world = world_of("e0")
    world.look(FIRST)
    world.look(FIRST, flapping={"e0": HASHES[:2]})
    world.look(DOWN, flapping={"e0": HASHES[:2]})

    assert world.condition("Consistent") == ("False", "Flapping")
    assert world.condition("Reachable") == ("False", "ConnectFailed")
    assert world.reasons == ["BaselineEstablished", "Flapping", "Unreachable"]


def test_what_flaps_cannot_be_accepted_unseen() -> None:
    """A list that was seen in passing is stored nowhere, so it cannot become the baseline."""
    world = world_of("e0")
    world.look(FIRST)
    world.accept(ADVISORY.hash)
    world.look(BREAKING)
    world.look(ADVISORY, flapping={"e0": HASHES[:2]})

    status = world.status
    assert status.baseline is not None
    assert status.snapshot is not None
    assert status.baseline.hash == FIRST.hash
    assert status.snapshot.hash == BREAKING.hash
