"""What a schema says about the values of one type, in its plainest form."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from proxar.contract.canonical import canonical_text, canonical_texts, is_same
from proxar.contract.scalars import accepts, plain_numbers, plain_strings
from proxar.contract.value import JSON
from proxar.contract.vocabulary import KINDS, is_whole, kind_of

__all__ = ["Kind", "Kinds", "Steps", "Union", "Values", "both", "listed", "plain_kinds"]

Steps: TypeAlias = tuple[str | int, ...]
"""A way down inside a schema."""

Values: TypeAlias = dict[str, JSON]
"""Values by their canonical text, since 1 is not true and 1.0 is 1."""

IDLE: dict[str, tuple[JSON, ...]] = {
    "additionalItems": (True, {}),
    "additionalProperties": (True, {}),
    "dependencies": ({},),
    "dependentRequired": ({},),
    "dependentSchemas": ({},),
    "items": (True, {}),
    "minItems": (0,),
    "minProperties": (0,),
    "patternProperties": ({},),
    "properties": ({},),
    "propertyNames": (True, {}),
    "required": ([],),
    "unevaluatedItems": (True, {}),
    "unevaluatedProperties": (True, {}),
    "uniqueItems": (False,),
}
"""Assertions about arrays and objects that every one of them meets."""


@dataclass(frozen=True, slots=True)
class Kind:
    """The values of one type that are accepted."""

    name: str
    keywords: dict[str, JSON] = field(default_factory=dict)
    values: Values | None = None
    """All of them, if they are listed."""
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

    @property
    def natural_values(self) -> Values | None:
        """All accepted values, listed or because the type has no others."""
        if self.values is None and self.name == "null":
            return {"null": None}
        if self.values is None and self.name == "boolean":
            return {"true": True, "false": False}
        return self.values

    def accepts(self, value: JSON) -> bool | None:
        """Whether a value of this type is accepted; `None` when we cannot tell."""
        if self.values is not None and canonical_text(value) not in self.values:
            return False
        if self.is_integer and not is_whole(value):
            return False
        if not self.keywords:
            return True
        return None if self.name in {"array", "object"} else accepts(self.keywords, value)

    def only(self, values: Collection[JSON], at: Steps) -> "Kind | None":
        """Return the same for none but these values; `None` if it accepts none of them."""
        if self.is_free and self.name not in {"null", "boolean"}:
            kept: Values = dict(zip(canonical_texts(values), values, strict=True))
            return Kind(self.name, values=kept, where=self.where, values_at=at) if kept else None
        verdicts = {canonical_text(value): (value, self.accepts(value)) for value in values}
        kept = {text: value for text, (value, is_ok) in verdicts.items() if is_ok is not False}
        if not kept:
            return None
        is_sure = all(is_ok for _, is_ok in verdicts.values() if is_ok is not False)
        whole = self.name == "null" or (self.name == "boolean" and len(kept) == 2)
        return Kind(
            self.name,
            {} if is_sure else self.keywords,
            None if whole and is_sure else kept,
            where=self.where,
            values_at=at,
        )


FREE = {
    (name, is_integer): Kind(name, is_integer=is_integer)
    for name in KINDS
    for is_integer in (False, True)
}
"""Those of which nothing is said but the type."""

Kinds: TypeAlias = dict[str, Kind]
"""By name; a type that is missing is not accepted at all."""


def plain_kinds(keywords: dict[str, dict[str, JSON]], types: JSON) -> Kinds:
    """Return what a schema accepts by its keywords and its `type`, which is absent when `None`."""
    if isinstance(types, str):  # as it nearly always is
        name = "number" if types == "integer" else types
        only = _plain(name, keywords[name], types == "integer")
        return {} if only is None else {name: only}
    names = types if isinstance(types, list) else [types]
    kinds: Kinds = {}
    for name in KINDS:
        is_integer = types is not None and name == "number" and "number" not in names
        if types is not None and name not in names and not (is_integer and "integer" in names):
            continue
        kind = _plain(name, keywords[name], is_integer)
        if kind is not None:
            kinds[name] = kind
    return kinds


def _plain(name: str, keywords: dict[str, JSON], is_integer: bool) -> Kind | None:
    if not keywords:
        return FREE[name, is_integer]
    if name == "number":
        numbers = plain_numbers(keywords, is_integer)
        return None if numbers is None else Kind(name, numbers[0], is_integer=numbers[1])
    if name == "string":
        plain, is_possible = plain_strings(keywords)
        return Kind(name, plain) if is_possible else None
    return Kind(
        name,
        {keyword: value for keyword, value in keywords.items() if not _is_idle(keyword, value)},
    )


def _is_idle(keyword: str, value: JSON) -> bool:
    if keyword not in IDLE:
        return False
    return any(type(idle) is type(value) and idle == value for idle in IDLE[keyword])


def listed(kinds: Kinds, values: list[JSON], at: Steps) -> Kinds:
    """Return what is left when only listed values are accepted."""
    by_kind: dict[str, list[JSON]] = {}
    if len(set(map(type, values))) == 1:
        by_kind[kind_of(values[0])] = values
    else:
        for value in values:
            by_kind.setdefault(kind_of(value), []).append(value)
    left: Kinds = {}
    for name, kind in kinds.items():
        only = kind.only(by_kind[name], at) if name in by_kind else None
        if only is not None:
            left[name] = only
    return left


def both(one: Kinds, other: Kinds) -> Kinds | None:
    """Return what both accept; `None` if that cannot be told type by type."""
    result: Kinds = {}
    for name in KINDS:
        if name in one and name in other:
            kind = _both(one[name], other[name])
            if kind is None:
                return None
            if kind.values != {}:
                result[name] = kind
    return result


def _both(one: Kind, other: Kind) -> Kind | None:
    if one.is_free:
        return other
    if other.is_free:
        return one
    for lister, checker in ((one, other), (other, one)):
        if lister.values is not None and not lister.keywords:
            verdicts = {text: checker.accepts(value) for text, value in lister.values.items()}
            if None in verdicts.values():
                return None
            kept = {text: lister.values[text] for text, is_ok in verdicts.items() if is_ok}
            return replace(lister, values=kept)
    is_scalar = one.name in {"number", "string"} and one.values is None and other.values is None
    if not is_scalar or not one.keywords.keys().isdisjoint(other.keywords):
        return None
    return _joined(one, other)


def _joined(one: Kind, other: Kind) -> Kind | None:
    kind = _plain(one.name, one.keywords | other.keywords, one.is_integer or other.is_integer)
    empty = Kind(one.name, values={})
    return replace(kind or empty, where=other.where if other.keywords else one.where)


class Union:
    """What one or another of several alternatives accepts, type by type.

    Args:
        is_exclusive: Whether a value that two accept is accepted by neither, so that there must be
            none.
    """

    def __init__(self, *, is_exclusive: bool) -> None:
        self.kinds: Kinds = {}
        self._is_exclusive = is_exclusive
        self._own: dict[str, Values] = {}
        """The values of the kinds that are ours to add to: there may be very many alternatives."""

    def add(self, kinds: Kinds) -> bool:
        """Add an alternative; false if the union cannot be told type by type."""
        for name, kind in kinds.items():
            known = self.kinds.get(name)
            merged = kind if known is None else self._merged(known, kind)
            if merged is None:
                return False
            self.kinds[name] = merged
        return True

    def _merged(self, one: Kind, other: Kind) -> Kind | None:
        mine, theirs = one.natural_values, other.natural_values
        if mine is not None and theirs is not None and not (one.keywords or other.keywords):
            return self._listed(one, other, mine, theirs)
        if self._is_exclusive:
            return None
        if one.is_free or other.is_free:
            return one if one.is_free else other
        same = replace(one, where=other.where, values_at=other.values_at)
        return one if same == other and is_same(same.keywords, other.keywords) else None

    def _listed(self, one: Kind, other: Kind, mine: Values, theirs: Values) -> Kind | None:
        if self._is_exclusive and not mine.keys().isdisjoint(theirs.keys()):
            return None
        union = self._own.get(one.name)
        if union is None or union is not one.values:
            union = self._own[one.name] = dict(mine)
        union |= theirs
        whole = one.name == "null" or (one.name == "boolean" and len(union) == 2)
        return Kind(
            one.name, values=None if whole else union, values_at=one.values_at or other.values_at
        )
