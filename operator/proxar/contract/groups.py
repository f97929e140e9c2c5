"""The same change in many tools, told once: a generator that is upgraded closes sixty objects at a
time.

A group is a way to show changes. The list of changes stays whole: each keeps its own path, verdict
and fingerprint, and carries the name of its group.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from proxar.contract.canonical import canonical
from proxar.contract.change import Change
from proxar.contract.path import Place
from proxar.contract.value import JSON, MISSING
from proxar.contract.verdict import Verdict

__all__ = ["Group", "grouped", "mark_groups"]

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
    identities = _identities(changes)
    shared = _shared(changes, identities)
    return tuple(
        change.in_group(identity) if identity and identity in shared else change
        for change, identity in zip(changes, identities, strict=True)
    )


def grouped(changes: Sequence[Change]) -> list[Group]:
    """Return one finding for each group and each other change, where its first one stands."""
    identities = _identities(changes)
    shared = _shared(changes, identities)
    members: dict[str | int, list[Change]] = {}
    for index, (change, identity) in enumerate(zip(changes, identities, strict=True)):
        key = identity if identity and identity in shared else index
        members.setdefault(key, []).append(change)
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
    """The identity of each change; `None` where no other tool has one like it at all."""
    insides = _paths_inside(changes)
    likes = [
        (change.rule, inside or change.tool, change.parameter)
        for change, inside in zip(changes, insides, strict=True)
    ]
    tools: dict[tuple[str, str, str | None], set[str]] = {}
    for change, like in zip(changes, likes, strict=True):
        tools.setdefault(like, set()).add(change.tool)
    return [
        _identity(change, like) if len(tools[like]) > 1 else None
        for change, like in zip(changes, likes, strict=True)
    ]


def _shared(changes: Sequence[Change], identities: Sequence[str | None]) -> frozenset[str | None]:
    """The identities that several tools have."""
    tools: dict[str | None, set[str]] = {}
    for change, identity in zip(changes, identities, strict=True):
        tools.setdefault(identity, set()).add(change.tool)
    return frozenset(identity for identity, names in tools.items() if identity and len(names) > 1)


def _identity(change: Change, like: tuple[str, str, str | None]) -> str:
    """Twelve hexadecimal digits of what two changes must have in common, the same in every run.

    A tool that comes or goes is like no other: each is a finding of its own.
    """
    values: list[JSON] = [
        [] if value is MISSING else [value] for value in (change.before, change.after)
    ]
    identity: list[JSON] = [*like, *values]
    return sha256(canonical(identity)).hexdigest()[:12]


def _paths_inside(changes: Sequence[Change]) -> list[str]:
    tools = {tool: Place(tool).path for tool in {change.tool for change in changes}}
    return [change.path.removeprefix(tools[change.tool]) for change in changes]


def _path_inside(change: Change) -> str:
    """The path without the tool, `.inputSchema.required`."""
    return change.path.removeprefix(Place(change.tool).path)
