"""The alerts on the real promtool: each fires, does not fire, resolves, and says word for word what
it must."""

import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.monitoring.programs import find
from tests.support.install import ROOT

ALERTS = ROOT / "charts" / "proxar" / "files" / "alerts.yaml"
ALERTMANAGER = ROOT / "examples" / "alertmanager.yaml"
SCENARIOS = sorted((Path(__file__).parent / "rules").glob("*.yaml"))
NAMES = [
    rule["alert"]
    for group in yaml.safe_load(ALERTS.read_text("utf-8"))["groups"]
    for rule in group["rules"]
    if "alert" in rule
]


def run(program: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run one of Prometheus' or Alertmanager's programs."""
    command = [find(program), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_promtool_finds_no_fault_with_the_rules() -> None:
    """Lint included."""
    checked = run("promtool", "check", "rules", "--lint=all", "--lint-fatal", ALERTS)

    assert checked.returncode == 0, checked.stderr


def test_amtool_finds_no_fault_with_the_example() -> None:
    """Alertmanager would start with it."""
    checked = run("amtool", "check-config", ALERTMANAGER)

    assert checked.returncode == 0, checked.stderr


def test_every_alert_has_its_scenarios() -> None:
    """One file an alert, named as the alert."""
    assert [path.stem for path in SCENARIOS] == sorted(NAMES)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda path: path.stem)
def test_a_scenario_goes_as_it_should(scenario: Path) -> None:
    """Labels and annotations are compared exactly."""
    tested = run("promtool", "test", "rules", scenario)

    assert tested.returncode == 0, tested.stdout + tested.stderr


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda path: path.stem)
def test_a_scenario_says_when_the_alert_is_there_and_when_not(scenario: Path) -> None:
    """Before, while and after."""
    tests: list[dict[str, Any]] = yaml.safe_load(scenario.read_text("utf-8"))["tests"]
    told = [
        [bool(step.get("exp_alerts")) for step in test["alert_rule_test"]]
        for test in tests
        if any(step["alertname"] == scenario.stem for step in test["alert_rule_test"])
    ]

    assert any(steps[0] is False and True in steps and steps[-1] is False for steps in told)


@pytest.mark.parametrize(
    ("labels", "receiver"),
    [
        ("operator=proxar severity=critical alertname=MCPServerBreaksPin", "page"),
        ("operator=proxar severity=critical alertname=ProxarDown", "page"),
        ("operator=proxar severity=warning alertname=MCPServerBreakingChange", "team"),
        ("operator=proxar severity=info alertname=MCPServerAdvisoryChange", "team"),
        ("severity=critical alertname=Unrelated", "team"),
    ],
)
def test_the_example_routes_by_severity(labels: str, receiver: str) -> None:
    """Only what is critical for a user of MCP servers wakes somebody."""
    routed = run(
        "amtool", "config", "routes", "test", f"--config.file={ALERTMANAGER}", *labels.split()
    )

    assert (routed.returncode, routed.stdout.strip()) == (0, receiver), routed.stderr
