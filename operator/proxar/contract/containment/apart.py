"""Whether two formulas clearly share no value: by listed values, bounds, or a member that tells
them.

A cheap look that keeps an ordinary `oneOf` as short as its `anyOf`; what it misses is found when a
question is decided.
"""

from collections.abc import Iterator, Sequence

from proxar.contract.containment.formula import FALSE, TRUE, Formula, Kind
from proxar.contract.containment.literals import (
    AllMembers,
    AtLeast,
    AtMost,
    Name,
    OneOf,
    SomeMember,
)
from proxar.contract.containment.schema import Schema
from proxar.contract.containment.steps import Steps

__all__ = ["are_apart", "told_apart"]


def are_apart(one: Formula, other: Formula) -> bool:
    """Whether no value satisfies both; false when that is not plain to see."""
    if one is FALSE or other is FALSE or one.kind is Kind.OR or other.kind is Kind.OR:
        return one is FALSE or other is FALSE
    mine, theirs = list(_literals(one)), list(_literals(other))
    if any(_clash(here, there) for here in mine for there in theirs if _is_flat(here)):
        return True
    certain = _certain(mine) | _certain(theirs)
    if not certain:
        return False
    here, there = _members(mine), _members(theirs)
    return any(
        _are_schemas_apart(here[name], there[name]) for name in certain & here.keys() & there.keys()
    )


def told_apart(formulas: Sequence[Formula], steps: Steps) -> frozenset[int]:
    """Return the places of formulas of which no two share a value, since each asks for one member
    and lists values for it that no other one does: the tag of a tagged union.

    One look at each formula; what it misses is for `are_apart`.
    """
    listed: dict[str, dict[int, set[tuple[int, object]]]] = {}
    for place, formula in enumerate(formulas):
        if formula.kind is not Kind.AND:
            continue
        steps.spend(1 + len(formula.parts) // 4)
        literals = list(_literals(formula))
        members = _members(literals)
        for name in _certain(literals) & members.keys():
            values = _values(members[name], steps)
            if values is not None:
                listed.setdefault(name, {})[place] = values
    best: list[int] = []
    for name in sorted(listed):
        taken: set[tuple[int, object]] = set()
        kept: list[int] = []
        for place, values in listed[name].items():
            if taken.isdisjoint(values):
                taken |= values
                kept.append(place)
        if len(kept) > len(best):
            best = kept
    return frozenset(best)


def _values(schema: Schema, steps: Steps) -> set[tuple[int, object]] | None:
    """All values that a schema accepts, by type and key, if it lists them."""
    if schema.is_open:
        return None
    found: set[tuple[int, object]] = set()
    for index, form in enumerate(schema.forms):
        if form is FALSE:
            continue
        if form is TRUE and index == 0:  # null, the only value of its type
            found.add((index, None))
        elif isinstance(form.literal, OneOf) and form.literal.holds:
            steps.spend(len(form.literal.keys) // 16)
            found.update((index, key) for key in form.literal.keys)
        else:
            return None
    return found


def _literals(formula: Formula) -> Iterator[object]:
    for part in formula.parts if formula.kind is Kind.AND else (formula,):
        if part.literal is not None:
            yield part.literal


def _is_flat(literal: object) -> bool:
    return isinstance(literal, OneOf | AtLeast | AtMost)


def _clash(one: object, other: object) -> bool:
    match one, other:
        case OneOf(holds=True), OneOf(holds=True):
            return one.keys.isdisjoint(other.keys)
        case (AtLeast(), AtMost()) | (AtMost(), AtLeast()):
            low, high = (one, other) if isinstance(one, AtLeast) else (other, one)
            is_open = low.is_open or high.is_open  # type: ignore[attr-defined]
            return bool(
                low.bound > high.bound or (is_open and low.bound == high.bound)  # type: ignore[attr-defined]
            )
    return False


def _certain(literals: list[object]) -> set[str]:
    """The names of members that there have to be."""
    return {
        literal.region.name
        for literal in literals
        if isinstance(literal, SomeMember) and isinstance(literal.region, Name)
    }


def _members(literals: list[object]) -> dict[str, Schema]:
    return {
        literal.region.name: literal.schema
        for literal in literals
        if isinstance(literal, AllMembers) and isinstance(literal.region, Name)
    }


def _are_schemas_apart(one: Schema, other: Schema) -> bool:
    if one.is_open or other.is_open:
        return False
    return all(
        mine is FALSE or theirs is FALSE or (_is_plain(mine, theirs) and are_apart(mine, theirs))
        for mine, theirs in zip(one.forms, other.forms, strict=True)
    )


def _is_plain(*formulas: Formula) -> bool:
    """Whether the formulas are about listed values or bounds: no deeper look is taken."""
    return all(
        isinstance(literal, OneOf | AtLeast | AtMost)
        for formula in formulas
        for literal in _literals(formula)
    )
