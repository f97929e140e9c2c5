"""Whether one value satisfies a schema: exact, and three-valued, as some parts stay opaque."""

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction

from proxar.contract.containment.formula import Formula, Kind
from proxar.contract.containment.language import is_match
from proxar.contract.containment.literals import (
    AllItems,
    AllMembers,
    AtLeast,
    AtMost,
    Few,
    Index,
    ItemRegion,
    Many,
    Matching,
    Mentions,
    MultipleOf,
    Name,
    NameIs,
    Number,
    OneOf,
    Outside,
    PatternIs,
    Region,
    SizeAtLeast,
    SizeAtMost,
    SomeItem,
    SomeMember,
    Unique,
)
from proxar.contract.containment.schema import Schema
from proxar.contract.containment.steps import Steps
from proxar.contract.containment.values import exact, key, type_index
from proxar.contract.value import JSON

__all__ = ["Evaluator", "is_multiple"]


def is_multiple(number: Number, divisor: Number) -> bool:
    """Whether a number is a whole multiple of another; exact."""
    return Fraction(number, 1) / divisor % 1 == 0 if divisor else False


class Evaluator:
    """Answers true, false, or `None` for "cannot tell"."""

    def __init__(self, steps: Steps) -> None:
        self._steps = steps

    def holds(self, schema: Schema, value: JSON) -> bool | None:
        """Whether the value satisfies the schema."""
        return self.formula(schema.forms[type_index(value)], value)

    def formula(self, formula: Formula, value: JSON) -> bool | None:
        """Whether the value, which has the formula's type, satisfies it."""
        self._steps.spend()
        if formula.literal is not None:
            return self.literal(formula.literal, value)
        if formula.kind is Kind.AND:
            return _all(self.formula(part, value) for part in formula.parts)
        if formula.kind is Kind.OR:
            return _any(self.formula(part, value) for part in formula.parts)
        return formula.kind is Kind.TRUE

    def literal(self, literal: object, value: JSON) -> bool | None:
        """Whether the value, which has the literal's type, satisfies it."""
        if isinstance(literal, OneOf):
            return (key(value) in literal.keys) is literal.holds
        if isinstance(value, str):
            return self._string(literal, value)
        if isinstance(value, list):
            return self._array(literal, value)
        if isinstance(value, dict):
            return self._object(literal, value)
        if isinstance(value, int | Decimal):
            return _number(literal, exact(value))
        return None

    def _string(self, literal: object, text: str) -> bool | None:
        match literal:
            case SizeAtLeast(size):
                return len(text) >= size
            case SizeAtMost(size):
                return len(text) <= size
            case PatternIs(pattern, wanted):
                found = is_match(pattern, text, self._steps)
                return None if found is None else found is wanted
        return None

    def _array(self, literal: object, items: list[JSON]) -> bool | None:
        match literal:
            case SizeAtLeast(size):
                return len(items) >= size
            case SizeAtMost(size):
                return len(items) <= size
            case AllItems(region, schema):
                return _all(self.holds(schema, item) for item in _items(region, items))
            case SomeItem(region, schema):
                return _any(self.holds(schema, item) for item in _items(region, items))
            case Many(schema, count):
                return self._count(schema, items, count)
            case Few(schema, count):
                many = self._count(schema, items, count + 1)
                return None if many is None else not many
            case Unique(wanted):
                keys = {(type_index(item), key(item)) for item in items}
                return (len(keys) == len(items)) is wanted
        return None

    def _count(self, schema: Schema, items: list[JSON], count: int) -> bool | None:
        """Whether so many items or more satisfy the schema."""
        answers = [self.holds(schema, item) for item in items]
        if answers.count(True) >= count:
            return True
        return False if answers.count(True) + answers.count(None) < count else None

    def _object(self, literal: object, members: dict[str, JSON]) -> bool | None:
        match literal:
            case SizeAtLeast(size):
                return len(members) >= size
            case SizeAtMost(size):
                return len(members) <= size
            case Mentions(_, holds):
                return holds
            case AllMembers(region, schema):
                return _all(
                    _any([_not(self.is_in(region, name)), self.holds(schema, value)])
                    for name, value in self._members(region, members)
                )
            case SomeMember(region, schema):
                return _any(
                    _all([self.is_in(region, name), self.holds(schema, value)])
                    for name, value in self._members(region, members)
                )
        return None

    def _members(self, region: Region, members: dict[str, JSON]) -> Iterable[tuple[str, JSON]]:
        if isinstance(region, Name):
            return [(region.name, members[region.name])] if region.name in members else []
        return members.items()

    def is_in(self, region: Region, name: str) -> bool | None:
        """Whether a member of this name is in the region."""
        match region:
            case Name(other):
                return name == other
            case Matching(pattern):
                return is_match(pattern, name, self._steps)
            case Outside(names, patterns):
                if name in names:
                    return False
                self._steps.scan(len(patterns))
                return _not(_any(is_match(pattern, name, self._steps) for pattern in patterns))
            case NameIs(schema):
                return self.holds(schema, name)


def _number(literal: object, number: Number) -> bool | None:
    match literal:
        case AtLeast(bound, is_open):
            return number > bound if is_open else number >= bound
        case AtMost(bound, is_open):
            return number < bound if is_open else number <= bound
        case MultipleOf(divisor, wanted):
            return is_multiple(number, divisor) is wanted
    return None


def _items(region: ItemRegion, items: list[JSON]) -> list[JSON]:
    if isinstance(region, Index):
        return items[region.place : region.place + 1]
    return items[region.place :]


def _all(answers: Iterable[bool | None]) -> bool | None:
    result: bool | None = True
    for answer in answers:
        if answer is False:
            return False
        if answer is None:
            result = None
    return result


def _any(answers: Iterable[bool | None]) -> bool | None:
    result: bool | None = False
    for answer in answers:
        if answer is True:
            return True
        if answer is None:
            result = None
    return result


def _not(answer: bool | None) -> bool | None:
    return None if answer is None else not answer
