"""What the modules of the keyword families need of the reading that they are a part of."""

from typing import Protocol

from proxar.contract.containment.formula import Formulas
from proxar.contract.containment.schema import Forms, Schema, Schemas
from proxar.contract.containment.source import Dialect, Spot
from proxar.contract.containment.steps import Steps
from proxar.contract.value import JSON

__all__ = ["Reader"]


class Reader(Protocol):
    """Reads the schemas inside a schema."""

    schemas: Schemas
    formulas: Formulas
    dialect: Dialect
    steps: Steps

    def schema(self, value: JSON, base: str) -> Schema:
        """Return a schema about a part of the value."""
        ...

    def forms(self, value: JSON, base: str) -> Forms:
        """Return a schema about the value itself."""
        ...

    def inside(self, schema: dict[str, JSON], base: str) -> str:
        """Return the base of the references inside a schema."""
        ...

    def targets(self, schema: dict[str, JSON], base: str) -> list[Spot | None]:
        """Return what the references of a schema point at, `None` for a dangling one."""
        ...

    def identity(self, value: JSON, base: str) -> str:
        """Return a text that two schemas share only if they mean the same."""
        ...
