"""What changed inside of constructs that are judged by their text, and is told whatever the sets of
values say: removed and added members, contents, words.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from proxar.contract.change import Change
from proxar.contract.path import Place
from proxar.contract.shape import Shape
from proxar.contract.value import JSON, Missing
from proxar.contract.verdict import Verdict

__all__ = ["Part", "is_elsewhere", "is_told_anyway", "parts", "speaks_of_product"]

REMOVED = frozenset({"parameter-removed", "output-field-removed", "output-optional-field-removed"})
ADDED = frozenset({"parameter-added", "output-field-added"})
CONTENT = frozenset({"content-changed", "output-content-changed"})
PRODUCT = REMOVED | ADDED | CONTENT

SAME_VALUE = re.compile(
    r"(?:/(?:allOf|anyOf|oneOf)/\d+|/then|/else|/dependentSchemas/[^/]*)*/properties/[^/]*"
)
"""The way from a schema to a member of the same object."""


class Part(NamedTuple):
    """Two schemas with one place in a construct."""

    before: JSON
    after: JSON
    place: Place
    beside: tuple[tuple[JSON, JSON], ...] = ()
    """What else of the construct must assert the same for them to be compared."""
    is_item: bool = False
    """Whether they are about items of what the schema around them is about."""


def parts(
    keyword: str, values: tuple[JSON | Missing, JSON | Missing], place: Place
) -> Iterator[Part]:
    """Yield the schemas inside the values of a keyword, each with that of the other side.

    Args:
        place: That of the keyword after.
    """
    old, new = values
    if keyword == "dependentSchemas":
        if isinstance(old, dict) and isinstance(new, dict):
            yield Part(old, new, place)
        return
    if not isinstance(old, dict) or not isinstance(new, dict):
        return
    if keyword in {"if", "then", "else"}:
        for name in ("then", "else"):
            pair = old.get(name, True), new.get(name, True)
            at = Place(place.tool, place.parts[:-1]).at(name)
            yield Part(*pair, at, ((old["if"], new["if"]),))
    elif keyword == "patternProperties":
        yield from _named_parts(old[keyword], new[keyword], place)
    elif keyword == "contains":
        counts = [{name: one[name] for name in one if name != keyword} for one in (old, new)]
        yield Part(old[keyword], new[keyword], place, ((counts[0], counts[1]),), is_item=True)


def _named_parts(before: JSON, after: JSON, place: Place) -> Iterator[Part]:
    if isinstance(before, dict) and isinstance(after, dict) and before.keys() == after.keys():
        for name, schema in before.items():
            yield Part(schema, after[name], place.at(name))


def speaks_of_product(change: Change) -> bool:
    """Whether it is about what is declared, and not about values or words."""
    return change.rule in PRODUCT


def is_told_anyway(change: Change) -> bool:
    """Whether it holds in a part whatever is proved of the whole."""
    return speaks_of_product(change) or change.verdict in {Verdict.ADVISORY, Verdict.COSMETIC}


def is_elsewhere(change: Change, part: Part, owners: tuple[Shape, Shape]) -> bool:
    """Whether a member came to or went from a part, while the schema around it declares it; what
    that means for values is proved, not told.
    """
    owner = owners[1] if change.rule in REMOVED else owners[0] if change.rule in ADDED else None
    if owner is None or not _declares(owner, change.parameter, is_item=part.is_item):
        return False
    way = change.pointer.removeprefix(part.place.pointer)
    return SAME_VALUE.fullmatch(way) is not None


def _declares(owner: Shape, name: str | None, *, is_item: bool) -> bool:
    """Whether a schema declares a member of an object, or of all items of an array."""
    kind = owner.kinds.get("array" if is_item else "object")
    keywords: JSON = {} if kind is None else kind.keywords
    if is_item and isinstance(keywords, dict):
        keywords = keywords.get("items")
    declared = keywords.get("properties") if isinstance(keywords, dict) else None
    return isinstance(declared, dict) and declared.get(name or "", False) is not False
