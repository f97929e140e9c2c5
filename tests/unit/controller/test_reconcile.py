"""One reconcile against a moving world."""

import logging
from datetime import datetime, timedelta
from typing import Any

import pytest

from proxar.controller.apply import Application
from proxar.errors import Conflict, FetchError, KubernetesError
from proxar.fetch import Era
from tests.unit.controller.stage import KEY, PATH, Stage
from tests.unit.controller.world import BREAKING, FIRST, tool_list

MINUTE = timedelta(minutes=1)
AT_ONCE = timedelta()

TERMINATING = KubernetesError(
    "Forbidden", "unable to create new content in team because it is being terminated", status=403
)


def writes(stage: Stage) -> list[str]:
    """Verb and resource of each write so far."""
    return [f"{method} {path.split('/')[-1]}" for method, path in stage.cluster.writes()]


@pytest.fixture
def stage() -> Stage:
    """An object that nobody looked at yet."""
    return Stage()


@pytest.fixture
async def known(stage: Stage) -> Stage:
    """An object that was looked at once."""
    await stage.look()
    stage.cluster.calls.clear()
    return stage


# The ordinary way.


async def test_a_first_look_writes_in_order(stage: Stage) -> None:
    """Reconciling, snapshot, Event, status; each once."""
    wait = await stage.look()

    assert wait == MINUTE
    assert writes(stage) == ["PATCH status", "POST configmaps", "POST events", "PATCH status"]
    assert stage.condition("Ready") == ("True", "Tracking")
    assert stage.condition("Reconciling") == ("", "")
    assert stage.series()


async def test_an_unchanged_server_is_not_written(known: Stage) -> None:
    """Nor is anything read while the lists are in memory."""
    for _ in range(3):
        assert await known.look() == MINUTE

    assert known.cluster.calls == []


async def test_a_restart_writes_nothing(known: Stage) -> None:
    """It reads what it needs to compare."""
    known.restart()

    await known.look()

    assert writes(known) == []


async def test_own_writes_ask_for_nothing(known: Stage) -> None:
    """They come back through the watch, in time or late."""
    assert not known.watch()
    later = known.raw
    later["metadata"]["resourceVersion"] = "999"

    assert not known.reconciler.remember(later)


async def test_a_suspended_server_is_not_asked(stage: Stage) -> None:
    """And has nothing to come back for."""
    stage.edit(suspend=True)
    stage.watch()

    assert await stage.look() is None
    assert stage.fetcher.targets == []


async def test_the_era_is_remembered(known: Stage) -> None:
    """Over a restart too; another target is asked anew."""
    known.restart()
    await known.look()
    assert known.fetcher.eras == [None, Era.MODERN]

    known.edit(endpoints=[{"name": "primary", "url": "https://other.example.com/mcp"}])
    known.watch()
    await known.look()

    assert known.fetcher.eras[-1] is None


async def test_lost_tools_are_seen_twice_before_they_count(known: Stage) -> None:
    """With nothing written in between, and the second look soon."""
    known.fetcher.answer = tool_list()
    await known.look()
    assert known.condition("Reachable") == ("False", "EmptyList")
    known.fetcher.answer = tool_list({"name": "other"})
    known.cluster.calls.clear()

    assert await known.look() == timedelta(seconds=5)
    assert writes(known) == []
    await known.look()
    assert known.status["drift"]["verdict"] == "Breaking"


def age(stage: Stage, hours: int = 1) -> None:
    """Make it long ago that the status was written; the watch tells."""
    snapshot = stage.status["snapshot"]
    seen = datetime.fromisoformat(snapshot["lastSeenTime"]) - timedelta(hours=hours)
    stage.set_status(snapshot=snapshot | {"lastSeenTime": seen.isoformat()})
    stage.watch()


async def test_a_heartbeat_is_one_read_and_one_write(known: Stage) -> None:
    """The stored list is looked for, and the times are written. A thousand servers do this all the
    time, so nothing more is done."""
    age(known)

    await known.look()

    stored = known.status["snapshot"]["configMapRef"]["name"]
    asked = [(method, path.split("/")[-1]) for method, path in known.cluster.calls]
    assert asked == [("GET", stored), ("PATCH", "status")]


