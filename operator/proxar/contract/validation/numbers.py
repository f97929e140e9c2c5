"""Exact arithmetic on the numbers of JSON, however large their exponents are."""

from decimal import Decimal

__all__ = ["is_multiple"]


def is_multiple(value: int | Decimal, step: int | Decimal) -> bool:
    """Whether the value is a whole multiple of the step, which is not zero."""
    digits, exponent = _parts(value)
    step_digits, step_exponent = _parts(step)
    if digits == 0:
        return True
    shift = exponent - step_exponent
    if shift >= 0:
        power: int = pow(10, shift, abs(step_digits))
        return digits * power % step_digits == 0
    if -shift > digits.bit_length():  # ten to that power is larger than the digits
        return False
    larger: int = 10**-shift
    return digits % (step_digits * larger) == 0


def _parts(value: int | Decimal) -> tuple[int, int]:
    """The digits and the power of ten that they are multiplied with."""
    if isinstance(value, int):
        return value, 0
    sign, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        raise TypeError("NaN and Infinity are no JSON numbers")
    return int(Decimal((sign, digits, 0))), exponent
