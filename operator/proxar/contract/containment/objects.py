"""Which objects satisfy a set of literals: names are told apart as far as the literals do.

A name that some literal mentions stands for itself. All other names fall into cells: those that
match the same expressions and satisfy the same schemas of names are alike.
"""

from collections.abc import Iterator
from itertools import product

from proxar.contract.containment.evaluate import Evaluator
from proxar.contract.containment.formula import FALSE, TRUE
from proxar.contract.containment.literals import (
    AllMembers,
    Matching,
    Name,
    NameIs,
    OneOf,
    Outside,
    PatternIs,
    Region,
    SizeAtLeast,
    SizeAtMost,
    SomeMember,
)
from proxar.contract.containment.outcome import EMPTY, Found, Goal, Sided, Solve, Unknown
from proxar.contract.containment.schema import Schema, Schemas
from proxar.contract.containment.steps import Steps
from proxar.contract.value import JSON

__all__ = ["Objects", "SidedLiteral"]

MAX_PREDICATES = 5
"""Expressions and schemas of names by which cells are told apart; each doubles their number."""

MAX_PADDING = 24
"""Members that are made up to reach a least number."""

SidedLiteral = tuple[object, bool]


class _Cell:
    """Names that no literal mentions and that all literals treat alike."""

    def __init__(self, truths: dict[object, bool], goal: Goal) -> None:
        self.truths = truths
        """Expression or schema to whether the names match or satisfy it."""
        self.goal = goal
        """What the names have in common."""

    def is_in(self, region: Region) -> bool:
        match region:
            case Name():
                return False
            case Matching(pattern):
                return self.truths[pattern]
            case Outside(_, patterns):
                return not any(self.truths[pattern] for pattern in patterns)
            case NameIs(schema):
                return self.truths[schema]


