"""Proxar in pods, installed by helm: it notices a rollout, and goes on whatever befalls its pod."""

import os
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.e2e.images import ISSUES
from tests.e2e.installation import CHART, NAMESPACE, RELEASE, Installation
from tests.e2e.workloads import PATIENCE_SECONDS, Workload
from tests.e2e.workloads import issues as issues_in
from tests.kubernetes.cluster import KubectlError
from tests.kubernetes.node.node import Node
from tests.monitoring.stack import Monitoring, Notification
from tests.support.mcpservers import Handle
from tests.support.operatorprocess import eventually

# The first of them builds the image, where the checkout changed since `python -m tests.e2e` did.
pytestmark = pytest.mark.timeout(900)

PATH = "search_issues.inputSchema.required"
"""What the second image breaks."""

SPEED = 20
"""By how much the time of the rules is sped up: five minutes are a quarter of one."""

TAKE_ALL_MEMORY = """
from pathlib import Path
Path("/proc/self/oom_score_adj").write_text("0")  # the operator is the victim, not this process
b"x" * (4 << 30)
"""
"""Run in the operator's container."""


@pytest.fixture
def issues(node: Node, proxar: Installation, namespace: str) -> Workload:
    """An MCP server of the test's namespace, running."""
    workload = issues_in(node, namespace)
    workload.apply()
    return workload


@pytest.fixture
def server(node: Node, issues: Workload, namespace: str) -> Handle:
    """The MCPServer that watches it, observed for the first time."""
    handle = Handle(node, namespace, "issues-mcp")
    reference = {"name": "primary", "serviceRef": {"name": issues.name}}
    handle.apply("", endpoints=[reference], interval="5s", timeout="2s")
    handle.kubectl(
        *("wait", "--for=condition=Ready", "--timeout=60s", "mcpservers.proxar.dev/issues-mcp")
    )
    return handle


def next_version(folder: Path) -> Path:
    """Return a chart that differs from ours in its version."""
    shutil.copytree(CHART, folder)
    chart = folder / "Chart.yaml"
    ours = yaml.safe_load(chart.read_text(encoding="utf-8"))
    chart.write_text(yaml.safe_dump(ours | {"version": "99.0.0"}), encoding="utf-8")
    return folder


def told(server: Handle) -> tuple[Any, ...]:
    """Return all that a false transition would change."""
    status = server.status
    return status["transitions"], status["drift"]["verdict"], server.event_reasons()


def looked_at(server: Handle) -> bool:
    """Whether a look is answered in good time."""
    try:
        server.look()
    except AssertionError:
        return False
    return True


def images(workload: Workload) -> set[str]:
    """Return the images that its pods run."""
    pods = workload.get("pods", f"--selector=app={workload.name}")["items"]
    return {container["image"] for pod in pods for container in pod["spec"]["containers"]}


def notifications(monitoring: Monitoring, server: Handle) -> list[Notification]:
    """Return those about it, and not about its namesakes that other tests left to be deleted."""
    return [
        item
        for item in monitoring.about(server.name)
        if item.body["groupLabels"]["namespace"] == server.namespace
    ]


def assert_it_still_notices(server: Handle, issues: Workload) -> None:
    """Roll out the image that breaks the tool list and see it told."""
    issues.apply(version="2")
    eventually(
        lambda: server.condition("SchemaCompatible") == ("False", "BreakingDrift"),
        PATIENCE_SECONDS,
        "the breaking drift is told",
    )


def test_it_runs_where_nothing_with_privileges_may(proxar: Installation) -> None:
    """Its namespace enforces the restricted standard; the pod is ready without a restart."""
    labels = proxar.get("namespace", NAMESPACE)["metadata"]["labels"]
    container = proxar.container()

    assert labels["pod-security.kubernetes.io/enforce"] == "restricted"
    assert container["ready"] is True
    assert container["restartCount"] == 0


def test_helm_test_passes(proxar: Installation) -> None:
    """The doctor that the chart brings finds nothing wrong."""
    assert "Succeeded" in proxar.helm("test", RELEASE, "--timeout=2m")