async def test_a_heartbeat_onto_an_object_that_changed_is_a_conflict(known: Stage) -> None:
    """The look counts for the object that it was for, and the next one sees the change."""
    age(known)
    known.fetcher.during = lambda: known.edit(interval="2m")

    with pytest.raises(Conflict):
        await known.look()
    await known.look()

    assert known.status["observedGeneration"] == known.raw["metadata"]["generation"]


async def test_what_was_left_over_is_deleted_once_by_each_process(known: Stage) -> None:
    """It may have been killed before it could; a heartbeat after that does not look again."""
    known.restart()
    for expected in (1, 0):
        age(known)
        known.cluster.calls.clear()
        await known.look()
        lists = [call for call in known.cluster.calls if call[1].endswith("/configmaps")]
        assert len(lists) == expected


async def test_a_lost_snapshot_is_stored_again_with_the_heartbeat(known: Stage) -> None:
    """Whatever memory says."""
    name = known.status["snapshot"]["configMapRef"]["name"]
    del known.cluster.objects[f"/api/v1/namespaces/team/configmaps/{name}"]
    snapshot = known.status["snapshot"] | {"lastSeenTime": "2026-01-01T00:00:00Z"}
    known.set_status(snapshot=snapshot)
    known.watch()

    await known.look()

    assert len(known.cluster.of("configmaps")) == 1


# Objects that go, come back, or change while they are looked at.


async def test_an_unknown_key_is_nothing_to_do(stage: Stage) -> None:
    """It was forgotten while it waited in the queue."""
    stage.reconciler.forget(KEY)

    assert await stage.look() is None
    assert stage.fetcher.targets == []


async def test_an_object_on_its_way_out_is_not_looked_at(known: Stage) -> None:
    """Somebody's finalizer may hold it for days: no fetch, no write, no haste, no series."""
    raw = known.raw
    raw["metadata"]["deletionTimestamp"] = "2026-11-30T12:00:00Z"
    raw["metadata"]["generation"] += 1
    known.cluster.put(PATH, raw)
    assert known.watch()
    known.fetcher.answer = BREAKING
    asked = len(known.fetcher.targets)

    assert await known.look() is None
    assert len(known.fetcher.targets) == asked
    assert writes(known) == []
    assert known.series() == []


async def test_an_object_that_is_deleted_during_the_fetch_leaves_nothing(known: Stage) -> None:
    """No series comes back, whether or not there was something to write."""

    def gone() -> None:
        known.delete()
        known.reconciler.forget(KEY)

    for answer in (FIRST, BREAKING):
        known.fetcher.answer, known.fetcher.during = answer, gone
        await known.look()
        assert known.series() == []
        assert not known.reconciler.knows(KEY)
        assert known.cluster.objects.keys() & {PATH} == set()
        known.create()
        known.watch()
        await known.look()


@pytest.mark.parametrize("at", ["status", "configmaps", "events"])
async def test_an_object_that_is_deleted_during_a_write_does_not_come_back(
    known: Stage, at: str
) -> None:
    """The watch told of its end: what a write returned is of the past."""
    known.fetcher.answer = BREAKING
    method = "PATCH" if at == "status" else "POST"
    known.cluster.on(method, at, lambda: known.reconciler.forget(KEY))

    await known.look()

    assert not known.reconciler.knows(KEY)
    assert known.series() == []


async def test_an_object_that_is_deleted_unheard_is_forgotten(known: Stage) -> None:
    """The watch lost its DELETED; the next write finds out."""
    known.fetcher.answer = BREAKING
    known.fetcher.during = known.delete

    assert await known.look() is None
    assert not known.reconciler.knows(KEY)
    assert known.series() == []
    assert known.cluster.of("configmaps") == []


async def test_a_look_for_a_deleted_object_writes_nothing_onto_its_successor(known: Stage) -> None:
    """Of the same name, and looked at for itself afterwards."""

    def recreate() -> None:
        known.delete()
        known.create(suspend=True)

    known.fetcher.answer, known.fetcher.during = BREAKING, recreate

    assert await known.look() == AT_ONCE
    assert known.status == {"observedGeneration": -1}
    assert writes(known) == []
    await known.look()
    assert known.status["observedGeneration"] == 1


async def test_a_look_for_a_former_spec_is_dropped(known: Stage) -> None:
    """It may be of another target."""
    known.fetcher.answer = BREAKING
    known.fetcher.during = lambda: known.edit(historyLimit=3)

    assert await known.look() == AT_ONCE
    assert writes(known) == []


