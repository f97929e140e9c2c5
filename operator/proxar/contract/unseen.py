"""Texts that the walk passes by, and a model reads: those of definitions whose referrers speak for
themselves, and of schemas that are compared as a whole, or by what they assert only.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from proxar.contract.canonical import canonical_text
from proxar.contract.keywords import ANNOTATIONS, MEMBER_ROLES, OF_SCHEMAS, Role
from proxar.contract.notes import compare_words
from proxar.contract.path import Place
from proxar.contract.value import JSON, MISSING
from proxar.contract.walk import Walk

__all__ = ["compare_unseen_texts"]

LISTS = ("allOf", "anyOf", "oneOf")


class _Pair(NamedTuple):
    """A schema of both documents that stands in one place."""

    before: dict[str, JSON]
    after: dict[str, JSON]
    place: Place


def compare_unseen_texts(walk: Walk, before: JSON, after: JSON, place: Place) -> None:
    """Report texts that differ in a place that both documents have, unless they were told: a text
    is told if any change has it, and is no news if it is somewhere else in the other document.
    """
    pairs: list[_Pair] = []
    _collect(before, after, place, Role.SCHEMA, pairs)
    news = _News(walk, before, after)
    for pair in pairs:
        said = (pair.before.keys() | pair.after.keys()) & ANNOTATIONS
        names = [name for name in said if news.has(name, pair)]
        if names:
            old, new = (
                {name: side[name] for name in names if name in side}
                for side in (pair.before, pair.after)
            )
            compare_words(walk, old, new, pair.place)


class _News:
    """What nobody told."""

    def __init__(self, walk: Walk, before: JSON, after: JSON) -> None:
        self._walk = walk
        self._roots = before, after

    def has(self, name: str, pair: _Pair) -> bool:
        """Whether a text came or went, and no change has it."""
        if pair.before.get(name, MISSING) == pair.after.get(name, MISSING):
            return False
        old, new = (
            canonical_text(side[name]) if name in side else None
            for side in (pair.before, pair.after)
        )
        untold = [
            (text, side)
            for text, side in ((old, 1), (new, 0))
            if text is not None and text not in self._told
        ]
        return any(text not in self._said[side] for text, side in untold)

    @cached_property
    def _told(self) -> frozenset[str]:
        changes = self._walk.found
        values = [value for change in changes for value in (change.before, change.after)]
        return frozenset(canonical_text(value) for value in values if value is not MISSING)

    @cached_property
    def _said(self) -> tuple[frozenset[str], frozenset[str]]:
        before, after = (frozenset(_texts(root)) for root in self._roots)
        return before, after


def _texts(root: JSON) -> Iterator[str]:
    """Yield every text of a document."""
    stack = [(root, Role.SCHEMA)]
    while stack:
        value, role = stack.pop()
        if isinstance(value, list) and role is Role.SCHEMA:
            stack.extend((item, role) for item in value)
        elif isinstance(value, dict):
            known, rest = MEMBER_ROLES[role]
            for name, member in value.items():
                inner = known.get(name, rest)
                if role in OF_SCHEMAS and name in ANNOTATIONS:
                    yield canonical_text(member)
                elif inner is not Role.DATA:
                    stack.append((member, inner))


def _collect(one: JSON, other: JSON, place: Place, role: Role, found: list[_Pair]) -> bool:
    """Collect the schemas that say something else, as far as they correspond, and return whether
    they differ in nothing but that: only then an alternative is the same one.
    """
    if isinstance(one, list) and isinstance(other, list) and role is Role.SCHEMA:
        if len(one) != len(other):
            return False
        is_alike = True
        for index, (mine, theirs) in enumerate(zip(one, other, strict=True)):
            inside: list[_Pair] = []
            if mine == theirs or _collect(mine, theirs, place.at(index), role, inside):
                found += inside
            else:
                is_alike = False
        return is_alike
    if not isinstance(one, dict) or not isinstance(other, dict) or role is Role.DATA:
        return False
    is_schema = role in OF_SCHEMAS
    if is_schema and _correspond(one, other):
        found.append(_Pair(one, other, place))
    known, rest = MEMBER_ROLES[role]
    names = one.keys() & other.keys() - (ANNOTATIONS if is_schema else frozenset())
    is_alike = (one.keys() ^ other.keys()) <= (ANNOTATIONS if is_schema else frozenset())
    for name in names:
        if one[name] != other[name]:
            inner = known.get(name, rest)
            is_alike &= _collect(one[name], other[name], place.at(name), inner, found)
    return is_alike


def _correspond(one: dict[str, JSON], other: dict[str, JSON]) -> bool:
    """Whether no text can have moved between a schema and those that apply in its place."""
    return one.get("$ref") == other.get("$ref") and all(
        (name in one) == (name in other) for name in LISTS
    )
