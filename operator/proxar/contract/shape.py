"""The normal form of one level of a schema: what it says about each type of value, apart from the
others.

`anyOf: [T, null]`, `type: [T, null]` and a `oneOf` of both have one shape, as have `const` and an
`enum` of one. What cannot be told type by type (`not`, `if`, overlapping alternatives) is kept in
`opaque`, to be compared as it stands.
"""

from dataclasses import dataclass, field, replace
from typing import NamedTuple

from proxar.contract.document import Document
from proxar.contract.flatten import Budget, Chain, flatten
from proxar.contract.keywords import ANNOTATIONS
from proxar.contract.kind import Kinds, Steps, Union, Values, both, listed, plain_kinds
from proxar.contract.value import JSON, is_flat
from proxar.contract.vocabulary import (
    APPLICATORS,
    KIND_OF,
    KINDS,
    TEXT_FORMATS,
    WHOLE_FORMATS,
    is_well_formed,
)

__all__ = ["Branch", "Shape", "Shaper"]

SILENT = frozenset(
    {
        "$anchor",
        "$defs",
        "$dynamicAnchor",
        "$recursiveAnchor",
        "$schema",
        "$vocabulary",
        "definitions",
    }
)
"""Keywords that say nothing about values where they stand; `$schema` is judged at the root."""


class Branch(NamedTuple):
    """An alternative that was taken apart."""

    steps: Steps
    """The way to it from the schema: `("anyOf", 0)`."""
    notes: dict[str, JSON]
    """What asserts nothing in it."""
    kinds: Kinds
    """What it accepts by itself."""

    def below(self, steps: Steps) -> "Branch":
        """Return the same, seen from a schema so much further up."""
        return Branch(steps + self.steps, self.notes, _below(self.kinds, steps))


@dataclass(frozen=True, slots=True)
class Shape:
    """One level of a schema, without references."""

    kinds: Kinds
    opaque: dict[str, JSON] = field(default_factory=dict)
    """What is not told by type: applicators, and assertions that are written wrongly."""
    notes: dict[str, JSON] = field(default_factory=dict)
    """What asserts nothing: annotations and unknown keywords."""
    branches: dict[str, Branch] = field(default_factory=dict)
    """The alternatives that were taken apart, by what they accept."""
    types_at: Steps = ("type",)
    """Where it is said which types are accepted."""
    choice: tuple[str, list[JSON]] | None = None
    """The alternatives that were taken apart, if the schema says nothing else."""

    @property
    def is_enumeration(self) -> bool:
        """Whether the accepted values are all listed."""
        kinds = self.kinds.values()
        return all(kind.natural_values is not None for kind in kinds) and any(
            kind.values is not None for kind in kinds
        )

    @property
    def values(self) -> Values:
        """All values of an enumeration."""
        values: Values = {}
        for kind in self.kinds.values():
            values |= kind.natural_values or {}
        return values

    @property
    def values_at(self) -> Steps:
        """Where the values are listed."""
        places = (kind.values_at for kind in self.kinds.values() if kind.values_at)
        return next(places, ("enum",))

    @property
    def is_union(self) -> bool:
        """Whether it says nothing but a choice of alternatives."""
        return (
            len(self.opaque) == len({"anyOf", "oneOf"} & self.opaque.keys()) == 1
            and len(self.kinds) == len(KINDS)
            and all(kind.is_free for kind in self.kinds.values())
        )


