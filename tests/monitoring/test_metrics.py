"""What a running operator exposes is what the reference, the alerts and the dashboards say."""

import re
import subprocess

from tests.monitoring.programs import find
from tests.support.install import ROOT
from tests.support.mcpservers import Handle
from tests.support.operatorprocess import OperatorProcess
from tests.support.toolserver import ToolServer, tool

CHART_FILES = ROOT / "charts" / "proxar" / "files"
REFERENCE = (ROOT / "docs" / "reference" / "metrics.md").read_text("utf-8")

NAME = re.compile(
    r"\b((?:proxar|workqueue|controller_runtime|leader_election|rest_client)_\w+)(?=\W)(?!:)"
)
PARTS_OF_HISTOGRAMS = ("_bucket", "_sum", "_count")

PLANNED = {
    "leader_election_master_status",  # with several replicas
    "proxar_mcpserver_route_transition_timestamp_seconds",  # with spec.pinPolicy.serve
    "proxar_mcpserver_serving_pinned",  # with spec.pinPolicy.serve
}
"""What alerts and dashboards ask for already, so that names are designed once."""


def documented() -> set[str]:
    """The metrics of the reference page."""
    return set(re.findall(r"^\| `(\w+)` \|", REFERENCE, re.MULTILINE))


def asked_for(text: str) -> set[str]:
    """The metrics in queries; recorded ones, which have colons, are made of them."""
    recorded = re.sub(r"\w+:(\w+):\w+", "", text)
    return {
        name.removesuffix(part)
        for name in NAME.findall(recorded)
        for part in (next((p for p in PARTS_OF_HISTOGRAMS if name.endswith(p)), ""),)
    }


def test_alerts_and_dashboards_ask_for_what_there_is() -> None:
    """Or for what is planned, and then under a name that is in the list."""
    files = [CHART_FILES / "alerts.yaml", *CHART_FILES.glob("dashboard-*.json")]
    asked = set().union(*(asked_for(path.read_text("utf-8")) for path in files))

    assert len(asked) > 20
    assert asked - documented() == PLANNED
    assert not PLANNED & documented()


def test_a_running_operator_exposes_what_is_documented(
    operator: OperatorProcess, server: Handle, toolserver: ToolServer
) -> None:
    """And promtool finds no fault with it."""
    toolserver.tools = [tool("search_issues", ("query",), query="string")]
    server.apply(toolserver.url)
    server.until_observed()
    server.look()
    exposition = operator.get("/metrics")
    families = set(re.findall(r"^# TYPE (\w+) ", exposition, re.MULTILINE))

    checked = subprocess.run(
        [find("promtool"), "check", "metrics"],
        input=exposition,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    ours = {name for name in families if NAME.match(f"{name} ")}
    assert ours == documented()
    assert checked.returncode == 0, checked.stderr + checked.stdout
