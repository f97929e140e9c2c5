"""Numbers and strings: assertions in their plainest form, which values meet them, and what a
difference means.
"""

import math
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from proxar.contract.canonical import canonical_text
from proxar.contract.value import JSON
from proxar.contract.vocabulary import TEXT_FORMATS, WHOLE_FORMATS, is_whole
from proxar.contract.wording import shown

__all__ = [
    "Finding",
    "accepts",
    "compare_limit",
    "compare_scalars",
    "plain_numbers",
    "plain_strings",
]

Number = int | Decimal

MAX_EXPONENT = 2_000
"""Powers of ten that exact arithmetic is done over; beyond it we do not know."""

ANY_TEXT = frozenset({"", "^", ".*", "^.*"})
"""Patterns that every string matches, since a pattern may match anywhere."""


class Bound(NamedTuple):
    """One end of an interval."""

    value: Number
    is_open: bool
    keyword: str
    """Where it is written."""


class Finding(NamedTuple):
    """A difference inside one type: the rule, the keyword it is at, and what to say."""

    rule: str
    keyword: str
    message: str
    before: JSON
    after: JSON
    is_removed: bool = False


def plain_numbers(
    keywords: dict[str, JSON], is_integer: bool
) -> tuple[dict[str, JSON], bool] | None:
    """Return the assertions with one bound an end and no idle step; and whether only integers pass.

    `None` if no number can pass. Bounds of integers are closed: above 0 is from 1.
    """
    plain: dict[str, JSON] = {}
    step = keywords.get("multipleOf")
    if isinstance(step, int | Decimal):
        whole = _whole_step(step)
        is_integer = is_integer or (whole is not None and is_whole(step))
        if is_integer and whole is not None:
            step = whole
        if not (is_integer and step == 1):
            plain["multipleOf"] = step
    lower, upper = lower_bound(keywords), upper_bound(keywords)
    if is_integer:
        lower, upper = _closed(lower, upwards=True), _closed(upper, upwards=False)
    if lower and upper and _is_empty(lower, upper):
        return None
    for bound, closed, opened in (
        (lower, "minimum", "exclusiveMinimum"),
        (upper, "maximum", "exclusiveMaximum"),
    ):
        if bound:
            plain[opened if bound.is_open else closed] = bound.value
    return plain, is_integer


def lower_bound(keywords: dict[str, JSON]) -> Bound | None:
    """Return the strongest lower end."""
    ends = list(_ends(keywords, "minimum", "exclusiveMinimum", 0))
    return max(ends, key=lambda end: (end.value, end.is_open), default=None)


def upper_bound(keywords: dict[str, JSON]) -> Bound | None:
    """Return the strongest upper end."""
    ends = list(_ends(keywords, "maximum", "exclusiveMaximum", 1))
    return min(ends, key=lambda end: (end.value, not end.is_open), default=None)


def _ends(keywords: dict[str, JSON], closed: str, opened: str, index: int) -> Iterator[Bound]:
    for keyword in (closed, opened):
        value = keywords.get(keyword)
        if isinstance(value, int | Decimal):
            yield Bound(value, keyword == opened, keyword)
    name = keywords.get("format")
    if isinstance(name, str) and name in WHOLE_FORMATS:
        yield Bound(WHOLE_FORMATS[name][index], False, "format")


def _closed(bound: Bound | None, *, upwards: bool) -> Bound | None:
    """The nearest integer that is still inside."""
    if bound is None:
        return None
    value = bound.value
    if isinstance(value, Decimal):
        if value and value.adjusted() > MAX_EXPONENT:
            return bound
        if value and value.adjusted() < -1:
            value = (0 if value < 0 else 1) if upwards else (-1 if value < 0 else 0)
        else:
            value = math.ceil(value) if upwards else math.floor(value)
    if bound.is_open and value == bound.value:
        value += 1 if upwards else -1
    return Bound(value, False, bound.keyword)


def _is_empty(lower: Bound, upper: Bound) -> bool:
    return lower.value > upper.value or (
        lower.value == upper.value and (lower.is_open or upper.is_open)
    )


