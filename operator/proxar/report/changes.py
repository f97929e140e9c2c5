"""What every rendering for people says about a change."""

from collections.abc import Iterable

from proxar.contract import Change, Diff
from proxar.report.visible import shorten, visible

__all__ = ["by_tool", "sentence", "texts"]

LONGEST_MESSAGE = 1000
"""Characters of one message. The engine writes short ones; a name inside may be as long as its
server likes.
"""

TEXT_KEYS = ("description", "title")
"""Keywords whose text models read: a change of it is shown word by word."""


def by_tool(diff: Diff) -> Iterable[tuple[str, list[Change]]]:
    """The changes of each tool, the tool with the worst change first."""
    tools: dict[str, list[Change]] = {}
    for change in diff.changes:
        tools.setdefault(change.tool, []).append(change)
    return tools.items()


def sentence(change: Change) -> str:
    """What happened and by which rule, on one line and safe to print."""
    said = f"{shorten(visible(change.message), LONGEST_MESSAGE)} ({change.rule})"
    return (
        f"{said} [overridden by {visible(change.overridden_by)}]" if change.overridden_by else said
    )


def texts(change: Change) -> tuple[str | None, str | None] | None:
    """The old and the new text where a text for models changed, else `None`;

    a side that has none is `None`.
    """
    if not change.pointer.endswith(tuple(f"/{key}" for key in TEXT_KEYS)):
        return None
    before, after = (
        value if isinstance(value, str) else None for value in (change.before, change.after)
    )
    return None if before is None and after is None else (before, after)
