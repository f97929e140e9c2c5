"""What Prometheus is told."""
# ruff: noqa: E501 - a line of the exposition is a line

from contextlib import suppress
from typing import Any

import pytest
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import generate_latest

from proxar import __version__
from proxar.api import Change, Drift, Status
from proxar.controller.metrics import Board, OperatorMetrics
from proxar.controller.plan import Plan
from proxar.errors import Conflict, KubernetesError
from tests.support.toolserver import tool
from tests.unit.controller.world import BREAKING, DOWN, FIRST, NOON, World, tool_list

FLUX = {"kustomize.toolkit.fluxcd.io/name": "apps"}

EXPOSITION = """\
# HELP proxar_mcpserver_tools Tools in the last good list.
# TYPE proxar_mcpserver_tools gauge
proxar_mcpserver_tools{name="issues-mcp",namespace="team"} 1.0
# HELP proxar_mcpserver_interval_seconds Seconds between two looks; absent while suspended.
# TYPE proxar_mcpserver_interval_seconds gauge
proxar_mcpserver_interval_seconds{name="issues-mcp",namespace="team"} 60.0
# HELP proxar_mcpserver_last_success_timestamp_seconds When a complete tool list was last read.
# TYPE proxar_mcpserver_last_success_timestamp_seconds gauge
proxar_mcpserver_last_success_timestamp_seconds{name="issues-mcp",namespace="team"} 1.79604e+09
# HELP proxar_mcpserver_last_poll_duration_seconds How long the last look took, whatever it gave.
# TYPE proxar_mcpserver_last_poll_duration_seconds gauge
proxar_mcpserver_last_poll_duration_seconds{name="issues-mcp",namespace="team"} 0.25
# HELP proxar_mcpserver_snapshot_first_seen_timestamp_seconds When the current tool list was first seen.
# TYPE proxar_mcpserver_snapshot_first_seen_timestamp_seconds gauge
proxar_mcpserver_snapshot_first_seen_timestamp_seconds{name="issues-mcp",namespace="team"} 1.79604e+09
# HELP proxar_mcpserver_pinned 1 where spec.pinnedHash is set.
# TYPE proxar_mcpserver_pinned gauge
proxar_mcpserver_pinned{name="issues-mcp",namespace="team"} 0.0
# HELP proxar_mcpserver_pin_out_of_band 1 where Git owns the object and somebody else, the manager, set its pin; else 0.
# TYPE proxar_mcpserver_pin_out_of_band gauge
# HELP proxar_mcpserver_status_condition 1 for the status that a condition has, 0 for the others.
# TYPE proxar_mcpserver_status_condition gauge
proxar_mcpserver_status_condition{condition="Ready",name="issues-mcp",namespace="team",status="True"} 1.0
proxar_mcpserver_status_condition{condition="Ready",name="issues-mcp",namespace="team",status="False"} 0.0
proxar_mcpserver_status_condition{condition="Ready",name="issues-mcp",namespace="team",status="Unknown"} 0.0
proxar_mcpserver_status_condition{condition="Reachable",name="issues-mcp",namespace="team",status="True"} 1.0
proxar_mcpserver_status_condition{condition="Reachable",name="issues-mcp",namespace="team",status="False"} 0.0
proxar_mcpserver_status_condition{condition="Reachable",name="issues-mcp",namespace="team",status="Unknown"} 0.0
proxar_mcpserver_status_condition{condition="SchemaCompatible",name="issues-mcp",namespace="team",status="True"} 0.0
proxar_mcpserver_status_condition{condition="SchemaCompatible",name="issues-mcp",namespace="team",status="False"} 1.0
proxar_mcpserver_status_condition{condition="SchemaCompatible",name="issues-mcp",namespace="team",status="Unknown"} 0.0
# HELP proxar_mcpserver_status_condition_reason 1 for the reason that a condition has.
# TYPE proxar_mcpserver_status_condition_reason gauge
proxar_mcpserver_status_condition_reason{condition="Ready",name="issues-mcp",namespace="team",reason="Tracking"} 1.0
proxar_mcpserver_status_condition_reason{condition="Reachable",name="issues-mcp",namespace="team",reason="Fetched"} 1.0
proxar_mcpserver_status_condition_reason{condition="SchemaCompatible",name="issues-mcp",namespace="team",reason="BreakingDrift"} 1.0
# HELP proxar_drift_safety_promises_withdrawn Breaking changes by which a tool no longer promises to be safe.
# TYPE proxar_drift_safety_promises_withdrawn gauge
proxar_drift_safety_promises_withdrawn{name="issues-mcp",namespace="team"} 0.0
# HELP proxar_drift_changes Changes against the baseline.
# TYPE proxar_drift_changes gauge
proxar_drift_changes{name="issues-mcp",namespace="team",verdict="breaking"} 1.0
proxar_drift_changes{name="issues-mcp",namespace="team",verdict="advisory"} 0.0
proxar_drift_changes{name="issues-mcp",namespace="team",verdict="compatible"} 0.0
# HELP proxar_drift_change_info 1 for each change that status lists; at most 20 a server.
# TYPE proxar_drift_change_info gauge
proxar_drift_change_info{name="issues-mcp",namespace="team",path="search_issues.inputSchema.required",rule="parameter-became-required",tool="search_issues",verdict="breaking"} 1.0
# HELP proxar_drift_changes_omitted Changes beyond those that are listed.
# TYPE proxar_drift_changes_omitted gauge
proxar_drift_changes_omitted{name="issues-mcp",namespace="team"} 0.0
# HELP proxar_drift_transitions_total Drift transitions, as status counts them.
# TYPE proxar_drift_transitions_total counter
proxar_drift_transitions_total{name="issues-mcp",namespace="team"} 1.0
# HELP proxar_schema_changes_total Changes seen in drift transitions.
# TYPE proxar_schema_changes_total counter
proxar_schema_changes_total{name="issues-mcp",namespace="team",verdict="breaking"} 1.0
proxar_schema_changes_total{name="issues-mcp",namespace="team",verdict="advisory"} 0.0
proxar_schema_changes_total{name="issues-mcp",namespace="team",verdict="compatible"} 0.0
"""


