"""What one look leads to: the status, what is stored, written and kept, and when to look again."""

from datetime import timedelta

import pytest

from proxar.contract import ToolList
from proxar.controller.evidence import Seen
from proxar.controller.observation import Fault, Held, Look, Pending
from proxar.controller.plan import HEARTBEAT, JITTER, begin, plan
from proxar.errors import SnapshotError
from proxar.fetch import Reason
from tests.support.toolserver import tool
from tests.unit.controller.world import (
    ADVISORY,
    BREAKING,
    COMPATIBLE,
    DOWN,
    FIRST,
    NOON,
    OTHER,
    UNAUTHORIZED,
    World,
    fetched,
    tool_list,
)

MINUTE = timedelta(minutes=1)


@pytest.fixture
def world() -> World:
    """An object that was looked at once."""
    world = World.new()
    world.look(FIRST)
    return world


def test_a_first_look_stores_the_list_and_makes_it_the_baseline() -> None:
    """Snapshot, baseline and history speak of it, one Event tells of it, and nothing drifted."""
    world = World.new()

    made = world.look(FIRST)

    status = world.status
    assert made.store is not None
    assert status.snapshot is not None
    assert status.baseline is not None
    assert status.drift is not None
    assert status.snapshot.hash == status.baseline.hash == status.history[0].hash == FIRST.hash
    assert (status.baseline.source, status.drift.verdict) == ("FirstSeen", "None")
    assert (status.observed_generation, status.transitions) == (1, 0)
    assert world.reasons == ["BaselineEstablished"]
    assert world.condition("Ready") == ("True", "Tracking")
    assert world.condition("SchemaCompatible") == ("True", "NoDrift")
    assert made.keep == {FIRST.hash}
    assert not made.transition


def test_an_unchanged_server_causes_no_write(world: World) -> None:
    """The same list again moves only times, and times alone are not written."""
    world.wait(MINUTE)

    made = world.look(FIRST)

    assert (made.write, made.events, made.store) == (False, (), None)
    assert made.requeue_after == MINUTE


def test_each_transition_has_an_event_of_its_own(world: World) -> None:
    """A -> B -> A -> B is three transitions and three Events, within one second too."""
    for tools in (BREAKING, FIRST, BREAKING):
        assert world.look(tools).transition

    assert world.status.transitions == 3
    expected = ["BaselineEstablished", "BreakingDrift", "DriftResolved", "BreakingDrift"]
    assert world.reasons == expected
    assert [entry.hash for entry in world.status.history] == [
        BREAKING.hash,
        FIRST.hash,
        BREAKING.hash,
        FIRST.hash,
    ]


def test_drift_lists_its_changes(world: World) -> None:
    """With counts, path, rule and fingerprint, and since when."""
    world.look(BREAKING)

    drift = world.status.drift
    assert drift is not None
    assert (drift.verdict, drift.breaking, drift.omitted) == ("Breaking", 1, 0)
    assert drift.first_seen_time == NOON
    (change,) = drift.changes
    assert (change.path, change.rule) == (
        "search_issues.inputSchema.required",
        "parameter-became-required",
    )
    assert change.fingerprint


def test_changes_beyond_twenty_are_counted() -> None:
    """Status lists twenty, counts all, and says how many it left out."""
    world = World.new()
    world.look(tool_list(*(tool(f"tool_{number}", a="string") for number in range(30))))

    world.look(tool_list(*(tool(f"tool_{number}", ("a",), a="string") for number in range(30))))

    drift = world.status.drift
    assert drift is not None
    assert (drift.breaking, len(drift.changes), drift.omitted) == (30, 20, 10)


def test_a_fault_before_the_first_success_leaves_ready_unknown() -> None:
    """A pipeline that waits for Ready goes on waiting, and sees why."""
    world = World.new()

    world.look(DOWN)

    assert world.condition("Ready") == ("Unknown", "NotYetObserved")
    assert world.condition("Reachable") == ("False", "ConnectFailed")
    assert world.status.snapshot is None
    assert world.status.baseline is None
    assert world.reasons == ["Unreachable"]
    ready = world.status.condition("Ready")
    assert ready is not None
    assert DOWN.message in ready.message


