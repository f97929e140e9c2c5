"""What holds of every plan, whatever the history."""

import unicodedata
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from proxar.api import ACCEPTED_HASH
from proxar.contract import ToolList
from proxar.controller.observation import Fault, Look
from proxar.fetch import Fetched
from proxar.kube.events import NOTE_BYTES
from tests.support.mcpserver_reference import schema
from tests.support.structural import violations
from tests.support.toolserver import tool
from tests.unit.controller.steps import Step, histories, reworded
from tests.unit.controller.world import World, fetched, tool_list

STATUS = schema()["properties"]["status"]

quick = settings(max_examples=25, deadline=None)


def new_world() -> World:
    """Drift settles after an hour."""
    return World.new(driftPolicy={"settleAfter": "1h"})


def as_seen(found: Any) -> Any:
    """A list as a look of it."""
    return Look(fetched(found)) if isinstance(found, ToolList) else found


@quick
@given(histories(loses=True))
def test_a_plan_depends_on_its_input_only(steps: list[Step]) -> None:
    """Planned twice, it is the same."""
    world = new_world()
    for step in steps:
        step.act(world)
        found = as_seen(step.seen_by(world))
        assert world.plan(found) == world.plan(found)
        world.apply(world.plan(found))


@quick
@given(histories(loses=True))
def test_what_was_applied_is_not_planned_again(steps: list[Step]) -> None:
    """The same look once more: nothing to write, tell or store. So an operator that is restarted
    writes nothing, and neither does a server that words its fault anew.

    With one exception: what was accepted has its turn after a new target's first list."""
    world = new_world()
    for step in steps:
        step.act(world)
        made = world.look(step.seen_by(world))
        assert made.write or not made.events
        assert made.write or not made.transition

        if "TargetChanged" in [event.reason for event in made.events]:
            world.look(step.seen_by(world))
        again = world.plan(as_seen(reworded(step.seen_by(world))))

        assert (again.write, again.events, again.store) == (False, (), None)


@quick
@given(histories(moves=False))
def test_transitions_count_the_changes_of_the_list(steps: list[Step]) -> None:
    """Each change after the first list, and nothing else."""
    world = new_world()
    changes, history = -1, list[str]()
    for step in steps:
        step.act(world)
        world.look(step.found)
        if isinstance(step.found, ToolList) and history[:1] != [step.found.hash]:
            changes += 1
            history.insert(0, step.found.hash)
        del history[world.server.spec.history_limit :]

    assert world.status.transitions == max(0, changes)
    assert [entry.hash for entry in world.status.history] == history


@quick
@given(histories())
def test_no_two_transitions_share_an_event(steps: list[Step]) -> None:
    """The name of each Event was never used before, or it would be lost."""
    world = new_world()
    for step in steps:
        step.act(world)
        told = len(world.events)

        made = world.look(step.seen_by(world))

        assert len(world.events) == told + len(made.events)


@quick
@given(histories(loses=True))
def test_what_is_named_is_kept(steps: list[Step]) -> None:
    """Current, baseline, pin, history and what is to be accepted; so no reference dangles."""
    world = new_world()
    for step in steps:
        step.act(world)
        made = world.look(step.seen_by(world))
        status = made.status
        named = {part.hash for part in (status.snapshot, status.baseline) if part}
        named |= {entry.hash for entry in status.history}
        named |= {
            world.server.spec.pinned_hash,
            world.server.metadata.annotations.get(ACCEPTED_HASH),
        }
        assert {hash_ for hash_ in named if hash_} <= made.keep


@quick
@given(histories())
def test_breaking_drift_never_becomes_the_baseline_by_itself(steps: list[Step]) -> None:
    """Only by a pin, a person or another target."""
    world = new_world()
    for step in steps:
        step.act(world)
        before = world.status
        world.look(step.seen_by(world))
        after = world.status.baseline
        settled = after is not None and after.source == "Settled"
        if settled and after != before.baseline:
            assert before.drift is not None
            assert before.drift.verdict in ("Compatible", "Advisory", "Cosmetic")


@quick
@given(histories(loses=True), st.lists(st.integers(0, 4), min_size=10, max_size=10))
def test_killed_anywhere_it_ends_the_same(steps: list[Step], deaths: list[int]) -> None:
    """An operator that is killed after so many steps of each apply, and started again, leaves the
    status, the Events and the snapshots of one that was not."""
    unharmed, killed = new_world(), new_world()
    for step, death in zip(steps, deaths, strict=False):
        for world in (unharmed, killed):
            step.act(world)
        unharmed.look(step.seen_by(unharmed))

        killed.look(step.seen_by(killed), steps=death)
        again = killed.look(step.seen_by(killed))
        # Killed before it pruned, it does so with its next write; here at once, since until then a
        # pin finds a list that would be gone.
        killed.prune(again)

        assert killed.raw == unharmed.raw
        assert sorted(killed.events) == sorted(unharmed.events)
        assert killed.stored == unharmed.stored


# Whatever a server says.

hostile = st.text(st.characters(exclude_categories=[]), max_size=12) | st.sampled_from(
    ["\ud800" * 300, "\x00" * 2000, "x" * 5000, "é" * 2000, "\U000e0001" * 300, "a.b[0]", ""]
)
tools = st.lists(
    st.builds(
        lambda name, description, parameter, required: tool(
            name, (parameter,) if required else (), description, **{parameter: "string"}
        ),
        hostile,
        hostile,
        hostile.filter(lambda name: name not in ("name", "required", "description")),
        st.booleans(),
    )
    | st.sampled_from([None, 17, {}, {"name": 3}]),
    max_size=30,
).map(lambda items: tool_list(*items))
answers = st.builds(
    lambda tools, version, name, server_version: fetched(
        tools, protocol_version=version, server_name=name, server_version=server_version
    ),
    tools,
    st.none() | hostile,
    st.none() | hostile,
    st.none() | hostile,
)


def is_clean(text: str) -> bool:
    """Whether nothing of it is invisible or invalid; a note has lines."""
    return not any(unicodedata.category(one) in {"Cc", "Cs"} for one in text.replace("\n", ""))


@quick
@given(st.lists(answers | hostile, min_size=1, max_size=4))
def test_whatever_a_server_says_the_status_is_valid(said: list[Fetched | str]) -> None:
    """Of the CRD's types, lengths and patterns, without a surrogate or control character; and so
    are the Events."""
    world = World.new(historyLimit=2)
    for each in said:
        found = Fault("ServerError", each) if isinstance(each, str) else Look(each)
        made = world.plan(found)
        world.apply(made)

        assert not list(violations(made.status.to_json(), STATUS, "status"))
        for event in made.events:
            assert len(event.note.encode()) <= NOTE_BYTES
            assert is_clean(event.note)