def show(board: Board, world: World, made: Plan, *, success: bool = True) -> None:
    """Note a look as the reconcile does."""
    counted = made.diff.summary if made.diff and made.transition else None
    at = world.now.timestamp() if success else None
    board.update(world.server, made.status, diff=made.diff, success_at=at, counted=counted)
    board.polled(world.server.key, 0.25)


def series(board: Board) -> list[str]:
    """Its samples."""
    return [line for line in board.page().splitlines() if not line.startswith("#")]


@pytest.fixture
def world() -> World:
    """An object that was looked at once."""
    world = World.new()
    world.look(FIRST)
    return world


@pytest.fixture
def board() -> Board:
    """An empty board."""
    return Board()


def test_everything_that_is_told_of_a_drifted_server(world: World, board: Board) -> None:
    """Word by word: dashboards and alerts are written against it."""
    show(board, world, world.look(BREAKING))

    assert board.page() == EXPOSITION


def test_series_go_with_their_object(world: World, board: Board) -> None:
    """And no other's."""
    show(board, world, world.look(BREAKING))
    world.raw["metadata"]["name"] = "weather"
    show(board, world, world.look(BREAKING))

    board.forget(("team", "issues-mcp"))

    assert not [line for line in series(board) if "issues-mcp" in line]
    assert [line for line in series(board) if "weather" in line]
    board.forget(("team", "weather"))
    board.forget(("team", "weather"))
    assert series(board) == []


def test_a_suspended_server_has_no_interval(world: World, board: Board) -> None:
    """So no alert for a stale one fires; what is known stays."""
    world.edit(suspend=True)
    show(board, world, world.look(None), success=False)

    assert not [line for line in series(board) if "interval" in line]
    assert [line for line in series(board) if line.startswith("proxar_mcpserver_tools")]


def test_a_server_never_reached_has_no_time_of_success(board: Board) -> None:
    """Absent, not 1970."""
    world = World.new()
    show(board, world, world.look(DOWN), success=False)

    names = {line.split("{")[0] for line in series(board)}
    assert "proxar_mcpserver_last_success_timestamp_seconds" not in names
    assert "proxar_mcpserver_tools" not in names
    assert "proxar_mcpserver_interval_seconds" in names


def test_the_time_of_success_survives_a_restart(world: World, board: Board) -> None:
    """From status, until the first look of this run."""
    show(board, world, world.look(DOWN), success=False)

    (line,) = [line for line in series(board) if "last_success" in line]
    assert float(line.rpartition(" ")[2]) == NOON.timestamp()


