"""Tools under a new name: name, description and parameters, weighed."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Final, NamedTuple

from proxar.contract.document import Document
from proxar.contract.likeness import SAME_NAME, Name, Rarity, asserted, text_likeness, words
from proxar.contract.matching import Limits, match
from proxar.contract.members import members, types
from proxar.contract.toollist import Tool, ToolList
from proxar.contract.value import JSON

__all__ = ["by_name", "find_tool_renames", "parameters_of"]

NAME, TEXT, SCHEMA = 0.35, 0.30, 0.35

NO_PARAMETERS: Final = 0.10
"""What the schema counts when neither tool has a parameter: that is alike, and tells little."""

SAME_TYPE: Final = 0.5
"""What a parameter of the same name and type counts whose schema differs."""

OTHER_TYPE: Final = 0.2

MAX_PARAMETERS: Final = 64
"""Parameters of one tool that are looked at."""


def parameters_of(tool: Tool) -> dict[str, JSON]:
    """Return the first parameters that a tool declares."""
    fields = tool.definition if isinstance(tool.definition, dict) else {}
    document = Document(fields.get("inputSchema"))
    return _first(members(document, document.root).properties)


def _first(declared: dict[str, JSON]) -> dict[str, JSON]:
    if len(declared) <= MAX_PARAMETERS:
        return declared
    return dict(islice(declared.items(), MAX_PARAMETERS))


class _ToolProfile:
    """What is compared of a tool; made once, since each tool is compared with many."""

    def __init__(self, tool: Tool) -> None:
        fields = tool.definition if isinstance(tool.definition, dict) else {}
        self.tool = tool
        self.name = Name(tool.name)
        self.words = words(fields.get("description"))
        self.document = Document(fields.get("inputSchema"))
        self.parameters = _first(members(self.document, self.document.root).properties)

    @cached_property
    def types(self) -> dict[str, frozenset[str]]:
        """The types of its parameters."""
        return {name: types(self.document, schema) for name, schema in self.parameters.items()}

    @cached_property
    def texts(self) -> dict[str, str]:
        """What the schemas of its parameters assert."""
        return {name: asserted(schema) for name, schema in self.parameters.items()}


def by_name(tool_list: ToolList) -> dict[str, Tool]:
    """Return the first tool of each name."""
    found: dict[str, Tool] = {}
    for tool in tool_list.tools:
        if tool.is_named:
            found.setdefault(tool.name, tool)
    return found


def find_tool_renames(
    gone: Sequence[Tool],
    old: Mapping[str, Tool],
    new: Mapping[str, Tool],
    taken: frozenset[str],
    limits: Limits,
) -> dict[str, tuple[str, float]]:
    """Return the new names of tools that are gone, each with its score.

    Args:
        taken: Names that stand for something else already.
    """
    added = [tool for name, tool in new.items() if name not in old and name not in taken]
    if not gone or not added:
        return {}
    comparison = _Comparison(old, new, limits.threshold)
    before, after = list(map(_ToolProfile, gone)), list(map(_ToolProfile, added))
    found = match(
        before,
        after,
        comparison.score,
        lambda profile: profile.name.key,
        limits,
    )
    return {
        before[pair.old].tool.name: (after[pair.new].tool.name, round(pair.score, 2))
        for pair in found
    }


class _Comparison:
    """What two lists of tools have in common, so that it tells nothing about two tools."""

    def __init__(self, old: Mapping[str, Tool], new: Mapping[str, Tool], least: float) -> None:
        self._sides = old, new
        self._weight_of: dict[str, float] = {}
        self._least = least

    @cached_property
    def _names(self) -> Rarity:
        return Rarity([Name(name).token_set for side in self._sides for name in side])

    @cached_property
    def _rarity(self) -> Rarity:
        return Rarity([_declared(tool) for side in self._sides for tool in side.values()])

    def score(self, one: _ToolProfile, other: _ToolProfile) -> float:
        """Return how alike two tools are; 0 as soon as it is plain that they are not enough."""
        if one.name.key == other.name.key:
            return SAME_NAME
        if one.name.is_opposite(other.name):
            return 0.0
        text = TEXT * text_likeness(one.words, other.words)
        if not one.parameters and not other.parameters:
            shared, most, whole = None, text + NO_PARAMETERS, NAME + TEXT + NO_PARAMETERS
        else:
            shared = self._shared(one, other)
            most, whole = text + SCHEMA * shared.most, 1.0
        least = self._least * whole
        if most + NAME < least:
            return 0.0  # no name can help
        name = NAME * self._names.likeness(one.name, other.name)
        if shared is None or most + name < least:
            return (most + name) / whole
        return text + SCHEMA * shared.likeness(one, other) + name

    def _shared(self, one: _ToolProfile, other: _ToolProfile) -> "_Shared":
        names = sorted(one.parameters.keys() & other.parameters.keys())
        if not names:
            return NOTHING_SHARED
        weights = {name: self._rarity.weight(name, 2) for name in names}
        common = sum(weights.values())
        own = sum([self._rarity.weight(name, 1) for name in names])
        smaller, larger = sorted(
            common + max(self._weight(each) - own, 0.0) for each in (one, other)
        )
        return _Shared(weights, common, smaller, larger)

    def _weight(self, profile: _ToolProfile) -> float:
        """The weight of the parameters of a tool, as if no other had them."""
        if profile.tool.name not in self._weight_of:
            weights = [self._rarity.weight(name, 1) for name in profile.parameters]
            self._weight_of[profile.tool.name] = sum(weights)
        return self._weight_of[profile.tool.name]


class _Shared(NamedTuple):
    """The parameters that two tools both have, by weight, and the weight of all of each tool."""

    weights: dict[str, float]
    common: float
    smaller: float
    larger: float

    @property
    def most(self) -> float:
        """How alike the parameters are at most: if their schemas are."""
        return self._part(self.common)

    def likeness(self, one: _ToolProfile, other: _ToolProfile) -> float:
        """How much of the parameters both have: as a part of all, and of the smaller."""
        alike = sum(weight * _grade(name, one, other) for name, weight in self.weights.items())
        return self._part(alike)

    def _part(self, alike: float) -> float:
        return (alike / (self.smaller + self.larger - self.common) + alike / self.smaller) / 2


NOTHING_SHARED = _Shared({}, 0.0, 1.0, 1.0)


def _grade(name: str, one: _ToolProfile, other: _ToolProfile) -> float:
    if one.texts[name] == other.texts[name]:
        return 1.0
    return SAME_TYPE if one.types[name] == other.types[name] else OTHER_TYPE


def _declared(tool: Tool) -> list[str]:
    """The parameters that a tool declares itself; a look at all tools must be quick."""
    schema = tool.definition.get("inputSchema") if isinstance(tool.definition, dict) else None
    properties = schema.get("properties") if isinstance(schema, dict) else None
    return list(properties)[:MAX_PARAMETERS] if isinstance(properties, dict) else []
