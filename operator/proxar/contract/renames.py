"""What a removed tool or parameter may be called now: a suggestion with a score, which never
changes a verdict.

Only names that are gone are compared with names that are new: tools of one server, parameters of
one object. A score weighs the name, the words of the description, the schema, and whether a
parameter is required: so much changes together in a release that none of them tells alone.

Several tools may have become one that takes as a parameter what they did. Then each of them names
that one in `renamed_to`, and its message says that it was merged.
"""

from collections.abc import Sequence
from dataclasses import replace

from proxar.contract.change import Change
from proxar.contract.matching import Cells, Limits
from proxar.contract.merges import Merge, find_merges
from proxar.contract.renamedparameters import find_parameter_renames, is_removed_parameter
from proxar.contract.renamedtools import by_name, find_tool_renames
from proxar.contract.toollist import ToolList
from proxar.contract.wording import quoted

__all__ = ["THRESHOLD", "suggest"]

THRESHOLD = 0.60
"""The least score of a suggestion. From 0.45 on they are possible, and too often wrong to be shown.
"""


def suggest(
    before: ToolList,
    after: ToolList,
    changes: Sequence[Change],
    *,
    threshold: float = THRESHOLD,
) -> tuple[Change, ...]:
    """Return the changes, those of removed things with the name that they may have now.

    Order, verdicts and fingerprints stay. The same lists give the same suggestions.
    """
    gone = {change.tool for change in changes if change.rule == "tool-removed"}
    has_removed_parameters = any(map(is_removed_parameter, changes))
    if not gone and not has_removed_parameters:
        return tuple(changes)
    old, new = by_name(before), by_name(after)
    limits = Limits(threshold, Cells())
    merges = find_merges([old[name] for name in old if name in gone], old, new)
    renames = find_tool_renames(
        [tool for name, tool in old.items() if name in gone and name not in merges],
        old,
        new,
        frozenset(merge.target for merge in merges.values()),
        limits,
    )
    parameters = find_parameter_renames(old, new, changes, limits) if has_removed_parameters else {}
    suggested = []
    for index, change in enumerate(changes):
        is_tool = change.rule == "tool-removed"
        if is_tool and change.tool in merges:
            suggested.append(_merged(change, merges[change.tool]))
        elif is_tool and change.tool in renames:
            name, score = renames[change.tool]
            suggested.append(replace(change, renamed_to=name, score=score))
        elif index in parameters:
            name, score = parameters[index]
            suggested.append(replace(change, renamed_to=name, score=score))
        else:
            suggested.append(change)
    return tuple(suggested)


def _merged(change: Change, merge: Merge) -> Change:
    said = f"{change.message}; it seems to be merged into {quoted(merge.target)}"
    if merge.value is not None:
        said += f" as {quoted(merge.parameter)} {quoted(merge.value)}"
    return replace(change, message=said, renamed_to=merge.target, score=merge.score)
