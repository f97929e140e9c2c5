"""Whether the watch still tells of anything, measured by what it must tell of: our own writes.

A quiet watch and a dead one look alike, but each status write comes back through it a moment later.
At rest there is one for each server in about a quarter of an hour.
"""

from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["WatchLag"]

Key = tuple[str, str]


class WatchLag:
    """The oldest write of each object that the watch has not told of yet.

    `clock` counts seconds and never goes back.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._waiting: dict[Key, tuple[str, float]] = {}

    def wrote(self, key: Key, written: Mapping[str, Any]) -> None:
        """A write made this newer copy; what was written while an older one waits is not waited
        for."""
        self._waiting.setdefault(key, (_version(written), self._clock()))

    def heard(self, key: Key, told: Mapping[str, Any]) -> None:
        """The watch told of this copy."""
        if key in self._waiting and _reaches(_version(told), self._waiting[key][0]):
            del self._waiting[key]

    def forget(self, key: Key) -> None:
        """The object is gone."""
        self._waiting.pop(key, None)

    @property
    def seconds(self) -> float:
        """How long the watch has been silent about a write; 0 when it has told of all."""
        oldest = min((since for _, since in self._waiting.values()), default=None)
        return 0.0 if oldest is None else self._clock() - oldest


def _version(raw: Mapping[str, Any]) -> str:
    return str(raw["metadata"].get("resourceVersion", ""))


def _reaches(told: str, written: str) -> bool:
    # Where versions cannot be compared any news is a sign of life.
    return not (told.isdigit() and written.isdigit()) or int(told) >= int(written)
