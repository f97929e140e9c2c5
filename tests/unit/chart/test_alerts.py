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
    if "alert" in rule
}
OF_SERVERS = [name for name in ALERTS if name.startswith("MCPServer")]
SEVERITIES = {"critical", "warning", "info"}


def test_every_alert_has_a_runbook_and_every_runbook_an_alert() -> None:
    """One file an alert, named as the alert."""
    assert {path.stem for path in RUNBOOKS.glob("*.md")} == ALERTS.keys()


@pytest.mark.parametrize("name", ALERTS)
def test_an_alert_is_complete(name: str) -> None:
    """Severity, what it is routed by, summary, description and runbook."""
    alert = ALERTS[name]
    annotations = alert["annotations"]

    assert alert["labels"]["severity"] in SEVERITIES
    assert alert["labels"]["operator"] == "proxar"
    assert annotations["runbook_url"].endswith(f"/{name}")
    assert annotations["summary"]
    assert annotations["description"]


@pytest.mark.parametrize("name", OF_SERVERS)
def test_an_alert_of_a_server_names_it(name: str) -> None:
    """In both texts."""
    for text in ("summary", "description"):
        assert "{{ $labels.namespace }}/{{ $labels.name }}" in ALERTS[name]["annotations"][text]


@pytest.mark.parametrize("name", OF_SERVERS)
def test_an_alert_of_a_server_outlives_a_restart_of_the_operator(name: str) -> None:
    """Everything that it looks at is looked at over five minutes, and has no label of a pod."""
    looked_at = re.findall(r"[\w:]+proxar_\w+(?::\w+)?(?:{[^}]*})?(\[\w+\])?", ALERTS[name]["expr"])

    assert looked_at
    assert set(looked_at) == {"[5m]"}
    assert "proxar_" not in re.sub(r"server\w*:proxar_\w+:max", "", ALERTS[name]["expr"])


def test_the_guide_lists_every_alert_with_its_severity() -> None:
    """And each leads to its runbook."""
    guide = (ROOT / "docs" / "guides" / "alerting.md").read_text("utf-8")

    listed = re.findall(
        r"^\| \[(\w+)\]\(\.\./runbooks/(\w+)\.md\) \| (\w+) \|", guide, re.MULTILINE
    )
    assert {(name, name, alert["labels"]["severity"]) for name, alert in ALERTS.items()} == set(
        listed
    )


@pytest.mark.parametrize("name", ALERTS)
def test_a_runbook_has_its_parts(name: str) -> None:
    """What it means, impact, diagnosis, mitigation."""
    text = (RUNBOOKS / f"{name}.md").read_text("utf-8")

    assert text.startswith(f"# {name}\n")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == ["Impact", "Diagnosis", "Mitigation"]
