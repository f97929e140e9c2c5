"""A way into a node for the tests: ports of this machine's loopback that lead inside.

No device connects the two sides, so no packet can pass. A thread of this process enters the node's
network; a socket that was opened outside before stays there. It copies bytes from one to the other.
"""

import asyncio
import socket
import threading
from contextlib import suppress
from datetime import timedelta

from tests.kubernetes.errors import ClusterError
from tests.kubernetes.node.enter import join

__all__ = ["Door"]

OPEN_DEADLINE = timedelta(seconds=30)
"""For the thread to take up a port; it does nothing long."""

CHUNK = 1 << 16


class Door:
    """Open from the first ``to`` until ``close``.

    Args:
        init: The process id of the first process inside.
    """

    def __init__(self, init: int) -> None:
        self._init = init
        self._loop = asyncio.new_event_loop()
        self._ports: dict[tuple[str, int], int] = {}
        self._servers: list[asyncio.Server] = []
        # asyncio lets go of a connection whose one side has said its last word, and the garbage
        # collector would end it before the other side has.
        self._connections: set[asyncio.Task[None]] = set()
        self._failure: OSError | None = None
        self._thread = threading.Thread(target=self._run, name="door", daemon=True)
        self._thread.start()

    def to(self, address: str, port: int) -> int:
        """Return the port of 127.0.0.1 that leads to an address inside, the same one each time.

        Args:
            address: In digits. Names are resolved outside, where they mean something else.
        """
        if (address, port) not in self._ports:
            listener = socket.create_server(("127.0.0.1", 0))
            future = asyncio.run_coroutine_threadsafe(
                self._listen(listener, address, port), self._loop
            )
            future.result(OPEN_DEADLINE.total_seconds())
            self._ports[address, port] = listener.getsockname()[1]
        return self._ports[address, port]

    def close(self) -> None:
        """Close every port and connection."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(OPEN_DEADLINE.total_seconds())

    def _run(self) -> None:
        try:
            join(self._init, "net")
        except OSError as error:
            self._failure = error
        self._loop.run_forever()
        for server in self._servers:
            server.close()
        self._loop.run_until_complete(self._hang_up())
        self._loop.close()

    async def _hang_up(self) -> None:
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _listen(self, listener: socket.socket, address: str, port: int) -> None:
        if self._failure:  # a door that leads nowhere else than where we are would seem to work
            raise ClusterError(f"no way into the node: {self._failure}") from self._failure

        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task, "asyncio makes one for each connection"
            self._connections.add(task)
            task.add_done_callback(self._connections.discard)
            try:
                there = await asyncio.open_connection(address, port)
            except OSError:
                writer.close()
                return
            try:
                await asyncio.gather(_copy(reader, there[1]), _copy(there[0], writer))
            finally:
                writer.close()
                there[1].close()

        self._servers.append(await asyncio.start_server(connected, sock=listener))


async def _copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    """Copy until the end, and pass that on too."""
    with suppress(OSError):  # one side hung up; the other is told below
        while chunk := await source.read(CHUNK):
            target.write(chunk)
            await target.drain()
    with suppress(OSError):
        if target.can_write_eof():
            target.write_eof()