def test_a_fault_after_the_first_success_keeps_what_was_known(world: World) -> None:
    """Could not look is not gone: snapshot, baseline and drift stay, and so does Ready."""
    world.look(BREAKING)
    before = world.status

    world.look(DOWN)

    after = world.status
    assert (after.snapshot, after.baseline, after.drift, after.history) == (
        before.snapshot,
        before.baseline,
        before.drift,
        before.history,
    )
    assert world.condition("Ready") == ("True", "Tracking")
    assert after.endpoints[0].last_success_time == NOON
    assert after.endpoints[0].reason == "ConnectFailed"


def test_a_fault_that_a_person_must_mend_stalls(world: World) -> None:
    """Ready is False and Stalled there until it is mended."""
    world.look(UNAUTHORIZED)
    assert world.condition("Ready") == ("False", "Unauthorized")
    assert world.condition("Stalled") == ("True", "Unauthorized")

    world.look(FIRST)

    assert world.condition("Ready") == ("True", "Tracking")
    assert world.condition("Stalled") == ("", "")
    assert world.reasons == ["BaselineEstablished", "Unreachable", "Recovered"]


@pytest.mark.parametrize("reason", [Reason.UNAUTHORIZED, Reason.CONNECT_FAILED])
@pytest.mark.parametrize("known", [True, False])
def test_a_fault_worded_anew_causes_no_write(reason: Reason, known: bool) -> None:
    """A server that puts a request id into its error must not cost a write at each look."""
    world = World.new()
    if known:
        world.look(FIRST)
    world.look(Fault(reason, "request 1 failed"))
    world.wait(MINUTE)

    made = world.look(Fault(reason, "request 2 failed"))

    assert (made.write, made.events) == (False, ())


def test_another_fault_is_worded_anew() -> None:
    """Who mends a server step by step sees each step, in the one line of `kubectl get` too."""
    world = World.new()
    world.look(DOWN)

    world.look(Fault(Reason.NOT_FOUND, "404 at /mpc"))

    for type_ in ("Ready", "Reachable"):
        condition = world.status.condition(type_)
        assert condition is not None
        assert "404 at /mpc" in condition.message
    assert world.status.endpoints[0].message == "404 at /mpc"


def test_retry_after_is_honoured_within_bounds(world: World) -> None:
    """Never sooner than the interval nor, whatever the jitter, than the server said; about an hour
    at most."""

    def wait_of(seconds: float) -> timedelta | None:
        return world.plan(Fault(Reason.RATE_LIMITED, "429", seconds)).requeue_after

    assert wait_of(300) == timedelta(minutes=5) / (1 - JITTER)
    assert wait_of(1) == MINUTE
    assert wait_of(1e9) == timedelta(hours=1) / (1 - JITTER)


def test_a_held_list_changes_nothing_and_is_looked_at_again_soon(world: World) -> None:
    """It is not judged yet, and whoever asked for the look still waits."""
    world.request("now")
    made = world.look(Held(Pending(frozenset({"search_issues"}), NOON), None))

    assert made.status == world.status
    assert (made.write, made.events) == (False, ())
    assert made.requeue_after == timedelta(seconds=5)
    assert world.status.last_handled_reconcile_at is None


def test_an_empty_list_is_a_fault(world: World) -> None:
    """Held with a fault is told as that fault."""
    empty = Fault(Reason.EMPTY_LIST, "no tools")

    world.look(Held(Pending(frozenset({"search_issues"}), NOON, is_empty=True), empty))

    assert world.condition("Reachable") == ("False", "EmptyList")
    assert world.status.transitions == 0


def test_the_heartbeat_is_due_after_fifteen_minutes_and_a_jitter(world: World) -> None:
    """One write a server each 15 to 18 minutes, and not a second sooner."""
    jitter = int(world.server.spec.target_digest[:4], 16) / 0xFFFF / 5
    due = HEARTBEAT * (1 + jitter)
    assert timedelta(0) <= due - HEARTBEAT <= timedelta(minutes=3)
    world.now = NOON + timedelta(seconds=int(due.total_seconds()))
    assert not world.look(FIRST).write
    world.wait(timedelta(seconds=1))

    made = world.look(FIRST)

    assert (made.write, made.events, made.store) == (True, (), None)
    snapshot = world.status.snapshot
    assert snapshot is not None
    assert snapshot.last_seen_time == world.now


