"""SIGTERM and SIGHUP while something has to be cleaned up: first that, then the end.

Ctrl-C does the same by itself: asyncio cancels its main task.
"""

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["cancelled_by_signals"]

ENDING = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def cancelled_by_signals() -> Iterator[None]:
    """Cancel the current task on a signal that would end us, and end by it afterwards.

    So a server that was started for one look does not outlive it.
    """
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    received: list[signal.Signals] = []

    def cancel(number: signal.Signals) -> None:
        received.append(number)
        if task is not None:
            task.cancel()

    for number in ENDING:
        loop.add_signal_handler(number, cancel, number)
    try:
        yield
    finally:
        for number in ENDING:
            loop.remove_signal_handler(number)
        if received:
            os.kill(os.getpid(), received[0])
