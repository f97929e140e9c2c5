"""What is known about a conjunction of schemas: empty, satisfied by a value, or neither."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from proxar.contract.containment.schema import Schema
from proxar.contract.value import JSON

__all__ = ["EMPTY", "Empty", "Found", "Goal", "Outcome", "Sided", "Solve", "Unknown"]

Sided: TypeAlias = tuple[Schema, bool]
"""A schema, and whether it belongs to the inner side of the question (see `solver`)."""

Goal: TypeAlias = frozenset[Sided]
"""Schemas that one value is to satisfy, all of them."""


@dataclass(frozen=True, slots=True)
class Empty:
    """It is proved that there is no such value."""


@dataclass(frozen=True, slots=True)
class Found:
    """A value that satisfies the schemas, unless one of their opaque parts disagrees."""

    value: JSON


@dataclass(frozen=True, slots=True)
class Unknown:
    """Neither proved nor found; why, in one line."""

    reason: str


Outcome: TypeAlias = Empty | Found | Unknown

EMPTY = Empty()

Solve: TypeAlias = Callable[[Goal], Outcome]
"""How a part of a value asks about a smaller value."""
