"""The validator of one schema."""

from proxar.contract.validation.applicators import APPLICATORS
from proxar.contract.validation.assertions import ASSERTIONS
from proxar.contract.validation.budget import Budget, BudgetSpent
from proxar.contract.validation.dialect import dialect_of
from proxar.contract.validation.question import Check, Context, Question
from proxar.contract.validation.references import References
from proxar.contract.validation.unevaluated import UNEVALUATED
from proxar.contract.value import JSON, MISSING, Missing
from proxar.contract.vocabulary import is_well_formed

__all__ = ["DEFAULT_STEPS", "Validator", "is_valid"]

DEFAULT_STEPS = 20_000
"""Schemas applied, or as much other work, for one question: a few hundredths of a second."""

FACTORIES = ASSERTIONS | APPLICATORS | UNEVALUATED


class Validator:
    """Validates values under one whole schema, or under parts of it, which it prepares once."""

    def __init__(self, root: JSON) -> None:
        self.root = root
        dialect = dialect_of(root)
        self._context = None if dialect is None else Context(dialect, References(root))
        self._prepared: dict[int, tuple[JSON, list[Check] | None]] = {}

    def is_valid(
        self,
        value: JSON,
        schema: JSON | Missing = MISSING,
        *,
        budget: Budget | None = None,
    ) -> bool | None:
        """Whether a value is valid; `None` when that cannot be said.

        Args:
            schema: A part of the whole schema, instead of the whole.
            budget: What several questions share, instead of `DEFAULT_STEPS` for this one.
        """
        question = Question(self._checks_of, budget or Budget(DEFAULT_STEPS))
        try:
            return question.check(self.root if schema is MISSING else schema, value)
        except (BudgetSpent, RecursionError):  # the caller may be deep in Python's stack already
            return None

    def resolve(self, reference: str) -> JSON | Missing:
        """Return what a reference inside the schema points at; `MISSING` if that is not sure."""
        return MISSING if self._context is None else self._context.references.resolve(reference)

    def _checks_of(self, schema: JSON) -> list[Check] | None:
        """What a schema asks; `None` for one that is not written as it must be."""
        known = self._prepared.get(id(schema))
        if known is None:  # the schema is kept beside, so that its id stays its own
            known = self._prepared[id(schema)] = schema, self._prepare(schema)
        return known[1]

    def _prepare(self, schema: JSON) -> list[Check] | None:
        context = self._context
        if context is None or not isinstance(schema, dict):
            return None
        if context.dialect.has_lone_references and "$ref" in schema:
            schema = {"$ref": schema["$ref"]}
        checks = []
        for keyword, factory in FACTORIES.items():
            if keyword not in schema or not context.dialect.knows(keyword):
                continue
            value = schema[keyword]
            if not is_well_formed(keyword, value) or (
                keyword == "items"
                and isinstance(value, list)
                and not context.dialect.has_old_tuples
            ):
                return None
            checks.append(factory(value, schema, context))
        return checks


def is_valid(
    instance: JSON, schema: JSON, *, root: JSON | Missing = MISSING, budget: int = DEFAULT_STEPS
) -> bool | None:
    """Whether a value is valid under a schema; `None` when that cannot be said.

    Args:
        root: The whole schema that `schema` is a part of, with the dialect and the targets of its
            references.
        budget: Steps that the answer may take.
    """
    validator = Validator(schema if root is MISSING else root)
    return validator.is_valid(instance, schema, budget=Budget(budget))
