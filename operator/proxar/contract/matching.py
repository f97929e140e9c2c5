"""Pairs of what is gone and what is new: the best first, each at most once, and never too many
comparisons.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeVar

from proxar.contract.likeness import SAME_NAME

__all__ = ["MAX_CELLS", "Cells", "Limits", "Match", "match"]

MAX_CELLS: Final = 10_000
"""Comparisons in one matrix, removed times added; above it only equal keys are paired."""

MAX_KEYS: Final = 2_000
"""Keys of each side that are paired then, the first ones."""

MAX_ALL_CELLS: Final = 15_000
"""Comparisons in all matrices of one comparison of two lists: thousands of tools may each have one.
"""

Item = TypeVar("Item")


class Match(NamedTuple):
    """Positions in the two sequences, and how alike they are."""

    old: int
    new: int
    score: float


class Cells:
    """Comparisons that are left."""

    def __init__(self, left: int = MAX_ALL_CELLS) -> None:
        self._left = left

    def take(self, old: int, new: int) -> bool:
        """Take a matrix of this size if there is room for it."""
        if old * new > min(MAX_CELLS, self._left):
            return False
        self._left -= old * new
        return True


@dataclass(frozen=True, slots=True)
class Limits:
    """How alike a pair must be, and how much may be compared to find it."""

    threshold: float
    cells: Cells


def match(
    old: Sequence[Item],
    new: Sequence[Item],
    score: Callable[[Item, Item], float],
    key: Callable[[Item], Hashable],
    limits: Limits,
) -> list[Match]:
    """Return the pairs at or above the threshold, greedily, best first, ties in the order of the
    sequences.

    Args:
        key: Of the name alone; what is compared when the matrix is too large.
    """
    if limits.cells.take(len(old), len(new)):
        found = [
            Match(row, column, likeness)
            for row, one in enumerate(old)
            for column, other in enumerate(new)
            if (likeness := score(one, other)) >= limits.threshold
        ]
    else:
        found = _by_key(old, new, key)
    return _one_to_one(found)


def _by_key(
    old: Sequence[Item], new: Sequence[Item], key: Callable[[Item], Hashable]
) -> list[Match]:
    places: dict[Hashable, int] = {}
    for column, other in enumerate(new[:MAX_KEYS]):
        places.setdefault(key(other), column)
    return [
        Match(row, places[name], SAME_NAME)
        for row, one in enumerate(old[:MAX_KEYS])
        if (name := key(one)) in places
    ]


def _one_to_one(found: list[Match]) -> list[Match]:
    rows, columns, taken = set[int](), set[int](), list[Match]()
    for each in sorted(found, key=lambda pair: (-pair.score, pair.old, pair.new)):
        if each.old not in rows and each.new not in columns:
            rows.add(each.old)
            columns.add(each.new)
            taken.append(each)
    return taken
