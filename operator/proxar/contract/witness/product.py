"""Strings that some patterns accept and another refuses, from the prover's own search."""

from collections.abc import Iterator

from proxar.contract.containment.language import find_string
from proxar.contract.containment.steps import Unprovable

__all__ = ["between"]


def between(
    patterns: list[str], refused_by: str | None, least: int, most: int | None
) -> Iterator[str]:
    """Yield a shortest string within the lengths, if the search finds one."""
    asked = {(pattern, True) for pattern in patterns}
    if refused_by is not None:
        asked.add((refused_by, False))
    try:
        found = find_string(frozenset(asked), least, most, frozenset())
    except Unprovable:
        return
    if found is not None:
        yield found
