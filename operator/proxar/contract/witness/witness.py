"""One witness for a change, and those of a whole list of changes."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from proxar.contract.canonical import canonical_text
from proxar.contract.change import Change, Diff
from proxar.contract.toollist import Tool, ToolList
from proxar.contract.validation.budget import Budget, BudgetSpent
from proxar.contract.value import JSON
from proxar.contract.verdict import Verdict
from proxar.contract.witness.facts import Side
from proxar.contract.witness.focus import Focus
from proxar.contract.witness.search import Search

__all__ = ["explained", "with_witnesses", "witness"]

STEPS = 12_000
"""For the search of one witness, about four microseconds each. Most need a few hundred."""

STEPS_OF_A_LIST = 120_000
"""For all witnesses of a whole list: half a second, when its server is hostile."""

MOST_CANDIDATES = 400

LARGEST = 2_000
"""Characters of a witness that is shown; a larger one explains nothing."""

WITHOUT = frozenset({"schema-became-invalid", "content-changed"})
"""Rules under `inputSchema` that are about something else than which values are valid."""


def witness(before: JSON, after: JSON, place: str, *, parameter: str | None = None) -> JSON:
    """Return arguments that were valid and are not any more; `None` if none are found.

    Args:
        before: The whole input schema as it was.
        place: Where it changed, as an RFC 6901 pointer inside the schema: what changed there is
            shown, if it can be.
        parameter: The parameter that a change of `required` is about.
    """
    parts = [part.replace("~1", "/").replace("~0", "~") for part in place.split("/")[1:]]
    focus = Focus.at(parts, parameter)
    return _find(Side(before), Side(after), focus, Budget(STEPS))


def with_witnesses(
    before: Tool, after: Tool, changes: Iterable[Change], budget: Budget | None = None
) -> Iterator[Change]:
    """Yield the changes of one tool, with a witness where arguments can be shown that broke.

    Args:
        budget: Steps that the tools of a list share.
    """
    shared = budget or Budget(STEPS_OF_A_LIST)
    sides: tuple[Side, Side] | None = None
    for change in changes:
        if not _is_about_values(change) or shared.left <= 0:
            yield change
            continue
        if sides is None:
            sides = Side(_input_schema(before)), Side(_input_schema(after))
        own = Budget(min(STEPS, shared.left))
        given = own.left
        found = _find(*sides, Focus.of(change), own)
        shared.left -= given - max(own.left, 0)
        yield change if found is None else replace(change, witness=found)


def explained(before: ToolList, after: ToolList, diff: Diff) -> Diff:
    """Return the diff with witnesses. It is apart from the comparison, which needs none for its
    verdict.
    """
    old, new = ({tool.name: tool for tool in _in_order(each)} for each in (before, after))
    budget = Budget(STEPS_OF_A_LIST)
    by_tool: dict[str, list[Change]] = {}
    for change in diff.changes:
        by_tool.setdefault(change.tool, []).append(change)
    found = {
        name: with_witnesses(old[name], new[name], changes, budget)
        for name, changes in by_tool.items()
        if name in old and name in new
    }
    changes = (next(found[each.tool]) if each.tool in found else each for each in diff.changes)
    return Diff(diff.verdict, tuple(changes))


def _in_order(tool_list: ToolList) -> list[Tool]:
    """The tools, of several with one name the one last that is compared."""
    return sorted(tool_list.tools, key=lambda tool: (tool.name, tool.canonical), reverse=True)


def _is_about_values(change: Change) -> bool:
    return (
        change.verdict is Verdict.BREAKING
        and change.pointer.startswith("/inputSchema")
        and change.rule not in WITHOUT
        and not change.rule.startswith("header-")
    )


def _input_schema(tool: Tool) -> JSON:
    return tool.definition.get("inputSchema") if isinstance(tool.definition, dict) else None


def _find(old: Side, new: Side, focus: Focus, budget: Budget) -> JSON:
    try:
        for steps in (focus.steps,) if focus.is_removal else dict.fromkeys((focus.steps, ())):
            search = Search(old, new, focus, budget)
            for count, value in enumerate(search.values((old.root, [new.root]), steps)):
                if count >= MOST_CANDIDATES:
                    break
                if _is_witness(old, new, value, budget):
                    return value
    except (BudgetSpent, RecursionError):
        return None
    return None


def _is_witness(old: Side, new: Side, value: JSON, budget: Budget) -> bool:
    budget.spend(2)
    return (
        isinstance(value, dict)
        and old.validator.is_valid(value, budget=budget) is True
        and new.validator.is_valid(value, budget=budget) is False
        and len(canonical_text(value)) <= LARGEST
    )
