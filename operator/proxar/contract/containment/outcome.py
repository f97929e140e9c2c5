"""What is known about a conjunction of schemas: empty, satisfied by a value, or neither."""

from collections.abc import Callable
from typing import Self, TypeAlias

from proxar.contract.containment.record import Record
from proxar.contract.containment.schema import Schema
from proxar.contract.value import JSON

__all__ = ["EMPTY", "POSSIBLE", "Empty", "Found", "Goal", "Outcome", "Sided", "Solve", "Unknown"]

Sided: TypeAlias = tuple[Schema, bool]
"""A schema, and whether it belongs to the inner side of the question (see `solver`)."""

Goal: TypeAlias = frozenset[Sided]
"""Schemas that one value is to satisfy, all of them."""


class Empty(Record):
    """It is proved that there is no such value."""

    __slots__ = ()


class Found(Record):
    """A value that satisfies the schemas, unless one of their opaque parts disagrees."""

    __slots__ = ()
    __match_args__ = ("value",)
    value: JSON

    def __new__(cls, value: JSON) -> Self:
        return tuple.__new__(cls, (cls, value))


class Unknown(Record):
    """Neither proved nor found; why, in one line."""

    __slots__ = ()
    __match_args__ = ("reason",)
    reason: str

    def __new__(cls, reason: str) -> Self:
        return tuple.__new__(cls, (cls, reason))


Outcome: TypeAlias = Empty | Found | Unknown

EMPTY = Empty()

POSSIBLE = Unknown("no value was looked for")
"""Not proved to be empty, where that was all that was asked."""

Solve: TypeAlias = Callable[[Goal], Outcome]
"""How a part of a value asks about a smaller value."""