def test_what_a_server_says_of_itself_is_no_content(world: World) -> None:
    """Replicas of two versions behind one address cost no write at each look; a write that comes
    anyway has the latest."""
    other = fetched(FIRST, server_version="2", protocol_version="2025-11-25")

    assert not world.look(other.tools).write
    assert not world.plan(Look(other)).write
    world.request("now")
    world.apply(world.plan(Look(other)))
    snapshot = world.status.snapshot
    assert snapshot is not None
    assert snapshot.server_info is not None
    assert (snapshot.server_info.version, snapshot.protocol_version) == ("2", "2025-11-25")


def test_a_failing_server_has_no_heartbeat(world: World) -> None:
    """Nothing was seen, so there is nothing to say."""
    world.look(DOWN)
    world.wait(timedelta(hours=2))

    assert not world.look(DOWN).write


def test_a_clock_that_goes_back_causes_no_write(world: World) -> None:
    """Nor an Event, nor a shorter wait."""
    world.wait(-timedelta(days=1))

    made = world.look(FIRST)

    assert (made.write, made.events, made.requeue_after) == (False, (), MINUTE)


def test_what_cannot_be_stored_moves_nothing(world: World) -> None:
    """The refusal makes Ready False; snapshot, drift and Events wait until the list is stored."""
    refused = SnapshotError("SnapshotNotStored", "the name is taken")

    made = world.look(BREAKING, store_error=refused)

    assert (made.store, made.events, made.transition) == (None, (), False)
    assert world.condition("Ready") == ("False", "SnapshotNotStored")
    assert world.status.snapshot is not None
    assert world.status.snapshot.hash == FIRST.hash
    assert not world.look(BREAKING, store_error=refused).write
    world.look(BREAKING)
    assert world.condition("Ready") == ("True", "Tracking")
    assert world.reasons == ["BaselineEstablished", "BreakingDrift"]


def test_a_lost_snapshot_is_stored_again(world: World) -> None:
    """Whoever deleted the ConfigMap of the current list gets it back with the next check."""
    world.stored.clear()

    assert world.look(FIRST).store is not None
    assert FIRST.hash in world.stored
    assert world.status.transitions == 0


def test_suspending_is_handled_and_keeps_what_is_known(world: World) -> None:
    """There is nothing to come back for, and nothing new is claimed."""
    world.look(BREAKING)
    world.edit(suspend=True)
    before = world.status

    made = world.look(None)

    after = world.status
    assert made.requeue_after is None
    assert made.events == ()
    assert after.observed_generation == 2
    assert after.drift == before.drift
    assert {item.type: item.status for item in after.conditions} == {
        item.type: item.status for item in before.conditions
    }
    assert not world.look(None).write


def test_an_object_that_begins_suspended_is_not_ready() -> None:
    """It was never looked at."""
    world = World.new(suspend=True)

    world.look(None)

    assert world.condition("Ready") == ("Unknown", "NotYetObserved")
    assert world.condition("Reachable") == ("", "")


def test_a_suspended_server_still_waits_for_the_look_that_was_asked_for(world: World) -> None:
    """The request is answered once somebody looks again."""
    world.edit(suspend=True)
    world.request("now")
    world.look(None)
    assert world.status.last_handled_reconcile_at is None
    world.edit(suspend=None)

    world.look(FIRST)

    assert world.status.last_handled_reconcile_at == "now"


@pytest.mark.parametrize("found", [Look(fetched(FIRST)), DOWN])
def test_a_request_is_echoed_once_it_was_answered(world: World, found: Look | Fault) -> None:
    """By a fault too: the look was taken. The echo is of the request before the look, not of a
    later one."""
    made = plan(world.server, Seen(found, world.gathered(), NOON, requested="first"))
    world.request("second")
    world.apply(made)

    assert world.status.last_handled_reconcile_at == "first"


def test_a_new_generation_is_echoed(world: World) -> None:
    """And its conditions speak of it."""
    world.edit(historyLimit=3)
    world.look(FIRST)

    assert world.status.observed_generation == 2
    assert {item.observed_generation for item in world.status.conditions} == {2}


