"""What a behaviour of the fault server is made of:

one request as a `Talk`, and a register of them.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from proxar.fetch import Era, Limits, Reason, Transport

__all__ = [
    "BEHAVIOURS",
    "CLOSE",
    "MODERN",
    "SEARCH",
    "SERVER_INFO",
    "SESSION",
    "TOOLS",
    "Behaviour",
    "Serve",
    "Talk",
    "behaviour",
    "discovery",
    "http_sse",
    "initialization",
    "initialized",
    "legacy",
    "modern",
    "open_stream",
    "with_session",
    "with_stream",
]

SEARCH: dict[str, Any] = {
    "name": "search_issues",
    "description": "Find issues: naïve, but quick",
    "inputSchema": {"type": "object", "properties": {"query": {"type": "string"}}},
    "x-unknown": {"kept": [1, 2.50, None]},
}
CLOSE: dict[str, Any] = {"name": "close_issue", "inputSchema": {"type": "object"}}
TOOLS = [SEARCH, CLOSE]

MODERN = "2026-07-28"
SERVER_INFO = {"name": "fault-server", "version": "1.2.3"}
SESSION = "session-1"


@dataclass(slots=True)
class Talk:
    """One HTTP request, and the means to answer it well or badly."""

    writer: asyncio.StreamWriter
    reader: asyncio.StreamReader
    verb: str
    path: str
    headers: dict[str, str]
    message: dict[str, Any]
    memory: dict[str, Any]
    """Of this behaviour, kept from request to request."""

    @property
    def method(self) -> str:
        """The JSON-RPC method, or the verb where there is no message."""
        return str(self.message.get("method", self.verb))

    @property
    def id(self) -> Any:
        return self.message.get("id")

    @property
    def cursor(self) -> str | None:
        cursor: str | None = self.message.get("params", {}).get("cursor")
        return cursor

    def count(self, what: str) -> int:
        """How often this was called with `what`, this time included."""
        self.memory[what] = self.memory.get(what, 0) + 1
        return int(self.memory[what])

    async def raw(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def head(self, status: int, headers: Mapping[str, str]) -> None:
        lines = [f"HTTP/1.1 {status} X", *(f"{name}: {value}" for name, value in headers.items())]
        await self.raw("\r\n".join([*lines, "", ""]).encode("latin-1"))

    async def send(
        self, status: int, body: bytes = b"", kind: str | None = None, **headers: str
    ) -> None:
        """Answer with a whole response. `Retry_After` becomes Retry-After."""
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        if kind is not None:
            fields["Content-Type"] = kind
        await self.head(status, {"Content-Length": str(len(body)), **fields})
        await self.raw(body)

    async def json(self, document: Any, status: int = 200, /, **headers: str) -> None:
        await self.send(status, json.dumps(document).encode(), "application/json", **headers)

    async def result(self, result: Any, **headers: str) -> None:
        await self.json(self.answer(result), **headers)

    async def error(
        self, code: int, status: int = 200, data: Any = None, *, has_id: bool = True
    ) -> None:
        error = {"code": code, "message": "secret-of-the-server"} | ({"data": data} if data else {})
        answered = self.id if has_id else None
        await self.json({"jsonrpc": "2.0", "id": answered, "error": error}, status)

    def answer(self, result: Any) -> dict[str, Any]:
        return {"jsonrpc": "2.0", "id": self.id, "result": result}

    def tools(self, tools: Iterable[Any] = TOOLS, **more: Any) -> dict[str, Any]:
        """A result of tools/list, fit for every era."""
        return {
            "tools": list(tools),
            "resultType": "complete",
            "ttlMs": 0,
            "cacheScope": "private",
            "_meta": {"io.modelcontextprotocol/serverInfo": SERVER_INFO},
            **more,
        }

    def body(self, tools: Iterable[Any] = TOOLS) -> bytes:
        return json.dumps(self.answer(self.tools(tools)), ensure_ascii=False).encode()

    async def chunks(
        self, pieces: Iterable[bytes], kind: str = "application/json", *, end: bool = True
    ) -> None:
        await self.head(200, {"Content-Type": kind, "Transfer-Encoding": "chunked"})
        for piece in pieces:
            await self.chunk(piece)
        if end:
            await self.raw(b"0\r\n\r\n")

    async def chunk(self, piece: bytes) -> None:
        await self.raw(b"%x\r\n%b\r\n" % (len(piece), piece))

    async def events(self, *events: str, end: bool = True) -> None:
        await self.chunks([event.encode() for event in events], "text/event-stream", end=end)

    def event(self, tools: Iterable[Any] = TOOLS) -> str:
        return f"event: message\ndata: {self.body(tools).decode()}\n\n"

    async def push(self, document: Any) -> None:
        """Send a message on the event stream that this server's client has open (HTTP+SSE)."""
        await self.push_text(f"event: message\ndata: {json.dumps(document)}\n\n")

    async def push_text(self, text: str) -> None:
        await self.memory["stream"].chunk(text.encode())

    async def hang(self) -> None:
        """Say nothing until the client has gone or the server stops."""
        while await self.reader.read(1 << 16):
            pass

    def drop(self) -> None:
        """Close as a crash does: with what was sent so far, and no more."""
        self.writer.close()

    def reset(self) -> None:
        """Close with a TCP reset."""
        self.writer.transport.abort()


