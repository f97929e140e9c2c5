"""Strings that some patterns accept and another refuses, from the prover's own search."""

from collections.abc import Iterator

from proxar.contract.containment.language import find_string
from proxar.contract.containment.steps import OutOfSteps, Steps, Unprovable
from proxar.contract.validation.budget import Budget

__all__ = ["between"]

MOST_STEPS = 1_000
"""The prover's, for one search."""

STEPS_OF_OURS = 3
"""In the time of one of the prover's."""


def between(
    patterns: list[str], refused_by: str | None, least: int, most: int | None, budget: Budget
) -> Iterator[str]:
    """Yield a shortest string within the lengths, if the search finds one."""
    asked = {(pattern, True) for pattern in patterns}
    if refused_by is not None:
        asked.add((refused_by, False))
    steps = Steps(MOST_STEPS)
    try:
        found = find_string(frozenset(asked), least, most, frozenset(), steps)
    except (OutOfSteps, Unprovable):
        found = None
    budget.spend((MOST_STEPS - steps.left) * STEPS_OF_OURS)
    if found is not None:
        yield found
