"""Two schemas that assert the same themselves, and differ in what they say to a reader or in the
schemas inside them.

Most that changed are so. They are compared as they are written: their normal forms, which are the
costly part, would be the same.
"""

from proxar.contract.alike import is_identical
from proxar.contract.keywords import ANNOTATIONS
from proxar.contract.notes import compare_words
from proxar.contract.path import Place
from proxar.contract.value import JSON
from proxar.contract.vocabulary import NUMBER, STRING, is_well_formed
from proxar.contract.walk import Walk

__all__ = ["compare_reworded"]

SILENT = ANNOTATIONS | {"$defs", "$schema", "definitions"}

OF_SCALAR = NUMBER | STRING | {"const", "enum", "format", "type"}

OF_HOLDER = {
    "array": ("items", frozenset({"items", "maxItems", "minItems", "type", "uniqueItems"})),
    "object": (
        "properties",
        frozenset({"additionalProperties", "properties", "required", "type"}),
    ),
}
"""Type to the keyword that holds schemas, and to all that do not change what those are held
against.
"""


def compare_reworded(walk: Walk, before: JSON, after: JSON, place: Place) -> bool:
    """Compare two schemas if what they assert themselves is plainly the same; else false."""
    if not walk.is_told_by_text or not isinstance(before, dict) or not isinstance(after, dict):
        return False
    names = before.keys() - SILENT
    if names != after.keys() - SILENT:
        return False
    name = before.get("type")
    keyword, known = OF_HOLDER.get(name if isinstance(name, str) else "", ("", OF_SCALAR))
    if not names <= known:
        return False
    if any(not is_identical(before[name], after[name]) for name in names if name != keyword):
        return False
    if keyword in names:
        if not all(is_well_formed(name, before[name]) for name in names):
            return False
        return _compare_holders(walk, before, after, keyword, place)
    compare_words(walk, before, after, place)
    return True


def _compare_holders(
    walk: Walk, before: dict[str, JSON], after: dict[str, JSON], keyword: str, place: Place
) -> bool:
    old, new = before[keyword], after[keyword]
    at = place.at(keyword)
    if isinstance(old, dict) and isinstance(new, dict) and keyword == "properties":
        if old.keys() != new.keys() or not is_well_formed(keyword, new):
            return False
        compare_words(walk, before, after, place)
        for name, schema in old.items():
            if not is_identical(schema, new[name]):
                walk.compare(schema, new[name], at.at(name))
        return True
    if isinstance(old, list) or not is_well_formed(keyword, new) or isinstance(new, list):
        return False
    compare_words(walk, before, after, place)
    walk.compare(old, new, at)
    return True
