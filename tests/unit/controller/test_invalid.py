"""What is said on an object that cannot be worked with."""

from datetime import timedelta
from typing import Any

import pytest

from proxar.api import InvalidObject, parse_mcpserver
from proxar.controller import invalid
from tests.support.mcpserver_reference import schema
from tests.support.structural import violations
from tests.unit.controller.world import FIRST, NOON, World


def said(raw: dict[str, Any]) -> dict[str, Any] | None:
    """What is to be written on this object now."""
    with pytest.raises(InvalidObject) as caught:
        parse_mcpserver(raw)
    return invalid.status(raw, caught.value, NOON + timedelta(hours=1))


def conditions(status: dict[str, Any] | None) -> dict[str, Any]:
    """Its conditions by type."""
    assert status is not None
    return {condition["type"]: condition for condition in status["conditions"]}


@pytest.fixture
def world() -> World:
    """An object that was looked at once and has a bad interval since."""
    world = World.new()
    world.look(FIRST)
    world.edit(interval="7d")
    return world


def test_it_is_stalled_and_says_why(world: World) -> None:
    """With the field, and everything else as it was."""
    status = said(world.raw)

    stalled = conditions(status)["Stalled"]
    assert (stalled["status"], stalled["reason"]) == ("True", "InvalidSpec")
    assert stalled["message"].startswith("spec.interval: '7d' is not a duration")
    assert status is not None
    assert status["observedGeneration"] == 2
    assert status["snapshot"] == world.raw["status"]["snapshot"]
    assert conditions(status)["Ready"]["status"] == "True"


def test_it_is_said_once(world: World) -> None:
    """Not with each event of the watch."""
    world.raw["status"] = said(world.raw)

    assert said(world.raw) is None
    world.edit(interval="8d")
    assert said(world.raw) is not None


def test_a_new_object_is_not_ready(world: World) -> None:
    """Nor still reconciling."""
    world = World.new(interval="7d")
    reconciling = {"type": "Reconciling", "status": "True"}
    world.raw["status"] = {"observedGeneration": -1, "conditions": [reconciling]}

    found = conditions(said(world.raw))

    assert found["Ready"]["status"] == "Unknown"
    assert "Reconciling" not in found


def test_the_api_takes_it(world: World) -> None:
    """Also with a value that is long and strange."""
    world.edit(endpoints=[{"name": "primary", "url": "ftp://\x1b" + "x" * 9999}])
    status = said(world.raw)

    assert not list(violations(status, schema()["properties"]["status"], "status"))


def test_no_value_of_a_url_is_told(world: World) -> None:
    """It may hold a key."""
    world.edit(endpoints=[{"name": "primary", "url": "ftp://x/?key=s3cret"}])

    assert "s3cret" not in str(said(world.raw))


def test_mended_it_is_as_before(world: World) -> None:
    """Nothing of it stays."""
    world.raw["status"] = said(world.raw)
    world.edit(interval="1m")

    world.look(FIRST)

    assert world.condition("Stalled") == ("", "")
    assert world.condition("Ready") == ("True", "Tracking")
    assert world.reasons == ["BaselineEstablished"]
