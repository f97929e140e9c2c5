"""An MCP server whose tools a test changes at will, and that can be told to misbehave.

Protocol 2026-07-28 over a real socket, answered from a thread. For faults that no real server shows
on demand.
"""

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

__all__ = ["Answer", "ToolServer", "html", "status", "tool", "truncated"]


def tool(
    name: str, required: tuple[str, ...] = (), /, description: str = "", **properties: object
) -> dict[str, Any]:
    """A valid tool; each property is a type name or a whole schema."""
    schemas = {
        key: {"type": value} if isinstance(value, str) else value
        for key, value in properties.items()
    }
    schema: dict[str, object] = {"type": "object", "properties": schemas}
    if required:
        schema["required"] = list(required)
    return {"name": name, "description": description or f"Does {name}.", "inputSchema": schema}


@dataclass(frozen=True, slots=True)
class Answer:
    """Raw bytes of an HTTP answer."""

    body: bytes
    status: int = 200
    content_type: str = "application/json"
    claimed_length: int | None = None
    """Content-Length, when it is to differ from what is sent."""


def html() -> Answer:
    """A login page where a tool list should be."""
    return Answer(b"<!doctype html><title>Sign in</title>", content_type="text/html")


def status(code: int) -> Answer:
    """An HTTP error without a JSON body."""
    return Answer(b"", code, "text/plain")


def truncated() -> Answer:
    """The connection closes in the middle of the JSON."""
    return Answer(b'{"jsonrpc":"2.0","id":1,"result":{"tools":[', claimed_length=4096)


@dataclass
class ToolServer:
    """A server on a loopback port for as long as the context lasts."""

    tools: list[Any] = field(default_factory=list)
    """What the next tools/list answers with."""
    server_info: dict[str, str] = field(
        default_factory=lambda: {"name": "toolserver", "version": "1"}
    )
    fault: Answer | None = None
    """Set: what every request is answered with."""
    before_answer: Callable[[], None] = lambda: None
    """Called before tools/list is answered; may block, or change `tools`."""
    closes: bool = False
    """Each connection is closed after one answer."""
    lists: int = 0
    """How many tools/list were answered."""
    connections: int = 0
    """How many were made."""

    def __enter__(self) -> Self:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        """Its MCP endpoint."""
        return f"http://127.0.0.1:{self.port}/mcp"

    def _answer(self, request: dict[str, Any]) -> Answer:
        if self.fault is not None:
            return self.fault
        meta = {"_meta": {"io.modelcontextprotocol/serverInfo": self.server_info}}
        if request["method"] == "tools/list":
            self.before_answer()
            self.lists += 1
            result = {
                "resultType": "complete",
                "ttlMs": 0,
                "cacheScope": "private",
                "tools": self.tools,
            }
        elif request["method"] == "server/discover":
            result = {
                "resultType": "complete",
                "supportedVersions": ["2026-07-28"],
                "capabilities": {"tools": {}},
            }
        else:
            error = {"code": -32601, "message": "method not found"}
            return Answer(
                json.dumps({"jsonrpc": "2.0", "id": request.get("id"), "error": error}).encode(),
                404,
            )
        return Answer(
            json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result | meta}).encode()
        )

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        toolserver = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self) -> None:
                super().setup()
                toolserver.connections += 1

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                answer = toolserver._answer(request)
                self.send_response(answer.status)
                self.send_header("Content-Type", answer.content_type)
                length = (
                    len(answer.body) if answer.claimed_length is None else answer.claimed_length
                )
                self.send_header("Content-Length", str(length))
                if toolserver.closes:
                    self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(answer.body)
                self.close_connection = answer.claimed_length is not None

            def log_message(self, *_: object) -> None:
                pass

        return Handler
