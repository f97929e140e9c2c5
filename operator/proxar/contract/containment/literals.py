"""What can be said about the values of one type, with its opposite.

Each literal is about values of its own type only; that a value has the type is known where a
literal is read. Opposites are exact, so a formula and its negation share no value and miss none.
"""

from fractions import Fraction
from typing import Self, TypeAlias

from proxar.contract.containment.formula import Literal
from proxar.contract.containment.record import Record
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


class OneOf(Literal):
    """The value is one of these, by key (see `values.key`); or none of them."""

    __slots__ = ()
    __match_args__ = ("keys", "holds")
    keys: frozenset[object]
    holds: bool

    def __new__(cls, keys: frozenset[object], holds: bool = True) -> Self:
        return tuple.__new__(cls, (cls, keys, holds))

    def negated(self) -> "OneOf":
        return OneOf(self.keys, not self.holds)


class Opaque(Literal):
    """An assertion of which nothing is known but whether it is the same one."""

    __slots__ = ()
    __match_args__ = ("key", "why", "holds")
    key: str
    why: str
    holds: bool

    def __new__(cls, key: str, why: str, holds: bool = True) -> Self:
        return tuple.__new__(cls, (cls, key, why, holds))

    def negated(self) -> "Opaque":
        return Opaque(self.key, self.why, not self.holds)


class AtLeast(Literal):
    """The number is this or more; more, if `is_open`."""

    __slots__ = ()
    __match_args__ = ("bound", "is_open")
    bound: Number
    is_open: bool

    def __new__(cls, bound: Number, is_open: bool = False) -> Self:
        return tuple.__new__(cls, (cls, bound, is_open))

    def negated(self) -> "AtMost":
        return AtMost(self.bound, not self.is_open)


class AtMost(Literal):
    """The number is this or less; less, if `is_open`."""

    __slots__ = ()
    __match_args__ = ("bound", "is_open")
    bound: Number
    is_open: bool

    def __new__(cls, bound: Number, is_open: bool = False) -> Self:
        return tuple.__new__(cls, (cls, bound, is_open))

    def negated(self) -> AtLeast:
        return AtLeast(self.bound, not self.is_open)


class MultipleOf(Literal):
    """The number is a multiple of the (positive) divisor; 1 is what makes an integer."""

    __slots__ = ()
    __match_args__ = ("divisor", "holds")
    divisor: Number
    holds: bool

    def __new__(cls, divisor: Number, holds: bool = True) -> Self:
        return tuple.__new__(cls, (cls, divisor, holds))

    def negated(self) -> "MultipleOf":
        return MultipleOf(self.divisor, not self.holds)


class FormatIs(Literal):
    """The string has a known format; that of a number is a pair of bounds."""

    __slots__ = ()
    __match_args__ = ("name", "holds")
    name: str
    holds: bool

    def __new__(cls, name: str, holds: bool = True) -> Self:
        return tuple.__new__(cls, (cls, name, holds))

    def negated(self) -> "FormatIs":
        return FormatIs(self.name, not self.holds)


class PatternIs(Literal):
    """The string holds a match of an ECMA-262 expression."""

    __slots__ = ()
    __match_args__ = ("pattern", "holds")
    pattern: str
    holds: bool

    def __new__(cls, pattern: str, holds: bool = True) -> Self:
        return tuple.__new__(cls, (cls, pattern, holds))

    def negated(self) -> "PatternIs":
        return PatternIs(self.pattern, not self.holds)


class SizeAtLeast(Literal):
    """So many code points, items or members, or more."""

    __slots__ = ()
    __match_args__ = ("size",)
    size: int

    def __new__(cls, size: int) -> Self:
        return tuple.__new__(cls, (cls, size))

    def negated(self) -> "SizeAtMost":
        return SizeAtMost(self.size - 1)


class SizeAtMost(Literal):
    """So many code points, items or members, or fewer; none at all when negative."""

    __slots__ = ()
    __match_args__ = ("size",)
    size: int

    def __new__(cls, size: int) -> Self:
        return tuple.__new__(cls, (cls, size))

    def negated(self) -> SizeAtLeast:
        return SizeAtLeast(self.size + 1)


class Index(Record):
    """The item at one position."""

    __slots__ = ()
    __match_args__ = ("place",)
    place: int

    def __new__(cls, place: int) -> Self:
        return tuple.__new__(cls, (cls, place))


class From(Record):
    """The items from one position on."""

    __slots__ = ()
    __match_args__ = ("place",)
    place: int

    def __new__(cls, place: int) -> Self:
        return tuple.__new__(cls, (cls, place))


