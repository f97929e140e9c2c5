"""Which arrays satisfy a set of literals: positions that are mentioned, and the tail behind."""

from collections.abc import Iterator

from proxar.contract.containment.formula import FALSE
from proxar.contract.containment.literals import (
    AllItems,
    Few,
    From,
    Index,
    ItemRegion,
    Many,
    OneOf,
    SizeAtLeast,
    SizeAtMost,
    SomeItem,
    Unique,
)
from proxar.contract.containment.outcome import EMPTY, Found, Goal, Sided, Solve, Unknown
from proxar.contract.containment.schema import TYPES, Schema, Schemas
from proxar.contract.containment.values import key, type_index
from proxar.contract.value import JSON

__all__ = ["Arrays"]

MAX_BUILT = 24
"""Items that are made up."""


class Arrays:
    """The arrays that a set of literals accepts."""

    def __init__(self, schemas: Schemas, solve: Solve) -> None:
        self.schemas = schemas
        self.solve = solve
        self.universal: list[tuple[ItemRegion, Sided]] = []
        self.fixed: dict[int, list[Sided]] = {}
        self.somewhere: list[tuple[int, Sided]] = []
        self.many: list[tuple[int, Sided]] = []
        self.few: list[tuple[int, Sided]] = []
        self.least = 0
        self.most: int | None = None
        self.is_unique = False
        self.repeats = False
        self.reason = "no array was found that shows it"

    def copy(self) -> "Arrays":
        """Return one that can take in more without this one."""
        other = Arrays(self.schemas, self.solve)
        other.universal = list(self.universal)
        other.fixed = {index: list(sided) for index, sided in self.fixed.items()}
        other.somewhere = list(self.somewhere)
        other.many = list(self.many)
        other.few = list(self.few)
        other.least, other.most = self.least, self.most
        other.is_unique, other.repeats = self.is_unique, self.repeats
        other.reason = self.reason
        return other

    def clashes_with(self, literal: object, is_inner: bool) -> bool:
        """Whether it is certain that there is none that satisfies one more literal as well."""
        more = self.copy()
        more.add(literal, is_inner)
        return more.is_empty

    def add(self, literal: object, is_inner: bool) -> None:
        """Take in one literal."""
        match literal:
            case AllItems(region, schema):
                self.universal.append((region, (schema, is_inner)))
            case SomeItem(Index(index), schema):
                self.fixed.setdefault(index, []).append((schema, is_inner))
                self.least = max(self.least, index + 1)
            case SomeItem(From(index), schema):
                self.somewhere.append((index, (schema, is_inner)))
                self.least = max(self.least, index + 1)
            case Many(schema, count):
                self.many.append((count, (schema, is_inner)))
                self.least = max(self.least, count)
            case Few(schema, count):
                self.few.append((count, (schema, is_inner)))
            case SizeAtLeast(size):
                self.least = max(self.least, size)
            case SizeAtMost(size):
                self.most = size if self.most is None else min(self.most, size)
            case Unique(True):
                self.is_unique = True
            case Unique(False):
                self.repeats = True
                self.least = max(self.least, 2)

    @property
    def tail(self) -> int:
        """The first position from which on all are alike."""
        indexes = [region.place + isinstance(region, Index) for region, _ in self.universal]
        indexes += [index + 1 for index in self.fixed]
        indexes += [index for index, _ in self.somewhere]
        return max(indexes, default=0)

    def goal(self, index: int, *more: Sided) -> Goal:
        """Return what the item at a position has to satisfy."""
        return frozenset(
            [
                *(
                    sided
                    for region, sided in self.universal
                    if region.place == index or (isinstance(region, From) and region.place <= index)
                ),
                *self.fixed.get(index, ()),
                *more,
            ]
        )

    def _is_impossible(self, index: int, *more: Sided) -> bool:
        return self.solve(self.goal(index, *more)) is EMPTY

    @property
    def is_empty(self) -> bool:
        """Whether it is certain that there is none."""
        if self._is_full(self.least):
            return True
        positions = range(min(self.least, self.tail + 1))
        if any(self._is_impossible(index) for index in positions):
            return True
        if any(self._is_nowhere(index, wanted) for index, wanted in self.somewhere):
            return True
        if any(self._has_too_few(count, wanted) for count, wanted in self.many):
            return True
        if any(self._has_too_many(count, wanted) for count, wanted in self.few):
            return True
        return (self.repeats and self._is_always_unique()) or (
            self.is_unique and self._is_exhausted()
        )

    def _is_full(self, size: int) -> bool:
        return self.most is not None and self.most < size

    def _candidates(self, start: int) -> tuple[range, bool]:
        """The positions from one on that are told apart, and whether the tail counts as well."""
        tail = max(self.tail, start)
        end = tail if self.most is None else min(tail, self.most)
        return range(start, end), self.most is None or self.most > tail

    def _is_nowhere(self, start: int, wanted: Sided) -> bool:
        positions, has_tail = self._candidates(start)
        return all(self._is_impossible(index, wanted) for index in positions) and (
            not has_tail or self._is_impossible(max(self.tail, start), wanted)
        )

    def _has_too_few(self, count: int, wanted: Sided) -> bool:
        positions, has_tail = self._candidates(0)
        possible = sum(not self._is_impossible(index, wanted) for index in positions)
        if has_tail and not self._is_impossible(self.tail, wanted):
            if self.most is None:
                return self._is_contradicted(count, wanted)
            possible += self.most - self.tail
        return possible < count or self._is_contradicted(count, wanted)

    def _is_contradicted(self, count: int, wanted: Sided) -> bool:
        """Whether no more items may satisfy something that all wanted ones do."""
        return any(
            count > most and self.solve(frozenset([wanted, _opposite(limited)])) is EMPTY
            for most, limited in self.few
        )

    def _has_too_many(self, count: int, limited: Sided) -> bool:
        """Whether more items than allowed satisfy the schema in any case."""
        unwanted = _opposite(limited)
        tail = self.tail
        sure = 0
        for index in range(min(self.least, tail)):
            sure += self._is_impossible(index, unwanted)
        if self.least > tail and self.least - tail + sure > count:
            sure += (self.least - tail) * self._is_impossible(tail, unwanted)
        return sure > count

    def _is_always_unique(self) -> bool:
        """Whether no two items can be equal."""
        tail = self.tail
        end = tail + 2 if self.most is None else min(tail + 2, self.most)
        if end > 12:
            return False
        return all(
            self.solve(self.goal(one) | self.goal(other)) is EMPTY
            for one in range(end)
            for other in range(one + 1, end)
        )

    def _is_exhausted(self) -> bool:
        """Whether a tail of listed values has fewer of them than there have to be items."""
        tail = self.tail
        if self.least <= tail + 1:
            return False
        counts = [_count(schema) for schema, _ in self.goal(tail)]
        known = [count for count in counts if count is not None]
        return bool(known) and min(known) < self.least - tail

    def samples(self) -> Iterator[JSON]:
        """Yield some that are likely to be among them."""
        if self.least > MAX_BUILT:
            self.reason = "minItems: too many items to make up"
            return
        size = self.least
        extra: dict[int, list[Sided]] = {}
        for start, wanted in self.somewhere:
            place = self._free_place(start, wanted, extra)
            if place is None:
                return
            extra.setdefault(place, []).append(wanted)
            size = max(size, place + 1)
        for count, wanted in self.many:
            for _ in range(min(count, MAX_BUILT)):
                place = self._free_place(0, wanted, extra, wanted)
                if place is None:
                    return
                extra.setdefault(place, []).append(wanted)
                size = max(size, place + 1)
        built = self._build(size, extra, is_unique=not self.repeats)
        if built is not None:
            yield built
        if not self.is_unique:
            repeated = self._build(max(size, 2 * self.repeats), extra, is_unique=False)
            if repeated is not None:
                yield repeated
                yield from self._doubled(repeated)
        if built is not None and not self._is_full(size + 1):
            longer = self._build(size + 1, extra, is_unique=self.is_unique)
            if longer is not None:
                yield longer

    def _doubled(self, items: list[JSON]) -> Iterator[JSON]:
        """The items with two made equal, where they may be."""
        for one in range(min(len(items), 6)):
            for other in range(one + 1, min(len(items), 6)):
                outcome = self.solve(self.goal(one) | self.goal(other))
                if isinstance(outcome, Found):
                    same = list(items)
                    same[one] = same[other] = outcome.value
                    yield same

    def _free_place(
        self, start: int, wanted: Sided, extra: dict[int, list[Sided]], taken: Sided | None = None
    ) -> int | None:
        end = min(MAX_BUILT if self.most is None else self.most, MAX_BUILT)
        places = sorted(range(start, end), key=lambda place: (place in extra, place))
        for place in places:
            others = extra.get(place, [])
            if taken in others:
                continue
            if isinstance(self.solve(self.goal(place, wanted, *others)), Found):
                return place
        return None

    def _build(
        self, size: int, extra: dict[int, list[Sided]], *, is_unique: bool
    ) -> list[JSON] | None:
        items: list[JSON] = []
        limits = [_opposite(limited) for _, limited in self.few]
        for index in range(size):
            goal = self.goal(index, *extra.get(index, ()))
            if index not in extra:
                goal_limited = goal | frozenset(limits)
                if isinstance(self.solve(goal_limited), Found):
                    goal = goal_limited
            outcome = self.solve(goal | {(self._other_than(items), False)} if is_unique else goal)
            if not isinstance(outcome, Found) and is_unique and not self.is_unique:
                outcome = self.solve(goal)
            if not isinstance(outcome, Found):
                if isinstance(outcome, Unknown):
                    self.reason = outcome.reason
                return None
            items.append(outcome.value)
        return items

    def _other_than(self, items: list[JSON]) -> Schema:
        formulas = self.schemas.formulas
        keys: list[set[object]] = [set() for _ in TYPES]
        for item in items:
            keys[type_index(item)].add(key(item))
        forms = [
            formulas.literal(OneOf(frozenset(found), holds=False)) if found else None
            for found in keys
        ]
        anything = self.schemas.anything.forms[0]
        result = [anything if form is None else form for form in forms]
        if keys[0]:
            result[0] = FALSE
        return self.schemas.of(tuple(result))


def _opposite(sided: Sided) -> Sided:
    schema, is_inner = sided
    return schema.opposite, is_inner


def _count(schema: Schema) -> int | None:
    """How many values a schema accepts, where that is plain to see."""
    total = 0
    for index, form in enumerate(schema.forms):
        if form is FALSE:
            continue
        literals = [part.literal for part in form.parts or (form,)]
        listed = [
            len(literal.keys)
            for literal in literals
            if isinstance(literal, OneOf) and literal.holds
        ]
        is_disjunction = form.kind.name == "OR"
        if index == 0 or (index == 1 and not listed):
            total += index + 1
        elif listed and not is_disjunction:
            total += min(listed)
        else:
            return None
    return total
