"""The generated pages leave nothing out of what they are about."""

from proxar.cli.app import VERBS
from proxar.fetch import Reason
from tests.support import cli_reference, metrics_reference
from tests.support.behaviours import BEHAVIOURS
from tests.support.fetch_faults_reference import ADVICE, sections
from tests.support.install import ROOT


def test_every_reason_has_its_advice() -> None:
    assert ADVICE.keys() == set(Reason)


def test_every_behaviour_is_listed_once() -> None:
    text = "\n".join(sections().values())

    for name in BEHAVIOURS:
        assert text.count(f"- `{name}`: ") == 1


def test_every_verb_has_a_heading() -> None:
    commands = cli_reference.sections()["commands"]

    assert [line[3:] for line in commands.splitlines() if line.startswith("## ")] == list(VERBS)


def test_an_option_with_choices_stays_in_its_cell() -> None:
    commands = cli_reference.sections()["commands"]

    assert "| `--against pinned\\|baseline\\|previous\\|HASH\\|FILE` |" in commands


def test_metrics_are_named_as_queries_name_them() -> None:
    """Those of the alerts among them."""
    names = {family.name for found in metrics_reference.families().values() for family in found}

    assert {"proxar_poll_total", "proxar_schema_changes_total"} <= names
    alerts = (ROOT / "charts/proxar/files/alerts.yaml").read_text(encoding="utf-8")
    for name in ("proxar_mcpserver_interval_seconds", "proxar_mcpserver_status_condition"):
        assert name in names
        assert name in alerts


def test_labels_of_both_kinds_of_family_are_found() -> None:
    labels = {it.name: it.labels for found in metrics_reference.families().values() for it in found}

    assert labels["proxar_drift_changes"] == ("namespace", "name", "verdict")
    assert labels["proxar_poll_total"] == ("result",)
