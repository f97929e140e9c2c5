"""What every rendering for people says about a change."""

from collections.abc import Iterable

from proxar.contract import Change, Diff, dump
from proxar.contract.groups import Group, grouped
from proxar.report.visible import shorten, visible
from proxar.report.words import Row, rows, shown

__all__ = ["alike", "broken_call", "by_tool", "sentence", "shared_and_single", "text_rows"]

LONGEST_MESSAGE = 1000
"""Characters of one message. The engine writes short ones; a name inside may be as long as its
server likes.
"""

TEXT_KEYS = ("description", "title")
"""Keywords whose text models read: a change of it is shown word by word."""


MANY = 3
"""Tools from which on a change that they share is told once; two are told apart at a glance."""

TOOLS_NAMED = 12
"""Of those that share a change; the JSON has all."""


def by_tool(changes: Iterable[Change]) -> Iterable[tuple[str, list[Change]]]:
    """The changes of each tool, the tool with the worst change first."""
    tools: dict[str, list[Change]] = {}
    for change in changes:
        tools.setdefault(change.tool, []).append(change)
    return tools.items()


def shared_and_single(diff: Diff) -> tuple[list[Group], list[Change]]:
    """What many tools have in common, each a finding of its own, and all other changes."""
    if not any(change.group for change in diff.changes):
        return [], list(diff.changes)
    shared = [group for group in grouped(diff.changes) if len(group.tools) >= MANY]
    told = {id(change) for group in shared for change in group.changes}
    return shared, [change for change in diff.changes if id(change) not in told]


def alike(group: Group) -> str:
    """Whose change it is, on one line and safe to print."""
    names = group.tools
    first = ", ".join(visible(name) for name in names[:TOOLS_NAMED])
    rest = f" and {len(names) - TOOLS_NAMED} more" if len(names) > TOOLS_NAMED else ""
    return f"{len(names)} tools alike: {first}{rest}"


def sentence(change: Change) -> str:
    """What happened and by which rule, on one line and safe to print."""
    said = shorten(visible(change.message), LONGEST_MESSAGE)
    # A merge names its target in the message.
    if change.renamed_to and visible(change.renamed_to) not in said:
        said += f"; now {visible(change.renamed_to)}? (score {change.score or 0:.2f})"
    said += f" ({change.rule})"
    if change.overridden_by:
        said += f" [overridden by {visible(change.overridden_by)}]"
    return said


def broken_call(change: Change) -> str | None:
    """Arguments that the change broke, on one line and safe to print; `None` if none are known."""
    if change.witness is None:
        return None
    return shorten(visible(dump(change.witness)), LONGEST_MESSAGE)


def text_rows(change: Change) -> tuple[Row, ...]:
    """Old and new text aligned and safe to print, where a text for models changed; else empty."""
    return tuple(map(shown, rows(*_texts(change))))


def _texts(change: Change) -> tuple[str | None, str | None]:
    """Both texts; `None` for a side that has none, for both where there is nothing to show."""
    if not change.pointer.endswith(tuple(f"/{key}" for key in TEXT_KEYS)):
        return None, None
    before, after = (
        value if isinstance(value, str) else None for value in (change.before, change.after)
    )
    # A text that came or went is not shown twice where the message has all of it.
    only = after if before is None else before if after is None else None
    told = only is not None and visible(only) in change.message
    return (None, None) if told else (before, after)