def test_a_restarted_operator_tells_what_status_holds(world: World) -> None:
    """At once, and the same as before but for what only a look knows; else alerts would resolve."""
    before, after = Board(), Board()
    show(before, world, world.look(BREAKING))

    after.recall(world.server)

    forgotten = ("proxar_schema_changes_total", "proxar_mcpserver_last_poll_duration_seconds")
    assert series(after)
    assert {line for line in series(before) if not line.startswith(forgotten)} == {
        line for line in series(after) if not line.startswith(forgotten)
    }


def test_what_was_looked_at_is_not_recalled(world: World, board: Board) -> None:
    """The look knows better; and an object that is on its way out gets no series."""
    show(board, world, world.look(BREAKING))
    told = series(board)
    board.recall(World.new().server)
    assert series(board) == told

    board.forget(world.server.key)
    world.raw["metadata"]["deletionTimestamp"] = "2026-11-30T12:00:00Z"
    board.recall(world.server)
    board.polled(world.server.key, 1)

    assert series(board) == []


def with_hint(*names: str, read_only: bool) -> Any:
    """A list of tools that promise to change nothing, or do not."""
    hints = {"annotations": {"readOnlyHint": True}} if read_only else {}
    return tool_list(*(tool(name) | hints for name in names))


def test_every_withdrawn_promise_is_counted(board: Board) -> None:
    """Also those that status has no room for; when only status is there to ask, nothing is said
    rather than too little."""
    names = [f"tool-{number:02}" for number in range(30)]
    world = World.new()
    world.look(with_hint(*names, read_only=True))
    show(board, world, world.look(with_hint(*names, read_only=False)))
    recalled = Board()
    recalled.recall(world.server)

    (line,) = [line for line in series(board) if "promises_withdrawn" in line]
    assert line.endswith(" 30.0")
    assert not [line for line in series(recalled) if "promises_withdrawn" in line]


def test_a_pardoned_promise_is_not_counted(board: Board) -> None:
    """Somebody looked at it and gave a reason."""
    rule = {"name": "known", "rule": "annotation-*", "verdict": "Advisory", "reason": "reviewed"}
    world = World.new(driftPolicy={"rules": [rule]})
    world.look(with_hint("a", read_only=True))
    show(board, world, world.look(with_hint("a", read_only=False)))

    (line,) = [line for line in series(board) if "promises_withdrawn" in line]
    assert line.endswith(" 0.0")


def test_transitions_are_counted_and_looks_are_not(world: World, board: Board) -> None:
    """A counter that begins at 0 and counts each change once."""
    show(board, world, world.look(FIRST))
    for tools in (BREAKING, BREAKING, FIRST, BREAKING):
        show(board, world, world.look(tools))

    (line,) = [
        line
        for line in series(board)
        if line.startswith("proxar_schema_changes_total") and 'verdict="breaking"' in line
    ]
    assert line.endswith(" 2.0")


def test_one_series_for_each_place_and_rule(world: World, board: Board) -> None:
    """Two parameters that became required are two changes of one path."""
    before = tool_list(tool("a", (), x="string", y="string"))
    after = tool_list(tool("a", ("x", "y"), x="string", y="string"))
    world = World.new()
    world.look(before)
    show(board, world, world.look(after))

    info = [line for line in series(board) if line.startswith("proxar_drift_change_info")]
    assert len(info) == 1
    (changes,) = [
        line for line in series(board) if "changes{" in line and 'verdict="breaking"' in line
    ]
    assert changes.endswith(" 2.0")


HOSTILE = ['"} 1\nproxar_up 1', "\\", "\n", "{{ $labels.name }}", "\ud800", "\x00", "", "x" * 5000]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_labels_like_any_other(name: str, board: Board) -> None:
    """They break out of no quotes, and the scrape is not lost."""
    world = World.new()
    world.look(tool_list(tool(name, (), **{name: "string"})))
    show(board, world, world.look(tool_list(tool(name, (name,), **{name: "string"}))))

    told = board.page()

    assert len(told.splitlines()) == len(EXPOSITION.splitlines())
    assert "proxar_drift_change_info{" in told


def test_a_status_of_an_older_version_is_shown(world: World, board: Board) -> None:
    """Whatever is absent in it."""
    change = Change(tool="a", path="a", rule="r", verdict="Breaking")
    status = Status(drift=Drift(verdict="Breaking", changes=(change,)))

    board.update(world.server, status, success_at=None, counted=None)

    assert [line for line in series(board) if line.startswith("proxar_drift_change_info")]


