"""Schemas that were reworded: compared as they are written, with the same outcome."""

import importlib
from collections.abc import Callable
from typing import Any

import pytest

from proxar.contract import Diff, ToolList, compare
from tests.support.releases import ReleaseMaker
from tests.support.schemas import SchemaMaker

PAIRS = 400
SCHEMA: Any = importlib.import_module("proxar.contract.schema")


def _diff(pair: tuple[Any, Any]) -> Diff:
    tools = [{"name": "t", "inputSchema": each, "outputSchema": each} for each in pair]
    return compare(*(ToolList.of([tool]) for tool in tools))


@pytest.mark.parametrize("maker", [SchemaMaker, ReleaseMaker])
def test_the_way_makes_no_difference(
    maker: Callable[[int], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the normal forms made for every schema, each change is the same."""
    short: list[bool] = []
    compare_reworded = SCHEMA.compare_reworded

    def counted(*arguments: Any) -> bool:
        short.append(compare_reworded(*arguments))
        return short[-1]

    for seed in range(PAIRS):
        pair = maker(seed).pair()
        monkeypatch.setattr(SCHEMA, "compare_reworded", counted)
        found = _diff(pair)
        monkeypatch.setattr(SCHEMA, "compare_reworded", lambda *_: False)
        assert found == _diff(pair), (seed, pair)
    assert sum(short) > PAIRS // 20  # else this test shows nothing