def test_a_rollout_to_an_image_with_another_tool_list_is_told(
    proxar: Installation, server: Handle, issues: Workload, tmp_path: Path
) -> None:
    """Snapshot, status, Event, metric and alert tell what a new image of a server broke, and where.

    Prometheus and Alertmanager run outside, and scrape the Service of the operator's metrics.
    """
    first = server.status["snapshot"]["hash"]
    assert server.event_reasons() == ["BaselineEstablished"]
    assert images(issues) == {ISSUES.format(version=1)}

    with Monitoring(tmp_path, [proxar.metrics_address()], divisor=SPEED) as monitoring:
        transitions = f'server:proxar_drift_transitions:max{{namespace="{server.namespace}"}}'
        eventually(
            lambda: monitoring.query(transitions), PATIENCE_SECONDS, "the operator is scraped"
        )
        assert notifications(monitoring, server) == []

        assert_it_still_notices(server, issues)

        eventually(
            lambda: notifications(monitoring, server), PATIENCE_SECONDS, "somebody is notified"
        )
        notification = notifications(monitoring, server)[0]

    eventually(
        lambda: images(issues) == {ISSUES.format(version=2)},
        PATIENCE_SECONDS,
        "only the new image runs",
    )
    status = server.status
    (change,) = (item for item in status["drift"]["changes"] if item["verdict"] == "Breaking")
    assert (change["path"], change["rule"]) == (PATH, "parameter-became-required")
    assert status["baseline"]["hash"] == first
    assert status["snapshot"]["hash"] != first
    assert len(server.config_maps()) == 2
    event = server.events()[-1]
    assert (event["reason"], event["type"]) == ("BreakingDrift", "Warning")
    assert PATH in event["note"]
    labels = {"namespace": server.namespace, "name": server.name}
    (series,) = proxar.series("proxar_drift_changes{", verdict="breaking", **labels)
    assert series.endswith(" 1.0")
    assert notification.names("firing") == ["MCPServerBreakingChange"], notification
    annotations = notification.alerts("firing")[0]["annotations"]
    name = f"{server.namespace}/{server.name}"
    assert annotations["summary"] == f"MCP server {name} broke its tools: {PATH}"
    assert (
        f"- tool search_issues: {PATH} (parameter-became-required)"
        in annotations["description"].splitlines()
    )


def test_a_killed_operator_goes_on(proxar: Installation, server: Handle, issues: Workload) -> None:
    """After SIGKILL kubelet starts it again; it tells nothing twice and nothing wrong."""
    before, restarts = told(server), proxar.container()["restartCount"]

    os.kill(proxar.process(), signal.SIGKILL)

    proxar.until_restarted(restarts)
    server.look()
    assert told(server) == before
    assert_it_still_notices(server, issues)


def test_an_operator_that_ran_out_of_memory_goes_on(
    proxar: Installation, server: Handle, issues: Workload
) -> None:
    """The kernel kills it at the limit of its container; then all is as after any other end."""
    before, restarts = told(server), proxar.container()["restartCount"]
    Path(f"/proc/{proxar.process()}/oom_score_adj").write_text("1000", encoding="ascii")

    with pytest.raises(KubectlError):
        proxar.kubectl("exec", "deployment/proxar", "--", "python", "-c", TAKE_ALL_MEMORY)

    proxar.until_restarted(restarts)
    assert proxar.container()["lastState"]["terminated"]["reason"] == "OOMKilled"
    server.look()
    assert told(server) == before
    assert_it_still_notices(server, issues)


def test_a_restart_of_the_container_runtime_is_not_noticed(
    node: Node, proxar: Installation, server: Handle, issues: Workload
) -> None:
    """containerd is restarted under the operator, which goes on without a restart."""
    before, restarts = told(server), proxar.container()["restartCount"]

    node.restart_containerd()

    server.look()
    assert told(server) == before
    assert proxar.container()["restartCount"] == restarts
    assert_it_still_notices(server, issues)


def test_a_new_token_is_taken_up(
    node: Node, proxar: Installation, server: Handle, issues: Workload
) -> None:
    """The operator's ServiceAccount is made anew: the old token is worth nothing from one moment
    to the next, which is more than a rotation does."""
    before = told(server)
    (account,) = (
        item
        for item in yaml.safe_load_all(proxar.helm("get", "manifest", RELEASE))
        if item["kind"] == "ServiceAccount"
    )

    proxar.kubectl("delete", "serviceaccount", account["metadata"]["name"])
    # As helm, which would otherwise find its object to be another's at the next upgrade.
    as_helm = ("apply", "--server-side", "--field-manager=helm", "--filename=-")
    node.kubectl(*as_helm, input=yaml.safe_dump(account))
    node.restart_kubelet()

    eventually(lambda: looked_at(server), PATIENCE_SECONDS, "a look is answered")
    assert told(server) == before
    assert_it_still_notices(server, issues)


def test_upgrade_rollback_and_uninstall_keep_what_people_made(
    proxar: Installation, server: Handle, issues: Workload, tmp_path: Path
) -> None:
    """CRD and MCPServers outlive every change of the release, and watching goes on after each."""
    before = told(server)
    uid = server.get()["metadata"]["uid"]

    proxar.upgrade("log.level=debug", "workers=4", chart=next_version(tmp_path / "chart"))
    labels = proxar.get("deployment", RELEASE)["metadata"]["labels"]
    assert labels["helm.sh/chart"] == "proxar-99.0.0"
    server.look()
    proxar.helm("rollback", RELEASE, "--wait", "--timeout=2m")
    server.look()
    proxar.helm("uninstall", RELEASE, "--wait", "--timeout=2m")
    assert proxar.get("deployments")["items"] == []
    assert server.get()["metadata"]["uid"] == uid
    proxar.upgrade()

    server.look()
    assert server.get()["metadata"]["uid"] == uid
    assert told(server) == before
    assert_it_still_notices(server, issues)
