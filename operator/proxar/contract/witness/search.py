"""The search for values that the old schema accepts and the new one does not.

Values are built from the outside in: the smallest object that both sides would take, one member of
it replaced by values at the edges of what was said about it before and after. Nothing here has to
be right: the validator decides.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeAlias

from proxar.contract.canonical import canonical_text
from proxar.contract.validation.budget import Budget
from proxar.contract.value import JSON
from proxar.contract.vocabulary import KIND_OF, KINDS, is_whole
from proxar.contract.witness.facts import Facts, Side
from proxar.contract.witness.focus import ANY_MEMBER, Focus, Step, Steps
from proxar.contract.witness.scalars import numbers, strings

__all__ = ["Search", "Smallest"]

MOST_AT_EDGE = 60
"""Values of one kind at one place."""

MOST_INSIDE = 24
"""Values of a part that are tried inside a whole."""

MOST_LISTED = 8
"""Values that the new side lists where the old side has no list."""

MOST_COMPARED = 5_000
"""Listed values of both sides that are held against each other."""

MOST_ITEMS = 120
MOST_MEMBERS = 40
DEEPEST = 10
"""Steps into a value. Deeper ones are not shown to anyone."""

Wanted: TypeAlias = tuple[JSON, list[JSON]]
"""What the old side asks of a value, and the schemas of the new side about it."""


Smallest: TypeAlias = dict[tuple[int, int], list[JSON]]
"""The smallest value for a schema of the old side and one of the new, both by their id, that is
known; which none is, while it is looked for.
"""


class Search:
    """One search; everything in it shares one budget.

    Args:
        smallest: What the searches about one tool share: the companions of the telling values.
    """

    def __init__(
        self, old: Side, new: Side, focus: Focus, budget: Budget, smallest: Smallest
    ) -> None:
        self.old = old
        self.new = new
        self.focus = focus
        self.budget = budget
        self._smallest = smallest
        self._companions = 0
        """How many values around the telling one are being made: both sides should accept them."""

    def values(self, wanted: Wanted, steps: Steps, depth: int = 0) -> Iterator[JSON]:
        """Yield values for a place, the most telling first; many are not valid at all."""
        schema, news = wanted
        if depth > DEEPEST:
            return
        facts = self.new.possible(news)
        for variant in self.old.variants(schema):
            self.budget.spend()
            if not steps:
                yield from self._at_edge(variant, facts, depth)
            elif isinstance(steps[0], int):
                yield from self._inside_array(variant, facts, steps, depth)
            else:
                yield from self._inside_object(variant, facts, steps, depth)

    # Values of a part, those first that show the change by themselves.

    def _telling(self, wanted: Wanted, steps: Steps, depth: int) -> Iterator[JSON]:
        """Values that the old side accepts there; those that the new one refuses come first."""
        schema, news = wanted
        asked = self.new.conjunction(news)
        rest: list[JSON] = []
        seen: set[str] = set()
        for value in islice(self.values(wanted, steps, depth), MOST_AT_EDGE * 4):
            text = canonical_text(value)
            if text in seen or self._is_valid(self.old, value, schema) is False:
                continue
            seen.add(text)
            if self._is_valid(self.new, value, asked) is False:
                yield value
            else:
                rest.append(value)
        yield from rest

    def _inside(self, wanted: Wanted, steps: Steps, depth: int) -> Iterator[JSON]:
        """Values of the part that the first step leads to."""
        if len(steps) == 1:
            yield from self.focus.values
        yield from islice(self._telling(wanted, steps[1:], depth + 1), MOST_INSIDE)

    def _is_valid(self, side: Side, value: JSON, schema: JSON) -> bool | None:
        self.budget.spend(2)
        return side.validator.is_valid(value, schema, budget=self.budget)

    def smallest(self, schema: JSON, news: list[JSON], depth: int) -> list[JSON]:
        """A value that both sides accept, else one that the old side does, if there is any."""
        key = id(schema), id(self.new.conjunction(news))
        known = self._smallest.get(key)
        if known is not None:
            return known
        self._smallest[key] = []  # for a schema that contains itself
        self._companions += 1
        self._smallest[key] = self._find_smallest(schema, news, depth)
        self._companions -= 1
        return self._smallest[key]

    def _find_smallest(self, schema: JSON, news: list[JSON], depth: int) -> list[JSON]:
        first: list[JSON] = []
        for value in islice(self.values((schema, news), (), depth + 1), MOST_INSIDE):
            if self._is_valid(self.old, value, schema) is not True:
                continue
            first = first or [value]
            if self._is_valid(self.new, value, self.new.conjunction(news)) is not False:
                first = [value]
                break
        return first

    # Values at a place itself.

    def _at_edge(self, variant: Facts, new: Facts, depth: int) -> Iterator[JSON]:
        listed = variant.listed
        if listed is not None:
            yield from islice(self._of_list(listed, new), MOST_AT_EDGE)
            return
        yield from islice((value for values in new.lists for value in values), MOST_LISTED)
        for kind in self._kinds(variant, new):
            yield from islice(self._of_kind(kind, variant, new, depth), MOST_AT_EDGE)

    def _of_list(self, listed: list[JSON], new: Facts) -> Iterator[JSON]:
        if new.listed is None or len(listed) + len(new.listed) > MOST_COMPARED:
            yield from (*self.focus.values, *listed[: MOST_AT_EDGE // 2], *reversed(listed))
            return
        kept = set(map(canonical_text, new.listed))
        is_first = [(canonical_text(value) in kept) == bool(self._companions) for value in listed]
        yield from (value for value, first in zip(listed, is_first, strict=True) if first)
        yield from (value for value, first in zip(listed, is_first, strict=True) if not first)

    def _kinds(self, variant: Facts, new: Facts) -> list[str]:
        """The types that are accepted; first those that the new side lost, then the likely ones.

        Of a companion first those that the new side accepts.
        """
        types = variant.types
        kinds = [kind for kind in KINDS if types is None or kind in types]
        if types and "integer" in types and "number" not in kinds:
            kinds.append("number")
        said = {KIND_OF.get(keyword) for node in variant.nodes for keyword in node}
        left = new.types
        likely = ("string", "number", "object", "array", "boolean", "null")
        return sorted(
            kinds,
            key=lambda kind: (
                left is not None and (kind in left) != bool(self._companions),
                kind not in said,
                likely.index(kind),
            ),
        )

    def _of_kind(self, kind: str, variant: Facts, new: Facts, depth: int) -> Iterator[JSON]:
        match kind:
            case "null":
                yield None
            case "boolean":
                yield from (True, False)
            case "number":
                is_whole_only = variant.types is not None and "number" not in variant.types
                for number in numbers(variant, new):
                    if not is_whole_only or is_whole(number):
                        yield number
            case "string":
                yield from strings(variant, new)
            case "array":
                yield from self._arrays(variant, new, depth)
            case _:
                yield from self._objects(variant, new, depth)

    # Arrays.

    def _inside_array(self, variant: Facts, new: Facts, steps: Steps, depth: int) -> Iterator[JSON]:
        index = steps[0] if isinstance(steps[0], int) else 0
        wanted = self.old.conjunction(variant.item(index)), new.item(index)
        before = self._items(variant, new, index, depth)
        least = max(
            [int(count) for count in variant.numbers("minItems") if count < MOST_ITEMS], default=0
        )
        for value in self._inside(wanted, steps, depth):
            rest = self._items(variant, new, max(least, index + 1), depth)[index + 1 :]
            yield [*before, value, *rest]
            yield [*before, value]

    def _items(self, variant: Facts, new: Facts, count: int, depth: int) -> list[JSON]:
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
        for value in (*islice(self.values((schema, []), (), depth + 1), MOST_AT_EDGE), *more):
            if self._is_valid(self.old, value, schema) is True:
                yield value

    def _arrays(self, variant: Facts, new: Facts, depth: int) -> Iterator[JSON]:
        counts = [1, 0, 2]
        for facts in (variant, new):
            for limit in facts.numbers("maxItems", "minItems", "maxContains", "minContains"):
                counts = [int(limit) + way for way in (1, -1, 0) if limit < MOST_ITEMS] + counts
            for first in (*facts.all("prefixItems"), *facts.all("items")):
                counts += [len(first), len(first) + 1] if isinstance(first, list) else []
        for count in sorted(set(counts)) if self._companions else dict.fromkeys(counts):
            if count >= 0:
                yield self._items(variant, new, count, depth)
        for schema in (*variant.all("contains"), *new.all("contains")):
            for value in self.smallest(schema, [], depth):
                yield from ([value], [value, value], [value, *self._items(variant, new, 1, depth)])
        schema, news = self.old.conjunction(variant.item(0)), new.item(0)
        if depth < DEEPEST // 2:
            for value in islice(self._telling((schema, news), (), depth + 1), MOST_INSIDE):
                yield [value]
                yield [value, value]

    # Objects.

    def _inside_object(
        self, variant: Facts, new: Facts, steps: Steps, depth: int
    ) -> Iterator[JSON]:
        for name in self._names(steps[0], variant, new):
            wanted = self.old.conjunction(variant.member(name)), new.member(name)
            if len(steps) == 1 and self.focus.is_removal and False not in wanted[1]:
                continue
            bases = self.objects(variant, new, name, depth)
            for value in self._inside(wanted, steps, depth):
                yield from ({**base, name: value} for base in bases)

    def _names(self, step: Step, variant: Facts, new: Facts) -> list[str]:
        if isinstance(step, str):
            return [step]
        declared = {*variant.names("properties"), *new.names("properties")}
        patterns = [*variant.names("patternProperties"), *new.names("patternProperties")]
        asked = Facts({"pattern": pattern} for pattern in patterns)
        names = [str(name) for name in islice(strings(asked, Facts()), 8)] if patterns else []
        names += ["undeclared", "a", "b"]
        names += [
            str(name)
            for schema in (*variant.all("propertyNames"), *new.all("propertyNames"))
            for facts in [self.old.possible([schema])]
            for name in (*(facts.listed or ()), *islice(strings(facts, Facts()), 8))
        ]
        return [name for name in dict.fromkeys(names) if name not in declared][:12]

    def objects(
        self, variant: Facts, new: Facts, without: str | None, depth: int
    ) -> list[dict[str, JSON]]:
        """Small objects: one with what either side requires, one with what the old side does."""
        required = variant.names("required")
        both = list(dict.fromkeys((*required, *new.names("required"))))
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
            if (found := self._member(variant, new, name, depth))
        }

    def _member(self, variant: Facts, new: Facts, name: str, depth: int) -> list[JSON]:
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
            full.update((name, value) for value in self._member(variant, new, name, depth)[:1])
        return full

    def _objects(self, variant: Facts, new: Facts, depth: int) -> Iterator[JSON]:
        bases = self.objects(variant, new, None, depth)
        if self._companions:
            yield from bases
        else:
            yield from self._at_focus(variant, new, bases, depth)
        required = set(variant.names("required"))
        added = [name for name in new.names("required") if name not in required]
        for base in bases:
            yield from (_without(base, name) for name in added[:MOST_MEMBERS])
        yield from bases
        triggers = [
            name
            for keyword in ("dependentRequired", "dependentSchemas", "dependencies")
            for name in new.names(keyword)
        ]
        yield from self._with_each(triggers[:MOST_MEMBERS], variant, new, bases, depth)
        declared = variant.names("properties")[:MOST_MEMBERS]
        kept = new.names("properties")
        telling = [name for name in declared if name not in kept]
        telling += [name for name in kept[:MOST_MEMBERS] if False in new.member(name)]
        for name in (*telling, *self._names(ANY_MEMBER, variant, new)):
            for value in self._member(variant, new, name, depth):
                yield from ({**base, name: value} for base in bases)
        if depth < DEEPEST // 2:
            yield from self._explored(variant, new, bases, declared, depth)
        yield from self._sizes(variant, new, bases[-1], declared, depth)

    def _at_focus(
        self, variant: Facts, new: Facts, bases: list[dict[str, JSON]], depth: int
    ) -> Iterator[JSON]:
        """Objects without the parameter that became required, or with the one that needs others."""
        trigger, parameter = self.focus.trigger, self.focus.parameter
        if trigger is not None:
            yield from self._with_each([trigger], variant, new, bases, depth)
        if parameter is not None:
            yield from (_without(base, parameter) for base in bases)
            yield from self._with_each([parameter], variant, new, bases, depth)

    def _with_each(
        self,
        names: list[str],
        variant: Facts,
        new: Facts,
        bases: list[dict[str, JSON]],
        depth: int,
    ) -> Iterator[JSON]:
        """Objects with one of the parameters, and then with little else."""
        for name in names:
            for value in self._member(variant, new, name, depth):
                for base in bases:
                    whole = {**base, name: value}
                    yield whole
                    others = [other for other in base if other != name][:MOST_MEMBERS]
                    yield from (_without(whole, other) for other in others)

    def _explored(
        self,
        variant: Facts,
        new: Facts,
        bases: list[dict[str, JSON]],
        declared: list[str],
        depth: int,
    ) -> Iterator[JSON]:
        """Objects in which one declared member is at an edge."""
        for name in declared:
            schema, news = self.old.conjunction(variant.member(name)), new.member(name)
            for value in islice(self._telling((schema, news), (), depth + 1), MOST_INSIDE):
                yield from ({**base, name: value} for base in bases)

    def _sizes(
        self,
        variant: Facts,
        new: Facts,
        base: dict[str, JSON],
        declared: list[str],
        depth: int,
    ) -> Iterator[JSON]:
        """Objects with more and more members."""
        grown = dict(base)
        limits = [limit for limit in new.numbers("maxProperties", "minProperties") if limit < 60]
        extra = [f"other{index}" for index in range(int(max(limits, default=0)) + 2)]
        for name in (*declared, *(extra if limits else ())):
            if name not in grown:
                grown.update((name, value) for value in self._member(variant, new, name, depth)[:1])
                yield dict(grown)


def _without(members: dict[str, JSON], name: str) -> dict[str, JSON]:
    return {other: value for other, value in members.items() if other != name}
