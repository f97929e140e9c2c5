"""JSON values by JSON's equality: 1 is 1.0 and not true, the order of members means nothing."""

from decimal import Decimal
from fractions import Fraction

from proxar.contract.canonical import canonical_text
from proxar.contract.containment.literals import Number
from proxar.contract.containment.steps import Unprovable
from proxar.contract.value import JSON

__all__ = ["exact", "key", "type_index"]

MAX_EXPONENT = 1_000
"""Powers of ten that are written out; 1e999999999 is a number too, and would fill the memory."""


def type_index(value: JSON) -> int:
    """Return which of `schema.TYPES` a value has."""
    if value is None:
        return 0
    if isinstance(value, bool):
        return 1
    if isinstance(value, str):
        return 3
    if isinstance(value, list):
        return 4
    return 5 if isinstance(value, dict) else 2


def exact(value: int | Decimal) -> Number:
    """Return the number as an `int`, or as a `Fraction` where it is none."""
    if isinstance(value, int):
        return value
    if not value.is_finite() or abs(value.adjusted()) > MAX_EXPONENT:
        raise Unprovable("a number is too large to be written out")
    numerator, denominator = value.as_integer_ratio()
    return numerator if denominator == 1 else Fraction(numerator, denominator)


def key(value: JSON) -> object:
    """Return what equal values of one type have in common; values of two types may share a key."""
    if isinstance(value, list | dict):
        return canonical_text(value)
    if isinstance(value, Decimal):
        return exact(value)
    return value
