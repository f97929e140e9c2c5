"""Random histories of one server: what it reports, what people do, what time does."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from hypothesis import strategies as st

from proxar.contract import ToolList
from proxar.controller.observation import Fault, Held
from tests.unit.controller.world import (
    ADVISORY,
    BREAKING,
    COMPATIBLE,
    COSMETIC,
    DOWN,
    FIRST,
    OTHER,
    UNAUTHORIZED,
    UNKNOWN,
    URL,
    World,
)

__all__ = ["Step", "histories", "reworded"]

LISTS = [FIRST, BREAKING, OTHER, ADVISORY, COMPATIBLE, COSMETIC]
HASHES = [None, UNKNOWN, *(tools.hash for tools in LISTS)]


@dataclass(frozen=True)
class Step:
    """Something happens, and then somebody looks."""

    act: Callable[[World], None]
    found: ToolList | Fault
    told: str

    def __repr__(self) -> str:
        return f"<{self.told}>"

    def seen_by(self, world: World) -> ToolList | Fault | Held | None:
        """What the look gives in this world."""
        return None if world.server.spec.suspend else self.found


def _step(told: str, value: Any, found: ToolList | Fault) -> Step:
    """Do one thing a second later, and look."""

    def act(world: World) -> None:
        world.wait(timedelta(seconds=1))
        match told:
            case "wait":
                world.wait(timedelta(minutes=value))
            case "pin":
                world.edit(pinnedHash=value)
            case "accept":
                world.accept(value)
            case "limit":
                world.edit(historyLimit=value)
            case "suspend":
                world.edit(suspend=value)
            case "point to":
                world.point_to(value)
            case "lose":
                world.stored.pop(value, None)

    shown = LISTS.index(found) if isinstance(found, ToolList) else found.reason
    return Step(act, found, f"{told} {str(value)[:12]}, then {shown}")


def histories(*, moves: bool = True, loses: bool = False) -> st.SearchStrategy[list[Step]]:
    """Lists of steps.

    Args:
        moves: The target may change, and looks may be suspended.
        loses: Stored snapshots may get lost.
    """
    founds: list[ToolList | Fault] = [*LISTS, *LISTS, DOWN, UNAUTHORIZED]
    acts: dict[str, list[Any]] = {
        "wait": [0, 1, 20, 61, 100_000],
        "pin": HASHES,
        "accept": HASHES,
        "limit": [1, 2, 10],
    }
    if moves:
        acts |= {"suspend": [True, None], "point to": [URL, f"{URL}/other"]}
    if loses:
        acts |= {"lose": HASHES[1:]}
    by_act = [
        st.sampled_from([_step(told, value, found) for value in values for found in founds])
        for told, values in acts.items()
    ]
    return st.lists(st.one_of(by_act), min_size=1, max_size=10)


def reworded(found: ToolList | Fault | Held | None) -> ToolList | Fault | Held | None:
    """The same again, as a server says it the second time."""
    return replace(found, message=f"{found.message} again") if isinstance(found, Fault) else found
