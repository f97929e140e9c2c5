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
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from proxar.contract.likeness import COMMON_WORDS, SAME_NAME, Name
from proxar.contract.renamedtools import ToolProfile
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
MAX_FORERUNNERS: Final = 500

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

LONGEST_TEXT: Final = 4_000


class Merge(NamedTuple):
    """What a tool became."""

    target: str
    parameter: str
    value: str | None
    """The listed value that stands for the tool; `None` when several do together."""
    score: float
    excess: int
    """Words of the value that the tool's name does not have."""


class _Selector(NamedTuple):
    """A parameter with listed values."""

    target: str
    parameter: str
    name: frozenset[str]
    values: dict[str, frozenset[str]]
    all_values: frozenset[str]
    is_new: bool


def find_merges(
    gone: Sequence[Tool], old: Mapping[str, Tool], new: Mapping[str, Tool]
) -> dict[str, Merge]:
    """Return what each tool that is gone was merged into, if it was."""
    if len(gone) < LEAST_FORERUNNERS:
        return {}
    selectors = list(_selectors(old, new))
    candidates = {
        tool.name: sorted(merges, key=lambda merge: (-merge.score, merge.excess))
        for tool in gone[:MAX_FORERUNNERS]
        if (merges := [merge for each in selectors if (merge := _merge(tool.name, each))])
    }
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


def _selectors(old: Mapping[str, Tool], new: Mapping[str, Tool]) -> Iterator[_Selector]:
    """Yield the parameters with listed values, those of new tools first."""
    found = 0
    for name in sorted(new, key=lambda name: name in old):
        known, profile = old.get(name), ToolProfile(new[name])
        before = {} if known is None else ToolProfile(known).parameters
        for parameter, schema in profile.parameters.items():
            values = _listed(schema)
            if len(values) < LEAST_FORERUNNERS:
                continue
            by_value = {value: _words(value) for value in values}
            everything = frozenset[str]().union(*by_value.values())
            is_new = parameter not in before
            yield _Selector(name, parameter, _words(name), by_value, everything, is_new)
            found += 1
            if found == MAX_SELECTORS:
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


def _words(name: str) -> frozenset[str]:
    return frozenset(Name(name).singular) - COMMON_WORDS


def _alike(words: frozenset[str]) -> frozenset[str]:
    """The words with one verb for all that mean the same."""
    return frozenset(VERBS.get(word, word) for word in words)


def _cover(words: frozenset[str], telling: frozenset[str]) -> float:
    """The share of the words that are told, by a word that means the same or rather by the word
    itself.
    """
    meant = len(_alike(words) & _alike(telling)) / len(_alike(words))
    return (1 - LITERAL) * meant + LITERAL * len(words & telling) / len(words)


def _merge(name: str, selector: _Selector) -> Merge | None:
    """How well a name is told by the tool and one of its values."""
    words = _words(name)
    if not words:
        return None
    is_named = selector.is_new and bool(_alike(words & selector.name) - GENERIC)
    found: list[tuple[float, int, str | None]] = []
    for value, telling in selector.values.items():
        excess = len(telling - words)
        if (len(words) > 1 and _alike(telling) >= _alike(words)) or (
            is_named and _alike(telling) & _alike(words)
        ):
            found.append((_cover(words, telling | selector.name), -excess, value))
    everything = selector.all_values - selector.name
    if is_named and words & everything:
        cover = _cover(words, everything | selector.name)
        found.append((cover * FROM_SEVERAL_VALUES, 0, None))
    if not found:
        return None
    cover, excess, best = max(found, key=lambda each: each[:2])
    if cover < LEAST_COVER:
        return None
    score = round(cover * SAME_NAME, 2)
    return Merge(selector.target, selector.parameter, best, score, -excess)
