"""Small values that are compared by what they hold.

They are tuples of their class and their parts, so that Python compares and hashes them without a
call into Python: a question about two real tools does so some hundred times. A dataclass says the
same in fewer lines, is slower in both, and costs half a millisecond each time a program starts.
"""

from operator import itemgetter
from typing import Any, ClassVar, Self

__all__ = ["Record"]


class Record(tuple[Any, ...]):
    """Equal to another of its class with equal parts. The parts are `__match_args__`, in order."""

    __slots__ = ()
    __match_args__: ClassVar[tuple[str, ...]] = ()

    def __new__(cls, *parts: object) -> Self:
        return tuple.__new__(cls, (cls, *parts))

    def __init_subclass__(cls) -> None:
        for place, name in enumerate(cls.__match_args__, start=1):
            setattr(cls, name, property(itemgetter(place)))

    def __repr__(self) -> str:
        parts = (f"{name}={getattr(self, name)!r}" for name in self.__match_args__)
        return f"{type(self).__name__}({', '.join(parts)})"
