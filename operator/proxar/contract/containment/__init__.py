"""Whether every value that one schema accepts is accepted by another: proved, refuted, or neither.

Belongs here: the normal form of a schema, the search for a value that tells two schemas apart, and
the proof that there is none. Does not: paths, rules, verdicts and everything that a product wants
beyond sets of values, but for the two policies that a question may ask for.
"""

from proxar.contract.containment.answer import Answer, Contained, Refuted, Unproved
from proxar.contract.containment.engine import DEFAULT_STEPS, Document, Engine
from proxar.contract.containment.source import Source
from proxar.contract.value import JSON

__all__ = [
    "DEFAULT_STEPS",
    "Answer",
    "Contained",
    "Document",
    "Engine",
    "Refuted",
    "Source",
    "Unproved",
    "decide",
    "satisfiable",
]


def decide(
    inner: JSON, outer: JSON, *, has_formats: bool = True, is_lenient: bool = False
) -> Answer:
    """Return whether every value that is valid under `inner` is valid under `outer`."""
    return Engine(has_formats=has_formats).decide(inner, outer, is_lenient=is_lenient)


def satisfiable(schema: JSON) -> bool | None:
    """Return whether any value is valid under a schema; `None` when that is not known."""
    return Engine().is_satisfiable(schema)
