"""What helm makes of the alerts and the dashboards."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.kubernetes.binary import build, helm_program
from tests.monitoring.programs import find
from tests.support.install import ROOT

CHART = ROOT / "charts" / "proxar"
ALERTS = (CHART / "files" / "alerts.yaml").read_text("utf-8")


@pytest.fixture(scope="module")
def helm() -> Path:
    """The helm program."""
    return build(helm_program())


def template(
    helm: Path, tmp_path: Path, **values: dict[str, Any]
) -> subprocess.CompletedProcess[str]:
    """Render the chart with some values."""
    file = tmp_path / "values.json"
    file.write_text(json.dumps(values), "utf-8")
    command = [str(helm), "template", "proxar", str(CHART), f"--values={file}"]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def rendered(helm: Path, tmp_path: Path, kind: str, **values: dict[str, Any]) -> dict[str, Any]:
    """The only object of a kind that belongs to monitoring."""
    made = template(helm, tmp_path, **values)
    assert made.returncode == 0, made.stderr
    found = [item for item in yaml.safe_load_all(made.stdout) if item and item["kind"] == kind]
    assert len(found) == 1
    return dict(found[0])


def rules(prometheus_rule: dict[str, Any]) -> list[dict[str, Any]]:
    """All of its rules."""
    return [rule for group in prometheus_rule["spec"]["groups"] for rule in group["rules"]]


def test_the_rules_are_those_of_the_file(helm: Path, tmp_path: Path) -> None:
    """Value by value, and promtool finds no fault with what YAML became of them."""
    made = rendered(helm, tmp_path, "PrometheusRule", prometheusRule={"enabled": True})
    file = tmp_path / "rules.yaml"
    file.write_text(yaml.safe_dump(made["spec"]), "utf-8")

    checked = subprocess.run(
        [find("promtool"), "check", "rules", file], capture_output=True, text=True, check=False
    )

    assert made["spec"] == yaml.safe_load(ALERTS)
    assert checked.returncode == 0, checked.stderr


def test_values_change_labels_and_runbooks_and_leave_alerts_out(helm: Path, tmp_path: Path) -> None:
    """What is recorded stays, and so does every other alert."""
    values: dict[str, Any] = {
        "enabled": True,
        "labels": {"release": "monitoring"},
        "alertLabels": {"team": "tools", "severity": "page"},
        "disabled": ["MCPServerAdvisoryChange", "ProxarNoLeader"],
        "runbookURL": "https://wiki.example.com/runbooks/",
    }
    made = rendered(helm, tmp_path, "PrometheusRule", prometheusRule=values)
    shipped = rules({"spec": yaml.safe_load(ALERTS)})
    alerts = [rule for rule in rules(made) if "alert" in rule]

    assert made["metadata"]["labels"]["release"] == "monitoring"
    assert {rule["alert"] for rule in shipped if "alert" in rule} - {
        rule["alert"] for rule in alerts
    } == set(values["disabled"])
    for rule in alerts:
        labels = rule["labels"]
        assert (labels["team"], labels["severity"], labels["operator"]) == (
            "tools",
            "page",
            "proxar",
        )
        assert rule["annotations"]["runbook_url"] == (
            f"https://wiki.example.com/runbooks/{rule['alert']}"
        )
    assert [rule for rule in rules(made) if "record" in rule] == [
        rule for rule in shipped if "record" in rule
    ]


def test_an_unknown_alert_cannot_be_left_out(helm: Path, tmp_path: Path) -> None:
    """A mistyped name would leave the alert on; the error names those there are."""
    values = {"enabled": True, "disabled": ["MCPServerUnreachabel"]}

    made = template(helm, tmp_path, prometheusRule=values)

    assert made.returncode != 0
    assert (
        "there is no alert MCPServerUnreachabel; the alerts are MCPServerBreaksPin" in made.stderr
    )


def test_the_dashboards_are_those_of_the_files(helm: Path, tmp_path: Path) -> None:
    """In one ConfigMap that Grafana's sidecar finds."""
    values = {"enabled": True, "annotations": {"grafana_folder": "Tools"}}

    made = rendered(helm, tmp_path, "ConfigMap", grafanaDashboard=values)

    assert made["metadata"]["labels"]["grafana_dashboard"] == "1"
    assert made["metadata"]["annotations"] == {"grafana_folder": "Tools"}
    assert {name: json.loads(text) for name, text in made["data"].items()} == {
        path.name.replace("dashboard-", "proxar-"): json.loads(path.read_text("utf-8"))
        for path in (CHART / "files").glob("dashboard-*.json")
    }
    assert len(made["data"]) == 2


def test_nothing_of_it_is_there_unless_asked_for(helm: Path, tmp_path: Path) -> None:
    """A cluster without the Prometheus operator does not know the kinds."""
    made = template(helm, tmp_path)

    assert made.returncode == 0, made.stderr
    kinds = {item["kind"] for item in yaml.safe_load_all(made.stdout) if item}
    assert kinds.isdisjoint({"PrometheusRule", "ServiceMonitor", "ConfigMap"})