async def test_a_spec_that_became_invalid_during_the_fetch_is_reported(known: Stage) -> None:
    """No bug, and no retry with a backoff."""
    known.fetcher.answer = BREAKING
    known.fetcher.during = lambda: known.edit(interval="7d")

    assert await known.look() == AT_ONCE
    assert await known.look() is None
    assert known.condition("Stalled") == ("True", "InvalidSpec")


async def test_what_is_asked_for_during_a_look_is_done_after_it(known: Stage) -> None:
    """Read with a write, before the watch told of it: the watch's word is old news then, and the
    request would wait for the next interval."""
    known.fetcher.answer = BREAKING
    known.fetcher.during = lambda: known.annotate(reconcile_requested_at="now")

    assert await known.look() == AT_ONCE
    assert not known.watch()
    await known.look()
    assert known.status["lastHandledReconcileAt"] == "now"


async def test_an_object_made_again_between_a_404_and_the_next_read_is_looked_at(
    known: Stage,
) -> None:
    """A retry follows, since the watch's ADDED will be old news."""
    known.fetcher.answer = BREAKING

    def recreate() -> None:
        known.delete()
        known.create()
        raise KubernetesError("NotFound", "404", status=404)

    known.cluster.on("POST", "events", recreate)

    with pytest.raises(KubernetesError):
        await known.look()
    await known.look()
    assert known.status["observedGeneration"] == 1


async def test_a_404_that_cannot_be_looked_into_is_tried_again(known: Stage) -> None:
    """Else a server would silently be looked at no more."""
    known.fetcher.answer = BREAKING
    known.cluster.refuse("POST", "events", KubernetesError("NotFound", "404", status=404))
    known.cluster.on("POST", "events", lambda: None)

    with pytest.raises(KubernetesError):
        await known.look()
    assert known.reconciler.knows(KEY)


# The watch.


async def test_late_news_of_a_former_object_is_ignored(known: Stage) -> None:
    """kopf tells of different objects in any order."""
    old = known.raw
    old["metadata"]["resourceVersion"] = str(int(old["metadata"]["resourceVersion"]) + 1)
    known.delete()
    known.create()
    known.create()
    assert known.watch()

    assert not known.reconciler.remember(old)
    assert not known.reconciler.is_last(old)
    assert known.reconciler.is_last(known.raw)


async def test_older_news_is_ignored(known: Stage) -> None:
    """A list after a lost watch may be older than an own write."""
    old = known.raw
    known.edit(historyLimit=3)
    assert known.watch()

    assert not known.reconciler.remember(old)
    await known.look()
    assert known.status["observedGeneration"] == 2


async def test_the_watch_may_be_faster_than_a_read(known: Stage) -> None:
    """What it told while an older answer was under way is not lost."""
    known.fetcher.answer = BREAKING

    def newer() -> None:
        known.edit(historyLimit=3)
        known.watch()

    known.cluster.on_the_way_back("GET", "mcpservers", newer)

    assert await known.look() == AT_ONCE
    await known.look()
    assert known.status["observedGeneration"] == 2


async def test_a_restored_api_server_is_believed(known: Stage) -> None:
    """Its versions begin anew below those that were seen; a conflict leads back to them."""
    raw = known.raw
    raw["metadata"]["resourceVersion"] = "7"
    known.cluster.objects[PATH] = raw
    known.fetcher.answer = BREAKING

    await known.look()

    assert known.status["transitions"] == 1


def test_versions_that_are_no_numbers_count_as_news(stage: Stage) -> None:
    """Opaque by the letter of the API."""
    raw = stage.raw
    raw["metadata"] |= {"resourceVersion": "abc", "generation": 2}

    assert stage.reconciler.remember(raw)


async def test_forgetting_leaves_no_memory(known: Stage) -> None:
    """Of an object that is gone."""
    known.reconciler.forget(KEY)

    assert known.reconciler.keys() == set()
    assert known.reconciler._looker._memories == {}
    assert known.series() == []


# Refusals of the API server.


