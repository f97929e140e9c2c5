"""What the keywords of numbers and strings say (JSON Schema Validation 6.2, 6.3 and 7)."""

from collections.abc import Iterator
from decimal import Decimal

from proxar.contract.canonical import canonical_text
from proxar.contract.containment.formula import FALSE, Formula, Formulas
from proxar.contract.containment.literals import (
    AtLeast,
    AtMost,
    FormatIs,
    MultipleOf,
    Opaque,
    PatternIs,
    SizeAtLeast,
    SizeAtMost,
)
from proxar.contract.containment.values import exact
from proxar.contract.value import JSON
from proxar.contract.vocabulary import TEXT_FORMATS, WHOLE_FORMATS, is_well_formed

__all__ = ["NUMBERS", "malformed", "number_parts", "size_parts", "string_parts"]

NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")

IDLE_PATTERNS = frozenset({"", "^", "$", ".*", "^.*", ".*$"})
"""Expressions of which every string holds a match; `^.*$` is none, since `.` stops at a line's end.
"""


def malformed(formulas: Formulas, keyword: str, value: JSON) -> Formula:
    """Return an assertion that equals none but itself, for a value that means nothing to us."""
    why = f"{keyword} is not written as JSON Schema asks"
    return formulas.literal(Opaque(f"{keyword}:{canonical_text(value)}", why))


def number_parts(formulas: Formulas, schema: dict[str, JSON]) -> Iterator[Formula]:
    """Yield what a schema says about numbers."""
    for keyword in NUMBERS:
        value = schema.get(keyword)
        if value is None and keyword not in schema:
            continue
        if not is_well_formed(keyword, value) or not isinstance(value, int | Decimal):
            yield malformed(formulas, keyword, value)
            continue
        number = exact(value)
        match keyword:
            case "minimum" | "exclusiveMinimum":
                yield formulas.literal(AtLeast(number, keyword != "minimum"))
            case "maximum" | "exclusiveMaximum":
                yield formulas.literal(AtMost(number, keyword != "maximum"))
            case _:
                yield formulas.literal(MultipleOf(number))


def string_parts(
    formulas: Formulas, schema: dict[str, JSON], *, has_formats: bool
) -> Iterator[tuple[str, Formula]]:
    """Yield what it says about strings, or by `format` about numbers, with the type's name."""
    for formula in size_parts(formulas, schema, "minLength", "maxLength"):
        yield "string", formula
    pattern = schema.get("pattern")
    if isinstance(pattern, str):
        if pattern not in IDLE_PATTERNS:
            yield "string", formulas.literal(PatternIs(pattern))
    elif "pattern" in schema:
        yield "string", malformed(formulas, "pattern", pattern)
    known = schema.get("format")
    if has_formats and isinstance(known, str):
        if known in TEXT_FORMATS:
            yield "string", formulas.literal(FormatIs(known))
        elif known in WHOLE_FORMATS:
            least, most = WHOLE_FORMATS[known]
            yield "number", formulas.literal(AtLeast(least))
            yield "number", formulas.literal(AtMost(most))


def size_parts(
    formulas: Formulas, schema: dict[str, JSON], least: str, most: str
) -> Iterator[Formula]:
    """Yield what two keywords say about a size."""
    for keyword in (least, most):
        value = schema.get(keyword)
        if value is None and keyword not in schema:
            continue
        if not is_well_formed(keyword, value) or not isinstance(value, int | Decimal):
            yield malformed(formulas, keyword, value)
        elif keyword == most:
            yield at_most(formulas, int(exact(value)))
        elif int(exact(value)) > 0:
            yield formulas.literal(SizeAtLeast(int(exact(value))))


def at_most(formulas: Formulas, size: int) -> Formula:
    """Return that there are no more than so many."""
    return FALSE if size < 0 else formulas.literal(SizeAtMost(size))
