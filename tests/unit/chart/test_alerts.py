"""The alerts say what happened, where, and what to do."""

import re
from typing import Any

import pytest
import yaml

from tests.support.install import ROOT

CHART = ROOT / "charts" / "proxar"
RUNBOOKS = ROOT / "docs" / "runbooks"
ALERTS: dict[str, dict[str, Any]] = {
    rule["alert"]: rule
    for group in yaml.safe_load((CHART / "files" / "alerts.yaml").read_text("utf-8"))["groups"]
    for rule in group["rules"]
}


def test_every_alert_has_a_runbook_and_every_runbook_an_alert() -> None:
    """One file an alert, named as the alert."""
    assert {path.stem for path in RUNBOOKS.glob("*.md")} == ALERTS.keys()


@pytest.mark.parametrize("name", ALERTS)
def test_an_alert_is_complete(name: str) -> None:
    """Severity, summary, description and runbook; all name the server."""
    alert = ALERTS[name]
    annotations = alert["annotations"]

    assert alert["labels"]["severity"] in {"critical", "warning"}
    assert annotations["runbook_url"].endswith(f"/{name}")
    for text in (annotations["summary"], annotations["description"]):
        assert "{{ $labels.namespace }}/{{ $labels.name }}" in text


def test_the_breaking_alert_is_one_a_server_and_names_tool_and_path() -> None:
    """Tool and path are looked up in the description: as labels they would be an alert each."""
    alert = ALERTS["MCPServerBreakingChange"]

    assert re.match(r"max by \(namespace, name\) ", alert["expr"])
    assert "{{ .Labels.tool }}: {{ .Labels.path }}" in alert["annotations"]["description"]


@pytest.mark.parametrize("name", ALERTS)
def test_a_runbook_has_its_parts(name: str) -> None:
    """What it means, impact, diagnosis, mitigation."""
    text = (RUNBOOKS / f"{name}.md").read_text("utf-8")

    assert text.startswith(f"# {name}\n")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == ["Impact", "Diagnosis", "Mitigation"]


def test_the_metrics_of_the_alerts_exist() -> None:
    """The operator exports every metric that an alert asks for."""
    metrics = (ROOT / "operator" / "proxar" / "controller" / "metrics.py").read_text("utf-8")
    used = set(re.findall(r"\bproxar_\w+", "".join(str(alert) for alert in ALERTS.values())))

    assert used
    assert {name for name in used if f'"{name}"' not in metrics} == set()