@pytest.mark.parametrize("at", ["configmaps", "events", "status"])
async def test_a_bad_hour_of_the_api_server_loses_nothing(known: Stage, at: str) -> None:
    """Whichever write it met, the next look does all of it, once."""
    known.fetcher.answer = BREAKING
    method = "PATCH" if at == "status" else "POST"
    known.cluster.refuse(method, at, KubernetesError("Timeout", "no answer"))

    with pytest.raises(KubernetesError):
        await known.look()
    await known.look()

    assert known.status["transitions"] == 1
    assert known.events() == ["BaselineEstablished", "BreakingDrift"]
    assert len(known.cluster.of("configmaps")) == 2


async def test_a_conflict_is_planned_again_on_the_newest_object(known: Stage) -> None:
    """Somebody labelled it meanwhile, say."""
    known.fetcher.answer = BREAKING
    known.cluster.on("PATCH", "status", known.set_status)

    with pytest.raises(Conflict):
        await known.look()
    await known.look()

    assert known.status["transitions"] == 1
    assert known.events() == ["BaselineEstablished", "BreakingDrift"]


@pytest.mark.parametrize("at", ["configmaps", "events"])
async def test_a_namespace_that_ends_is_left_alone(known: Stage, at: str) -> None:
    """Nothing to mend and nothing to retry."""
    known.fetcher.answer = BREAKING
    known.cluster.refuse("POST", at, TERMINATING)

    assert await known.look() is None