def _as_ratio(value: Number) -> tuple[int, int] | None:
    """Numerator and denominator in lowest terms, if they are of a size to reckon with."""
    if isinstance(value, int):
        return value, 1
    if value and abs(value.adjusted()) > MAX_EXPONENT:
        return None
    return value.as_integer_ratio()


def _whole_step(step: Number) -> int | None:
    """What a step means for integers: multiples of 0.5 are all integers, multiples of 2.5 those of
    5.
    """
    ratio = _as_ratio(step)
    return ratio[0] if ratio else None


def _is_multiple(value: Number, step: Number) -> bool | None:
    one, other = _as_ratio(value), _as_ratio(step)
    if one is None or other is None:
        return None
    return one[0] * other[1] % (one[1] * other[0]) == 0


def plain_strings(keywords: dict[str, JSON]) -> tuple[dict[str, JSON], bool]:
    """Return the assertions without idle ones, and whether any string can pass."""
    plain = dict(keywords)
    if plain.get("minLength") == 0:
        del plain["minLength"]
    if plain.get("pattern") in ANY_TEXT:
        del plain["pattern"]
    shortest, longest = plain.get("minLength"), plain.get("maxLength")
    is_possible = not (
        isinstance(shortest, int | Decimal)
        and isinstance(longest, int | Decimal)
        and shortest > longest
    )
    return plain, is_possible


def accepts(keywords: dict[str, JSON], value: JSON) -> bool | None:
    """Whether a number or string meets assertions about its type; `None` when we cannot tell."""
    if isinstance(value, str):
        return _accepts_string(keywords, value)
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return True
    lower, upper = lower_bound(keywords), upper_bound(keywords)
    if lower and (value < lower.value or (lower.is_open and value == lower.value)):
        return False
    if upper and (value > upper.value or (upper.is_open and value == upper.value)):
        return False
    step = keywords.get("multipleOf")
    return _is_multiple(value, step) if isinstance(step, int | Decimal) else True


def _accepts_string(keywords: dict[str, JSON], value: str) -> bool | None:
    shortest, longest = keywords.get("minLength", 0), keywords.get("maxLength")
    if isinstance(shortest, int | Decimal) and len(value) < shortest:
        return False
    if isinstance(longest, int | Decimal) and len(value) > longest:
        return False
    return None if keywords.keys() & {"pattern", "format"} else True


def compare_scalars(
    name: str, before: dict[str, JSON], after: dict[str, JSON], *, is_integer: bool
) -> Iterator[Finding]:
    """Compare the plain assertions about numbers or strings; `is_integer` says which numbers there
    were before.
    """
    if name == "number":
        yield from _compare_ends(lower_bound(before), lower_bound(after), is_lower=True)
        yield from _compare_ends(upper_bound(before), upper_bound(after), is_lower=False)
        yield from _compare_steps(
            before.get("multipleOf"), after.get("multipleOf"), is_integer=is_integer
        )
        return
    yield from compare_limit(before, after, "minLength", is_lower=True)
    yield from compare_limit(before, after, "maxLength", is_lower=False)
    yield from _compare_patterns(before.get("pattern"), after.get("pattern"))
    yield from _compare_formats(before.get("format"), after.get("format"))
    for keyword in ("contentEncoding", "contentMediaType"):
        yield from _compare_content(keyword, before.get(keyword), after.get(keyword))


def compare_limit(
    before: dict[str, JSON], after: dict[str, JSON], keyword: str, *, is_lower: bool
) -> Iterator[Finding]:
    """Compare a count such as `maxLength`; an absent one is no limit."""
    old, new = (
        Bound(value, False, keyword) if isinstance(value, int | Decimal) else None
        for value in (before.get(keyword), after.get(keyword))
    )
    yield from _compare_ends(old, new, is_lower=is_lower, keyword=keyword)


