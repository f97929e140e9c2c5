"""Which members or items a schema has evaluated, case by case (JSON Schema Core 11).

An applicator evaluates only where it holds, so each that may or may not hold splits the cases in
two. The cases of one schema overlap in no value and miss none that the rest of the schema accepts.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

from proxar.contract.containment.formula import FALSE, TRUE, Formula
from proxar.contract.containment.literals import AllMembers, Name
from proxar.contract.containment.reader import Reader
from proxar.contract.containment.schema import TYPES, Schema
from proxar.contract.value import JSON

__all__ = ["Case", "array_cases", "object_cases"]

MAX_CASES = 32

MAX_LEVELS = 12
"""Applicators in applicators, references included, that are looked through."""


class Case(NamedTuple):
    """What is evaluated where a condition holds."""

    condition: Formula = TRUE
    is_all: bool = False
    names: frozenset[str] = frozenset()
    patterns: frozenset[str] = frozenset()
    prefix: int = 0
    """Items from the first on."""
    contained: tuple[Schema, ...] = ()
    """Schemas of `contains`, which evaluate the items that satisfy them."""

    def and_also(self, other: "Case", condition: Formula) -> "Case":
        """Return what is evaluated by both, where both conditions hold."""
        return Case(
            condition,
            self.is_all or other.is_all,
            self.names | other.names,
            self.patterns | other.patterns,
            max(self.prefix, other.prefix),
            (*self.contained, *other.contained),
        )

    @property
    def has_evaluated(self) -> bool:
        """Whether it evaluates anything."""
        return self != Case(self.condition)


class _TooManyCases(Exception):  # noqa: N818 - a signal inside this module
    pass


_Own: TypeAlias = Callable[[dict[str, JSON], str], Case]


def object_cases(reader: Reader, schema: dict[str, JSON], base: str) -> list[Case] | None:
    """Return the cases for `unevaluatedProperties`; `None` if there are too many."""
    return _Cases(reader, "object", _own_members).of(schema, base)


def array_cases(reader: Reader, schema: dict[str, JSON], base: str) -> list[Case] | None:
    """Return the cases for `unevaluatedItems`; `None` if there are too many."""

    def own(part: dict[str, JSON], inner: str) -> Case:
        return _own_items(reader, part, inner)

    return _Cases(reader, "array", own).of(schema, base)


def _own_members(schema: dict[str, JSON], _: str) -> Case:
    properties, patterns = (
        schema.get(keyword, {}) for keyword in ("properties", "patternProperties")
    )
    return Case(
        is_all="additionalProperties" in schema,
        names=frozenset(properties) if isinstance(properties, dict) else frozenset(),
        patterns=frozenset(patterns) if isinstance(patterns, dict) else frozenset(),
    )


def _own_items(reader: Reader, schema: dict[str, JSON], base: str) -> Case:
    dialect = reader.dialect
    tail = schema.get("items")
    prefix = schema.get("prefixItems") if dialect.has_prefix_items else None
    is_all = tail is not None
    if dialect.has_old_tuples and isinstance(tail, list):
        prefix, is_all = tail, "additionalItems" in schema
    contained = ()
    # In 2019-09 `contains` evaluated nothing.
    if "contains" in schema and dialect.has_dynamic_references:
        contained = (reader.schema(schema["contains"], base),)  # type: ignore[assignment]
    length = len(prefix) if isinstance(prefix, list) else 0
    return Case(is_all=is_all, prefix=length, contained=contained)


class _Cases:
    def __init__(self, reader: Reader, type_name: str, own: _Own) -> None:
        self.reader = reader
        self.formulas = reader.formulas
        self.type = TYPES.index(type_name)
        self.nested = "unevaluatedProperties" if type_name == "object" else "unevaluatedItems"
        self.own = own
        self.level = 0

    def of(self, schema: dict[str, JSON], base: str) -> list[Case] | None:
        """The schema is the one that holds the keyword, so its own does not count."""
        bare = {name: value for name, value in schema.items() if name not in (self.nested, "$id")}
        try:
            return self._cases(bare, base)
        except _TooManyCases:
            return None

    def _cases(self, schema: JSON, outer: str) -> list[Case]:
        if not isinstance(schema, dict):
            return [Case()]
        base = self.reader.inside(schema, outer)
        cases = [self.own(schema, base)]
        if self.nested in schema:
            return [Case(is_all=True)]
        self.level += 1
        if self.level > MAX_LEVELS:
            raise _TooManyCases
        for more in self._applicators(schema, base):
            cases = self._both(cases, more)
        self.level -= 1
        return cases

    def _applicators(self, schema: dict[str, JSON], base: str) -> Iterator[list[Case]]:
        for target in self.reader.targets(schema, base):
            if target is None:
                raise _TooManyCases
            yield self._cases(target.schema, target.base)
        for keyword in ("allOf", "anyOf", "oneOf"):
            branches = schema.get(keyword)
            for branch in branches if isinstance(branches, list) else []:
                inner = self._cases(branch, base)
                if keyword == "allOf":
                    yield inner
                elif keyword == "anyOf" and any(case.has_evaluated for case in inner):
                    yield self._where(self.reader.forms(branch, base)[self.type], inner)
            if keyword == "oneOf" and isinstance(branches, list):
                yield self._exclusive(branches, base)
        if "if" in schema:
            yield self._conditional(schema, base)
        dependents = schema.get("dependentSchemas")
        for name, dependent in dependents.items() if isinstance(dependents, dict) else []:
            inner = self._cases(dependent, base)
            if any(case.has_evaluated for case in inner):
                yield self._where(self.formulas.opposite(self._absent(name)), inner)

    def _exclusive(self, branches: list[JSON], base: str) -> list[Case]:
        """Of a `oneOf` that holds, one branch does, so its branches make no combinations."""
        cases: list[Case] = []
        silent: list[Formula] = []
        for branch in branches:
            inner = self._cases(branch, base)
            if any(case.has_evaluated for case in inner):
                condition = self.reader.forms(branch, base)[self.type]
                cases.extend(self._under(condition, inner))
                silent.append(self.formulas.opposite(condition))
        return self._limited([*cases, Case(self.formulas.all_of(silent))])

    def _absent(self, name: str) -> Formula:
        if TYPES[self.type] != "object":
            return TRUE  # an array has no members, so the dependent schema does not apply
        return self.formulas.literal(AllMembers(Name(name), self.reader.schemas.nothing))

    def _conditional(self, schema: dict[str, JSON], base: str) -> list[Case]:
        condition = self.reader.forms(schema["if"], base)[self.type]
        then = self._both(
            self._cases(schema["if"], base), self._cases(schema.get("then", True), base)
        )
        other = self._cases(schema.get("else", True), base)
        opposite = self.formulas.opposite(condition)
        return self._limited([*self._under(condition, then), *self._under(opposite, other)])

    def _where(self, condition: Formula, cases: list[Case]) -> list[Case]:
        """The cases where a condition holds, and nothing evaluated where it does not."""
        return self._limited(
            [*self._under(condition, cases), Case(self.formulas.opposite(condition))]
        )

    def _under(self, condition: Formula, cases: list[Case]) -> list[Case]:
        return [
            case._replace(condition=self.formulas.both(condition, case.condition)) for case in cases
        ]

    def _both(self, one: list[Case], other: list[Case]) -> list[Case]:
        return self._limited(
            [
                here.and_also(there, self.formulas.both(here.condition, there.condition))
                for here in one
                for there in other
            ]
        )

    def _limited(self, cases: list[Case]) -> list[Case]:
        kept = [case for case in cases if case.condition is not FALSE]
        if len(kept) > MAX_CASES:
            raise _TooManyCases
        return kept
