"""The normal form of one level of a schema: what it says about each type of value, apart from the others.

`anyOf: [T, null]`, `type: [T, null]` and a `oneOf` of both have one shape, as have `const` and an `enum` of one. What
cannot be told type by type (`not`, `if`, overlapping alternatives) is kept in `opaque`, to be compared as it stands.
"""

from dataclasses import dataclass, field, replace
from typing import TypeAlias

from proxar.contract.canonical import canonical_text
from proxar.contract.document import Document
from proxar.contract.flatten import Budget, Chain, flatten
from proxar.contract.keywords import SCHEMA_ROLES
from proxar.contract.scalars import accepts, without_effect
from proxar.contract.value import JSON
from proxar.contract.vocabulary import (
    APPLICATORS,
    ARRAY,
    HEADER,
    KIND_OF,
    KINDS,
    OBJECT,
    TEXT_FORMATS,
    WHOLE_FORMATS,
    is_well_formed,
    is_whole,
    kind_of,
)

__all__ = ["Kind", "Shape", "Shaper"]

Steps: TypeAlias = tuple[str | int, ...]
Values: TypeAlias = dict[str, JSON]
"""Values by their canonical text, since 1 is not true and 1.0 is 1."""

SILENT = frozenset(
    {"$anchor", "$defs", "$dynamicAnchor", "$recursiveAnchor", "$schema", "$vocabulary", "contentSchema", "definitions"}
)
"""Keywords that say nothing about values where they stand; `$schema` is judged at the root."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What a schema says about the values of one type."""

    name: str
    keywords: dict[str, JSON] = field(default_factory=dict)
    values: Values | None = None
    """All values that are accepted, if they are listed."""
    is_integer: bool = False
    where: Steps = ()
    """The alternative that says so, from the schema: `("anyOf", 0)`."""
    values_at: Steps = ()

    @property
    def is_free(self) -> bool:
        """Whether every value of the type is accepted."""
        return not self.keywords and self.values is None and not self.is_integer

    @property
    def type_name(self) -> str:
        """The word for it in `type`."""
        return "integer" if self.is_integer else self.name

    def accepts(self, value: JSON) -> bool | None:
        """Whether a value of this type is accepted; `None` when we cannot tell."""
        if self.values is not None and canonical_text(value) not in self.values:
            return False
        if self.is_integer and not is_whole(value):
            return False
        if not self.keywords:
            return True
        return None if self.name in {"array", "object"} else accepts(self.keywords, value)


@dataclass(frozen=True, slots=True)
class Shape:
    """One level of a schema, without references."""

    kinds: dict[str, Kind]
    opaque: dict[str, JSON]
    """What is not told by type: applicators, and assertions that are written wrongly."""
    notes: dict[str, JSON]
    """What asserts nothing: annotations and unknown keywords."""
    branch_notes: dict[str, tuple[Steps, dict[str, JSON]]]
    """The same inside alternatives that were taken apart, by what the alternative accepts."""
    types_at: Steps
    chain: Chain

    @property
    def is_enumeration(self) -> bool:
        """Whether the accepted values are all listed."""
        finite = all(kind.values is not None or kind.name in {"null", "boolean"} for kind in self.kinds.values())
        return finite and any(kind.values is not None for kind in self.kinds.values())

    @property
    def values(self) -> Values:
        """All values of an enumeration."""
        listed: Values = {}
        for kind in self.kinds.values():
            listed |= natural_values(kind) if kind.values is None else kind.values
        return listed

    @property
    def values_at(self) -> Steps:
        """Where the values are listed."""
        return next((kind.values_at for kind in self.kinds.values() if kind.values_at), ("enum",))

    @property
    def is_union(self) -> bool:
        """Whether it says nothing but a choice of alternatives."""
        alternatives = {"anyOf", "oneOf"} & self.opaque.keys()
        return len(alternatives) == len(self.opaque) == 1 and len(self.kinds) == len(KINDS) and all(
            kind.is_free for kind in self.kinds.values()
        )


def natural_values(kind: Kind) -> Values:
    """The values of a type that has few."""
    return {"null": None} if kind.name == "null" else {"true": True, "false": False}


class Shaper:
    """Makes the shapes of one document's schemas, each once."""

    def __init__(self, document: Document, budget: Budget) -> None:
        self.document = document
        self._budget = budget
        self._known: dict[int, Shape] = {}

    def shape(self, schema: JSON) -> Shape:
        """Return the shape of a schema that belongs to the document."""
        if not isinstance(schema, dict):
            return self._make(schema, ())
        known = self._known.get(id(schema))
        if known is None:
            known = self._known[id(schema)] = self._make(schema, ())
        return known

    def _make(self, schema: JSON, chain: Chain) -> Shape:
        flat, chain = flatten(self.document, schema, chain, self._budget)
        kinds: dict[str, dict[str, JSON]] = {name: {} for name in KINDS}
        opaque: dict[str, JSON] = {}
        notes: dict[str, JSON] = {}
        base: dict[str, JSON] = {}
        for keyword, value in flat.items():
            kind = KIND_OF.get(keyword) or _kind_of_format(keyword, value)
            if not self._is_well_formed(keyword, value) or keyword == "":
                opaque[keyword] = value
            elif keyword in {"type", "enum", "const"}:
                base[keyword] = value
            elif kind is not None:
                kinds[kind][keyword] = value
            elif keyword in APPLICATORS:
                opaque[keyword] = value
            elif keyword not in SILENT:
                notes[keyword] = value
        _drop_idle(opaque)
        if opaque.get("not") in ({}, True):
            del opaque["not"]
            base["enum"] = []
            base.pop("const", None)
        own = self._listed(base, {name: Kind(name, without_effect(name, kinds[name])) for name in KINDS})
        own = {name: kind for name, kind in own.items() if kind.keywords.get("minimum") != "never"}
        types_at: Steps = ("type",)
        branch_notes: dict[str, tuple[Steps, dict[str, JSON]]] = {}
        for keyword in ("anyOf", "oneOf"):
            if keyword in opaque and is_well_formed(keyword, opaque[keyword]):
                merged = self._choose(keyword, opaque[keyword], own, chain)
                if merged is not None:
                    own, found = merged
                    branch_notes |= found
                    del opaque[keyword]
                    types_at = types_at if "type" in base else (keyword,)
        shape = Shape(own, opaque, notes, branch_notes, types_at, chain)
        return _close(shape)
