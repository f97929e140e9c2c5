"""One witness for a change, and those of a whole list of changes."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

from proxar.contract.canonical import canonical_text
from proxar.contract.change import Change, Diff
from proxar.contract.toollist import Tool, ToolList
from proxar.contract.validation.budget import Budget, BudgetSpent
from proxar.contract.value import JSON
from proxar.contract.verdict import Verdict
from proxar.contract.witness.companions import Smallest
from proxar.contract.witness.facts import Side
from proxar.contract.witness.focus import Focus
from proxar.contract.witness.search import Search

__all__ = ["explained", "with_witnesses", "witness"]

STEPS = 8_000
"""For the search of one witness, about four microseconds each. Most need a few hundred."""

STEPS_OF_A_LIST = 16_000
"""For all witnesses of a whole list: a tenth of a second, when its server is hostile."""

LARGEST_TOOL = 60_000
"""Characters of a tool that is searched; real ones have less than ten thousand."""

MOST_OF_A_LIST = 120
"""Changes of a whole list that get a witness, the first ones: nobody reads a hundred."""

MOST_CANDIDATES = 400

LARGEST = 2_000
"""Characters of a witness that is shown; a larger one explains nothing."""

WITHOUT = frozenset({"schema-became-invalid", "content-changed"})
"""Rules under `inputSchema` that are about something else than which values are valid."""


class Allowance:
    """What the witnesses of one list may still cost together."""

    def __init__(self) -> None:
        self.steps = STEPS_OF_A_LIST
        self.searches = MOST_OF_A_LIST

    @property
    def is_spent(self) -> bool:
        """Whether there is nothing left."""
        return self.steps <= 0 or self.searches <= 0


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
    return _Pair(before, after).find(focus, Budget(STEPS))


def with_witnesses(
    before: Tool, after: Tool, changes: Iterable[Change], allowance: "Allowance | None" = None
) -> Iterator[Change]:
    """Yield the changes of one tool, with a witness where arguments can be shown that broke.

    Args:
        allowance: What the tools of a list share.
    """
    shared = allowance or Allowance()
    is_large = max(len(before.canonical), len(after.canonical)) > LARGEST_TOOL
    pair: _Pair | None = None
    for change in changes:
        if is_large or not _is_about_values(change) or shared.is_spent:
            yield change
            continue
        if pair is None:
            pair = _Pair(_input_schema(before), _input_schema(after))
        own = Budget(min(STEPS, shared.steps))
        given = own.left
        found = pair.find(Focus.of(change), own)
        shared.steps -= given - max(own.left, 0)
        shared.searches -= 1
        yield change if found is None else replace(change, witness=found)


def explained(before: ToolList, after: ToolList, diff: Diff) -> Diff:
    """Return the diff with witnesses. It is apart from the comparison, which needs none for its
    verdict.
    """
    old, new = ({tool.name: tool for tool in _in_order(each)} for each in (before, after))
    allowance = Allowance()
    by_tool: dict[str, list[Change]] = {}
    for change in diff.changes:
        by_tool.setdefault(change.tool, []).append(change)
    found = {
        name: with_witnesses(old[name], new[name], changes, allowance)
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


class _Pair:
    """The two schemas of one tool, and what the searches in them share."""

    def __init__(self, before: JSON, after: JSON) -> None:
        self._old = Side(before)
        self._new = Side(after)
        self._smallest: Smallest = {}

    def find(self, focus: Focus, budget: Budget) -> JSON:
        """Return a witness, `None` if none is found within the budget."""
        ways = (focus.steps,) if focus.is_removal else dict.fromkeys((focus.steps, ()))
        try:
            for steps in ways:
                search = Search(self._old, self._new, focus, budget, self._smallest)
                wanted = self._old.root, [self._new.root]
                for value in islice(search.values(wanted, steps), MOST_CANDIDATES):
                    if self._is_witness(value, budget):
                        return value
        except (BudgetSpent, RecursionError):
            self._smallest = {}  # some were being looked for
        return None

    def _is_witness(self, value: JSON, budget: Budget) -> bool:
        budget.spend(2)
        return (
            isinstance(value, dict)
            and self._old.validator.is_valid(value, budget=budget) is True
            and self._new.validator.is_valid(value, budget=budget) is False
            and len(canonical_text(value)) <= LARGEST
        )
