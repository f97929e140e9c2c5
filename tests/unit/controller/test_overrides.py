"""What `driftPolicy.rules` overrules, in status, Events and time."""

from datetime import timedelta

from tests.unit.controller.world import BREAKING, FIRST, NOON, World

HOUR = timedelta(hours=1)
KNOWN = {
    "name": "known",
    "rule": "parameter-*",
    "verdict": "Advisory",
    "reason": "Our agents always send it.",
}


def test_an_overruled_change_is_told_as_what_it_counts_as() -> None:
    """With the override's name; the condition, the Event and the counts go by it."""
    world = World.new(driftPolicy={"rules": [KNOWN]})
    world.look(FIRST)

    world.look(BREAKING)

    drift = world.status.drift
    assert drift is not None
    assert (drift.verdict, drift.breaking, drift.advisory) == ("Advisory", 0, 1)
    assert [change.overridden_by for change in drift.changes] == ["known"]
    assert world.condition("SchemaCompatible") == ("True", "AdvisoryDrift")
    assert world.reasons == ["BaselineEstablished", "AdvisoryDrift"]


def test_an_ignored_change_is_told_to_nobody() -> None:
    """It is cosmetic: no Event, no listed change, and it settles like any other."""
    world = World.new(driftPolicy={"rules": [KNOWN | {"verdict": "Ignored"}]})
    world.look(FIRST)

    world.look(BREAKING)

    drift = world.status.drift
    assert drift is not None
    assert (drift.verdict, drift.changes) == ("Cosmetic", ())
    assert world.condition("SchemaCompatible") == ("True", "NoDrift")
    assert world.reasons == ["BaselineEstablished"]


def test_the_default_is_back_when_the_override_ends() -> None:
    """The look is planned for that moment, however long the interval is."""
    ends = (NOON + HOUR).isoformat()
    world = World.new(interval="24h", driftPolicy={"rules": [KNOWN | {"expirationTime": ends}]})
    world.look(FIRST)
    made = world.look(BREAKING)
    assert made.requeue_after == HOUR

    world.wait(HOUR)
    world.look(BREAKING)

    assert world.status.drift is not None
    assert world.status.drift.verdict == "Breaking"
    assert world.condition("SchemaCompatible") == ("False", "BreakingDrift")


def test_an_override_of_another_tool_changes_nothing() -> None:
    """It names what it hides, never what survives."""
    world = World.new(driftPolicy={"rules": [KNOWN | {"tools": ["close_*"]}]})
    world.look(FIRST)

    world.look(BREAKING)

    assert world.condition("SchemaCompatible") == ("False", "BreakingDrift")
