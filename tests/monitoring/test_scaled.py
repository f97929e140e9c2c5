"""The copies that the tests run differ from what ships in times and addresses only."""

import re

import yaml

from tests.monitoring import scaled
from tests.monitoring.stack import ALERTMANAGER, RULES

SHIPPED = RULES.read_text("utf-8")
DURATIONS = re.compile(r"\b\d+(?:m|h|ms)\b")


def test_every_duration_is_divided() -> None:
    """Of waits and of windows; one that is missed would make a test last for minutes."""
    text = scaled.rules("for: 10m\nkeep_firing_for: 5m\nexpr: x[1h] > 5\nsummary: after 5m", 20)

    assert (
        text == "for: 30000ms\nkeep_firing_for: 15000ms\nexpr: x[180000ms] > 5\nsummary: after 5m"
    )


def test_nothing_but_durations_changes() -> None:
    """The rules are the same words, with as many durations."""
    text = scaled.rules(SHIPPED, 20)

    assert DURATIONS.sub("", text) == DURATIONS.sub("", SHIPPED)
    assert yaml.safe_load(text) != yaml.safe_load(SHIPPED)


def test_only_waits_and_receivers_change_in_the_configuration() -> None:
    """Routes, grouping and inhibition are tested as they ship."""
    shipped = yaml.safe_load(ALERTMANAGER.read_text("utf-8"))
    made = scaled.alertmanager_config(
        shipped, url="http://127.0.0.1:1", group_wait="1s", group_interval="2s"
    )
    (ours,), (theirs,) = made["route"]["routes"], shipped["route"]["routes"]

    assert made["inhibit_rules"] == shipped["inhibit_rules"]
    assert ours == theirs | {"group_wait": "1s", "group_interval": "2s"}
    urls = [hook["url"] for item in made["receivers"] for hook in item["webhook_configs"]]
    assert urls == ["http://127.0.0.1:1/team", "http://127.0.0.1:1/page"]
