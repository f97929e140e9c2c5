"""Findings of the lint in status: told beside the drift, never as drift."""

from tests.support.toolserver import tool
from tests.unit.controller.world import FIRST, World, tool_list

NULLED = {"name": "get_me", "description": "Who am I?", "inputSchema": None}


def test_a_sound_list_has_none() -> None:
    """Said plainly, so that its absence is not read as health."""
    world = World.new()

    world.look(FIRST)

    assert world.status.lint is not None
    assert (world.status.lint.errors, world.status.lint.findings) == (0, ())


def test_a_mistake_that_was_always_there_is_told_and_is_no_drift() -> None:
    """Errors first, at most ten, and counted all; no Event, no condition."""
    world = World.new()
    odd = [tool(f"search_{number}", **{"x y": "string"}) for number in range(12)]

    world.look(tool_list(*odd, NULLED))

    lint = world.status.lint
    assert lint is not None
    assert lint.findings[0].path.startswith("get_me")
    assert lint.findings[0].severity == "Error"
    assert len(lint.findings) == 10
    assert (lint.errors, lint.warnings) == (1, 12)
    assert world.reasons == ["BaselineEstablished"]
    assert world.condition("Ready") == ("True", "Tracking")


def test_findings_go_with_the_list() -> None:
    """They stay while the list does, without a write, and go when it is mended."""
    world = World.new()
    world.look(tool_list(tool("search_issues"), NULLED))
    assert world.status.lint is not None
    assert world.status.lint.errors == 1
    assert not world.look(tool_list(tool("search_issues"), NULLED)).write

    world.look(tool_list(tool("search_issues"), tool("get_me")))

    assert world.status.lint.errors == 0
