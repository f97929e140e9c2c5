"""Reads the tool list of a command that speaks MCP over its standard input and output."""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from typing import Any

from proxar.errors import FetchError
from proxar.fetch.exchange.body import Budget
from proxar.fetch.exchange.legacy import read_legacy
from proxar.fetch.exchange.modern import discover, read_modern
from proxar.fetch.exchange.reading import fetched
from proxar.fetch.exchange.turn import OtherEra
from proxar.fetch.reasons import Reason, failure
from proxar.fetch.room import Berth, Room
from proxar.fetch.stdio.pipe import Pipe
from proxar.fetch.stdio.process import ServerProcess
from proxar.fetch.target import Era, Fetched, Limits

__all__ = ["fetch_command"]

PROBE_SHARE = 0.5
"""Part of the time that a server may take to start and to answer the probe. Some never do."""

PATIENCE = 2.0
"""Seconds of silence after which it is asked for a handshake as well."""


async def fetch_command(
    command: Sequence[str],
    *,
    timeout: float,  # noqa: ASYNC109 - it bounds the look, not the end of the process
    limits: Limits = Limits(),  # noqa: B008 - frozen
    patience: float = PATIENCE,
) -> Fetched:
    """Start a command, read its whole tool list, and end it with all that it started.

    It gets our environment and working directory. It is asked as a modern server first; one that
    answers as only an earlier one does is asked again in its way. One that ends over the question
    is started anew for that, and so is one that stays silent for a while: by then it was asked in
    both ways, and its first answer says which it knows.

    Args:
        timeout: Seconds for everything but the end of the process.

    Raises:
        FetchError: With a `Reason`, `ConnectFailed` where the command cannot be started.
    """
    room = Room()
    try:
        with room.berth() as berth:
            return await _Look(command, timeout, limits, berth).read(patience)
    finally:
        room.close()


class _Look:
    def __init__(
        self, command: Sequence[str], seconds: float, limits: Limits, berth: Berth
    ) -> None:
        self._command = command
        self._seconds = seconds
        self._limits = limits
        self._berth = berth
        self._deadline = asyncio.get_running_loop().time() + seconds

    async def read(self, patience: float) -> Fetched:
        async with self._running() as pipe:
            pipe.patience = patience
            era = Era.MODERN if await self._is_modern(pipe) else Era.LEGACY
            pipe.patience = None
            if not pipe.is_spent:
                return await self._read_as(era, pipe)
        async with self._running() as pipe:
            return await self._read_as(era, pipe)

    @asynccontextmanager
    async def _running(self) -> AsyncIterator[Pipe]:
        process = await ServerProcess.start(self._command)
        pipe = Pipe(process, Budget(self._limits, self._berth))
        try:
            async with asyncio.timeout_at(self._deadline) as clock:
                yield pipe
        except TimeoutError:
            if not clock.expired():
                raise
            raise failure(
                Reason.TIMEOUT,
                f"{pipe.label} took longer than {self._seconds:g} s while {pipe.activity}; raise "
                f"--timeout if it is always that slow{process.last_words()}{pipe.stray}",
            ) from None
        finally:
            await process.stop()

    async def _is_modern(self, pipe: Pipe) -> bool:
        """Whether the server speaks 2026-07-28. Anything that does not say so is no."""
        try:
            async with asyncio.timeout(self._seconds * PROBE_SHARE):
                await discover(pipe)
        except OtherEra:
            return False
        except TimeoutError:
            pipe.is_spent = True
            return False
        except FetchError as error:
            if error.reason == Reason.RPC_ERROR:
                return False
            if error.reason == Reason.TRUNCATED_RESPONSE:
                pipe.is_spent = True
                return False
            raise
        return True

    @staticmethod
    async def _read_as(era: Era, pipe: Pipe) -> Fetched:
        try:
            reading = read_modern(pipe) if era is Era.MODERN else read_legacy(pipe, _never)
            return await fetched(pipe, await reading, "stdio", era)
        except OtherEra as turn:
            raise turn.fault from None


def _never(goodbye: Coroutine[Any, Any, None]) -> None:
    """The session ends with the process."""
    goodbye.close()
