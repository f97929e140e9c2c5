"""The three answers to "is every value of the one valid under the other?"."""

from typing import Self, TypeAlias

from proxar.contract.containment.record import Record
from proxar.contract.value import JSON

__all__ = ["Answer", "Contained", "Refuted", "Unproved"]


class Contained(Record):
    """Proved: every value that satisfies inner satisfies outer."""

    __slots__ = ()


class Refuted(Record):
    """Some value satisfies inner and not outer."""

    __slots__ = ()
    __match_args__ = ("witness",)
    witness: JSON
    """Such a value."""

    def __new__(cls, witness: JSON) -> Self:
        return tuple.__new__(cls, (cls, witness))


class Unproved(Record):
    """Neither; `reason` says which keyword or limit stands in the way, in one line."""

    __slots__ = ()
    __match_args__ = ("reason",)
    reason: str

    def __new__(cls, reason: str) -> Self:
        return tuple.__new__(cls, (cls, reason))


Answer: TypeAlias = Contained | Refuted | Unproved
