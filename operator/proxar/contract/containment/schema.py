"""A schema in normal form: one formula for each type of value.

Types have no value in common, so conjunction, disjunction and negation go type by type, a `type` is
a mask, and a keyword that does not apply to a type is not in its formula. Schemas are interned as
formulas are. A recursive one is made when it is first looked into.
"""

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from proxar.contract.containment.formula import FALSE, TRUE, Formula, Formulas
from proxar.contract.value import JSON

__all__ = ["TYPES", "Forms", "Schema", "Schemas"]

TYPES = ("null", "boolean", "number", "string", "array", "object")
"""The order of the formulas; `integer` is a part of `number`."""

Forms: TypeAlias = tuple[Formula, ...]


NOTHING: Forms = (FALSE,) * len(TYPES)


class Schema:
    """The values that satisfy six formulas, by type."""

    __slots__ = ("_forms", "_make", "opposite", "serial")

    opposite: "Schema"
    """The schema of all other values."""

    serial: int
    """When it was made, for an order that is the same in every run."""

    def __init__(
        self, serial: int, forms: Forms | None, make: Callable[[], Forms] | None = None
    ) -> None:
        self.serial = serial
        self._forms = forms
        self._make = make

    @property
    def forms(self) -> Forms:
        """One formula for each of `TYPES`."""
        if self._forms is None:
            self._forms = self._make() if self._make else NOTHING
            self._make = None
        return self._forms

    @property
    def is_open(self) -> bool:
        """Whether it was not looked into yet."""
        return self._forms is None

    def __repr__(self) -> str:
        if self._forms is None:
            return "…"
        return " ".join(f"{name}:{form}" for name, form in zip(TYPES, self._forms, strict=True))


class Schemas:
    """Where schemas are made, each once."""

    def __init__(self) -> None:
        self.formulas = Formulas()
        self._known: dict[object, Schema] = {}
        self.read: dict[tuple[str, str, str], Schema] = {}
        """Those without references, by dialect, base and text."""
        self.of_type: dict[str, Schema] = {}
        """Those that say which type a value is and no more, by its name."""
        self.listed: dict[str, JSON] = {}
        """The arrays and objects of enumerations, by their key."""
        self.regions: dict[Formula, frozenset[Any]] = {}
        """What formulas about objects speak of; see `leniency`."""
        self.wide_regions: dict[Formula, list[Any]] = {}
        self.anything = self.of((TRUE,) * len(TYPES))
        self.nothing = self.anything.opposite

    def of(self, forms: Forms) -> Schema:
        """Return the schema of six formulas."""
        found = self._known.get(forms)
        if found is None:
            found = self._known[forms] = Schema(len(self), forms)
            negated = self.formulas.opposite
            others = tuple([form.opposite_or_none or negated(form) for form in forms])
            opposite = self._known.get(others)
            if opposite is None:
                opposite = self._known[others] = Schema(len(self), others)
                opposite.opposite = found
            found.opposite = opposite
        return found

    def later(self, key: str, make: Callable[[], Forms]) -> Schema:
        """Return the schema of a key, which is made when it is looked into."""
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = Schema(len(self), None, make)
            source, formulas = found, self.formulas
            other = Schema(len(self), None, lambda: tuple(map(formulas.opposite, source.forms)))
            self._known[key, False] = other
            found.opposite, other.opposite = other, found
        return found

    def all_of(self, parts: Iterable[Forms]) -> Forms:
        """Return what all of them accept."""
        return tuple(map(self.formulas.all_of, zip(*parts, strict=True)))

    def any_of(self, parts: Iterable[Forms]) -> Forms:
        """Return what at least one of them accepts."""
        return tuple(map(self.formulas.any_of, zip(*parts, strict=True)))

    def opposite(self, forms: Forms) -> Forms:
        """Return what they do not accept."""
        return tuple(map(self.formulas.opposite, forms))

    def only(self, type_name: str, formula: Formula, others: Formula = TRUE) -> Forms:
        """Return the formula for one type, and another for all other types."""
        return tuple(formula if name == type_name else others for name in TYPES)

    def __len__(self) -> int:
        return len(self._known)
