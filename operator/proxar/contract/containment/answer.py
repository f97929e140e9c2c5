"""The three answers to "is every value of the one valid under the other?"."""

from dataclasses import dataclass
from typing import TypeAlias

from proxar.contract.value import JSON

__all__ = ["Answer", "Contained", "Refuted", "Unproved"]


@dataclass(frozen=True, slots=True)
class Contained:
    """Proved: every value that satisfies inner satisfies outer."""


@dataclass(frozen=True, slots=True)
class Refuted:
    """Some value satisfies inner and not outer."""

    witness: JSON
    """Such a value."""


@dataclass(frozen=True, slots=True)
class Unproved:
    """Neither; `reason` says which keyword or limit stands in the way, in one line."""

    reason: str


Answer: TypeAlias = Contained | Refuted | Unproved