def test_the_operators_own_metrics_are_born_at_nought() -> None:
    """Those that alerts compare; a counter born at 1 never alerts."""
    registry = CollectorRegistry()
    metrics = OperatorMetrics(registry)
    told: dict[str, Any] = {
        line.rpartition(" ")[0]: float(line.rpartition(" ")[2])
        for line in generate_latest(registry).decode().splitlines()
        if not line.startswith("#") and "_created" not in line
    }

    assert told[f'proxar_build_info{{version="{__version__}"}}'] == 1
    for result in ("success", "error", "requeue_after"):
        name = f'controller_runtime_reconcile_total{{controller="mcpserver",result="{result}"}}'
        assert told[name] == 0
    assert told['controller_runtime_reconcile_errors_total{controller="mcpserver"}'] == 0
    assert told['proxar_status_update_total{result="conflict"}'] == 0
    assert told["proxar_watch_lag_seconds"] == 0
    metrics.added()
    metrics.retried()
    metrics.taken(0.2)
    metrics.finished(0.3)
    told_then = generate_latest(registry).decode()
    assert 'workqueue_adds_total{name="mcpserver"} 1.0' in told_then
    assert 'workqueue_retries_total{name="mcpserver"} 1.0' in told_then
    assert 'workqueue_queue_duration_seconds_sum{name="mcpserver"} 0.2' in told_then
    assert 'workqueue_work_duration_seconds_sum{name="mcpserver"} 0.3' in told_then


@pytest.mark.parametrize(
    ("error", "result"),
    [
        (None, "success"),
        (Conflict("Conflict", "changed meanwhile", status=409), "conflict"),
        (KubernetesError("Forbidden", "no", status=403), "error"),
    ],
)
def test_a_status_write_is_counted_by_its_end(error: Exception | None, result: str) -> None:
    """A conflict is no fault of anybody's; the error goes on its way."""
    metrics = OperatorMetrics(registry := CollectorRegistry())
    with suppress(KubernetesError), metrics.status_write():
        if error is not None:
            raise error

    counted = [line for line in generate_latest(registry).decode().splitlines() if "1.0" in line]
    assert f'proxar_status_update_total{{result="{result}"}} 1.0' in counted


@pytest.mark.parametrize(("labels", "value"), [({}, 0), (FLUX, 1)])
def test_a_pin_set_by_hand_is_told_with_who_set_it(
    world: World, board: Board, labels: dict[str, str], value: int
) -> None:
    """Where Git owns the object; elsewhere a pin by hand is what it should be."""
    world.edit(pinnedHash=f"sha256:{'a' * 64}")
    world.raw["metadata"] |= {
        "labels": labels,
        "managedFields": [
            {"manager": "kubectl-patch", "fieldsV1": {"f:spec": {"f:pinnedHash": {}}}}
        ],
    }
    show(board, world, world.look(FIRST))

    (line,) = [line for line in series(board) if "out_of_band" in line]
    assert 'manager="kubectl-patch"' in line
    assert float(line.rpartition(" ")[2]) == value


def test_a_scrape_shows_no_half_of_a_look() -> None:
    """It may be made in a thread: what it took of a server does not change under it."""
    world, board = World.new(pinnedHash=FIRST.hash), Board()
    world.look(FIRST)
    world.look(FIRST)
    board.update(world.server, world.status, success_at=1.0, counted=None)
    scrape = board.families()
    assert [number for _, number in next(scrape).series] == [1]

    world.edit(pinnedHash=None)
    world.look(BREAKING)
    board.update(world.server, world.status, success_at=2.0, counted={"breaking": 1})
    board.looked(world.server.key, 3.0)
    board.polled(world.server.key, 0.5)
    told = {family.name: [number for _, number in family.series] for family in scrape}

    assert told["proxar_mcpserver_last_success_timestamp_seconds"] == [1.0]
    assert told["proxar_mcpserver_last_poll_duration_seconds"] == []
    assert told["proxar_mcpserver_pinned"] == [1.0]
    assert told["proxar_schema_changes_total"] == [0, 0, 0]


def test_a_look_that_changed_nothing_moves_its_time() -> None:
    """And nothing else; nor does a server that is gone come back."""
    world, board = World.new(), Board()
    world.look(FIRST)
    board.update(world.server, world.status, success_at=1.0, counted=None)
    before = {family.name: family.series for family in board.families()}

    board.looked(world.server.key, 2.0)
    board.looked(("team", "gone"), 2.0)
    after = {family.name: family.series for family in board.families()}

    moved = {name for name, series in after.items() if series != before[name]}
    assert moved == {"proxar_mcpserver_last_success_timestamp_seconds"}
