"""What the Events say."""

from datetime import timedelta

import pytest

from proxar.contract import ToolList
from proxar.controller.observation import Fault, Look
from proxar.kube.events import NOTE_BYTES, Event
from tests.support.toolserver import tool
from tests.unit.controller.world import ADVISORY, COMPATIBLE, DOWN, FIRST, World, fetched, tool_list


def events_of(before: ToolList, found: ToolList | Fault) -> tuple[Event, ...]:
    """The Events of a second look."""
    world = World.new()
    world.look(before)
    return world.plan(Look(fetched(found)) if isinstance(found, ToolList) else found).events


@pytest.mark.parametrize(
    ("tools", "reason", "kind"),
    [(ADVISORY, "AdvisoryDrift", "Normal"), (COMPATIBLE, "CompatibleDrift", "Normal")],
)
def test_drift_is_told_by_its_verdict(tools: ToolList, reason: str, kind: str) -> None:
    """Only what breaks is a warning."""
    (event,) = events_of(FIRST, tools)

    assert (event.reason, event.type) == (reason, kind)


def test_a_note_has_path_words_and_rule() -> None:
    """A line for each change, and no count where all are shown."""
    after = tool_list(tool("search_issues", ("query", "limit"), query="string", limit="integer"))

    (event,) = events_of(FIRST, after)

    assert event.note == (
        'search_issues.inputSchema.required: "limit" is now required (parameter-became-required)'
    )


@pytest.mark.parametrize("character", ["x", "é", "\U0001f600", "\x00", "\ud800"])
def test_a_long_note_is_cut_between_lines_and_says_how_much_there_is(character: str) -> None:
    """At most 1,024 bytes, of whatever characters; the worst changes first."""
    names = [f"{number}{character * 400}" for number in range(40)]
    before = tool_list(*(tool(name, a="string") for name in names))
    after = tool_list(*(tool(name, ("a",), a="string") for name in names))

    (event,) = events_of(before, after)

    assert len(event.note.encode()) <= NOTE_BYTES
    *lines, last = event.note.split("\n")
    assert last == "(all: 40 breaking)"
    assert len(lines) >= 2


def test_a_fault_with_a_long_message_fits() -> None:
    """In bytes."""
    (event,) = events_of(FIRST, Fault("ServerError", "é" * 2000))

    assert len(event.note.encode()) <= NOTE_BYTES
    assert event.note.startswith("ServerError: é")


def test_being_away_and_coming_back_are_told_each_time() -> None:
    """Two outages are two pairs of Events."""
    world = World.new()
    world.look(FIRST)
    for found in (DOWN, DOWN, FIRST, FIRST, DOWN, FIRST):
        world.wait(timedelta(minutes=1))
        world.look(found)

    assert world.reasons == ["BaselineEstablished"] + ["Unreachable", "Recovered"] * 2


def test_another_fault_of_a_lost_server_is_no_news() -> None:
    """It is lost already; the condition has the new reason."""
    world = World.new()
    world.look(DOWN)

    assert world.look(Fault("Timeout", "too slow")).events == ()


def test_a_server_may_come_back_with_another_list() -> None:
    """Both are told."""
    world = World.new()
    world.look(FIRST)
    world.look(DOWN)

    reasons = [event.reason for event in world.look(ADVISORY).events]

    assert reasons == ["Recovered", "AdvisoryDrift"]
