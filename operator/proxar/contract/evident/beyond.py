"""Values that one schema evidently accepts and another does not, without making them."""

from proxar.contract.evident.possible import (
    ALTERNATIVES,
    OF_ENUM,
    Possible,
    is_at_most,
    steps_to_read,
    types_of,
)
from proxar.contract.flatten import Budget
from proxar.contract.keywords import ANNOTATIONS
from proxar.contract.value import JSON, MISSING, Missing
from proxar.contract.vocabulary import is_well_formed

__all__ = ["Beyond"]

MAX_BRANCHES = 8

OF_TYPE = frozenset({"type", *ANNOTATIONS})
OF_ARRAY = OF_TYPE | {"items"}
OF_OBJECT = OF_TYPE | {
    "$defs", "$schema", "additionalProperties", "definitions", "properties", "required",
}  # fmt: skip
"""A schema of these alone accepts every object whose members it accepts one by one."""

RANGE_OF = {
    "integer": ("minimum", "maximum"),
    "number": ("minimum", "maximum"),
    "string": ("minLength", "maxLength"),
}

LOWEST: dict[str, JSON] = {"minLength": 0}
"""The lower end of a range that says nothing of it; numbers have none."""


class Beyond:
    """Tells whether one part of two documents goes beyond another, each pair once."""

    def __init__(self, possible: Possible, budget: Budget) -> None:
        self._possible = possible
        self._budget = budget
        self._known: dict[tuple[int, int], bool] = {}

    def is_beyond(self, one: JSON, other: JSON) -> bool:
        """Whether one accepts a value that the other refuses, and be it one that is declared in
        both; false when unsure.
        """
        self._budget.spend()
        pair = id(one), id(other)
        known = self._known.get(pair)
        if known is None:
            known = self._known[pair] = self._look(one, other)
        return known

    def _look(self, one: JSON, other: JSON) -> bool:
        if not isinstance(one, dict) or not isinstance(other, dict):
            return False
        if "$ref" in other:
            return False  # up to draft-07 what is beside it says nothing
        self._budget.spend(_steps_of(one) + _steps_of(other))
        names, name = one.keys(), one.get("type")
        if "anyOf" in one:
            return names <= ALTERNATIVES and self._has_other_branch(one["anyOf"], other)
        if "enum" in one:
            return names <= OF_ENUM and _lists_more(one, other)
        if self._has_other_type(one, other):
            return True
        if name == "object":
            has_more = names <= OF_OBJECT and self._has_more_objects(one, other)
            return has_more and self._possible.has_required(one)
        if name == "array":
            return names <= OF_ARRAY and self._has_more_items(one, other)
        return isinstance(name, str) and name in RANGE_OF and _has_more(one, other, *RANGE_OF[name])

    def _has_other_branch(self, branches: JSON, other: dict[str, JSON]) -> bool:
        return isinstance(branches, list) and any(
            self.is_beyond(branch, other) for branch in branches[:MAX_BRANCHES]
        )

    def _has_other_type(self, one: dict[str, JSON], other: dict[str, JSON]) -> bool:
        mine, theirs = one.get("type"), other.get("type")
        if not (is_well_formed("type", mine) and is_well_formed("type", theirs)):
            return False
        if types_of(mine).isdisjoint(types_of(theirs)):
            return self._possible.is_possible(one)
        return one.keys() <= OF_TYPE and not types_of(mine) <= types_of(theirs)

    def _has_more_items(self, one: dict[str, JSON], other: dict[str, JSON]) -> bool:
        return "prefixItems" not in other and self.is_beyond(
            one.get("items", True), other.get("items", True)
        )

    def _has_more_objects(self, one: dict[str, JSON], other: dict[str, JSON]) -> bool:
        """Whether an object without a member, or with one, is refused by the other only, if there
        is any.
        """
        mine, theirs = (_required(side) for side in (one, other))
        if mine is None or theirs is None:
            return False
        if theirs - mine:
            return True
        properties, others = one.get("properties", {}), other.get("properties", {})
        if not isinstance(properties, dict) or not isinstance(others, dict):
            return False
        is_closed = other.get("additionalProperties") is False and "patternProperties" not in other
        if is_closed and one.get("additionalProperties", True) in (True, {}):
            return True
        return any(
            schema != others[name] and self.is_beyond(schema, others[name])
            if name in others
            else is_closed and self._possible.is_possible(schema)
            for name, schema in properties.items()
        )


def _steps_of(schema: dict[str, JSON]) -> int:
    """What it costs to look at its lists."""
    return sum(steps_to_read(schema.get(keyword)) for keyword in ("enum", "required", "type"))


def _required(schema: dict[str, JSON]) -> set[str] | None:
    names = schema.get("required", [])
    if not isinstance(names, list) or not is_well_formed("required", names):
        return None
    return {str(name) for name in names}


def _lists_more(one: dict[str, JSON], other: dict[str, JSON]) -> bool:
    listed, known = one["enum"], other.get("enum")
    if one.get("type", "string") != "string":
        return False
    if not isinstance(listed, list) or not isinstance(known, list):
        return False
    texts = {value for value in listed if isinstance(value, str)}
    return not texts <= {value for value in known if isinstance(value, str)}


def _has_more(one: dict[str, JSON], other: dict[str, JSON], least: str, most: str) -> bool:
    """Whether an end of a range, or something far out where it has none, is outside the other."""
    low, high = one.get(least, LOWEST.get(least, MISSING)), one.get(most, MISSING)
    if not one.keys() <= OF_TYPE | {least, most}:
        return False
    if not (_is_end(least, low) and _is_end(most, high)):
        return False
    if low is not MISSING and high is not MISSING and not is_at_most(low, high):
        return False
    lower, upper = other.get(least), other.get(most)
    is_below = type(lower) is int and (low is MISSING or not is_at_most(lower, low))
    is_above = type(upper) is int and (high is MISSING or not is_at_most(high, upper))
    return is_below or is_above


def _is_end(keyword: str, value: JSON | Missing) -> bool:
    return value is MISSING or (type(value) is int and is_well_formed(keyword, value))
