"""How the C library keeps the operator's memory."""

import ctypes
from contextlib import suppress

__all__ = ["one_arena"]

M_ARENA_MAX = -8
"""Of glibc's malloc.h."""


def one_arena() -> None:
    """Let all threads allocate from one heap. Call it before the first thread starts.

    By default glibc gives each thread a heap of its own. Large lists are read in threads, and what
    such a heap once held for one is kept apart for that thread for ever: memory grew by 3 to 5 MiB
    with each thread that had its turn. Only one thread runs Python code at a time, so nothing is
    lost. Elsewhere than on glibc this does nothing.
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, 1)
