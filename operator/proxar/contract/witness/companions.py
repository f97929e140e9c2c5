"""The values around the telling one: the smallest that both sides accept, so that nothing else is
wrong with the whole.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TypeAlias

from proxar.contract.canonical import canonical_text
from proxar.contract.validation.budget import Budget
from proxar.contract.value import JSON
from proxar.contract.witness.facts import Facts, Side
from proxar.contract.witness.focus import Steps

__all__ = [
    "MOST_AT_EDGE",
    "MOST_INSIDE",
    "MOST_ITEMS",
    "MOST_MEMBERS",
    "Companions",
    "Smallest",
    "Wanted",
]

MOST_AT_EDGE = 60
"""Values of one kind at one place."""

MOST_INSIDE = 24
"""Values of a part that are tried inside a whole."""

MOST_ITEMS = 120
MOST_MEMBERS = 40

NAMES_PER_STEP = 4

STEPS_OF_AN_OBJECT = 4

Wanted: TypeAlias = tuple[JSON, list[JSON]]
"""What the old side asks of a value, and the schemas of the new side about it."""


Smallest: TypeAlias = dict[tuple[int, int], list[JSON]]
"""The smallest value for a schema of the old side and one of the new, both by their id, that is
known; which none is, while it is looked for.
"""

Values: TypeAlias = Callable[[Wanted, Steps, int], Iterator[JSON]]
"""Makes values for a place; see `Search.values`."""


class Companions:
    """The companions of one search.

    Args:
        smallest: What the searches about one tool share.
    """

    def __init__(
        self, sides: tuple[Side, Side], budget: Budget, smallest: Smallest, values: Values
    ) -> None:
        self.old, self.new = sides
        self.budget = budget
        self._smallest = smallest
        self._values = values
        self._open = 0

    @property
    def are_being_made(self) -> bool:
        """Whether the values that are being made are companions: both sides should accept them."""
        return self._open > 0

    def is_valid(self, side: Side, value: JSON, schema: JSON) -> bool | None:
        self.budget.spend(2)
        return side.validator.is_valid(value, schema, budget=self.budget)

    def smallest(self, schema: JSON, news: list[JSON], depth: int) -> list[JSON]:
        """A value that both sides accept, else one that the old side does, if there is any."""
        key = id(schema), id(self.new.conjunction(news))
        known = self._smallest.get(key)
        if known is not None:
            return known
        self._smallest[key] = []  # for a schema that contains itself
        self._open += 1
        self._smallest[key] = self._find_smallest(schema, news, depth)
        self._open -= 1
        return self._smallest[key]

    def _find_smallest(self, schema: JSON, news: list[JSON], depth: int) -> list[JSON]:
        first: list[JSON] = []
        for value in islice(self._values((schema, news), (), depth + 1), MOST_INSIDE):
            if self.is_valid(self.old, value, schema) is not True:
                continue
            first = first or [value]
            if self.is_valid(self.new, value, self.new.conjunction(news)) is not False:
                first = [value]
                break
        return first

    def items(self, variant: Facts, new: Facts, count: int, depth: int) -> list[JSON]:
        """So many items, which differ where they must; fewer if there are no more."""
        must_differ = True in set(variant.all("uniqueItems"))
        items: list[JSON] = []
        for index in range(min(count, MOST_ITEMS)):
            schema, news = self.old.conjunction(variant.item(index)), new.item(index)
            found = self.smallest(schema, news, depth)
            if must_differ and found and canonical_text(found[0]) in map(canonical_text, items):
                used = set(map(canonical_text, items))
                values = self._many(schema, depth)
                found = [value for value in values if canonical_text(value) not in used][:1]
            if not found:
                break
            items += found
        return items

    def _many(self, schema: JSON, depth: int) -> Iterator[JSON]:
        """Different values that the old side accepts."""
        more: Iterable[JSON] = (*range(MOST_ITEMS), *(f"a{index}" for index in range(MOST_ITEMS)))
        for value in (*islice(self._values((schema, []), (), depth + 1), MOST_AT_EDGE), *more):
            if self.is_valid(self.old, value, schema) is True:
                yield value

    def objects(
        self, variant: Facts, new: Facts, without: str | None, depth: int
    ) -> list[dict[str, JSON]]:
        """Small objects: one with what either side requires, one with what the old side does."""
        required, asked = variant.names("required"), new.names("required")
        count = len(required) + len(asked)
        self.budget.spend(STEPS_OF_AN_OBJECT + count // NAMES_PER_STEP)
        both = list(dict.fromkeys((*required, *asked)))
        made = [
            self._with(variant, new, [name for name in names if name != without], depth)
            for names in ((both, required) if len(both) > len(required) else (required,))
        ]
        least = max(variant.numbers("minProperties"), default=0)
        if any(len(each) < least for each in made):
            more = [n for n in (*variant.names("properties"), "other", "a", "b") if n != without]
            made = [self._filled(variant, new, each, more, depth) for each in made]
        return made

    def _with(self, variant: Facts, new: Facts, names: list[str], depth: int) -> dict[str, JSON]:
        return {
            name: found[0]
            for name in names[:MOST_MEMBERS]
            if (found := self.member(variant, new, name, depth))
        }

    def member(self, variant: Facts, new: Facts, name: str, depth: int) -> list[JSON]:
        schema = self.old.conjunction(variant.member(name))
        return [] if schema is False else self.smallest(schema, new.member(name), depth)

    def _filled(
        self, variant: Facts, new: Facts, start: dict[str, JSON], names: list[str], depth: int
    ) -> dict[str, JSON]:
        least = max(variant.numbers("minProperties"), default=0)
        full = dict(start)
        for name in names:
            if len(full) >= least:
                break
            full.update((name, value) for value in self.member(variant, new, name, depth)[:1])
        return full
