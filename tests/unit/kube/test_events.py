"""Events: one name for one transition."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from proxar.errors import KubernetesError
from proxar.kube.events import Event, event_manifest, send
from proxar.kube.snapshots import Owner
from tests.support.fakecluster import FakeCluster

OWNER = Owner("team", "issues-mcp", "6c1f")
EVENT = Event("BreakingDrift", "Warning", "Compare", "a note", ("from", "to", "1"))
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def name(event: Event = EVENT, owner: Owner = OWNER, now: datetime = NOON) -> str:
    """The name of the Event."""
    return str(event_manifest(owner, event, now, "here")["metadata"]["name"])


def test_the_same_transition_has_the_same_name() -> None:
    """Whenever it is told, and in whatever words."""
    reworded = Event("BreakingDrift", "Warning", "Compare", "other words", EVENT.identity)

    assert name(reworded, now=NOON + timedelta(hours=1)) == name()


@pytest.mark.parametrize(
    "other",
    [
        name(Event("AdvisoryDrift", "Normal", "Compare", "a note", EVENT.identity)),
        name(Event("BreakingDrift", "Warning", "Compare", "a note", ("from", "to", "2"))),
        name(owner=Owner("team", "issues-mcp", "77aa")),
    ],
    ids=["reason", "identity", "uid"],
)
def test_another_transition_has_another_name(other: str) -> None:
    """Of another reason, another number, or an object made again."""
    assert other != name()


@pytest.mark.parametrize("now", [NOON, NOON.astimezone(timezone(timedelta(hours=9)))])
def test_the_time_has_microseconds(now: datetime) -> None:
    """A MicroTime; the API server refuses one without them."""
    assert event_manifest(OWNER, EVENT, now, "here")["eventTime"] == "2026-11-30T12:00:00.000000Z"


def test_a_long_pod_name_costs_no_event() -> None:
    """The API server takes 128 characters."""
    manifest = event_manifest(OWNER, EVENT, NOON, "p" * 253)

    assert manifest["reportingInstance"] == "p" * 128


def test_it_regards_the_very_object() -> None:
    """By uid, so that a re-created one does not inherit it."""
    manifest = event_manifest(OWNER, EVENT, NOON, "here")

    assert manifest["regarding"]["uid"] == OWNER.uid
    assert manifest["metadata"]["namespace"] == OWNER.namespace
    assert len(manifest["metadata"]["name"]) <= 253


async def test_sending_twice_is_sending_once() -> None:
    """409 means that it was sent before."""
    cluster, manifest = FakeCluster(), event_manifest(OWNER, EVENT, NOON, "here")

    assert await send(cluster, manifest)
    assert not await send(cluster, manifest)
    assert len(cluster.of("events")) == 1


async def test_a_refusal_is_told() -> None:
    """What to make of it is for the caller."""
    cluster = FakeCluster()
    cluster.refuse("POST", "events", KubernetesError("Forbidden", "no", status=403))

    with pytest.raises(KubernetesError):
        await send(cluster, event_manifest(OWNER, EVENT, NOON, "here"))
