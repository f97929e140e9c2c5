"""A JSON value as Proxar holds it, and what is wrong with one that it cannot hold.

Numbers are exact: an `int` where the text has neither fraction nor exponent, a `Decimal` otherwise.
Never a `float`.
"""

from decimal import Decimal
from enum import Enum
from typing import Final, Literal, TypeAlias

__all__ = ["JSON", "MISSING", "ContractError", "Missing", "Reason", "is_flat"]

JSON: TypeAlias = bool | int | Decimal | str | list["JSON"] | dict[str, "JSON"] | None

Reason: TypeAlias = Literal["MalformedResponse", "ProtocolError", "TooLarge"]


SCALARS = frozenset({bool, Decimal, float, int, str, type(None)})


def is_flat(items: list[JSON]) -> bool:
    """Whether no item is an array or object; quick, since a list may have 100,000 of them."""
    return SCALARS.issuperset(map(type, items))


class Missing(Enum):
    """The type of `MISSING`."""

    MISSING = "missing"

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = Missing.MISSING
"""Nothing was there; `None` is JSON's null, which is something."""


class ContractError(ValueError):
    """The bytes hold no tool list. `reason` is one of the fetch reasons of the API, `message` is
    for people.
    """

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(f"{reason}: {message}")
        self.reason: Reason = reason
        self.message = message
