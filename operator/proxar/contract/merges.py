"""Several tools that became one: the new tool takes as a listed value of a parameter what its
forerunners did.

`get_comments`, `get_labels` and `get_assignees` may have become `read_thing` with `what: comments |
labels | assignees`. A tool is a forerunner when its name is told by the new name and one of the
listed values. One forerunner alone is a rename or an accident, so there must be several. A tool
that was there before counts when its parameter is new, or when a value tells the forerunner's name
without help: servers ship the merged tool a release before they drop the others.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Final, NamedTuple

from proxar.contract.likeness import COMMON_WORDS, SAME_NAME, Name
from proxar.contract.renamedtools import parameters_of
from proxar.contract.toollist import Tool
from proxar.contract.value import JSON

__all__ = ["Merge", "find_merges"]

LEAST_FORERUNNERS: Final = 2
LEAST_COVER: Final = 0.75
"""The share of a forerunner's name that the new name and a listed value tell."""

LITERAL: Final = 0.2
"""What a cover owes to the words themselves, and not to others that mean the same."""

FROM_SEVERAL_VALUES: Final = 0.9
"""What a cover counts that needs several of the listed values."""

MAX_SELECTORS: Final = 100
"""Parameters with listed values that are looked at, in all tools."""

MAX_VALUES: Final = 64
MAX_LOOKS: Final = 3_000
"""Parameters whose values are looked for."""

MAX_STEPS: Final = 100_000
"""Comparisons of a name that is gone with a listed value."""

VERBS: Final[dict[str, str]] = {
    **dict.fromkeys(("fetch", "get", "list", "read", "retrieve", "show", "view"), "read"),
    **dict.fromkeys(("edit", "modify", "set", "update"), "update"),
    **dict.fromkeys(("add", "create", "new"), "create"),
    **dict.fromkeys(("delete", "destroy", "remove"), "delete"),
}
"""Verbs that servers use for the same; the new name often has another one than the old."""

GENERIC: Final = frozenset({*VERBS.values(), "manage", "write"})

LISTED_LINE: Final = re.compile(
    r"""^[ \t]*(?:\d{1,2}[.)]|[-*\u2022])[ \t]+['"`]?([A-Za-z][\w-]{0,60})['"`]?[ \t]*[-:\u2013]""",
    re.MULTILINE,
)
"""A value in a description that lists what a parameter takes, `- 'add': add a label`."""

LONGEST_TEXT: Final = 2_000


class Merge(NamedTuple):
    """What a tool became."""

    target: str
    parameter: str
    value: str | None
    """The listed value that stands for the tool; `None` when several do together."""
    score: float
    excess: int
    """Words of the value that the tool's name does not have."""


class _Words(NamedTuple):
    """The words of a name, as they are and with one verb for all that mean the same."""

    literal: frozenset[str]
    alike: frozenset[str]

    @classmethod
    def of(cls, name: str) -> "_Words":
        """Return the words of one name."""
        literal = frozenset(Name(name).singular) - COMMON_WORDS
        return cls(literal, frozenset([VERBS.get(word, word) for word in literal]))

    @classmethod
    def union(cls, parts: Collection["_Words"]) -> "_Words":
        """Return the words of several names."""
        literal = frozenset(chain.from_iterable([each.literal for each in parts]))
        return cls(literal, frozenset(chain.from_iterable([each.alike for each in parts])))

    def cover(self, *telling: "_Words") -> float:
        """The share of the words that are told, by a word that means the same or by itself."""
        told = _Words.union(telling)
        meant = len(self.alike & told.alike) / len(self.alike)
        literal = len(self.literal & told.literal) / len(self.literal)
        return (1 - LITERAL) * meant + LITERAL * literal


class _Selector(NamedTuple):
    """A parameter with listed values."""

    target: str
    parameter: str
    name: _Words
    values: dict[str, _Words]
    """Those that have a word of a tool that is gone."""
    all_values: _Words
    is_new: bool


