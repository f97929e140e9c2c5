"""Schemas that were invalid: mended in the comparison, unless there is too much of it."""

from typing import Any

import pytest

from proxar.contract import ToolList, Verdict, compare
from proxar.contract.validity import MAX_FAULTS


def _list(count: int, name: str) -> ToolList:
    parameters = {f"p{number}": {"type": name} for number in range(count)}
    schema: Any = {"type": "object", "properties": parameters}
    return ToolList.of([{"name": "t", "inputSchema": schema}])


@pytest.mark.parametrize(
    ("count", "verdict"),
    [(MAX_FAULTS, Verdict.COMPATIBLE), (MAX_FAULTS + 1, Verdict.BREAKING)],
)
def test_so_many_invalid_keywords_are_mended(count: int, verdict: Verdict) -> None:
    """Of more it is not proved that they break nothing, and so they do."""
    diff = compare(_list(count, "str"), _list(count, "string"))

    assert diff.verdict is verdict
    rules = {change.rule for change in diff.changes}
    assert ("schema-repaired" in rules) is (verdict is Verdict.COMPATIBLE)


def test_both_invalid_is_no_repair() -> None:
    """Another mistake than before; nothing is proved of either."""
    diff = compare(_list(1, "str"), _list(1, "strg"))

    assert [(change.rule, change.path) for change in diff.changes] == [
        ("not-provable", "t.inputSchema.properties.p0.type")
    ]
