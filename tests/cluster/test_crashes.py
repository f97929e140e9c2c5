"""Killed at any point, the operator starts again and everything is as if it had not been."""

import signal
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support.mcpservers import Handle
from tests.support.operatorprocess import OperatorProcess
from tests.support.toolserver import ToolServer, tool

BEFORE = [tool("search_issues", ("query",), query="string", limit="integer")]
AFTER = [tool("search_issues", ("query", "limit"), query="string", limit="integer")]

STEPS = ["store_snapshot", "send_events", "write_status", "prune"]
TIMES = {
    "firstSeenTime",
    "lastSeenTime",
    "lastSuccessTime",
    "lastTransitionTime",
    "sinceTime",
    "settleTime",
}


def without_times(value: Any) -> Any:
    """A status without what depends on when it was written."""
    if isinstance(value, dict):
        ignored = TIMES | {"lastHandledReconcileAt", "uid", "target"}
        return {key: without_times(item) for key, item in value.items() if key not in ignored}
    return [without_times(item) for item in value] if isinstance(value, list) else value


@pytest.fixture
def dying_operator(
    request: pytest.FixtureRequest, operator_kubeconfig: Path, namespace: str, tmp_path: Path
) -> Any:
    """An operator that dies before the step that the test names."""
    process = OperatorProcess(
        operator_kubeconfig,
        tmp_path / "dying.log",
        namespace=namespace,
        module="tests.support.dyingoperator",
        environment={"PROXAR_TEST_DIE_BEFORE": str(request.param)},
    )
    yield process
    process.kill()


@pytest.mark.parametrize(
    "dying_operator",
    range(len(STEPS) + 1),
    ids=[f"before-{step}" for step in STEPS] + ["after-prune"],
    indirect=True,
)
def test_a_crash_between_two_steps_changes_nothing(
    dying_operator: OperatorProcess,
    stopped_operator: OperatorProcess,
    server: Handle,
    toolserver: ToolServer,
) -> None:
    """The end state is that of a run without a crash: one snapshot a list, one Event for each
    transition."""
    toolserver.tools = BEFORE
    server.apply(toolserver.url)
    # Dies at the baseline; dies again at the drift; in between and afterwards a sound one goes on.
    dying_operator.start(wait=False)
    assert dying_operator.wait(60) == -signal.SIGKILL
    stopped_operator.start()
    baseline = server.until_observed()["snapshot"]["hash"]
    stopped_operator.kill()
    toolserver.tools = AFTER
    server.request_look()
    dying_operator.start(wait=False)
    assert dying_operator.wait(60) == -signal.SIGKILL
    stopped_operator.start()

    status = server.look()

    drifted = status["snapshot"]["hash"]
    assert drifted != baseline
    assert status["baseline"]["hash"] == baseline
    assert status["transitions"] == 1
    assert [entry["hash"] for entry in status["history"]] == [drifted, baseline]
    assert status["drift"]["verdict"] == "Breaking"
    assert server.event_reasons() == ["BaselineEstablished", "BreakingDrift"]
    assert len(server.config_maps()) == 2
    assert server.condition("Reconciling") == ("", "")


def test_a_restart_changes_nothing(
    operator: OperatorProcess, server: Handle, toolserver: ToolServer
) -> None:
    """A server that drifted while the operator was away, and one that did not, are as they were
    left."""
    toolserver.tools = BEFORE
    server.apply(toolserver.url)
    server.until_observed()
    toolserver.tools = AFTER
    before = server.look()
    for end in (operator.kill, operator.stop):
        end()
        operator.start()
        after = server.look()

    assert without_times(after) == without_times(before)
    assert server.event_reasons() == ["BaselineEstablished", "BreakingDrift"]
    assert operator.stop() == 0


def test_a_slow_fetch_writes_nothing_onto_a_recreated_object(
    operator: OperatorProcess, server: Handle, toolserver: ToolServer
) -> None:
    """A look that ends after the object was deleted and made again is dropped."""
    toolserver.tools = BEFORE
    server.apply(toolserver.url)
    old = server.until_observed()
    slow = ToolServer(tools=AFTER)

    def recreate() -> None:
        slow.before_answer = lambda: None
        server.delete()
        server.apply(toolserver.url, suspend=True)

    slow.before_answer = recreate
    with slow:
        server.apply(slow.url)
        server.until(lambda: slow.lists == 1, "the slow server was asked")
        server.until(lambda: server.status["observedGeneration"] == 1, "the new object was handled")
        time.sleep(1)  # for what must not come

    status = server.status
    assert "snapshot" not in status
    assert "baseline" not in status
    assert server.get()["metadata"]["uid"] != old.get("uid")
    server.until(
        lambda: server.config_maps() == [], "the snapshots of the deleted object are collected"
    )


def test_a_slow_fetch_writes_nothing_onto_a_changed_spec(
    operator: OperatorProcess, server: Handle, toolserver: ToolServer
) -> None:
    """A look at the old target is not reported for the new one."""
    toolserver.tools = BEFORE
    slow = ToolServer(tools=AFTER)
    slow.before_answer = lambda: server.apply(toolserver.url)
    with slow:
        server.apply(slow.url)
        status = server.until_observed()

    assert slow.lists == 1
    assert status["observedGeneration"] == 2
    assert len(status["history"]) == 1
    assert server.event_reasons() == ["BaselineEstablished"]
    (config_map,) = server.config_maps()
    assert config_map.endswith(status["snapshot"]["configMapRef"]["name"])
    server.look()
    assert (
        status["snapshot"]["hash"]
        == server.status["snapshot"]["hash"]
        == server.status["baseline"]["hash"]
    )
