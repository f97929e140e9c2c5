"""The shortest text of an exact number: what ECMAScript's Number::toString writes, without its 53
bits.
"""

from decimal import Decimal

__all__ = ["number_text"]

PLAIN_DIGITS = 21
"""Numbers below 10**21 are written without an exponent, as ECMAScript and RFC 8785 do."""

PLAIN_BELOW = 10**PLAIN_DIGITS

PLAIN_ZEROS = 6
"""Zeros after the point up to which a small number is written without an exponent: 0.000001, but
1e-7.
"""


def number_text(value: int | Decimal) -> str:
    """Return the canonical text: equal values have equal texts, however they were spelt.

    With the value 0.d1d2…dk x 10^n and dk not zero: plain while -6 < n <= 21, otherwise with an
    exponent.
    """
    if isinstance(value, int) and -PLAIN_BELOW < value < PLAIN_BELOW:
        return int.__repr__(value)
    exact = value if isinstance(value, Decimal) else Decimal(value)
    text = str(exact)
    if len(text) <= PLAIN_DIGITS and "." in text and "E" not in text and text[-1] != "0":
        return text  # as it nearly always is
    if not exact.is_finite():
        raise ValueError("NaN and Infinity are no JSON numbers")
    if not exact:
        return "0"
    digits = str(exact.copy_abs()).partition("E")[0].replace(".", "").strip("0")
    return ("-" if exact.is_signed() else "") + _place_point(digits, exact.adjusted() + 1)


def _place_point(digits: str, point: int) -> str:
    if len(digits) <= point <= PLAIN_DIGITS:
        return digits + "0" * (point - len(digits))
    if 0 < point <= PLAIN_DIGITS:
        return f"{digits[:point]}.{digits[point:]}"
    if -PLAIN_ZEROS < point <= 0:
        return f"0.{'0' * -point}{digits}"
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{digits[0]}{fraction}e{point - 1}"
