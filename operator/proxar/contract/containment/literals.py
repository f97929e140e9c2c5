"""What can be said about the values of one type, with its opposite.

Each literal is about values of its own type only; that a value has the type is known where a
literal is read. Opposites are exact, so a formula and its negation share no value and miss none.
"""

from fractions import Fraction
from typing import TypeAlias

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

    __slots__ = __match_args__ = ("keys", "holds")

    def __init__(self, keys: frozenset[object], holds: bool = True) -> None:
        self.keys = keys
        self.holds = holds

    def negated(self) -> "OneOf":
        return OneOf(self.keys, not self.holds)


class Opaque(Literal):
    """An assertion of which nothing is known but whether it is the same one."""

    __slots__ = __match_args__ = ("key", "why", "holds")

    def __init__(self, key: str, why: str, holds: bool = True) -> None:
        self.key = key
        self.why = why
        self.holds = holds

    def negated(self) -> "Opaque":
        return Opaque(self.key, self.why, not self.holds)


class AtLeast(Literal):
    """The number is this or more; more, if `is_open`."""

    __slots__ = __match_args__ = ("bound", "is_open")

    def __init__(self, bound: Number, is_open: bool = False) -> None:
        self.bound = bound
        self.is_open = is_open

    def negated(self) -> "AtMost":
        return AtMost(self.bound, not self.is_open)


class AtMost(Literal):
    """The number is this or less; less, if `is_open`."""

    __slots__ = __match_args__ = ("bound", "is_open")

    def __init__(self, bound: Number, is_open: bool = False) -> None:
        self.bound = bound
        self.is_open = is_open

    def negated(self) -> AtLeast:
        return AtLeast(self.bound, not self.is_open)


class MultipleOf(Literal):
    """The number is a multiple of the (positive) divisor; 1 is what makes an integer."""

    __slots__ = __match_args__ = ("divisor", "holds")

    def __init__(self, divisor: Number, holds: bool = True) -> None:
        self.divisor = divisor
        self.holds = holds

    def negated(self) -> "MultipleOf":
        return MultipleOf(self.divisor, not self.holds)


class FormatIs(Literal):
    """The string has a known format; that of a number is a pair of bounds."""

    __slots__ = __match_args__ = ("name", "holds")

    def __init__(self, name: str, holds: bool = True) -> None:
        self.name = name
        self.holds = holds

    def negated(self) -> "FormatIs":
        return FormatIs(self.name, not self.holds)


class PatternIs(Literal):
    """The string holds a match of an ECMA-262 expression."""

    __slots__ = __match_args__ = ("pattern", "holds")

    def __init__(self, pattern: str, holds: bool = True) -> None:
        self.pattern = pattern
        self.holds = holds

    def negated(self) -> "PatternIs":
        return PatternIs(self.pattern, not self.holds)


class SizeAtLeast(Literal):
    """So many code points, items or members, or more."""

    __slots__ = __match_args__ = ("size",)

    def __init__(self, size: int) -> None:
        self.size = size

    def negated(self) -> "SizeAtMost":
        return SizeAtMost(self.size - 1)


class SizeAtMost(Literal):
    """So many code points, items or members, or fewer; none at all when negative."""

    __slots__ = __match_args__ = ("size",)

    def __init__(self, size: int) -> None:
        self.size = size

    def negated(self) -> SizeAtLeast:
        return SizeAtLeast(self.size + 1)


class Index(Record):
    """The item at one position."""

    __slots__ = __match_args__ = ("index",)

    def __init__(self, index: int) -> None:
        self.index = index


class From(Record):
    """The items from one position on."""

    __slots__ = __match_args__ = ("index",)

    def __init__(self, index: int) -> None:
        self.index = index


ItemRegion: TypeAlias = Index | From


class AllItems(Literal):
    """Every item of the region that there is satisfies the schema."""

    __slots__ = __match_args__ = ("region", "schema")

    def __init__(self, region: ItemRegion, schema: Schema) -> None:
        self.region = region
        self.schema = schema

    def negated(self) -> "SomeItem":
        return SomeItem(self.region, self.schema.opposite)


class SomeItem(Literal):
    """There is an item in the region, and it satisfies the schema."""

    __slots__ = __match_args__ = ("region", "schema")

    def __init__(self, region: ItemRegion, schema: Schema) -> None:
        self.region = region
        self.schema = schema

    def negated(self) -> AllItems:
        return AllItems(self.region, self.schema.opposite)


class Many(Literal):
    """So many items or more satisfy the schema; for one, see `SomeItem`."""

    __slots__ = __match_args__ = ("schema", "count")

    def __init__(self, schema: Schema, count: int) -> None:
        self.schema = schema
        self.count = count

    def negated(self) -> "Few":
        return Few(self.schema, self.count - 1)


class Few(Literal):
    """So many items or fewer satisfy the schema; for none, see `AllItems`."""

    __slots__ = __match_args__ = ("schema", "count")

    def __init__(self, schema: Schema, count: int) -> None:
        self.schema = schema
        self.count = count

    def negated(self) -> Many:
        return Many(self.schema, self.count + 1)


class Unique(Literal):
    """No two items are equal; or two are."""

    __slots__ = __match_args__ = ("holds",)

    def __init__(self, holds: bool = True) -> None:
        self.holds = holds

    def negated(self) -> "Unique":
        return Unique(not self.holds)


class Name(Record):
    """The member of one name."""

    __slots__ = __match_args__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class Matching(Record):
    """The members whose name holds a match."""

    __slots__ = __match_args__ = ("pattern",)

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern


class Outside(Record):
    """The members that neither have one of the names nor match."""

    __slots__ = __match_args__ = ("names", "patterns")

    def __init__(self, names: frozenset[str], patterns: frozenset[str]) -> None:
        self.names = names
        self.patterns = patterns


class NameIs(Record):
    """The members whose name satisfies a schema."""

    __slots__ = __match_args__ = ("schema",)

    def __init__(self, schema: Schema) -> None:
        self.schema = schema


Region: TypeAlias = Name | Matching | Outside | NameIs


class Mentions(Literal):
    """True of every object: keeps what a schema speaks of, where simplifying it would lose that."""

    __slots__ = __match_args__ = ("regions", "holds")

    def __init__(self, regions: frozenset[Region], holds: bool = True) -> None:
        self.regions = regions
        self.holds = holds

    def negated(self) -> "Mentions":
        return Mentions(self.regions, not self.holds)


class AllMembers(Literal):
    """Every member of the region that there is satisfies the schema."""

    __slots__ = __match_args__ = ("region", "schema")

    def __init__(self, region: Region, schema: Schema) -> None:
        self.region = region
        self.schema = schema

    def negated(self) -> "SomeMember":
        return SomeMember(self.region, self.schema.opposite)


class SomeMember(Literal):
    """There is a member in the region that satisfies the schema."""

    __slots__ = __match_args__ = ("region", "schema")

    def __init__(self, region: Region, schema: Schema) -> None:
        self.region = region
        self.schema = schema

    def negated(self) -> AllMembers:
        return AllMembers(self.region, self.schema.opposite)
