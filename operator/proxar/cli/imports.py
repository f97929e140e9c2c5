"""Imports at less cost: they are most of what a start takes."""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["cheaply"]


@contextmanager
def cheaply() -> Iterator[None]:
    """Import inside without two things that nobody misses.

    The search for garbage, a tenth of the time: modules stay for good, and later searches pass over
    them too. And httpx's own command line: where libraries for terminals happen to be installed it
    imports eighty modules of them. Marked absent it is left out, which httpx foresees.
    """
    sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type]
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if collecting:
            gc.enable()
