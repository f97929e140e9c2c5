"""What changed inside of constructs that are judged by their text, and is told whatever the sets of
values say: removed and added members, contents, words.
"""

import re

from proxar.contract.change import Change
from proxar.contract.path import Place
from proxar.contract.shape import Shape
from proxar.contract.verdict import Verdict

__all__ = ["is_elsewhere", "is_told_anyway", "speaks_of_product"]

REMOVED = frozenset({"parameter-removed", "output-field-removed", "output-optional-field-removed"})
ADDED = frozenset({"parameter-added", "output-field-added"})
CONTENT = frozenset({"content-changed", "output-content-changed"})
PRODUCT = REMOVED | ADDED | CONTENT

SAME_VALUE = re.compile(
    r"(?:/(?:allOf|anyOf|oneOf)/\d+|/then|/else|/dependentSchemas/[^/]*)*/properties/[^/]*"
)
"""The way from a schema to a member of the same object."""


def speaks_of_product(change: Change) -> bool:
    """Whether it is about what is declared, and not about values or words."""
    return change.rule in PRODUCT


def is_told_anyway(change: Change) -> bool:
    """Whether it holds in a part whatever is proved of the whole."""
    return speaks_of_product(change) or change.verdict in {Verdict.ADVISORY, Verdict.COSMETIC}


def is_elsewhere(change: Change, place: Place, owners: tuple[Shape, Shape]) -> bool:
    """Whether a member came to or went from a part at `place`, while the schema around it declares
    it; what that means for values is proved, not told.
    """
    owner = owners[1] if change.rule in REMOVED else owners[0] if change.rule in ADDED else None
    if owner is None or change.parameter is None or "object" not in owner.kinds:
        return False
    declared = owner.kinds["object"].keywords.get("properties")
    if not isinstance(declared, dict) or change.parameter not in declared:
        return False
    way = change.pointer.removeprefix(place.pointer)
    return SAME_VALUE.fullmatch(way) is not None