ItemRegion: TypeAlias = Index | From


class AllItems(Literal):
    """Every item of the region that there is satisfies the schema."""

    __slots__ = ()
    __match_args__ = ("region", "schema")
    region: ItemRegion
    schema: Schema

    def __new__(cls, region: ItemRegion, schema: Schema) -> Self:
        return tuple.__new__(cls, (cls, region, schema))

    def negated(self) -> "SomeItem":
        return SomeItem(self.region, self.schema.opposite)


class SomeItem(Literal):
    """There is an item in the region, and it satisfies the schema."""

    __slots__ = ()
    __match_args__ = ("region", "schema")
    region: ItemRegion
    schema: Schema

    def __new__(cls, region: ItemRegion, schema: Schema) -> Self:
        return tuple.__new__(cls, (cls, region, schema))

    def negated(self) -> AllItems:
        return AllItems(self.region, self.schema.opposite)


class Many(Literal):
    """So many items or more satisfy the schema; for one, see `SomeItem`."""

    __slots__ = ()
    __match_args__ = ("schema", "size")
    schema: Schema
    size: int

    def __new__(cls, schema: Schema, size: int) -> Self:
        return tuple.__new__(cls, (cls, schema, size))

    def negated(self) -> "Few":
        return Few(self.schema, self.size - 1)


class Few(Literal):
    """So many items or fewer satisfy the schema; for none, see `AllItems`."""

    __slots__ = ()
    __match_args__ = ("schema", "size")
    schema: Schema
    size: int

    def __new__(cls, schema: Schema, size: int) -> Self:
        return tuple.__new__(cls, (cls, schema, size))

    def negated(self) -> Many:
        return Many(self.schema, self.size + 1)


class Unique(Literal):
    """No two items are equal; or two are."""

    __slots__ = ()
    __match_args__ = ("holds",)
    holds: bool

    def __new__(cls, holds: bool = True) -> Self:
        return tuple.__new__(cls, (cls, holds))

    def negated(self) -> "Unique":
        return Unique(not self.holds)


class Name(Record):
    """The member of one name."""

    __slots__ = ()
    __match_args__ = ("name",)
    name: str

    def __new__(cls, name: str) -> Self:
        return tuple.__new__(cls, (cls, name))


class Matching(Record):
    """The members whose name holds a match."""

    __slots__ = ()
    __match_args__ = ("pattern",)
    pattern: str

    def __new__(cls, pattern: str) -> Self:
        return tuple.__new__(cls, (cls, pattern))


class Outside(Record):
    """The members that neither have one of the names nor match."""

    __slots__ = ()
    __match_args__ = ("names", "patterns")
    names: frozenset[str]
    patterns: frozenset[str]

    def __new__(cls, names: frozenset[str], patterns: frozenset[str]) -> Self:
        return tuple.__new__(cls, (cls, names, patterns))


class NameIs(Record):
    """The members whose name satisfies a schema."""

    __slots__ = ()
    __match_args__ = ("schema",)
    schema: Schema

    def __new__(cls, schema: Schema) -> Self:
        return tuple.__new__(cls, (cls, schema))


Region: TypeAlias = Name | Matching | Outside | NameIs


class Mentions(Literal):
    """True of every object: keeps what a schema speaks of, where simplifying it would lose that."""

    __slots__ = ()
    __match_args__ = ("regions", "holds")
    regions: frozenset[Region]
    holds: bool

    def __new__(cls, regions: frozenset[Region], holds: bool = True) -> Self:
        return tuple.__new__(cls, (cls, regions, holds))

    def negated(self) -> "Mentions":
        return Mentions(self.regions, not self.holds)


class AllMembers(Literal):
    """Every member of the region that there is satisfies the schema."""

    __slots__ = ()
    __match_args__ = ("region", "schema")
    region: Region
    schema: Schema

    def __new__(cls, region: Region, schema: Schema) -> Self:
        return tuple.__new__(cls, (cls, region, schema))

    def negated(self) -> "SomeMember":
        return SomeMember(self.region, self.schema.opposite)


class SomeMember(Literal):
    """There is a member in the region that satisfies the schema."""

    __slots__ = ()
    __match_args__ = ("region", "schema")
    region: Region
    schema: Schema

    def __new__(cls, region: Region, schema: Schema) -> Self:
        return tuple.__new__(cls, (cls, region, schema))

    def negated(self) -> AllMembers:
        return AllMembers(self.region, self.schema.opposite)
