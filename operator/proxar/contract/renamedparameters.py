"""Parameters under a new name: those of an object that are gone, against those that are new in it.

Nested objects too; a place is found by the pointer of the change, which passes through references
unseen. The same rename in several tools is one decision of the server's authors, so the clearest
case tells about all.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from proxar.contract.change import Change
from proxar.contract.document import Document
from proxar.contract.likeness import SAME_NAME, Name, Rarity, asserted, text_likeness, words
from proxar.contract.matching import Limits, match
from proxar.contract.members import Members, at_pointer, members, parts_of, types
from proxar.contract.toollist import Tool
from proxar.contract.value import JSON, MISSING

__all__ = ["find_parameter_renames", "is_removed_parameter"]

NAME, TEXT, SCHEMA, REQUIRED = 0.35, 0.30, 0.25, 0.10

ALONE: Final = 0.10
"""For a pair that no other removed or added parameter of the object fits by schema, if the
descriptions have something in common, too.
"""

SAME_SINGULAR: Final = 0.80
"""The score of names that differ in a plural only, `file_path` and `file_paths`, whatever else
differs.
"""

POSSIBLE: Final = 0.35
"""The score from which a case of the same rename in several tools counts for all of them."""

SAME_TYPE: Final = 0.6
OTHER_TYPE: Final = 0.1

REMOVED: Final = frozenset(
    {"parameter-removed", "output-field-removed", "output-optional-field-removed"}
)


def is_removed_parameter(change: Change) -> bool:
    """Whether the change is about one parameter or field that is no longer declared."""
    return change.rule in REMOVED and change.parameter is not None


@dataclass(frozen=True)
class _Parameter:
    """What is compared of a parameter."""

    label: str
    schema: JSON
    document: Document
    is_required: bool

    @cached_property
    def name(self) -> Name:
        return Name(self.label)

    @cached_property
    def words(self) -> frozenset[str]:
        return words(self.schema.get("description") if isinstance(self.schema, dict) else None)

    @cached_property
    def text(self) -> str:
        return asserted(self.schema)

    @cached_property
    def types(self) -> frozenset[str]:
        return types(self.document, self.schema)


@dataclass(frozen=True, slots=True)
class _Candidate:
    change: int
    """The position of the change."""
    old: str
    new: str
    score: float


def find_parameter_renames(
    old: Mapping[str, Tool],
    new: Mapping[str, Tool],
    changes: Sequence[Change],
    limits: Limits,
) -> dict[int, tuple[str, float]]:
    """Return the new name and the score for the positions of changes that tell of a removed
    parameter.
    """
    by_object: dict[tuple[str, str], dict[str, int]] = {}
    for index, change in enumerate(changes):
        if is_removed_parameter(change) and change.parameter is not None:
            place = change.tool, change.pointer.rpartition("/properties/")[0]
            by_object.setdefault(place, {})[change.parameter] = index
    documents: dict[tuple[str, str], tuple[Document, Document]] = {}
    found: list[_Candidate] = []
    inner = replace(limits, threshold=min(limits.threshold, POSSIBLE))
    for (tool, pointer), removed in by_object.items():
        side, *parts = parts_of(pointer) or [""]
        if tool not in old or tool not in new:
            continue
        if (tool, side) not in documents:
            documents[tool, side] = _document(old[tool], side), _document(new[tool], side)
        found += _candidates(documents[tool, side], parts, removed, inner)
    best: dict[tuple[str, str], float] = {}
    for each in found:
        best[each.old, each.new] = max(each.score, best.get((each.old, each.new), 0.0))
    return {
        each.change: (each.new, round(best[each.old, each.new], 2))
        for each in found
        if best[each.old, each.new] >= limits.threshold
    }


def _document(tool: Tool, side: str) -> Document:
    return Document(tool.definition.get(side) if isinstance(tool.definition, dict) else None)


def _candidates(
    documents: tuple[Document, Document],
    parts: list[str],
    removed: Mapping[str, int],
    limits: Limits,
) -> Iterator[_Candidate]:
    """Yield the best pairs of one object."""
    old, new = (_members(document, parts) for document in documents)
    gone = [
        _Parameter(name, old.properties[name], documents[0], name in old.required)
        for name in removed
        if name in old.properties and name not in new.properties
    ]
    added = [
        _Parameter(name, schema, documents[1], name in new.required)
        for name, schema in new.properties.items()
        if name not in old.properties
    ]
    if not gone or not added:
        return
    declared = (*old.properties, *new.properties)
    comparison = _Comparison(declared, gone, added, limits.threshold)
    for pair in match(
        gone,
        added,
        comparison.score,
        lambda parameter: parameter.name.key,
        limits,
    ):
        label = gone[pair.old].label
        yield _Candidate(removed[label], label, added[pair.new].label, pair.score)


def _members(document: Document, parts: list[str]) -> Members:
    schema = at_pointer(document, parts)
    return Members({}, frozenset()) if schema is MISSING else members(document, schema)


class _Comparison:
    """The parameters of one object, before and after."""

    def __init__(
        self, declared: Iterable[str], gone: list[_Parameter], added: list[_Parameter], least: float
    ) -> None:
        self._declared = declared
        self._gone = gone
        self._added = added
        self._least = least

    @cached_property
    def _rarity(self) -> Rarity:
        return Rarity([Name(name).token_set for name in self._declared])

    @cached_property
    def _counts(self) -> Counter[tuple[bool, str]]:
        """How many there are of each schema, on both sides."""
        sides = (False, self._gone), (True, self._added)
        return Counter((is_new, each.text) for is_new, side in sides for each in side)

    def score(self, one: _Parameter, other: _Parameter) -> float:
        if one.name.key == other.name.key:
            return SAME_NAME
        if one.name.tokens and one.name.singular == other.name.singular:
            return SAME_SINGULAR
        if one.name.is_opposite(other.name):
            return 0.0
        text = text_likeness(one.words, other.words)
        rest = (
            TEXT * text
            + SCHEMA * _schema_likeness(one, other)
            + REQUIRED * (one.is_required == other.is_required)
        )
        if one.words and text and one.text == other.text and self._is_alone(one.text):
            rest += ALONE
        if rest + NAME < self._least:
            return 0.0  # no name can help: the costly part is left out
        return min(rest + NAME * self._rarity.likeness(one.name, other.name), SAME_NAME)

    def _is_alone(self, text: str) -> bool:
        return self._counts[False, text] == self._counts[True, text] == 1


def _schema_likeness(one: _Parameter, other: _Parameter) -> float:
    if one.text == other.text:
        return 1.0
    return SAME_TYPE if one.types == other.types else OTHER_TYPE
