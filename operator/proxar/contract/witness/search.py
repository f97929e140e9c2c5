"""The search for values that the old schema accepts and the new one does not.

Values are built from the outside in: the smallest object that both sides would take, one member of
it replaced by values at the edges of what was said about it before and after. Nothing here has to
be right: the validator decides.
"""

from collections.abc import Iterator
from itertools import islice

from proxar.contract.canonical import canonical_text
from proxar.contract.validation.budget import Budget
from proxar.contract.value import JSON
from proxar.contract.vocabulary import KIND_OF, KINDS, is_whole
from proxar.contract.witness.companions import (
    MOST_AT_EDGE,
    MOST_INSIDE,
    MOST_ITEMS,
    MOST_MEMBERS,
    Companions,
    Smallest,
    Wanted,
)
from proxar.contract.witness.facts import Facts, Side
from proxar.contract.witness.focus import ANY_MEMBER, Focus, Step, Steps
from proxar.contract.witness.scalars import numbers, strings

__all__ = ["Search"]

MOST_LISTED = 8
"""Values that the new side lists where the old side has no list."""

MOST_COMPARED = 5_000
"""Listed values of both sides that are held against each other."""

DEEPEST = 10
"""Steps into a value. Deeper ones are not shown to anyone."""


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
        self._companions = Companions((old, new), budget, smallest, self.values)

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
            if text in seen or self._companions.is_valid(self.old, value, schema) is False:
                continue
            seen.add(text)
            if self._companions.is_valid(self.new, value, asked) is False:
                yield value
            else:
                rest.append(value)
        yield from rest

    def _inside(self, wanted: Wanted, steps: Steps, depth: int) -> Iterator[JSON]:
        """Values of the part that the first step leads to."""
        if len(steps) == 1:
            yield from self.focus.values
        yield from islice(self._telling(wanted, steps[1:], depth + 1), MOST_INSIDE)

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
            yield from (*self.focus.values, *listed[: MOST_AT_EDGE // 2])
            yield from reversed(listed)
            return
        kept = set(map(canonical_text, new.listed))
        is_first = [
            (canonical_text(value) in kept) == self._companions.are_being_made for value in listed
        ]
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
                left is not None and (kind in left) != self._companions.are_being_made,
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
                yield from strings(variant, new, self.budget)
            case "array":
                yield from self._arrays(variant, new, depth)
            case _:
                yield from self._objects(variant, new, depth)

    # Arrays.

    def _inside_array(self, variant: Facts, new: Facts, steps: Steps, depth: int) -> Iterator[JSON]:
        index = steps[0] if isinstance(steps[0], int) else 0
        wanted = self.old.conjunction(variant.item(index)), new.item(index)
        before = self._companions.items(variant, new, index, depth)
        least = max(
            [int(count) for count in variant.numbers("minItems") if count < MOST_ITEMS], default=0
        )
        for value in self._inside(wanted, steps, depth):
            rest = self._companions.items(variant, new, max(least, index + 1), depth)[index + 1 :]
            yield [*before, value, *rest]
            yield [*before, value]

    def _arrays(self, variant: Facts, new: Facts, depth: int) -> Iterator[JSON]:
        counts = [1, 0, 2]
        for facts in (variant, new):
            for limit in facts.numbers("maxItems", "minItems", "maxContains", "minContains"):
                counts = [int(limit) + way for way in (1, -1, 0) if limit < MOST_ITEMS] + counts
            for first in (*facts.all("prefixItems"), *facts.all("items")):
                counts += [len(first), len(first) + 1] if isinstance(first, list) else []
        for count in (
            sorted(set(counts)) if self._companions.are_being_made else dict.fromkeys(counts)
        ):
            if count >= 0:
                yield self._companions.items(variant, new, count, depth)
        for schema in (*variant.all("contains"), *new.all("contains")):
            for value in self._companions.smallest(schema, [], depth):
                yield from (
                    [value],
                    [value, value],
                    [value, *self._companions.items(variant, new, 1, depth)],
                )
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
            bases = self._companions.objects(variant, new, name, depth)
            for value in self._inside(wanted, steps, depth):
                yield from ({**base, name: value} for base in bases)

    def _names(self, step: Step, variant: Facts, new: Facts) -> list[str]:
        if isinstance(step, str):
            return [step]
        declared = {*variant.names("properties"), *new.names("properties")}
        patterns = [*variant.names("patternProperties"), *new.names("patternProperties")]
        asked = Facts({"pattern": pattern} for pattern in patterns)
        spelt = strings(asked, Facts(), self.budget) if patterns else iter(())
        names = [str(name) for name in islice(spelt, 8)]
        names += ["undeclared", "a", "b"]
        names += [
            str(name)
            for schema in (*variant.all("propertyNames"), *new.all("propertyNames"))
            for facts in [self.old.possible([schema])]
            for name in (*(facts.listed or ()), *islice(strings(facts, Facts(), self.budget), 8))
        ]
        return [name for name in dict.fromkeys(names) if name not in declared][:12]

    def _objects(self, variant: Facts, new: Facts, depth: int) -> Iterator[JSON]:
        bases = self._companions.objects(variant, new, None, depth)
        if self._companions.are_being_made:
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
            for value in self._companions.member(variant, new, name, depth):
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
            for value in self._companions.member(variant, new, name, depth):
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
                grown.update(
                    (name, value)
                    for value in self._companions.member(variant, new, name, depth)[:1]
                )
                yield dict(grown)


def _without(members: dict[str, JSON], name: str) -> dict[str, JSON]:
    return {other: value for other, value in members.items() if other != name}
