"""The shortest text of exact numbers."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxar.contract.number import number_text


@pytest.mark.parametrize(
    ("spelling", "text"),
    [
        ("0", "0"),
        ("-0.0", "0"),
        ("1.0", "1"),
        ("1e3", "1000"),
        ("0.5", "0.5"),
        ("-12.340", "-12.34"),
        ("9007199254740993", "9007199254740993"),
        ("100000000000000000000", "100000000000000000000"),
        ("123456789012345678901", "123456789012345678901"),
        ("1000000000000000000000", "1e21"),
        ("1234567890123456789012", "1.234567890123456789012e21"),
        ("0.000001", "0.000001"),
        ("0.0000001", "1e-7"),
        ("1.5e-7", "1.5e-7"),
        ("1E+400", "1e400"),
        ("-2.50E-400", "-2.5e-400"),
    ],
)
def test_writes_as_ecmascript_does(spelling: str, text: str) -> None:
    """Plain between 1e-6 and 1e21, with an exponent beyond, and never a plus sign."""
    assert number_text(Decimal(spelling)) == text


def test_an_integer_of_any_length_is_written() -> None:
    """Python's own limit on digits does not apply."""
    assert number_text(10**5_000 + 1) == f"1.{'0' * 4_999}1e5000"


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_double_keeps_its_value(value: float) -> None:
    """The text of a double's shortest decimal reads back as that double."""
    assert float(number_text(Decimal(repr(value)))) == value


@given(st.decimals(allow_nan=False, allow_infinity=False), st.integers(0, 5))
def test_equal_values_have_one_text(value: Decimal, zeros: int) -> None:
    """Trailing zeros say nothing."""
    sign, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    longer = Decimal((sign, (*digits, *[0] * zeros), exponent - zeros))

    assert number_text(longer) == number_text(value)
    assert Decimal(number_text(value)) == value
