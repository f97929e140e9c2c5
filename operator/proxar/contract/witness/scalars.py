"""Numbers and strings at the edges of what two schemas say about them."""

from collections.abc import Iterable, Iterator
from decimal import Context, Decimal
from itertools import chain

from proxar.contract.validation.budget import Budget
from proxar.contract.validation.expression import (
    Choice,
    Expression,
    Letters,
    Repeat,
    Sequence,
    parse,
)
from proxar.contract.value import JSON
from proxar.contract.vocabulary import WHOLE_FORMATS, is_whole
from proxar.contract.witness.facts import Facts
from proxar.contract.witness.product import between

__all__ = ["FORMAT_SAMPLES", "numbers", "strings"]

LONGEST = 1_500
"""Characters of a string that is still shown whole in a report."""

EXACT = Context(prec=200, traps=[])
"""Enough digits for sums of bounds and steps; what is rounded all the same fails the validator."""

BOUNDS = ("maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum")

FORMAT_SAMPLES: dict[str, tuple[str, ...]] = {
    "date": ("2024-02-29",),
    "date-time": ("2024-02-29T12:00:00Z", "2024-02-29T12:00:00.5+01:00"),
    "duration": ("P1D", "PT1H"),
    "email": ("a@example.com",),
    "hostname": ("example.com",),
    "idn-email": ("a@example.com",),
    "idn-hostname": ("example.com",),
    "ipv4": ("192.0.2.1",),
    "ipv6": ("2001:db8::1",),
    "iri": ("https://example.com/", "https://example.com/ü"),
    "iri-reference": ("/a", "https://example.com/", "/ü"),
    "json-pointer": ("/a", ""),
    "regex": ("a", "^a+$"),
    "relative-json-pointer": ("0", "1/a"),
    "time": ("12:00:00Z",),
    "uri": ("https://example.com/", "ftp://example.com/a"),
    "uri-reference": ("/a", "https://example.com/"),
    "uri-template": ("/a/{b}",),
    "uuid": ("123e4567-e89b-42d3-a456-426614174000", "00000000-0000-0000-0000-000000000000"),
}
"""Strings that surely have a format, the most telling first."""

PLAIN = ("a", "", "A", "0", "a b", "-", "_", ".", "é", "a/b", "\n")
"""Strings that tell most rules about strings apart."""


def numbers(old: Facts, new: Facts) -> Iterator[JSON]:
    """Numbers around the bounds and steps of both sides, those of the new one first."""
    steps = [*old.numbers("multipleOf"), *new.numbers("multipleOf")]
    for facts in (new, old):
        for bound in (*facts.numbers(*BOUNDS), *_format_bounds(facts)):
            for distance in (0, 1, -1, *steps, *(-step for step in steps), HALF, -HALF):
                yield from _sum(bound, distance)
    for step in steps:
        for count in (1, -1, 2, 3, 5, 7):
            yield from _sum(0, *[step] * count if count > 0 else [-step])
    yield from (1, 0, -1, HALF, Decimal("1.5"), 2, 3, 10)


HALF = Decimal("0.5")


def _format_bounds(facts: Facts) -> list[int]:
    known = [WHOLE_FORMATS[name] for name in facts.texts("format") if name in WHOLE_FORMATS]
    return [bound for least, most in known for bound in (most, least)]


def _sum(*terms: int | Decimal) -> Iterator[JSON]:
    if all(isinstance(term, int) for term in terms):
        yield sum(int(term) for term in terms)
        return
    total = Decimal(0)
    for term in terms:
        total = EXACT.add(total, Decimal(term))
    if total.is_finite():
        yield int(total) if is_whole(total) and abs(total) < 10**21 else total


def strings(old: Facts, new: Facts, budget: Budget) -> Iterator[JSON]:
    """Strings at the edges of lengths, patterns and formats of both sides."""
    lengths = list(_lengths(old, new))
    patterns, formats = old.texts("pattern"), old.texts("format")
    known = [name for name in formats if name in FORMAT_SAMPLES]
    if known:
        yield from (text for name in known for text in FORMAT_SAMPLES[name])
    if patterns:
        yield from _spelt(patterns, new, lengths, budget)
    if not patterns and not known:
        for length in lengths:
            yield from _of_length(length)
        for pattern in new.texts("pattern"):
            yield from between([], pattern, _least(old), _most(old), budget)
    yield from PLAIN
    for name in new.texts("format"):
        yield from FORMAT_SAMPLES.get(name, ())
    for pattern in new.texts("pattern"):  # for a rule about strings that are not so
        yield from _examples(pattern)


def _of_length(length: int) -> Iterator[str]:
    if length == 0:
        yield ""
    elif length > 0:
        yield "a" * length
        yield "\U0001f600" * length if length < 50 else "é" * length


def _lengths(old: Facts, new: Facts) -> Iterator[int]:
    """Lengths that one side or the other draws a line at, those that the new one refuses first."""
    edges = chain(
        ((limit, 1) for limit in new.numbers("maxLength")),
        ((limit, -1) for limit in new.numbers("minLength")),
        ((limit, 0) for limit in new.numbers("maxLength", "minLength")),
        ((limit, 0) for limit in old.numbers("minLength", "maxLength")),
    )
    for limit, distance in edges:
        if limit <= LONGEST:
            yield int(limit) + distance


def _least(facts: Facts) -> int:
    return int(max((limit for limit in facts.numbers("minLength") if limit <= LONGEST), default=0))


def _most(facts: Facts) -> int | None:
    limit = min(facts.numbers("maxLength"), default=None)
    return None if limit is None or limit > LONGEST else int(limit)


def _spelt(patterns: list[str], new: Facts, lengths: list[int], budget: Budget) -> Iterator[str]:
    """Strings that the old patterns accept: refused by a new pattern, of a telling length, any."""
    least, most = 0, None
    for pattern in new.texts("pattern"):
        if pattern not in patterns:
            yield from between(patterns, pattern, least, most, budget)
    for pattern in patterns:
        yield from _examples(pattern)
    for length in lengths:
        if 0 <= length <= LONGEST:
            yield from between(patterns, None, length, length, budget)
    if len(patterns) > 1:
        yield from between(patterns, None, least, most, budget)


def _examples(pattern: str) -> Iterator[str]:
    expression = parse(pattern)
    if expression is not None:
        for more in (0, 1, 3):
            for branch in (0, 1):
                yield _example(expression, more, branch)[:LONGEST]


def _example(expression: Expression, more: int, branch: int) -> str:
    """A string that the expression accepts, as far as what it looks around at allows."""
    match expression:
        case Letters():
            return _letter(expression)
        case Sequence(parts):
            return "".join(_example(part, more, branch) for part in parts)
        case Choice(parts):
            return _example(parts[min(branch, len(parts) - 1)], more, branch)
        case Repeat(part, least, most):
            count = least + more if most is None else min(least + more, most)
            return _example(part, more, branch) * min(count, LONGEST)
        case _:
            return ""


LIKED = [ord(character) for character in "a0A-_. /:"]


def _letter(letters: Letters) -> str:
    firsts: Iterable[int] = (first for first, _ in letters.ranges)
    afters = (last + 1 for _, last in letters.ranges)
    return next(
        (
            chr(code)
            for code in (*LIKED, *firsts, *afters)
            if code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF and letters.has(code)
        ),
        "",
    )
