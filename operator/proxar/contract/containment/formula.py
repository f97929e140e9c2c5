"""Boolean formulas about the values of one type, interned: equal formulas are one object.

Negation is pushed down to the literals, so a formula is true, false, a literal, a conjunction or a
disjunction. Each knows its negation, and the negation of the negation is the same object again.
"""

from collections.abc import Iterable
from enum import Enum, auto

from proxar.contract.containment.record import Record

__all__ = ["FALSE", "TRUE", "Formula", "Formulas", "Kind", "Literal"]


class Kind(Enum):
    """What a formula is made of."""

    TRUE = auto()
    FALSE = auto()
    LITERAL = auto()
    AND = auto()
    OR = auto()


class Literal(Record):
    """An assertion about a value of one type; hashable, equal when it says the same."""

    __slots__ = ()

    def negated(self) -> "Literal":
        """Return the literal that holds exactly where this one does not, in the same type."""
        raise NotImplementedError


class Formula:
    """One node. `parts` are those of a conjunction or disjunction, in the order first seen."""

    __slots__ = ("kind", "literal", "opposite_or_none", "parts")

    def __init__(
        self, kind: Kind, parts: tuple["Formula", ...] = (), literal: Literal | None = None
    ) -> None:
        self.kind = kind
        self.parts = parts
        self.literal = literal
        self.opposite_or_none: Formula | None = None

    def __repr__(self) -> str:
        if self.kind is Kind.LITERAL:
            return repr(self.literal)
        return f"{self.kind.name}{list(self.parts)}" if self.parts else self.kind.name


TRUE = Formula(Kind.TRUE)
FALSE = Formula(Kind.FALSE)
TRUE.opposite_or_none, FALSE.opposite_or_none = FALSE, TRUE


class Formulas:
    """Where formulas are made, each once."""

    def __init__(self) -> None:
        self._literals: dict[Literal, Formula] = {}
        self._conjunctions: dict[frozenset[Formula], Formula] = {}
        self._disjunctions: dict[frozenset[Formula], Formula] = {}

    def literal(self, literal: Literal) -> Formula:
        """Return the formula that is this literal."""
        found = self._literals.get(literal)
        if found is None:
            found = self._literals[literal] = Formula(Kind.LITERAL, literal=literal)
        return found

    def both(self, *parts: Formula) -> Formula:
        """Return the conjunction."""
        return self.all_of(parts)

    def all_of(self, parts: Iterable[Formula]) -> Formula:
        """Return the conjunction."""
        kept: dict[Formula, None] = {}
        for part in parts:
            if part is FALSE:
                return FALSE
            if part.kind is Kind.AND:
                kept.update(dict.fromkeys(part.parts))
            elif part is not TRUE:
                kept[part] = None
        return self._join(kept, Kind.AND, self._conjunctions)

    def either(self, *parts: Formula) -> Formula:
        """Return the disjunction."""
        return self.any_of(parts)

    def any_of(self, parts: Iterable[Formula]) -> Formula:
        """Return the disjunction."""
        kept: dict[Formula, None] = {}
        for part in parts:
            if part is TRUE:
                return TRUE
            if part.kind is Kind.OR:
                kept.update(dict.fromkeys(part.parts))
            elif part is not FALSE:
                kept[part] = None
        return self._join(kept, Kind.OR, self._disjunctions)

    def _join(
        self, parts: dict[Formula, None], kind: Kind, known: dict[frozenset[Formula], Formula]
    ) -> Formula:
        """Return the formula of parts that are neither true, false nor of its own kind."""
        is_all = kind is Kind.AND
        if len(parts) < 2:
            return next(iter(parts), TRUE if is_all else FALSE)
        for part in parts:
            if part.opposite_or_none in parts:
                return FALSE if is_all else TRUE
        key = frozenset(parts)
        found = known.get(key)
        if found is None:
            found = known[key] = Formula(kind, tuple(parts))
        return found

    def opposite(self, formula: Formula) -> Formula:
        """Return the negation."""
        found = formula.opposite_or_none
        if found is None:
            if formula.literal is not None:
                found = self.literal(formula.literal.negated())
            elif formula.kind is Kind.AND:
                found = self.any_of(self.opposite(part) for part in formula.parts)
            else:
                found = self.all_of(self.opposite(part) for part in formula.parts)
            formula.opposite_or_none = found
            if found.opposite_or_none is None:
                found.opposite_or_none = formula
        return found
