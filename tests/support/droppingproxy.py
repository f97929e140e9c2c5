"""A TCP proxy that drops connections: every third one, at a point that a seed decides."""

import asyncio
import random
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from types import TracebackType
from typing import Self

__all__ = ["Drop", "DroppingProxy"]


class Drop(Enum):
    """When a connection is dropped."""

    AT_ONCE = "before anything was read"
    AFTER_REQUEST = "once the request was passed on"
    IN_ANSWER = "in the middle of the first piece of the answer"


@dataclass
class DroppingProxy:
    """Passes everything on to a port of 127.0.0.1, but for every `nth` connection.

    Use it as a context manager, in the event loop of the test.
    """

    upstream: int
    seed: int
    nth: int = 3
    port: int = 0
    accepted: int = 0
    dropped: list[Drop] = field(default_factory=list)
    _server: asyncio.Server | None = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.accepted += 1
        drop = None
        if self.accepted % self.nth == 0:
            drop = self._random.choice(list(Drop))
            self.dropped.append(drop)
        try:
            with suppress(ConnectionError):
                await self._pass_on(reader, writer, drop)
        except asyncio.CancelledError:
            pass  # a task of asyncio's own would log it
        finally:
            self._tasks.discard(task)
            writer.transport.abort()

    async def _pass_on(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, drop: Drop | None
    ) -> None:
        if drop is Drop.AT_ONCE:
            return
        upstream_reader, upstream_writer = await asyncio.open_connection("127.0.0.1", self.upstream)
        try:
            if drop is None:
                ways = (_copy(reader, upstream_writer), _copy(upstream_reader, writer))
                running = [asyncio.create_task(way) for way in ways]
                try:
                    await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    for way in running:
                        way.cancel()
                    await asyncio.gather(*running, return_exceptions=True)
                return
            upstream_writer.write(await reader.read(1 << 16))
            await upstream_writer.drain()
            answer = await upstream_reader.read(1 << 16)
            if drop is Drop.IN_ANSWER:
                writer.write(answer[: self._random.randrange(1, max(2, len(answer)))])
                await writer.drain()
                writer.close()  # with what was sent so far
        finally:
            upstream_writer.close()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()