def find_merges(
    gone: Sequence[Tool], old: Mapping[str, Tool], new: Mapping[str, Tool]
) -> dict[str, Merge]:
    """Return what each tool that is gone was merged into, if it was."""
    if len(gone) < LEAST_FORERUNNERS:
        return {}
    names = {tool.name: _Words.of(tool.name) for tool in gone}
    selectors = list(_selectors(old, new, _Words.union(names.values()).alike))
    values = sum(len(each.values) for each in selectors)
    candidates: dict[str, list[Merge]] = {}
    for name, words in islice(names.items(), MAX_STEPS // max(values, 1)):
        merges = [merge for each in selectors if (merge := _merge(words, each))]
        if merges:
            candidates[name] = sorted(merges, key=lambda merge: (-merge.score, merge.excess))
    while candidates:
        count = Counter(merges[0].target for merges in candidates.values())
        lonely = {target for target in count if count[target] < LEAST_FORERUNNERS}
        if not lonely:
            break
        candidates = {
            name: rest
            for name, merges in candidates.items()
            if (rest := [merge for merge in merges if merge.target not in lonely])
        }
    return {name: merges[0] for name, merges in candidates.items()}


def _selectors(
    old: Mapping[str, Tool], new: Mapping[str, Tool], gone: frozenset[str]
) -> Iterator[_Selector]:
    """Yield those of the first parameters with listed values, those of new tools first, that have
    to do with words of tools that are gone.
    """
    looked_at = found = 0
    for name in sorted(new, key=lambda name: name in old):
        words = _Words.of(name)
        is_told = not (words.alike & gone) <= GENERIC
        before: dict[str, JSON] | None = None
        for parameter, schema in parameters_of(new[name]).items():
            looked_at += 1
            listed = _listed(schema)
            if len(listed) < LEAST_FORERUNNERS:
                continue
            found += 1
            values = {value: _Words.of(value) for value in listed}
            telling = {value: each for value, each in values.items() if each.alike & gone}
            if telling or is_told:
                if before is None:
                    before = parameters_of(old[name]) if name in old else {}
                all_values = _Words.union(values.values())
                is_new = parameter not in before
                yield _Selector(name, parameter, words, telling, all_values, is_new)
            if found == MAX_SELECTORS:
                return
        if looked_at > MAX_LOOKS:
            return


def _listed(schema: JSON) -> list[str]:
    """The strings that a schema lists: as `enum`, as constants of alternatives, or in its
    description.
    """
    if not isinstance(schema, dict):
        return []
    listed = schema.get("enum")
    branches = schema.get("oneOf", schema.get("anyOf"))
    if not isinstance(listed, list) and isinstance(branches, list):
        listed = [branch.get("const") for branch in branches if isinstance(branch, dict)]
    text = schema.get("description")
    if not isinstance(listed, list) and schema.get("type") == "string" and isinstance(text, str):
        listed = list(LISTED_LINE.findall(text[:LONGEST_TEXT]))
    values = listed[:MAX_VALUES] if isinstance(listed, list) else []
    return [value for value in values if isinstance(value, str)]


def _merge(words: _Words, selector: _Selector) -> Merge | None:
    """How well the name of a tool that is gone is told by a tool and one of its values."""
    if not words.literal:
        return None
    is_named = selector.is_new and bool((words.alike & selector.name.alike) - GENERIC)
    found: list[tuple[float, int, str | None]] = []
    for value, telling in selector.values.items():
        is_whole = len(words.literal) > 1 and telling.alike >= words.alike
        if is_whole or (is_named and telling.alike & words.alike):
            excess = len(telling.literal - words.literal)
            found.append((words.cover(telling, selector.name), -excess, value))
    if is_named and words.literal & selector.all_values.literal - selector.name.literal:
        cover = words.cover(selector.all_values, selector.name)
        found.append((cover * FROM_SEVERAL_VALUES, 0, None))
    if not found:
        return None
    cover, excess, best = max(found, key=lambda each: each[:2])
    if cover < LEAST_COVER:
        return None
    score = round(cover * SAME_NAME, 2)
    return Merge(selector.target, selector.parameter, best, score, -excess)
