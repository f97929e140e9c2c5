"""Small values that are what they hold."""

from proxar.contract.containment.record import Record


class Pair(Record):
    __slots__ = __match_args__ = ("left", "right")

    def __init__(self, left: object, right: object) -> None:
        self.left, self.right = left, right


class Couple(Record):
    __slots__ = __match_args__ = ("left", "right")

    def __init__(self, left: object, right: object) -> None:
        self.left, self.right = left, right


def test_equal_parts_make_equal_values() -> None:
    """Of one class; and equal values have one hash."""
    assert Pair(1, "a") == Pair(1, "a")
    assert hash(Pair(1, "a")) == hash(Pair(1, "a"))
    assert Pair(1, "a") != Pair(1, "b")
    assert Pair(1, "a") != Couple(1, "a")
    assert {Pair(1, 2), Pair(1, 2), Couple(1, 2)} == {Pair(1, 2), Couple(1, 2)}


def test_a_value_shows_its_parts() -> None:
    """By name, for whoever reads a failed test."""
    assert repr(Pair(1, "a")) == "Pair(left=1, right='a')"