def _compare_ends(
    before: Bound | None, after: Bound | None, *, is_lower: bool, keyword: str = ""
) -> Iterator[Finding]:
    if _key(before, is_lower) == _key(after, is_lower):
        return
    is_raised = _key(before, is_lower) < _key(after, is_lower)
    written = (after or before or NOWHERE).keyword
    rule = RULE_WORDS.get(keyword) or ("minimum" if is_lower else "maximum")
    rule += "-raised" if is_raised else "-lowered"
    old, new = (None if end is None else end.value for end in (before, after))
    yield Finding(rule, written, _say_ends(written, before, after, rule), old, new, after is None)


NOWHERE = Bound(0, False, "minimum")

RULE_WORDS = {
    "maxItems": "max-items",
    "maxLength": "max-length",
    "maxProperties": "max-properties",
    "minItems": "min-items",
    "minLength": "min-length",
    "minProperties": "min-properties",
}


def _key(end: Bound | None, is_lower: bool) -> tuple[int, Number, int]:
    """Ends in order along the number line, an absent one outermost."""
    if end is None:
        return (-1 if is_lower else 1), 0, 0
    return 0, end.value, (1 if is_lower else -1) * end.is_open


def _say_ends(keyword: str, before: Bound | None, after: Bound | None, rule: str) -> str:
    if before is None:
        return f"{keyword} {_say_end(after)} added, there was no limit"
    if after is None:
        return f"{keyword} {_say_end(before)} removed, there is no limit any more"
    return f"{keyword} {rule.rsplit('-', 1)[1]} from {_say_end(before)} to {_say_end(after)}"


def _say_end(end: Bound | None) -> str:
    return "" if end is None else shown(end.value) + (" (exclusive)" if end.is_open else "")


def _compare_steps(before: JSON, after: JSON, *, is_integer: bool) -> Iterator[Finding]:
    if canonical_text(before) == canonical_text(after):
        return
    if not isinstance(after, int | Decimal):
        yield Finding(
            "multiple-of-loosened",
            "multipleOf",
            f"multipleOf {shown(before)} removed",
            before,
            after,
            True,
        )
        return
    if not isinstance(before, int | Decimal):
        if not (is_integer and _is_multiple(1, after)):
            yield Finding(
                "multiple-of-tightened",
                "multipleOf",
                f"multipleOf {shown(after)} added",
                before,
                after,
            )
        return
    rule = "multiple-of-changed"
    if _is_multiple(after, before):
        rule = "multiple-of-tightened"
    elif _is_multiple(before, after):
        rule = "multiple-of-loosened"
    said = f"multipleOf changed from {shown(before)} to {shown(after)}"
    yield Finding(rule, "multipleOf", said, before, after)


def _compare_patterns(before: JSON, after: JSON) -> Iterator[Finding]:
    if before == after:
        return
    if before is None:
        yield Finding("pattern-added", "pattern", f"pattern {shown(after)} added", before, after)
    elif after is None:
        yield Finding(
            "pattern-removed", "pattern", f"pattern {shown(before)} removed", before, after, True
        )
    else:
        values = f"from {shown(before)} to {shown(after)}"
        said = f"pattern changed {values}, which is not proved to include it"
        yield Finding("pattern-changed", "pattern", said, before, after)


def _compare_formats(before: JSON, after: JSON) -> Iterator[Finding]:
    if before == after:
        return
    if not isinstance(before, str):
        yield Finding("format-added", "format", f"format {shown(after)} added", before, after)
        return
    if not isinstance(after, str):
        yield Finding(
            "format-removed", "format", f"format {shown(before)} removed", before, after, True
        )
        return
    rule = "format-changed"
    if after in TEXT_FORMATS[before]:
        rule = "format-widened"
    elif before in TEXT_FORMATS[after]:
        rule = "format-narrowed"
    yield Finding(
        rule, "format", f"format changed from {shown(before)} to {shown(after)}", before, after
    )


def _compare_content(keyword: str, before: JSON, after: JSON) -> Iterator[Finding]:
    if before == after:
        return
    rule = "content-note-changed" if before is None or after is None else "content-changed"
    said = f"{keyword} changed from {shown(before)} to {shown(after)}"
    yield Finding(rule, keyword, said, before, after, after is None)
