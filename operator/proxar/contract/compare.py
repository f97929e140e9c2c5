"""Tool by tool: what was removed, added and changed."""

from proxar.contract.change import Change, Diff
from proxar.contract.path import Place
from proxar.contract.toollist import ToolList
from proxar.contract.verdict import Verdict

__all__ = ["compare"]


def compare(before: ToolList, after: ToolList) -> Diff:
    """Return what changed; nothing when the hashes are equal."""
    old = {tool.name: tool for tool in before.tools}
    new = {tool.name: tool for tool in after.tools}
    changes = []
    for name in old.keys() - new.keys():
        changes.append(Change(name, Place(name).path, "", "tool-removed", Verdict.BREAKING, f"tool {name} removed"))
    for name in new.keys() - old.keys():
        changes.append(Change(name, Place(name).path, "", "tool-added", Verdict.COMPATIBLE, f"tool {name} added"))
    for name in old.keys() & new.keys():
        if old[name].canonical != new[name].canonical:
            changes.append(Change(name, Place(name).path, "", "not-provable", Verdict.BREAKING, "changed"))
    return Diff.of(changes, [*old, *new])