class Objects:
    """The objects that a set of literals accepts."""

    def __init__(self, schemas: Schemas, steps: Steps, solve: Solve, evaluator: Evaluator) -> None:
        self.schemas = schemas
        self.steps = steps
        self.solve = solve
        self.evaluator = evaluator
        self.named: dict[str, list[Sided]] = {}
        """What a member has to satisfy if there is one, by name."""
        self.regional: list[tuple[Region, Sided]] = []
        """The same for all members of a larger region."""
        self.required: dict[str, list[Sided]] = {}
        self.somewhere: list[tuple[Region, Sided]] = []
        self.least = 0
        self.most: int | None = None
        self.reason = "no object was found that shows it"
        self._cells: list[_Cell] | None = None
        self._names: list[str] | None = None
        self._has_too_many_cells = False

    @property
    def _size(self) -> int:
        """How much there is to look at, in the larger parts."""
        return len(self.named) + len(self.regional) + len(self.required) + len(self.somewhere)

    def copy(self) -> "Objects":
        """Return one that can take in more without this one."""
        self.steps.scan(self._size)
        other = Objects(self.schemas, self.steps, self.solve, self.evaluator)
        other.named = {name: list(sided) for name, sided in self.named.items()}
        other.regional = list(self.regional)
        other.required = {name: list(sided) for name, sided in self.required.items()}
        other.somewhere = list(self.somewhere)
        other.least, other.most = self.least, self.most
        other.reason = self.reason
        other._cells, other._names = self._cells, self._names
        other._has_too_many_cells = self._has_too_many_cells
        return other

    def add(self, literal: object, is_inner: bool) -> None:
        """Take in one literal."""
        self._cells = self._names = None
        match literal:
            case AllMembers(Name(name), schema):
                self.named.setdefault(name, []).append((schema, is_inner))
            case AllMembers(region, schema):
                self.regional.append((region, (schema, is_inner)))
            case SomeMember(Name(name), schema):
                self.required.setdefault(name, []).append((schema, is_inner))
            case SomeMember(region, schema):
                self.somewhere.append((region, (schema, is_inner)))
            case SizeAtLeast(size):
                self.least = max(self.least, size)
            case SizeAtMost(size):
                self.most = size if self.most is None else min(self.most, size)

    def clashes_with(self, literal: object, is_inner: bool) -> bool:
        """Whether it is certain that there is none that satisfies one more literal as well."""
        match literal:
            case SomeMember(Name(name), schema):
                size = len(self.required) + (name not in self.required)
                is_crowded = self.most is not None and size > self.most
                return is_crowded or self.solve(self.goal(name, (schema, is_inner))) is EMPTY
            case AllMembers(Name(name), schema):
                if name not in self.required:
                    return False
                return self.solve(self.goal(name, (schema, is_inner))) is EMPTY
        more = self.copy()  # its region may tell names apart that were alike
        more.add(literal, is_inner)
        return more.is_empty

    @property
    def is_empty(self) -> bool:
        """Whether it is certain that there is none."""
        return (
            self._is_crowded
            or any(map(self._is_impossible, self.required))
            or any(self._is_nowhere(*wanted) for wanted in self.somewhere)
            or (self.least > len(self.required) and self._is_too_small())
        )

    @property
    def _is_crowded(self) -> bool:
        if self.most is None:
            return False
        return self.most < self.least or self.most < len(self.required)

    def _is_impossible(self, name: str) -> bool:
        return self.solve(self.goal(name)) is EMPTY

    def goal(self, name: str, *more: Sided) -> Goal:
        """Return what a member of this name has to satisfy; less, where that is not known."""
        self.steps.scan(len(self.regional))
        return frozenset(
            [
                *self.named.get(name, ()),
                *(sided for region, sided in self.regional if self.evaluator.is_in(region, name)),
                *self.required.get(name, ()),
                *more,
            ]
        )

    def _cell_goal(self, cell: _Cell, *more: Sided) -> Goal:
        self.steps.scan(len(self.regional))
        return frozenset([*(sided for region, sided in self.regional if cell.is_in(region)), *more])

    def _is_nowhere(self, region: Region, wanted: Sided) -> bool:
        """Whether no member can be the one that a literal asks for."""
        is_full = self.most is not None and self.most <= len(self.required)
        names = self.required if is_full else self.names
        for name in names:
            is_possible = self.evaluator.is_in(region, name) is not False
            if is_possible and self.solve(self.goal(name, wanted)) is not EMPTY:
                return False
        cells = self.cells
        if cells is None:
            return False
        return is_full or all(
            self.solve(self._cell_goal(cell, wanted)) is EMPTY
            for cell in cells
            if cell.is_in(region)
        )

    def _is_too_small(self) -> bool:
        """Whether there are not as many possible members as are asked for."""
        if self.cells is None:
            return False
        if any(self.solve(self._cell_goal(cell)) is not EMPTY for cell in self.cells):
            return False
        possible = sum(not self._is_impossible(name) for name in self.names)
        return possible < self.least

    @property
    def names(self) -> list[str]:
        """The names that are mentioned, and so told apart from all others."""
        if self._names is None:
            self.steps.scan(self._size)
            names = dict.fromkeys((*self.required, *self.named))
            for region, _ in (*self.regional, *self.somewhere):
                match region:
                    case Outside(mentioned, _):
                        names.update(dict.fromkeys(sorted(mentioned)))
                    case NameIs(schema):
                        names.update(dict.fromkeys(_listed(schema)))
            self._names = list(names)
        return self._names

    @property
    def cells(self) -> list[_Cell] | None:
        """The kinds of names that are not mentioned; `None` if there are too many to look at."""
        if self._cells is None and not self._has_too_many_cells:
            predicates = self._predicates()
            if len(predicates) > MAX_PREDICATES:  # and so it stays, whatever is added
                self._has_too_many_cells = True
                self.reason = "patternProperties, propertyNames: too many to tell names apart"
            else:
                self._cells = list(self._possible_cells(predicates))
        return self._cells

    def _predicates(self) -> list[object]:
        """What tells names apart that are not mentioned; incomplete where there is too much."""
        predicates: dict[object, None] = {}
        for region, _ in (*self.regional, *self.somewhere):
            match region:
                case Matching(pattern):
                    predicates[pattern] = None
                case Outside(_, patterns):
                    self.steps.scan(len(patterns))
                    predicates.update(dict.fromkeys(sorted(patterns)))
                case NameIs(schema):
                    predicates[schema] = None
            if len(predicates) > MAX_PREDICATES:
                break
        return list(predicates)

    def _possible_cells(self, predicates: list[object]) -> Iterator[_Cell]:
        unmentioned = self._text(OneOf(frozenset(self.names), holds=False))
        for truths in product((False, True), repeat=len(predicates)):
            goal = {(unmentioned, False)}
            for predicate, is_true in zip(predicates, truths, strict=True):
                if isinstance(predicate, Schema):
                    goal.add((predicate if is_true else predicate.opposite, False))
                else:
                    goal.add((self._text(PatternIs(str(predicate), is_true)), False))
            cell = _Cell(dict(zip(predicates, truths, strict=True)), frozenset(goal))
            if not predicates or self.solve(cell.goal) is not EMPTY:
                yield cell

    def _text(self, literal: OneOf | PatternIs) -> Schema:
        """The schema of the strings that satisfy a literal."""
        formula = self.schemas.formulas.literal(literal) if not _is_idle(literal) else TRUE
        return self.schemas.of(self.schemas.only("string", formula, FALSE))

    def samples(self) -> Iterator[JSON]:
        """Yield some that are likely to be among them."""
        members: dict[str, JSON] = {}
        for name in self.required:
            if not self._put(members, name):
                return
        for region, wanted in self.somewhere:
            if not self._place(members, region, wanted):
                return
        while len(members) < min(self.least, MAX_PADDING):
            if not self._pad(members):
                return
        yield members
        if self.most is None or len(members) < self.most:
            more = dict(members)
            if self._pad(more):
                yield more

    def _put(self, members: dict[str, JSON], name: str, *more: Sided) -> bool:
        outcome = self.solve(self.goal(name, *more))
        if isinstance(outcome, Found):
            members[name] = outcome.value
            return True
        if isinstance(outcome, Unknown):
            self.reason = outcome.reason
        return False

    def _place(self, members: dict[str, JSON], region: Region, wanted: Sided) -> bool:
        for name in self.names:
            if self.evaluator.is_in(region, name) and self._put(members, name, wanted):
                return True
        return any(
            self._put_new(members, cell, wanted) for cell in self.cells or [] if cell.is_in(region)
        )

    def _pad(self, members: dict[str, JSON]) -> bool:
        if any(self._put_new(members, cell) for cell in self.cells or []):
            return True
        return any(name not in members and self._put(members, name) for name in self.names)

    def _put_new(self, members: dict[str, JSON], cell: _Cell, *more: Sided) -> bool:
        fresh = self._text(OneOf(frozenset(members), holds=False))
        name = self.solve(cell.goal | {(fresh, False)})
        value = self.solve(self._cell_goal(cell, *more))
        if isinstance(name, Found) and isinstance(value, Found):
            members[str(name.value)] = value.value
            return True
        return False


def _is_idle(literal: OneOf | PatternIs) -> bool:
    return isinstance(literal, OneOf) and not literal.keys and not literal.holds


def _listed(schema: Schema) -> list[str]:
    """The few names that a schema of names lists, or of which it is the opposite."""
    names: list[str] = []
    form = schema.forms[3]
    for part in form.parts or (form,):
        literal = part.literal
        if isinstance(literal, OneOf) and len(literal.keys) <= 100:
            names.extend(sorted(map(str, literal.keys)))
    return names
