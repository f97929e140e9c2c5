"""One question, whether a value is valid under a schema, while it is being answered.

Answers have three values. `None` is "not known": it is worth less than a `False` among conditions
that must all hold, and less than a `True` among alternatives.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

from proxar.contract.validation.budget import Budget
from proxar.contract.validation.dialect import Dialect
from proxar.contract.validation.expression import Expression
from proxar.contract.validation.matching import has_match
from proxar.contract.validation.references import References
from proxar.contract.value import JSON

__all__ = ["Answer", "Check", "Context", "Factory", "Question", "any_of", "every", "if_known"]

DEEPEST = 100
"""Schemas applied inside each other. A tool is compared down to 128 levels of JSON, of which a
schema takes two; each level here is four of Python's 1,000.
"""

Answer: TypeAlias = bool | None


class Question:
    """What is known while a question is answered."""

    __slots__ = ("_checks_of", "_depth", "_followed", "budget")

    def __init__(self, checks_of: Callable[[JSON], "list[Check] | None"], budget: Budget) -> None:
        self.budget = budget
        self._checks_of = checks_of
        self._depth = 0
        self._followed: set[tuple[int, int]] = set()

    def check(self, schema: JSON, value: JSON) -> Answer:
        """Whether the value is valid under a schema inside the one that is asked about.

        Raises:
            BudgetSpent: The whole question is not answered.
        """
        if isinstance(schema, bool):
            return schema
        self.budget.spend()
        checks = self._checks_of(schema)
        if checks is None or self._depth >= DEEPEST:
            return None
        self._depth += 1
        answer: Answer = True
        for check in checks:
            said = check(self, value)
            if said is False:
                answer = False
                break
            if said is None:
                answer = None
        self._depth -= 1
        return answer

    def follow(self, schema: JSON, value: JSON) -> Answer:
        """Answer for what a reference points at; one that leads back to itself means nothing."""
        step = id(schema), id(value)
        if step in self._followed:
            return None
        self._followed.add(step)
        answer = self.check(schema, value)
        self._followed.discard(step)
        return answer

    def matches(self, expression: Expression | None, text: str) -> Answer:
        """Whether a text holds a match; not known for an expression that we do not read."""
        return None if expression is None else has_match(expression, text, self.budget)


Check: TypeAlias = Callable[[Question, JSON], Answer]
"""What one keyword asks of a value."""


class Context(NamedTuple):
    """The whole schema around a keyword."""

    dialect: Dialect
    references: References


Factory: TypeAlias = Callable[[JSON, dict[str, JSON], Context], Check]
"""Makes the check of a keyword from its value, the schema that it stands in, and the whole."""


def every(answers: Iterable[Answer]) -> Answer:
    """Whether all conditions hold."""
    result: Answer = True
    for answer in answers:
        if answer is False:
            return False
        if answer is None:
            result = None
    return result


def any_of(answers: Iterable[Answer]) -> Answer:
    """Whether one of several alternatives holds."""
    result: Answer = False
    for answer in answers:
        if answer is True:
            return True
        if answer is None:
            result = None
    return result


def if_known(applies: Answer, answer: Answer) -> Answer:
    """An answer that counts only if something is so, which may not be known."""
    if applies is None:
        return True if answer is True else None
    return answer if applies else True