def test_history_has_its_limit_and_what_it_drops_is_not_kept() -> None:
    """Newest first, the current one included; a hash that recurs is an entry of its own."""
    world = World.new(historyLimit=2)
    for tools in (FIRST, BREAKING, OTHER, BREAKING):
        made = world.look(tools)

    assert [entry.hash for entry in world.status.history] == [BREAKING.hash, OTHER.hash]
    assert made.keep == {BREAKING.hash, OTHER.hash, FIRST.hash}, "the baseline stays"


def test_a_lower_limit_cuts_at_once_while_unreachable(world: World) -> None:
    """The limit does not wait for the vendor."""
    world.look(BREAKING)
    world.edit(historyLimit=1)

    made = world.look(DOWN)

    assert [entry.hash for entry in world.status.history] == [BREAKING.hash]
    assert made.keep == {BREAKING.hash, FIRST.hash}


def test_pinned_and_accepted_lists_are_kept() -> None:
    """Beyond the history limit."""
    world = World.new(historyLimit=1)
    world.look(FIRST)
    world.look(ADVISORY)
    world.accept(ADVISORY.hash)
    world.look(ADVISORY)
    world.edit(pinnedHash=FIRST.hash)
    world.stored[FIRST.hash] = FIRST
    world.look(OTHER)

    assert world.look(BREAKING).keep == {FIRST.hash, ADVISORY.hash, BREAKING.hash}


def test_a_settle_time_shortens_the_wait() -> None:
    """The baseline moves when it should, not at the next interval."""
    world = World.new(driftPolicy={"settleAfter": "1m30s"})
    world.look(FIRST)
    world.look(COMPATIBLE)

    assert world.look(COMPATIBLE).requeue_after == MINUTE
    world.wait(MINUTE)
    assert world.look(COMPATIBLE).requeue_after == timedelta(seconds=30)


def test_drift_that_cannot_be_compared_does_not_hurry() -> None:
    """The baseline's snapshot is gone: nothing settles, so there is nothing to look for each
    second."""
    world = World.new(driftPolicy={"settleAfter": "2m"})
    world.look(FIRST)
    world.look(COMPATIBLE)
    world.stored[FIRST.hash] = None
    world.wait(timedelta(hours=1))

    made = world.look(COMPATIBLE)

    assert made.requeue_after == MINUTE
    assert world.status.baseline is not None
    assert world.status.baseline.hash == FIRST.hash
    assert world.condition("SchemaCompatible") == ("Unknown", "SnapshotCorrupt")
    assert not world.look(COMPATIBLE).write


def test_comparing_is_asked_for_only_where_something_differs(world: World) -> None:
    """An unchanged server costs no comparison."""

    def refuse(before: ToolList, after: ToolList) -> None:
        raise AssertionError(f"compared {before.hash} and {after.hash}")

    made = world.plan(Look(fetched(FIRST)), compare=refuse)

    assert not made.write


def test_nothing_is_begun_for_what_is_handled(world: World) -> None:
    """No write before a look that nobody waits for."""
    assert begin(world.server, None, world.now) is None


def test_a_look_that_somebody_waits_for_is_announced(world: World) -> None:
    """Reconciling is there while it goes on, everything else as it was, and it is said once."""
    world.edit(historyLimit=3)

    begun = begin(world.server, None, world.now)

    assert begun is not None
    assert begun.model_copy(update={"conditions": ()}) == world.status.model_copy(
        update={"conditions": ()}
    )
    assert begun.condition("Reconciling") is not None
    assert begun.condition("Ready") == world.status.condition("Ready")
    world.raw["status"] = begun.to_json()
    assert begin(world.server, None, world.now) is None
    world.look(FIRST)
    assert world.condition("Reconciling") == ("", "")


def test_a_new_object_is_not_ready_while_it_is_looked_at() -> None:
    """Ready is there from the beginning, so that nobody takes its absence for success."""
    begun = begin(World.new().server, None, NOON)

    assert begun is not None
    ready = begun.condition("Ready")
    assert ready is not None
    assert ready.status == "Unknown"


def test_a_request_is_announced(world: World) -> None:
    """Until it is answered."""
    assert begin(world.server, "now", NOON) is not None
    world.request("now")
    world.look(FIRST)
    assert begin(world.server, "now", NOON) is None
