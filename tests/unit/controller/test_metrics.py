"""What Prometheus is told."""
# ruff: noqa: E501 - a line of the exposition is a line

from typing import Any

import pytest
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import generate_latest

from proxar import __version__
from proxar.api import Change, Drift, Status
from proxar.controller.metrics import Board, OperatorMetrics
from proxar.controller.plan import Plan
from tests.support.toolserver import tool
from tests.unit.controller.world import BREAKING, DOWN, FIRST, NOON, World, tool_list

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
# HELP proxar_mcpserver_pinned 1 where spec.pinnedHash is set.
# TYPE proxar_mcpserver_pinned gauge
proxar_mcpserver_pinned{name="issues-mcp",namespace="team"} 0.0
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
    board.update(world.server, made.status, success_at=at, counted=counted)


def exposition(board: Board) -> str:
    """What a scrape gives."""
    registry = CollectorRegistry()
    registry.register(board)
    return generate_latest(registry).decode()


def series(board: Board) -> list[str]:
    """Its samples."""
    return [line for line in exposition(board).splitlines() if not line.startswith("#")]


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

    assert exposition(board) == EXPOSITION


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

    told = exposition(board)

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
    metrics.added()
    metrics.retried()
    metrics.taken(0.2)
    metrics.finished(0.3)
    told_then = generate_latest(registry).decode()
    assert 'workqueue_adds_total{name="mcpserver"} 1.0' in told_then
    assert 'workqueue_retries_total{name="mcpserver"} 1.0' in told_then
    assert 'workqueue_queue_duration_seconds_sum{name="mcpserver"} 0.2' in told_then
    assert 'workqueue_work_duration_seconds_sum{name="mcpserver"} 0.3' in told_then
