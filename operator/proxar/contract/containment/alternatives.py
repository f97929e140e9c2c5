"""The branches of an `anyOf` or `oneOf` as one formula for each type.

A documented enumeration is a `oneOf` of constants, each with its title: such branches are one list
of values here. Of the others, those that a member tells apart are not held against each other.
"""

from collections import Counter
from collections.abc import Collection, Sequence

from proxar.contract.containment.apart import are_apart, told_apart
from proxar.contract.containment.formula import FALSE, TRUE, Formula, Formulas
from proxar.contract.containment.literals import OneOf
from proxar.contract.containment.schema import TYPES, Forms
from proxar.contract.containment.steps import Steps
from proxar.contract.containment.values import type_index
from proxar.contract.keywords import ANNOTATIONS
from proxar.contract.value import JSON

__all__ = ["Alternatives", "Counts", "listed_by", "values_of"]

LISTING = frozenset({"const", "enum", "type", *ANNOTATIONS})

FEW = 3
"""Parts of which each is held against each at once."""

NULL, BOOLEAN = TYPES.index("null"), TYPES.index("boolean")

Counts = Sequence[Counter[object]]
"""How many branches list each value, by type and key (see `values.key`)."""


def values_of(schema: JSON) -> Sequence[JSON] | None:
    """Return the values that a schema accepts when it is plainly a list of them."""
    if not isinstance(schema, dict) or ("const" in schema) == ("enum" in schema):
        return None
    values = schema["enum"] if "enum" in schema else [schema["const"]]
    if not schema.keys() <= LISTING or not isinstance(values, list):
        return None
    if "type" in schema and not _are_all_of(values, schema["type"]):
        return None  # it does not accept all of them, or is not well-formed
    return values


def _are_all_of(values: Sequence[JSON], name: JSON) -> bool:
    if name == "integer":
        return all(type(value) is int for value in values)  # 1.0 is one too, and is rare
    return name in TYPES and all(TYPES[type_index(value)] == name for value in values)


def listed_by(formulas: Formulas, index: int, keys: Collection[object]) -> Formula:
    """Return the formula of the values of one type that have these keys."""
    if index == NULL or (index == BOOLEAN and len(keys) == 2):
        return TRUE if keys else FALSE
    return formulas.literal(OneOf(frozenset(keys))) if keys else FALSE


class Alternatives:
    """Joins branches; lists of values come as counts, of which each is used once, or as forms."""

    def __init__(self, formulas: Formulas, steps: Steps) -> None:
        self._formulas = formulas
        self._steps = steps

    def any_of(self, counts: Counts, branches: Sequence[Forms]) -> Forms:
        """Return what at least one branch accepts."""
        return tuple(
            self._at_least_one(index, *self._counted(count, [forms[index] for forms in branches]))
            for index, count in enumerate(counts)
        )

    def one_of(self, counts: Counts, branches: Sequence[Forms]) -> Forms:
        """Return what exactly one branch accepts."""
        return tuple(
            self._exactly_one(index, *self._counted(count, [forms[index] for forms in branches]))
            for index, count in enumerate(counts)
        )

    def _counted(
        self, count: Counter[object], parts: list[Formula]
    ) -> tuple[Counter[object], list[Formula]]:
        """Count what lists of values among the parts hold, too; return the other parts."""
        rest = []
        for part in parts:
            if isinstance(part.literal, OneOf) and part.literal.holds:
                self._steps.spend(len(part.literal.keys) // 16)
                count.update(part.literal.keys)
            elif part is not FALSE:
                rest.append(part)
        return count, rest

    def _at_least_one(self, index: int, count: Counter[object], rest: list[Formula]) -> Formula:
        return self._formulas.any_of([listed_by(self._formulas, index, count), *rest])

    def _exactly_one(self, index: int, count: Counter[object], rest: list[Formula]) -> Formula:
        formulas = self._formulas
        if not rest:
            return listed_by(formulas, index, [key for key, times in count.items() if times == 1])
        if not count:
            return self._each_without_others(rest)
        found = self._each_without_others([listed_by(formulas, index, count), *rest])
        repeated = [key for key, times in count.items() if times > 1]
        if not repeated:
            return found
        return formulas.both(found, formulas.opposite(listed_by(formulas, index, repeated)))

    def _each_without_others(self, parts: list[Formula]) -> Formula:
        """Return what exactly one part accepts."""
        formulas = self._formulas
        apart = told_apart(parts, self._steps) if len(parts) > FEW else frozenset[int]()
        rest = [place for place in range(len(parts)) if place not in apart]
        excluded: list[list[Formula]] = [[] for _ in parts]
        for index, part in enumerate(parts):
            others = rest if index in apart else range(len(parts))
            earlier = [place for place in others if place < index]
            self._steps.spend(1 + len(earlier) * (2 + len(part.parts) // 4))
            for place in earlier:
                if not are_apart(part, parts[place]):
                    excluded[index].append(formulas.opposite(parts[place]))
                    excluded[place].append(formulas.opposite(part))
        return formulas.any_of(
            [formulas.all_of([part, *others]) for part, others in zip(parts, excluded, strict=True)]
        )