Serve = Callable[[Talk], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Behaviour:
    """A way of answering, and what a reader has to make of it."""

    name: str
    serve: Serve = field(repr=False)
    expects: Reason | int
    """The reason of the error, or the number of tools."""
    says: str = ""
    """Words of the message."""
    era: Era | None = None
    """What the reader knows of the server before."""
    ends_as: Era | None = None
    """The era that a list has to come from; ``None`` for either."""
    transport: Transport = Transport.AUTO
    timeout: float = 5.0
    limits: Limits = field(default_factory=Limits)
    retry_after: float | None = None

    @property
    def summary(self) -> str:
        return (self.serve.__doc__ or "").strip().rstrip(".")


BEHAVIOURS: dict[str, Behaviour] = {}


def behaviour(expects: Reason | int, says: str = "", **more: Any) -> Callable[[Serve], Serve]:
    """Register a function under its name: it gets every request, the probe of the era included."""

    def register(serve: Serve) -> Serve:
        name = serve.__name__.strip("_").replace("_", "-")
        assert name not in BEHAVIOURS, name
        BEHAVIOURS[name] = Behaviour(name, serve, expects, says, **more)
        return serve

    return register


def modern(expects: Reason | int, says: str = "", **more: Any) -> Callable[[Serve], Serve]:
    """Register a server of 2026-07-28 that only gets to see tools/list."""

    def register(listing: Serve) -> Serve:
        async def serve(talk: Talk) -> None:
            await (discovery(talk) if talk.method == "server/discover" else listing(talk))

        serve.__name__, serve.__doc__ = listing.__name__, listing.__doc__
        if not isinstance(expects, Reason):
            more.setdefault("ends_as", Era.MODERN)
        return behaviour(expects, says, **more)(serve)

    return register


def legacy(
    expects: Reason | int, says: str = "", version: str = "2025-11-25", **more: Any
) -> Callable[[Serve], Serve]:
    """Register a server with sessions that only gets to see tools/list, the session checked."""

    def register(listing: Serve) -> Serve:
        async def serve(talk: Talk) -> None:
            await with_session(talk, listing, version)

        serve.__name__, serve.__doc__ = listing.__name__, listing.__doc__
        if not isinstance(expects, Reason):
            more.setdefault("ends_as", Era.LEGACY)
        return behaviour(expects, says, **more)(serve)

    return register


def http_sse(
    expects: Reason | int, says: str = "", version: str = "2024-11-05", **more: Any
) -> Callable[[Serve], Serve]:
    """Register a server of HTTP+SSE that only gets to see tools/list, after a handshake."""

    def register(listing: Serve) -> Serve:
        async def serve(talk: Talk) -> None:
            await with_stream(talk, listing, version)

        serve.__name__, serve.__doc__ = listing.__name__, listing.__doc__
        if not isinstance(expects, Reason):
            more.setdefault("ends_as", Era.SSE)
        return behaviour(expects, says, **more)(serve)

    return register


async def discovery(talk: Talk, **changes: Any) -> None:
    """Answer server/discover."""
    result = {
        "resultType": "complete",
        "supportedVersions": [MODERN],
        "capabilities": {"tools": {"listChanged": True}},
        "_meta": {"io.modelcontextprotocol/serverInfo": SERVER_INFO},
    }
    await talk.result(result | changes)


async def initialization(talk: Talk, version: str = "2025-11-25", **headers: str) -> None:
    """Answer initialize."""
    await talk.result(initialized(version), **headers)


def initialized(version: str) -> dict[str, Any]:
    """A result of initialize."""
    return {
        "protocolVersion": version,
        "capabilities": {"tools": {}},
        "serverInfo": SERVER_INFO,
    }


async def with_session(talk: Talk, listing: Serve, version: str = "2025-11-25") -> None:
    """Be a legacy server with one session, strict about its headers."""
    match talk.method:
        case "initialize":
            await initialization(talk, version, Mcp_Session_Id=SESSION)
        case "server/discover":
            await talk.error(-32000, 400, has_id=False)
        case _ if talk.headers.get("mcp-session-id") != SESSION:
            await talk.error(-32600, 404, has_id=False)
        case _ if talk.headers.get("mcp-protocol-version") != version:
            await talk.error(-32600, 400, has_id=False)
        case "notifications/initialized":
            await talk.send(202)
        case "DELETE":
            talk.count("deleted")
            await talk.send(200)
        case _:
            await listing(talk)


async def open_stream(talk: Talk, address: str | None = None) -> None:
    """Open the stream of HTTP+SSE and keep it open for as long as the client does."""
    talk.memory["stream"] = talk
    address = address or f"/{talk.path.split('/')[1]}/messages?session={SESSION}"
    await talk.events(f"event: endpoint\ndata: {address}\n\n", end=False)
    await talk.hang()


async def with_stream(talk: Talk, listing: Serve, version: str = "2024-11-05") -> None:
    """Be a server of HTTP+SSE, which takes no POST where its stream is."""
    if not talk.path.partition("?")[0].endswith("/messages"):
        await (open_stream(talk) if talk.verb == "GET" else talk.send(405))
        return
    match talk.method:
        case "initialize":
            await talk.send(202, b"Accepted", "text/plain")
            await talk.push(talk.answer(initialized(version)))
        case "notifications/initialized":
            await talk.send(202, b"Accepted", "text/plain")
        case _:
            await listing(talk)
