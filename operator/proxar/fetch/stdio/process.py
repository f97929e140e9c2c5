"""A server's process: started in a group of its own, and gone with all its children at the end."""

import asyncio
import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from typing import Self

from proxar.fetch.reasons import Reason, clean, failure

__all__ = ["ServerProcess"]

EOF_GRACE = 1.0
"""Seconds for a server to end by itself once its input is closed, as the protocol asks."""

TERMINATE_GRACE = 2.0
"""Seconds for whatever is left of its group to end when asked with SIGTERM."""

KILL_GRACE = 2.0
"""Seconds for the system to end what it was told to kill."""

LOOK = 0.02
"""Seconds between two looks whether something has ended."""

STDERR_KEPT = 4 << 10
"""Bytes of its standard error that are kept, the last ones."""

STDERR_LINES = 3
STDERR_LINE = 100
"""Characters of each that a message shows."""

READ = 64 << 10
"""Bytes that are read at a time."""


class ServerProcess:
    """A command that runs until `stop`."""

    def __init__(self, process: asyncio.subprocess.Process, name: str) -> None:
        self.name = name
        self._process = process
        self._stderr = b""
        self._draining = asyncio.create_task(self._drain())

    @classmethod
    async def start(cls, command: Sequence[str]) -> Self:
        """Start the command, with our environment and working directory.

        Raises:
            FetchError: `ConnectFailed`: it cannot be started.
        """
        name = clean(os.path.basename(command[0]), 60)  # noqa: PTH119 - not necessarily a path
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                # A group of its own: what it starts ends with it, and Ctrl-C is ours to answer.
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else "a null byte in it"
            raise failure(
                Reason.CONNECT_FAILED,
                f"{name} cannot be started: {why}; check the command, and whether it is installed",
            ) from None
        return cls(process, name)

    @property
    def has_ended(self) -> bool:
        """Whether the command itself has ended; what it started may live on."""
        return self._process.returncode is not None

    async def write(self, data: bytes) -> bool:
        """Give it something to read; ``False`` when it does not read any more."""
        pipe = self._process.stdin
        assert pipe is not None  # noqa: S101 - asked for
        try:
            pipe.write(data)
            await pipe.drain()
        except (BrokenPipeError, ConnectionResetError):
            return False
        return True

    async def read(self) -> bytes:
        """What it wrote, as soon as there is something; empty at the end."""
        pipe = self._process.stdout
        assert pipe is not None  # noqa: S101 - asked for
        return await pipe.read(READ)

    async def ending(self) -> str:
        """How it ended, and its last words, for a message. Waits for a moment."""
        if await self._ends(EOF_GRACE):
            await asyncio.wait((self._draining,), timeout=LOOK)
        code = self._process.returncode
        if code is None:
            how = "closed its standard output"
        elif code < 0:
            how = f"was killed by {_signal_name(-code)}"
        else:
            how = f"exited with status {code}"
        return how + self.last_words()

    def last_words(self) -> str:
        """The end of its standard error, for a message; empty where there is none."""
        text = self._stderr.decode("utf-8", "replace")
        lines = [line.strip() for line in text.splitlines() if line.strip()][-STDERR_LINES:]
        if not lines:
            return ""
        return f"; its stderr ends with: {' | '.join(clean(line, STDERR_LINE) for line in lines)}"

    async def stop(self) -> None:
        """End it and all that it started: ask by closing its input, then SIGTERM, then SIGKILL.

        Returns when the command was waited for; cannot fail.
        """
        if self._process.stdin is not None:
            self._process.stdin.close()
        await self._ends(EOF_GRACE)
        if self._signal(signal.SIGTERM):
            await self._is_gone(TERMINATE_GRACE)
        if self._signal(signal.SIGKILL):
            await self._is_gone(KILL_GRACE)
        await self._ends(KILL_GRACE)
        self._draining.cancel()
        await asyncio.gather(self._draining, return_exceptions=True)
        # The pipes may be held open by a process that left the group.
        self._process._transport.close()  # type: ignore[attr-defined]  # noqa: SLF001

    async def _ends(self, seconds: float) -> bool:
        """Whether the command itself ends in that time.

        Looks instead of waiting: asyncio's `wait` also waits for its pipes, which a child of it may
        hold open.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not self.has_ended:  # noqa: ASYNC110
                    await asyncio.sleep(LOOK)
        return self.has_ended

    async def _is_gone(self, seconds: float) -> None:
        """Wait until nobody of the group is left, or that time is over."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self._signal(0):  # noqa: ASYNC110 - nothing tells when a group is gone
                    await asyncio.sleep(LOOK)

    def _signal(self, number: int) -> bool:
        """Send a signal to the whole group; whether there was anybody to get it."""
        try:
            os.killpg(self._process.pid, number)
        except (ProcessLookupError, PermissionError):  # the latter for zombies, on macOS
            return False
        return True

    async def _drain(self) -> None:
        """Read its standard error, so that it never waits for us, and keep the end."""
        pipe = self._process.stderr
        assert pipe is not None  # noqa: S101 - asked for
        while data := await pipe.read(READ):
            self._stderr = (self._stderr + data)[-STDERR_KEPT:]


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
