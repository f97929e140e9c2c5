"""What can be said about the values of one type, with its opposite.

Each literal is about values of its own type only; that a value has the type is known where a
literal is read. Opposites are exact, so a formula and its negation share no value and miss none.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from proxar.contract.containment.formula import Literal
from proxar.contract.containment.schema import Schema

__all__ = [
    "AllItems",
    "AllMembers",
    "AtLeast",
    "AtMost",
    "Few",
    "FormatIs",
    "From",
    "Index",
    "ItemRegion",
    "Many",
    "Matching",
    "Mentions",
    "MultipleOf",
    "Name",
    "NameIs",
    "Number",
    "OneOf",
    "Opaque",
    "Outside",
    "PatternIs",
    "Region",
    "SizeAtLeast",
    "SizeAtMost",
    "SomeItem",
    "SomeMember",
    "Unique",
]

Number: TypeAlias = int | Fraction
"""Exact; an integral number is always an `int`."""


@dataclass(frozen=True, slots=True)
class OneOf(Literal):
    """The value is one of these, by key (see `values.key`); or none of them."""

    keys: frozenset[object]
    holds: bool = True

    def negated(self) -> "OneOf":
        return OneOf(self.keys, not self.holds)


@dataclass(frozen=True, slots=True)
class Opaque(Literal):
    """An assertion of which nothing is known but whether it is the same one."""

    key: str
    why: str
    holds: bool = True

    def negated(self) -> "Opaque":
        return Opaque(self.key, self.why, not self.holds)


@dataclass(frozen=True, slots=True)
class AtLeast(Literal):
    """The number is this or more; more, if `is_open`."""

    bound: Number
    is_open: bool = False

    def negated(self) -> "AtMost":
        return AtMost(self.bound, not self.is_open)


@dataclass(frozen=True, slots=True)
class AtMost(Literal):
    """The number is this or less; less, if `is_open`."""

    bound: Number
    is_open: bool = False

    def negated(self) -> AtLeast:
        return AtLeast(self.bound, not self.is_open)


@dataclass(frozen=True, slots=True)
class MultipleOf(Literal):
    """The number is a multiple of the (positive) divisor; 1 is what makes an integer."""

    divisor: Number
    holds: bool = True

    def negated(self) -> "MultipleOf":
        return MultipleOf(self.divisor, not self.holds)


@dataclass(frozen=True, slots=True)
class FormatIs(Literal):
    """The string has a known format; that of a number is a pair of bounds."""

    name: str
    holds: bool = True

    def negated(self) -> "FormatIs":
        return FormatIs(self.name, not self.holds)


@dataclass(frozen=True, slots=True)
class PatternIs(Literal):
    """The string holds a match of an ECMA-262 expression."""

    pattern: str
    holds: bool = True

    def negated(self) -> "PatternIs":
        return PatternIs(self.pattern, not self.holds)


@dataclass(frozen=True, slots=True)
class SizeAtLeast(Literal):
    """So many code points, items or members, or more."""

    size: int

    def negated(self) -> "SizeAtMost":
        return SizeAtMost(self.size - 1)


@dataclass(frozen=True, slots=True)
class SizeAtMost(Literal):
    """So many code points, items or members, or fewer; none at all when negative."""

    size: int

    def negated(self) -> SizeAtLeast:
        return SizeAtLeast(self.size + 1)


@dataclass(frozen=True, slots=True)
class Index:
    """The item at one position."""

    index: int


@dataclass(frozen=True, slots=True)
class From:
    """The items from one position on."""

    index: int


ItemRegion: TypeAlias = Index | From


@dataclass(frozen=True, slots=True)
class AllItems(Literal):
    """Every item of the region that there is satisfies the schema."""

    region: ItemRegion
    schema: Schema

    def negated(self) -> "SomeItem":
        return SomeItem(self.region, self.schema.opposite)


@dataclass(frozen=True, slots=True)
class SomeItem(Literal):
    """There is an item in the region, and it satisfies the schema."""

    region: ItemRegion
    schema: Schema

    def negated(self) -> AllItems:
        return AllItems(self.region, self.schema.opposite)


@dataclass(frozen=True, slots=True)
class Many(Literal):
    """So many items or more satisfy the schema; for one, see `SomeItem`."""

    schema: Schema
    count: int

    def negated(self) -> "Few":
        return Few(self.schema, self.count - 1)


@dataclass(frozen=True, slots=True)
class Few(Literal):
    """So many items or fewer satisfy the schema; for none, see `AllItems`."""

    schema: Schema
    count: int

    def negated(self) -> Many:
        return Many(self.schema, self.count + 1)


@dataclass(frozen=True, slots=True)
class Unique(Literal):
    """No two items are equal; or two are."""

    holds: bool = True

    def negated(self) -> "Unique":
        return Unique(not self.holds)


@dataclass(frozen=True, slots=True)
class Name:
    """The member of one name."""

    name: str


@dataclass(frozen=True, slots=True)
class Matching:
    """The members whose name holds a match."""

    pattern: str


@dataclass(frozen=True, slots=True)
class Outside:
    """The members that neither have one of the names nor match."""

    names: frozenset[str]
    patterns: frozenset[str]


@dataclass(frozen=True, slots=True)
class NameIs:
    """The members whose name satisfies a schema."""

    schema: Schema


Region: TypeAlias = Name | Matching | Outside | NameIs


@dataclass(frozen=True, slots=True)
class Mentions(Literal):
    """True of every object: keeps what a schema speaks of, where simplifying it would lose that."""

    regions: frozenset[Region]
    holds: bool = True

    def negated(self) -> "Mentions":
        return Mentions(self.regions, not self.holds)


@dataclass(frozen=True, slots=True)
class AllMembers(Literal):
    """Every member of the region that there is satisfies the schema."""

    region: Region
    schema: Schema

    def negated(self) -> "SomeMember":
        return SomeMember(self.region, self.schema.opposite)


@dataclass(frozen=True, slots=True)
class SomeMember(Literal):
    """There is a member in the region that satisfies the schema."""

    region: Region
    schema: Schema

    def negated(self) -> AllMembers:
        return AllMembers(self.region, self.schema.opposite)
