"""Which alternative of before is which of after, once they were taken apart; and what is said in
those that came or went.

An alternative that nothing on the other side accepts came or went as a whole: that is told as a
change of values, and its texts with it, like those of a parameter that is new. The texts of any
other are told, also where no partner is found for it.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from proxar.contract.alike import is_identical
from proxar.contract.change import Change
from proxar.contract.flatten import Budget
from proxar.contract.kind import Kind, Kinds
from proxar.contract.path import Place
from proxar.contract.shape import Branch, Shape

__all__ = ["pair_branches", "without_texts"]

_Other: TypeAlias = tuple[Branch, bool]
"""An alternative that is not on the other side as it is, and whether nothing there accepts it."""

MAX_PAIRS = 1_000
"""Alternatives before times alternatives after that are held against each other."""

PAIRS_PER_STEP = 32

CAME = frozenset({"enum-value-added", "schema-widened", "type-changed", "type-widened"})
WENT = frozenset({"enum-value-removed", "schema-narrowed", "type-changed", "type-narrowed"})
"""Rules that tell of an alternative that came or went, by their ids of the input side."""

OF_THE_SAME_VALUE = frozenset({"anyOf", "const", "enum", "oneOf", "type"})
"""Steps in a schema that lead to nothing inside of its values."""


def pair_branches(
    budget: Budget, before: Shape, after: Shape
) -> Iterator[tuple[Branch | None, Branch | None, bool]]:
    """Yield the alternatives in pairs, or alone if they say anything, and then whether they came or
    went as a whole.
    """
    for name, one in before.branches.items():
        if name in after.branches:
            yield one, after.branches[name], False
    old, new = _others(before, after), _others(after, before)
    if old and new:
        for one, other in _pair(budget, old, new):
            yield one, other, False
    for gone, is_strange in old:
        yield gone, None, is_strange
    for come, is_strange in new:
        yield None, come, is_strange


def _others(own: Shape, other: Shape) -> list[_Other]:
    return [
        (one, _may_meet(one.kinds, own.kinds) and not _may_meet(one.kinds, other.kinds))
        for name, one in own.branches.items()
        if one.notes and name not in other.branches
    ]


def _pair(budget: Budget, old: list[_Other], new: list[_Other]) -> list[tuple[Branch, Branch]]:
    """Take from both sides what is one alternative before and after an edit, the surest first."""
    pairs: list[tuple[Branch, Branch]] = []
    if len(old) * len(new) > MAX_PAIRS:
        return pairs
    budget.spend(len(old) * len(new) // PAIRS_PER_STEP)
    for is_pair in (_say_the_same, _have_the_same_types, _share_values, _are_in_one_place):
        for one in list(old):
            other = next((other for other in new if is_pair(one, other)), None)
            if other is not None:
                pairs.append((one[0], other[0]))
                old.remove(one)
                new.remove(other)
    return pairs


def _say_the_same(one: _Other, other: _Other) -> bool:
    return _share_values(one, other) and is_identical(one[0].notes, other[0].notes)


def _have_the_same_types(one: _Other, other: _Other) -> bool:
    return one[0].kinds.keys() == other[0].kinds.keys() and _share_values(one, other)


def _share_values(one: _Other, other: _Other) -> bool:
    return _may_meet(one[0].kinds, other[0].kinds)


def _are_in_one_place(one: _Other, other: _Other) -> bool:
    """Whether they stand in one place; the texts of a listed value stay with the value."""
    return one[0].steps == other[0].steps and not any(
        is_strange and _is_listed(branch) for branch, is_strange in (one, other)
    )


def _is_listed(branch: Branch) -> bool:
    return all(kind.natural_values is not None for kind in branch.kinds.values())


def _may_meet(one: Kinds, other: Kinds) -> bool:
    """Whether a value may be of both, as far as types and lists tell."""
    return any(_may_kinds_meet(one[name], other[name]) for name in one.keys() & other.keys())


def _may_kinds_meet(one: Kind, other: Kind) -> bool:
    mine, theirs = one.natural_values, other.natural_values
    return mine is None or theirs is None or not mine.keys().isdisjoint(theirs.keys())


def without_texts(
    found: Sequence[Change], of_branches: Iterable[tuple[Change, Place, bool]]
) -> Iterator[Change]:
    """Yield what was found, without the texts of alternatives whose coming or going is told.

    It is not told where it was proved to change nothing, since a neighbour such as `not` refuses
    those values anyway: then their texts are all that changed.
    """
    told: set[tuple[str, bool]] = set()
    for change in found:
        rule = change.rule.removeprefix("output-")
        for is_new, rules in ((True, CAME), (False, WENT)):
            if rule in rules:
                told |= {(pointer, is_new) for pointer in _schemas(change.pointer)}
    silent = {id(text) for text, place, is_new in of_branches if (place.pointer, is_new) in told}
    return (change for change in found if id(change) not in silent)


def _schemas(pointer: str) -> Iterator[str]:
    """A place, and the schemas around it that are about the very same value."""
    yield pointer
    while pointer:
        pointer, _, step = pointer.rpartition("/")
        if not (step.isdecimal() or step in OF_THE_SAME_VALUE):
            return
        yield pointer
