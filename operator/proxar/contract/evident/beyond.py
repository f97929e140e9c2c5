"""Values that one schema evidently accepts and another does not, without making them."""

from proxar.contract.evident.possible import Possible, types_of
from proxar.contract.keywords import ANNOTATIONS
from proxar.contract.value import JSON
from proxar.contract.vocabulary import is_well_formed

__all__ = ["Beyond"]

OF_TYPE = frozenset({"type", *ANNOTATIONS})
OF_ENUM = OF_TYPE | {"enum"}
OF_ARRAY = OF_TYPE | {"items"}
OF_OBJECT = OF_TYPE | {
    "$defs", "$schema", "additionalProperties", "definitions", "properties", "required",
}  # fmt: skip
"""A schema of these alone accepts every object whose members it accepts one by one."""


class Beyond:
    """Tells whether one part of two documents goes beyond another, each pair once."""

    def __init__(self, possible: Possible) -> None:
        self._possible = possible
        self._known: dict[tuple[int, int], bool] = {}

    def is_beyond(self, one: JSON, other: JSON) -> bool:
        """Whether one accepts a value that the other refuses, and be it one that is declared in
        both; false when unsure.
        """
        pair = id(one), id(other)
        known = self._known.get(pair)
        if known is None:
            known = self._known[pair] = self._look(one, other)
        return known

    def _look(self, one: JSON, other: JSON) -> bool:
        if not isinstance(one, dict) or not isinstance(other, dict) or "$ref" in other:
            return False
        names = one.keys()
        if names <= OF_ENUM and "enum" in one:
            return _lists_more(one, other)
        if names <= OF_ARRAY and one.get("type") == "array":
            return self._has_more_items(one, other)
        return names <= OF_OBJECT and (
            _has_other_type(one, other) or self._has_more_objects(one, other)
        )

    def _has_more_items(self, one: dict[str, JSON], other: dict[str, JSON]) -> bool:
        return "prefixItems" not in other and self.is_beyond(
            one.get("items", True), other.get("items", True)
        )

    def _has_more_objects(self, one: dict[str, JSON], other: dict[str, JSON]) -> bool:
        """Whether an object is accepted without a member, or with one, that the other refuses."""
        if one.get("type") != "object" or not self._possible.has_required(one):
            return False
        mine, theirs = (_required(side) for side in (one, other))
        if mine is None or theirs is None:
            return False
        properties, others = one.get("properties", {}), other.get("properties", {})
        if theirs - mine:
            return True
        if not isinstance(properties, dict) or not isinstance(others, dict):
            return False
        is_closed = other.get("additionalProperties") is False and "patternProperties" not in other
        if is_closed and one.get("additionalProperties", True) in (True, {}):
            return True
        for name, schema in properties.items():
            if name in others:
                if self.is_beyond(schema, others[name]):
                    return True
            elif is_closed and self._possible.is_possible(schema):
                return True
        return False


def _required(schema: dict[str, JSON]) -> set[str] | None:
    names = schema.get("required", [])
    if not isinstance(names, list) or not is_well_formed("required", names):
        return None
    return {str(name) for name in names}


def _lists_more(one: dict[str, JSON], other: dict[str, JSON]) -> bool:
    listed, known = one["enum"], other.get("enum")
    if one.get("type", "string") != "string" or not isinstance(listed, list):
        return False
    if not isinstance(known, list):
        return False
    return not {value for value in listed if isinstance(value, str)} <= {
        value for value in known if isinstance(value, str)
    }


def _has_other_type(one: dict[str, JSON], other: dict[str, JSON]) -> bool:
    """Whether a value of a whole type is accepted."""
    mine, theirs = one.get("type"), other.get("type")
    if not one.keys() <= OF_TYPE or not (
        is_well_formed("type", mine) and is_well_formed("type", theirs)
    ):
        return False
    return not types_of(mine) <= types_of(theirs)
