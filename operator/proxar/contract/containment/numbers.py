"""Which numbers satisfy bounds and divisors: an interval with open or closed ends, and a grid in
it.
"""

from collections.abc import Iterator, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from math import ceil, floor, lcm

from proxar.contract.containment.evaluate import is_multiple
from proxar.contract.containment.literals import AtLeast, AtMost, MultipleOf, Number
from proxar.contract.containment.steps import Steps

__all__ = ["Numbers", "plain", "written"]

MAX_LISTED = 64
"""Numbers of a grid that are looked at one by one."""

DIGITS_A_STEP = 200
"""Digits that are reckoned with in the time of one step."""

MAX_DIGITS = 3_000
"""More than the longest exact number that is read, and its parts, can have."""


def plain(number: Number) -> Number:
    """Return an `int` for a whole fraction."""
    return number if isinstance(number, int) or number.denominator != 1 else number.numerator


def written(number: Number) -> int | Decimal:
    """Return a number as JSON; ours are sums, halves and multiples of decimals: all have an end."""
    if isinstance(number, int):
        return number
    with localcontext() as context:
        context.prec = MAX_DIGITS
        return Decimal(number.numerator) / Decimal(number.denominator)


class Numbers:
    """The numbers that a set of literals accepts."""

    def __init__(self, steps: Steps) -> None:
        self.steps = steps
        self.low: Number | None = None
        self.is_low_open = False
        self.high: Number | None = None
        self.is_high_open = False
        self.grid: Number | None = None
        """All are multiples of this."""
        self.gaps: list[Number] = []
        """None is a multiple of one of these."""

    @classmethod
    def of(cls, literals: Sequence[object], steps: Steps) -> "Numbers":
        """Return what all the literals together accept, or more where that cannot be told."""
        steps.scan(len(literals))
        numbers = cls(steps)
        for literal in literals:
            numbers._add(literal)
        return numbers

    def _add(self, literal: object) -> None:
        match literal:
            case AtLeast(bound, is_open):
                if self.low is None or (bound, is_open) > (self.low, self.is_low_open):
                    self.low, self.is_low_open = bound, is_open
            case AtMost(bound, is_open):
                if self.high is None or (bound, not is_open) < (self.high, not self.is_high_open):
                    self.high, self.is_high_open = bound, is_open
            case MultipleOf(divisor, True):
                self._add_grid(divisor)
            case MultipleOf(divisor, False):
                self.gaps.append(divisor)

    def _add_grid(self, divisor: Number) -> None:
        if self.grid is None:
            self.grid = divisor
            return
        both = _least_multiple(self.grid, divisor)
        digits = (both.numerator.bit_length() + both.denominator.bit_length()) // 3
        self.steps.spend(digits // DIGITS_A_STEP)
        if digits <= MAX_DIGITS:
            self.grid = both

    @property
    def is_empty(self) -> bool:
        """Whether it is certain that there is none."""
        if self.low is not None and self.high is not None:
            if self.low > self.high:
                return True
            if self.low == self.high and (self.is_low_open or self.is_high_open):
                return True
        if self.grid is None:
            return False
        self.steps.scan(len(self.gaps))
        if any(is_multiple(self.grid, gap) for gap in self.gaps):
            return True
        first, last = self._steps()
        return first is not None and last is not None and first > last

    def _steps(self) -> tuple[int | None, int | None]:
        """The first and the last multiple of the grid inside the interval."""
        grid = Fraction(self.grid or 1)
        first = last = None
        if self.low is not None:
            first = ceil(self.low / grid)
            first += self.is_low_open and first * grid == self.low
        if self.high is not None:
            last = floor(self.high / grid)
            last -= self.is_high_open and last * grid == self.high
        return first, last

    @property
    def listed(self) -> list[Number] | None:
        """All there may be, where they are few."""
        if self.grid is None:
            return [self.low] if self.low is not None and self.low == self.high else None
        first, last = self._steps()
        if first is None or last is None or last - first >= MAX_LISTED:
            return None
        return [plain(step * Fraction(self.grid)) for step in range(first, last + 1)]

    def samples(self) -> Iterator[int | Decimal]:
        """Yield some that are likely to be among them."""
        return map(written, self._samples())

    def _samples(self) -> Iterator[Number]:
        if self.grid is not None:
            first, last = self._steps()
            start = first if first is not None else -3 if last is None else last - 24
            for step in range(start, min(start + 25, last + 1 if last is not None else start + 25)):
                yield plain(step * Fraction(self.grid))
            if last is not None and first is not None:
                yield plain(last * Fraction(self.grid))
            return
        low = self.low if self.low is not None else (self.high or 0) - 4
        high = self.high if self.high is not None else low + 4
        width = Fraction(high) - Fraction(low)
        for part in (0, 8, 4, 2, 6, 1, 3, 5, 7):
            yield plain(low + width * part / 8)
        for tiny in (1, 3, 7, 13):
            yield plain(low + width * tiny / 1_000)
        yield from (0, 1, -1)


def _least_multiple(one: Number, other: Number) -> Number:
    left, right = Fraction(one), Fraction(other)
    return plain(
        Fraction(
            lcm(left.numerator * right.denominator, right.numerator * left.denominator),
            left.denominator * right.denominator,
        )
    )
