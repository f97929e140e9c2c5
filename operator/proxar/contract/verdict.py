"""How bad a difference is."""

from collections.abc import Iterable
from enum import StrEnum

__all__ = ["Verdict"]


class Verdict(StrEnum):
    """From harmless to harmful, and ordered so: `Verdict.COMPATIBLE < Verdict.BREAKING`."""

    NONE = "none"
    COSMETIC = "cosmetic"
    """Recorded, shown on demand, never alerts."""
    COMPATIBLE = "compatible"
    """Every call that kept to the parameters declared before is still valid."""
    ADVISORY = "advisory"
    """Every such call is still valid, but a model or an approver may act differently."""
    BREAKING = "breaking"
    """A call or result that was valid may no longer be, or it cannot be proved that all still are.
    """

    @staticmethod
    def worst(verdicts: Iterable["Verdict"]) -> "Verdict":
        """Return the highest, `NONE` when there is none."""
        return max(verdicts, default=Verdict.NONE)

    def __lt__(self, other: str) -> bool:
        return _rank(self) < _rank(other)

    def __le__(self, other: str) -> bool:
        return _rank(self) <= _rank(other)

    def __gt__(self, other: str) -> bool:
        return _rank(self) > _rank(other)

    def __ge__(self, other: str) -> bool:
        return _rank(self) >= _rank(other)


def _rank(verdict: str) -> int:
    return _ORDER[verdict]


_ORDER: dict[str, int] = {verdict.value: rank for rank, verdict in enumerate(Verdict)}