class Shaper:
    """Makes the shapes of one document's schemas, each once."""

    def __init__(self, document: Document, budget: Budget) -> None:
        self.document = document
        self._budget = budget
        self._known: dict[int, tuple[JSON, Shape]] = {}

    def shape(self, schema: JSON) -> Shape:
        """Return the shape of a schema that is part of the document."""
        known = self._known.get(id(schema))
        if known is None:  # the schema is kept beside its shape, so that its id stays its own
            known = self._known[id(schema)] = (schema, self._shape(schema, ()))
        return known[1]

    def _shape(self, schema: JSON, chain: Chain) -> Shape:
        flat, chain = flatten(self.document, schema, chain, self._budget)
        by_kind: dict[str, dict[str, JSON]] = {name: {} for name in KINDS}
        opaque: dict[str, JSON] = {}
        notes: dict[str, JSON] = {}
        base: dict[str, JSON] = {}
        for keyword, value in flat.items():
            if keyword in ANNOTATIONS:
                notes[keyword] = value
                continue
            kind = _kind_of_format(value) if keyword == "format" else KIND_OF.get(keyword)
            if keyword == "" or not self.is_well_formed(keyword, value):
                opaque[keyword] = value
            elif keyword in {"type", "enum", "const"}:
                base[keyword] = value
            elif kind is not None:
                by_kind[kind][keyword] = value
            elif keyword in APPLICATORS:
                opaque[keyword] = value
            elif keyword not in SILENT:
                notes[keyword] = value
        if "additionalProperties" in by_kind["object"]:  # it has evaluated everything already
            by_kind["object"].pop("unevaluatedProperties", None)
        self._budget.spend(_steps_to_list(base.get("enum")) + _steps_to_write(base.get("const")))
        shape = Shape(_kinds(by_kind, base, opaque), opaque, notes)
        for keyword in ("anyOf", "oneOf"):
            branches = opaque.get(keyword)
            if isinstance(branches, list) and is_well_formed(keyword, branches):
                shape = self._take_apart(shape, keyword, branches, chain)
        return _with_unevaluated_told(shape)

    def is_well_formed(self, keyword: str, value: JSON) -> bool:
        """Whether an assertion is written as the document's dialect asks."""
        if keyword == "items" and isinstance(value, list) and not self.document.has_old_tuples:
            return False
        return is_well_formed(keyword, value)

    def _take_apart(self, shape: Shape, keyword: str, branches: list[JSON], chain: Chain) -> Shape:
        """Tell alternatives by type, if no two of them say different things about one type."""
        union = Union(is_exclusive=keyword == "oneOf")
        taken: dict[str, Branch] = {}
        for index, branch in enumerate(branches):
            part = self._shape(branch, chain)
            place: Steps = (keyword, index)
            if part.opaque:
                return shape
            kinds = _below(part.kinds, place)
            if not union.add(kinds):
                return shape
            taken[_name_of(kinds)] = Branch(place, part.notes, kinds)
            for name, inner in part.branches.items():
                taken[name] = inner.below(place)
        kinds_left = both(shape.kinds, union.kinds)
        if kinds_left is None:
            return shape
        is_typed = len(shape.kinds) < len(KINDS)
        return replace(
            shape,
            kinds=kinds_left,
            opaque={name: value for name, value in shape.opaque.items() if name != keyword},
            branches=shape.branches | taken,
            types_at=shape.types_at if is_typed else (keyword,),
            choice=(keyword, branches) if shape.is_union else None,
        )


def _kind_of_format(value: JSON) -> str | None:
    if not isinstance(value, str):
        return None
    return "string" if value in TEXT_FORMATS else "number" if value in WHOLE_FORMATS else None


def _steps_to_list(values: JSON) -> int:
    """What it costs to make the texts of listed values, by which they are told apart."""
    if not isinstance(values, list):
        return 0
    if set(map(type, values)) == {str}:
        return len(values) // 64
    return len(values) // (16 if is_flat(values) else 4)


def _steps_to_write(value: JSON) -> int:
    """What it costs to make the text of one value."""
    return len(repr(value)) // 500 if isinstance(value, dict | list) else 0


def _kinds(
    by_kind: dict[str, dict[str, JSON]], base: dict[str, JSON], opaque: dict[str, JSON]
) -> Kinds:
    """What type, enum, const and the keywords of each type leave; takes idle applicators away."""
    if "if" not in opaque or not {"then", "else"} & opaque.keys():
        for keyword in ("if", "then", "else"):
            opaque.pop(keyword, None)
    kinds = plain_kinds(by_kind, base.get("type"))
    values = base.get("enum")
    if isinstance(values, list):
        kinds = listed(kinds, values, ("enum",))
    if "const" in base:
        kinds = listed(kinds, [base["const"]], ("const",))
    negated = opaque.get("not")
    if negated is True or negated == {}:
        del opaque["not"]
        return {}
    if negated is False:
        del opaque["not"]
    return kinds


def _below(kinds: Kinds, steps: Steps) -> Kinds:
    """The same, seen from a schema so much further up."""
    return {
        name: replace(
            kind,
            where=steps + kind.where,
            values_at=steps + kind.values_at if kind.values_at else (),
        )
        for name, kind in kinds.items()
    }


def _name_of(kinds: Kinds) -> str:
    """What an alternative accepts, as a key: its listed values, or its types."""
    return " ".join(
        sorted(
            name if kind.values is None else " ".join(sorted(kind.values))
            for name, kind in kinds.items()
        )
    )


def _with_unevaluated_told(shape: Shape) -> Shape:
    """Without applicators beside it, `unevaluatedProperties` is `additionalProperties`."""
    kind = shape.kinds.get("object")
    if kind is None or "unevaluatedProperties" not in kind.keywords:
        return shape
    if shape.opaque or {"dependentSchemas", "dependencies"} & kind.keywords.keys():
        return shape
    keywords = dict(kind.keywords)
    unevaluated = keywords.pop("unevaluatedProperties")
    keywords.setdefault("additionalProperties", unevaluated)
    told = replace(kind, keywords=keywords)
    return replace(shape, kinds=shape.kinds | {"object": told})