async def test_a_refused_event_does_not_cost_the_status(
    known: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    """A policy against Events silences Events only."""
    known.fetcher.answer = BREAKING
    known.cluster.refuse("POST", "events", KubernetesError("Forbidden", "policy", status=403))

    await known.look()

    assert known.status["transitions"] == 1
    assert "policy" in caplog.text


async def test_a_refused_snapshot_is_said_on_the_object(known: Stage) -> None:
    """A quota is for a person to raise; until then nothing moves, and it is said once."""
    known.fetcher.answer = BREAKING
    for _ in range(2):
        full = KubernetesError("Forbidden", "exceeded quota", status=403)
        known.cluster.refuse("POST", "configmaps", full)
        assert await known.look() == MINUTE

    assert known.condition("Ready") == ("False", "SnapshotNotStored")
    assert known.status["transitions"] == 0
    assert writes(known).count("PATCH status") == 1
    await known.look()
    assert known.condition("Ready") == ("True", "Tracking")
    assert known.events() == ["BaselineEstablished", "BreakingDrift"]


def outdated(stage: Stage) -> None:
    """Have the next write of a status meet a CRD that lacks a field."""
    error = KubernetesError(
        "InternalError", "failed: .status.new: field not declared in schema", status=500
    )
    stage.cluster.refuse("PATCH", "status", error)


async def test_an_older_crd_costs_nothing_that_is_stored(known: Stage) -> None:
    """Upgraded before the CRD, the operator says so and keeps baseline and history; with the CRD
    it goes on where it was."""
    known.edit(historyLimit=1)
    known.watch()
    await known.look()
    before = known.status
    known.fetcher.answer = BREAKING
    outdated(known)

    await known.look()

    assert known.condition("Ready") == ("False", "CRDOutdated")
    kept = ("snapshot", "baseline", "history", "transitions", "drift")
    assert {key: known.status[key] for key in kept} == {key: before[key] for key in kept}
    assert len(known.cluster.of("configmaps")) == 2
    await known.look()
    assert known.status["transitions"] == 1
    assert known.condition("Ready") == ("True", "Tracking")
    assert known.events() == ["BaselineEstablished", "BreakingDrift"]


async def test_an_older_crd_is_not_written_at_each_look(known: Stage) -> None:
    """The second refusal says the same as the first, to the second."""
    known.annotate(reconcile_requested_at="now")
    known.watch()
    await known.look()
    known.fetcher.answer = BREAKING
    outdated(known)
    await known.look()
    before = known.raw
    known.set_status(conditions=_made_earlier(known.status["conditions"]))
    known.watch()
    outdated(known)

    await known.look()

    assert known.status["conditions"] == _made_earlier(before["status"]["conditions"])


def _made_earlier(conditions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same, since long ago."""
    return [item | {"lastTransitionTime": "2026-01-01T00:00:00Z"} for item in conditions]


# Annotations hold whatever their author typed.


async def test_a_long_token_is_answered(known: Stage) -> None:
    """Cut to what the API takes, and answered once."""
    known.annotate(reconcile_requested_at="x" * 5000)
    known.watch()

    await known.look()

    assert len(known.status["lastHandledReconcileAt"]) == 256
    known.cluster.calls.clear()
    await known.look()
    assert writes(known) == []


@pytest.mark.parametrize("value", ["", "latest", "../../x", "sha256:1234", "a\nb", "x" * 5000])
async def test_what_is_no_hash_is_not_looked_for(
    known: Stage, value: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing is read, written or logged for it."""
    known.annotate(accepted_hash=value)
    known.watch()
    known.cluster.calls.clear()

    with caplog.at_level(logging.DEBUG):
        await known.look()

    assert known.cluster.calls == []
    assert caplog.text == ""


# Faults.


async def test_a_fault_is_reported(known: Stage) -> None:
    """And the wish for patience is honoured."""
    known.fetcher.answer = FetchError("RateLimited", "429", retry_after=300)

    assert await known.look() == timedelta(minutes=5) / 0.95
    assert known.condition("Reachable") == ("False", "RateLimited")


async def test_a_service_that_cannot_be_read_is_the_api_servers_fault(stage: Stage) -> None:
    """Not the vendor's: nothing is said of the server."""
    stage.edit(endpoints=[{"name": "primary", "serviceRef": {"name": "issues"}}])
    stage.watch()
    stage.cluster.refuse("GET", "services", KubernetesError("Timeout", "no answer"))

    with pytest.raises(KubernetesError):
        await stage.look()
    assert stage.condition("Reachable") == ("", "")


async def test_a_service_is_a_target_within_the_cluster(stage: Stage) -> None:
    """Which alone may be dialled in the Service ranges."""
    spec = {"selector": {"app": "x"}, "ports": [{"port": 80}]}
    service = {"metadata": {"name": "issues", "namespace": "team"}, "spec": spec}
    stage.cluster.put("/api/v1/namespaces/team/services/issues", service)
    stage.edit(endpoints=[{"name": "primary", "serviceRef": {"name": "issues"}}])
    stage.watch()

    await stage.look()

    (target,) = stage.fetcher.targets
    assert (target.url, target.in_cluster) == ("http://issues.team.svc:80/mcp", True)


async def test_no_header_value_and_no_query_is_told(caplog: pytest.LogCaptureFixture) -> None:
    """Neither by log, status, Events nor metrics."""
    token = "s3cret-7f3a"
    stage = Stage(
        endpoints=[{"name": "primary", "url": f"https://mcp.example.com/mcp?key={token}"}],
        headers=[{"name": "X-API-Key", "value": token}],
    )
    with caplog.at_level(logging.DEBUG):
        for answer in (FIRST, FetchError("Unauthorized", "401"), BREAKING):
            stage.fetcher.answer = answer
            await stage.look()

    told = f"{stage.status} {stage.cluster.of('events')} {stage.cluster.of('configmaps')}"
    assert stage.fetcher.targets[0].headers == (("X-API-Key", token),)
    assert token not in told + "".join(stage.series()) + caplog.text + str(stage.fetcher.targets)


# Killed.


class Killed(BaseException):
    """SIGKILL."""


STEPS = ["store_snapshot", "send_events", "write_status", "prune"]


@pytest.mark.parametrize("number", range(len(STEPS) + 1))
async def test_killed_between_any_two_steps_it_ends_the_same(known: Stage, number: int) -> None:
    """The steps of the real applier: the same objects of the same names, and nothing twice."""

    async def die(_: Application) -> None:
        raise Killed

    unharmed = Stage()
    for answer in (FIRST, BREAKING):
        unharmed.fetcher.answer = answer
        await unharmed.look()
    known.fetcher.answer = BREAKING
    known.tools.applier.steps.insert(number, die)

    with pytest.raises(Killed):
        await known.look()
    known.restart()
    await known.look()

    def end(stage: Stage) -> Any:
        objects = [*stage.cluster.of("configmaps"), *stage.cluster.of("events")]
        names = sorted(item["metadata"]["name"] for item in objects)
        status = stage.status
        hashes = [entry["hash"] for entry in status["history"]]
        return names, hashes, status["drift"]["changes"], status["transitions"]

    assert known.raw["metadata"]["uid"] == unharmed.raw["metadata"]["uid"]
    assert end(known) == end(unharmed)
