"""The operator's rights, as far as reading them tells."""

import yaml

from tests.support.install import RULES, SECRET_READER_RULES

GRANTED: list[dict[str, list[str]]] = yaml.safe_load(RULES.read_text("utf-8"))


def verbs(resource: str) -> set[str]:
    """Return what may be done to a resource."""
    return {verb for rule in GRANTED if resource in rule["resources"] for verb in rule["verbs"]}


def test_nothing_is_granted_by_wildcard() -> None:
    """Every group, resource and verb is spelt out."""
    assert "*" not in {word for rule in GRANTED for words in rule.values() for word in words}


def test_secrets_are_out_of_reach() -> None:
    """No cluster-wide right on Secrets, ever; what a namespace may grant is to read one by name."""
    assert verbs("secrets") == set()
    assert yaml.safe_load(SECRET_READER_RULES.read_text("utf-8")) == [
        {"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}
    ]


def test_the_operator_writes_nothing_that_others_made() -> None:
    """Spec and metadata of an MCPServer, and Services, are only read; snapshots never change."""
    assert verbs("mcpservers") == {"get", "list", "watch"}
    assert verbs("services") == {"get"}
    assert verbs("configmaps") == {"get", "list", "create", "delete"}
