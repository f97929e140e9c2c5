"""The dashboards are what Grafana takes, and every panel of them has data on a real Prometheus."""

import json
import re
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.kubernetes.cluster import Cluster
from tests.monitoring.stack import Monitoring
from tests.support.install import ROOT
from tests.support.mcpservers import Handle
from tests.support.operatorprocess import OperatorProcess, eventually
from tests.support.toolserver import ToolServer, status, tool

FILES = sorted((ROOT / "charts" / "proxar" / "files").glob("dashboard-*.json"))
DASHBOARDS: dict[str, dict[str, Any]] = {
    path.stem: json.loads(path.read_text("utf-8")) for path in FILES
}
SINCE_SECONDS = 20
BEFORE = [tool("search_issues", ("query",), query="string")]
ADVISORY = [tool("search_issues", ("query",), "Other words.", query="string")]
BREAKING = [tool("search_issues", ("query",), "Other words.", query="integer")]


def targets(dashboard: dict[str, Any]) -> Iterator[tuple[str, str, bool]]:
    """Title, query, and whether only its present value is shown, of each query of each panel."""
    for panel in dashboard["panels"]:
        for target in panel["targets"]:
            yield panel["title"], target["expr"], target.get("instant", False)


@pytest.mark.parametrize("name", DASHBOARDS)
def test_a_dashboard_is_complete(name: str) -> None:
    """Each panel says what it shows, has a place of its own, and asks the chosen data source."""
    dashboard = DASHBOARDS[name]
    panels = dashboard["panels"]
    cells = [
        (x, y)
        for place in (panel["gridPos"] for panel in panels)
        for x in range(place["x"], place["x"] + place["w"])
        for y in range(place["y"], place["y"] + place["h"])
    ]

    assert dashboard["schemaVersion"] == 38
    assert dashboard["uid"] == name.replace("dashboard", "proxar")
    assert len({panel["id"] for panel in panels}) == len(panels)
    assert len(set(cells)) == len(cells), "panels overlap"
    assert max(x for x, _ in cells) < 24
    variables = {item["name"]: item for item in dashboard["templating"]["list"]}
    assert variables.pop("datasource")["type"] == "datasource"
    for asked in (*variables.values(), *panels, *(t for p in panels for t in p["targets"])):
        assert asked["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
    for panel in panels:
        assert panel["title"]
        assert panel["description"]
        references = [target["refId"] for target in panel["targets"]]
        assert len(set(references)) == len(references)
    used = set(re.findall(r"\$(\w+)", "".join(query for _, query, _ in targets(dashboard))))
    assert used - {"__rate_interval"} == variables.keys()


def test_every_panel_has_data(
    cluster: Cluster, operator: OperatorProcess, namespace: str, tmp_path: Path
) -> None:
    """With a server of each kind: one that broke, one that changed, one that is away, and a calm
    one."""
    with ExitStack() as stack:
        sources = [stack.enter_context(ToolServer(tools=BEFORE)) for _ in range(4)]
        names = ("broken", "changed", "away", "calm")
        for name, source in zip(names, sources, strict=True):
            Handle(cluster, namespace, name).apply(source.url, interval="5s", timeout="4s")
        monitoring = stack.enter_context(Monitoring(tmp_path, [operator.address], divisor=20))
        eventually(
            lambda: len(monitoring.query("proxar_mcpserver_tools")) == 4, 60, "all were looked at"
        )
        sources[0].tools, sources[1].tools = BREAKING, ADVISORY
        sources[2].fault = status(503)
        eventually(
            lambda: (
                monitoring.query('proxar_drift_changes{name="broken",verdict="breaking"} > 0')
                and monitoring.query('proxar_drift_changes{name="changed",verdict="advisory"} > 0')
                and monitoring.query(
                    'proxar_mcpserver_status_condition{name="away",condition="Reachable"'
                    ',status="False"} == 1'
                )
            ),
            60,
            "all have changed",
        )

        def ask(query: str, is_instant: bool) -> list[dict[str, Any]]:
            for variable, value in (
                ("$namespace", namespace),
                ("$name", "broken"),
                ("$__rate_interval", f"{SINCE_SECONDS}s"),
            ):
                query = query.replace(variable, value)
            if is_instant:
                return monitoring.query(query)
            now = time.time()
            return monitoring.query_range(query, start=now - SINCE_SECONDS, end=now)

        for name, dashboard in DASHBOARDS.items():
            for title, query, is_instant in targets(dashboard):
                eventually(
                    lambda query=query, is_instant=is_instant: ask(query, is_instant),
                    30,
                    f"{name}: {title}: {query}",
                )
            for variable in dashboard["templating"]["list"]:
                if found := re.match(r"label_values\((.*), (\w+)\)$", str(variable["query"])):
                    assert ask(found[1], True)[0]["metric"][found[2]]

        by_verdict = {
            expression: ask(expression, True)[0]["value"][1]
            for title, expression, _ in targets(DASHBOARDS["dashboard-fleet"])
            if title == "Servers by verdict"
        }
        assert list(by_verdict.values()) == ["1", "1", "0", "2"], by_verdict
