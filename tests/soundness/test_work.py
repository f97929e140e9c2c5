"""How much work a hostile pair is: counted, since a clock tells of the machine as well."""

import sys

import pytest

from benchmarks.diff.hostile import hostile
from benchmarks.diff.pairs import Pair
from proxar.contract import ToolList, Verdict, compare

MOST_CALLS = 1_500_000
"""Calls and returns, Python's and C's. The worst of ours takes half of it, and 140 ms."""


def _calls(pair: Pair) -> tuple[int, Verdict]:
    """How many there are in one comparison, and what it says."""
    before, after = ToolList.of(pair.before), ToolList.of(pair.after)
    count = 0

    def note(*_: object) -> None:
        nonlocal count
        count += 1

    sys.setprofile(note)
    try:
        diff = compare(before, after)
    finally:
        sys.setprofile(None)
    return count, diff.verdict


@pytest.mark.timeout(60)
@pytest.mark.parametrize("pair", list(hostile()), ids=lambda pair: pair.name)
def test_a_hostile_pair_is_bounded_work_and_called_breaking(pair: Pair) -> None:
    """Each of them breaks callers; not to prove it is allowed, to call it fine is not."""
    calls, verdict = _calls(pair)

    assert verdict is Verdict.BREAKING
    assert calls < MOST_CALLS
