"""Small values that are what they hold."""

from typing import Self

import pytest

from proxar.contract.containment.record import Record


class Pair(Record):
    __slots__ = ()
    __match_args__ = ("left", "right")
    left: object
    right: object

    def __new__(cls, left: object, right: object) -> Self:
        return tuple.__new__(cls, (cls, left, right))


class Couple(Record):
    __slots__ = ()
    __match_args__ = ("left", "right")
    left: object
    right: object

    def __new__(cls, left: object, right: object) -> Self:
        return tuple.__new__(cls, (cls, left, right))


def test_equal_parts_make_equal_values() -> None:
    """Of one class; and equal values have one hash."""
    assert Pair(1, "a") == Pair(1, "a")
    assert hash(Pair(1, "a")) == hash(Pair(1, "a"))
    assert Pair(1, "a") != Pair(1, "b")
    assert {Pair(1, 2), Pair(1, 2), Couple(1, 2)} == {Pair(1, 2), Couple(1, 2)}


def test_parts_are_known_by_name_and_by_place() -> None:
    """So that they can be matched; and nobody changes them."""
    match Pair(1, "a"):
        case Couple():
            raise AssertionError
        case Pair(left, right):
            assert (left, right) == (1, "a")
    with pytest.raises(AttributeError):
        Pair(1, "a").left = 2


def test_a_value_shows_its_parts() -> None:
    """By name, for whoever reads a failed test."""
    assert repr(Pair(1, "a")) == "Pair(left=1, right='a')"
