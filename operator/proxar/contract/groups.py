"""The same change in many tools, told once: a generator that is upgraded closes sixty objects at a
time.

A group is a way to show changes. The list of changes stays whole: each keeps its own path, verdict
and fingerprint, and carries the name of its group.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TypeAlias, TypeVar

from proxar.contract.canonical import canonical, canonical_text
from proxar.contract.change import Change
from proxar.contract.path import Place
from proxar.contract.value import JSON, MISSING, Missing
from proxar.contract.verdict import Verdict

__all__ = ["Group", "grouped", "mark_groups"]

Like: TypeAlias = tuple[str, str, str | None]
Value: TypeAlias = tuple[str] | str | None
Same: TypeAlias = tuple[Like, Value, Value]

Key = TypeVar("Key", bound=Hashable)

EVERY_TOOL = "*"
"""What a group's path has in the place of the tool."""


@dataclass(frozen=True, slots=True)
class Group:
    """One finding: a change that several tools share, or a single one."""

    id: str | None
    """As `group` of its changes; `None` for a change that is alone."""
    rule: str
    verdict: Verdict
    """The worst: a rule of one server may have overridden it for some of the tools."""
    path: str
    """`*.inputSchema.additionalProperties`; the whole path of a change that is alone."""
    tools: tuple[str, ...]
    """In the order of the changes, each once."""
    changes: tuple[Change, ...]

    @property
    def count(self) -> int:
        """How many tools have it."""
        return len(self.tools)


def mark_groups(changes: Sequence[Change]) -> tuple[Change, ...]:
    """Return the changes in their order, those that two or more tools share with their `group`."""
    return tuple(
        change.in_group(identity) if identity else change
        for change, identity in zip(changes, _identities(changes), strict=True)
    )


def grouped(changes: Sequence[Change]) -> list[Group]:
    """Return one finding for each group and each other change, where its first one stands."""
    members: dict[str | int, list[Change]] = {}
    for index, (change, identity) in enumerate(zip(changes, _identities(changes), strict=True)):
        members.setdefault(identity or index, []).append(change)
    return [_group(key if isinstance(key, str) else None, found) for key, found in members.items()]


def _group(identity: str | None, changes: list[Change]) -> Group:
    first = changes[0]
    return Group(
        id=identity,
        rule=first.rule,
        verdict=Verdict.worst(change.verdict for change in changes),
        path=first.path if identity is None else f"{EVERY_TOOL}{_path_inside(first)}",
        tools=tuple(dict.fromkeys(change.tool for change in changes)),
        changes=tuple(changes),
    )


def _identities(changes: Sequence[Change]) -> list[str | None]:
    """The identity of each change that several tools have; `None` for the others."""
    likes = _likes(changes)
    tools = _tools_of(changes, likes)
    same = [
        (like, _value(change.before), _value(change.after)) if len(tools[like]) > 1 else None
        for change, like in zip(changes, likes, strict=True)
    ]
    shared = {key for key, names in _tools_of(changes, same).items() if key and len(names) > 1}
    identities: dict[Same | None, str] = {}
    for change, key in zip(changes, same, strict=True):
        if key and key in shared and key not in identities:
            identities[key] = _identity(change, key[0])
    return [identities.get(key) for key in same]


def _tools_of(changes: Sequence[Change], keys: Sequence[Key]) -> dict[Key, set[str]]:
    """The tools of the changes that have a key in common."""
    tools: dict[Key, set[str]] = {}
    for change, key in zip(changes, keys, strict=True):
        tools.setdefault(key, set()).add(change.tool)
    return tools


def _likes(changes: Sequence[Change]) -> list[Like]:
    """What each change has in common with those that may be the same, but for their values.

    A tool that comes or goes is like no other: each is a finding of its own.
    """
    roots = {tool: Place(tool).path for tool in {change.tool for change in changes}}
    return [
        (change.rule, change.path.removeprefix(roots[change.tool]) or change.tool, change.parameter)
        for change in changes
    ]


def _value(value: JSON | Missing) -> Value:
    """What two values have in common if they are the same; quick for texts, as most are."""
    if isinstance(value, str):
        return (value,)  # unlike the text of any other value
    return None if value is MISSING else canonical_text(value)


def _identity(change: Change, like: Like) -> str:
    """Twelve hexadecimal digits of what two changes must have in common, the same in every run."""
    values: list[JSON] = [
        [] if value is MISSING else [value] for value in (change.before, change.after)
    ]
    identity: list[JSON] = [*like, *values]
    return sha256(canonical(identity)).hexdigest()[:12]


def _path_inside(change: Change) -> str:
    """The path without the tool, `.inputSchema.required`."""
    return change.path.removeprefix(Place(change.tool).path)
