"""The operator's rights as the code knows them, and as the chart grants them."""

import yaml

from proxar.kube.rights import OPERATOR_RIGHTS
from tests.support.install import RULES


def test_they_are_what_the_chart_grants() -> None:
    """`proxar doctor` asks for neither more nor less."""
    granted = [
        (verb, resource, group)
        for rule in yaml.safe_load(RULES.read_text("utf-8"))
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    ]

    assert [(right.verb, right.resource, right.group) for right in OPERATOR_RIGHTS] == granted
