"""MCP servers that misbehave in named ways, on real sockets.

All behaviours share one listening socket; the path tells them apart (`/html/mcp`).
"""

import asyncio
import json
import ssl
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from tests.support.behaviours import BEHAVIOURS
from tests.support.conversation import SEARCH, TOOLS, Behaviour, Talk

__all__ = ["BEHAVIOURS", "SEARCH", "TOOLS", "Behaviour", "FaultServer", "Talk"]


@dataclass
class FaultServer:
    """Serves all behaviours on one port, from entering it as a context manager until leaving it."""

    tls: ssl.SSLContext | None = None
    host: str = "127.0.0.1"
    behaviours: Mapping[str, Behaviour] = field(default_factory=lambda: BEHAVIOURS, repr=False)
    memory: dict[str, dict[str, Any]] = field(default_factory=dict, repr=False)
    requests: list[Talk] = field(default_factory=list, repr=False)
    port: int = 0
    connections: int = 0
    """Made since the start."""
    open: int = 0
    _server: asyncio.Server | None = None
    tasks: set[asyncio.Task[None]] = field(default_factory=set)

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(
            self._connected, self.host, self.port, ssl=self.tls, limit=1 << 20
        )
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
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)

    def url(self, name: str, host: str | None = None) -> str:
        scheme = "https" if self.tls else "http"
        return f"{scheme}://{host or self.host}:{self.port}/{name}/mcp"

    def seen(self, name: str) -> list[Talk]:
        """All requests that a behaviour got."""
        return [talk for talk in self.requests if talk.path.startswith(f"/{name}/")]

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self.tasks.add(task)
        self.connections += 1
        self.open += 1
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
                while not writer.is_closing() and await self._serve_one(reader, writer):
                    pass
        except asyncio.CancelledError:
            pass  # a task of asyncio's own would log it
        finally:
            self.open -= 1
            self.tasks.discard(task)
            writer.close()

    async def _serve_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        start = await reader.readexactly(1)
        if start == b"\x16":  # the first byte of TLS
            writer.write(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
            return False
        head = start + await reader.readuntil(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").strip().split("\r\n")
        verb, path, _ = first.split(" ")
        headers = {
            name.lower(): value.strip()
            for name, _, value in (line.partition(":") for line in lines)
        }
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        name = path.split("/")[1]
        talk = Talk(
            writer,
            reader,
            verb,
            path,
            headers,
            json.loads(body) if body else {},
            self.memory.setdefault(name, {}),
        )
        self.requests.append(talk)
        await self.behaviours[name].serve(talk)
        return True
