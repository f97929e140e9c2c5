"""What is evident is proved, too: the prover, which shares no rule with it, is asked as well."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from proxar.contract.alike import is_identical
from proxar.contract.containment import Contained, Engine, Source
from proxar.contract.evident import Evident
from tests.soundness.test_containment import PAIRS
from tests.support.releases import ReleaseMaker
from tests.support.schemas import SchemaMaker


@pytest.mark.parametrize("maker", [SchemaMaker, ReleaseMaker])
def test_the_evident_is_proved(maker: Callable[[int], Any]) -> None:
    """In both directions, leniently or not; what is evidently not within is never proved to be."""
    told: Counter[bool | None] = Counter()
    for seed in range(max(PAIRS, 1_000)):
        before, after = maker(seed).pair()
        for inner, outer in ((before, after), (after, before)):
            if is_identical(inner, outer):
                continue
            for is_lenient in (False, True):
                evident = Evident(Source(inner), Source(outer))
                is_within = evident.is_within(inner, outer, is_lenient=is_lenient)
                told[is_within] += 1
                if is_within is not None:
                    answer = Engine().decide(inner, outer, is_lenient=is_lenient)
                    is_proved = isinstance(answer, Contained)
                    assert is_proved == is_within, (seed, is_lenient, inner, outer)
    assert min(told[True], told[False]) > 50  # else this test shows nothing
