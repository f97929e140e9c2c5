"""A tool server that announces when its tools change, in either era.

Of 2026-07-28 by `subscriptions/listen`; before it by the GET stream of a session.
"""

import json
import queue
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.support.toolserver import ToolServer

__all__ = ["AnnouncingServer"]

SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
VERSION = "2025-11-25"


@dataclass
class AnnouncingServer(ToolServer):
    """Call `announce` after changing `tools`."""

    is_legacy: bool = False
    offers: bool = True
    """Whether it says that it announces changes."""
    sessions: set[str] = field(default_factory=set)
    """Opened and not yet ended."""
    gets: int = 0
    listeners: list["queue.Queue[str | None]"] = field(default_factory=list)
    """Of each open stream, what is to be sent on it; `None` ends it."""

    def announce(self) -> None:
        """Tell everybody who listens."""
        for listener in list(self.listeners):
            listener.put("notifications/tools/list_changed")

    def hang_up(self) -> None:
        """End all streams."""
        for listener in list(self.listeners):
            listener.put(None)

    def _legacy_result(self, method: str) -> dict[str, Any]:
        if method == "tools/list":
            self.before_answer()
            self.lists += 1
            return {"tools": self.tools}
        tools = {"listChanged": True} if self.offers else {}
        return {
            "protocolVersion": VERSION,
            "capabilities": {"tools": tools},
            "serverInfo": self.server_info,
        }

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        return type("Handler", (Handler,), {"announcer": self})


class Handler(BaseHTTPRequestHandler):
    """Answers for one server."""

    announcer: AnnouncingServer
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        server = self.announcer
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        method = request["method"]
        if method == "subscriptions/listen" and not server.is_legacy:
            self._stream(request["id"])
        elif not server.is_legacy:
            answer = server._answer(request)
            self._send(answer.status, answer.body)
        elif method in {"initialize", "tools/list"}:
            result = server._legacy_result(method)
            document = {"jsonrpc": "2.0", "id": request["id"], "result": result}
            self._send(200, json.dumps(document).encode(), method == "initialize")
        elif "id" in request:
            error = {"code": -32000, "message": "not initialized"}
            document = {"jsonrpc": "2.0", "id": None, "error": error}
            self._send(400, json.dumps(document).encode())
        else:
            self._send(202, b"")

    def do_GET(self) -> None:
        server = self.announcer
        server.gets += 1
        if server.is_legacy and server.offers:
            self._stream(None)
        else:
            self._send(405, b"")

    def do_DELETE(self) -> None:
        self.announcer.sessions.discard(self.headers["Mcp-Session-Id"])
        self._send(200, b"")

    def _send(self, status: int, body: bytes, begins_session: bool = False) -> None:
        self.send_response(status)
        if begins_session:
            session = f"session-{id(self)}-{len(self.announcer.sessions)}"
            self.announcer.sessions.add(session)
            self.send_header("Mcp-Session-Id", session)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, subscription: int | None) -> None:
        listener: queue.Queue[str | None] = queue.Queue()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            if subscription is not None:
                granted = {"notifications": {"toolsListChanged": True}}
                self._tell("notifications/subscriptions/acknowledged", subscription, granted)
            self.announcer.listeners.append(listener)
            while True:
                try:
                    told = listener.get(timeout=0.1)
                except queue.Empty:
                    self.wfile.write(b": ping\n\n")  # finds out whether anybody listens
                    continue
                if told is None:
                    return
                self._tell(told, subscription, {})
        except OSError:
            pass
        finally:
            self.close_connection = True
            if listener in self.announcer.listeners:
                self.announcer.listeners.remove(listener)

    def _tell(self, method: str, subscription: int | None, params: dict[str, Any]) -> None:
        if subscription is not None:
            params = params | {"_meta": {SUBSCRIPTION: subscription}}
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        self.wfile.write(f"event: message\ndata: {json.dumps(message)}\n\n".encode())

    def log_message(self, *_: object) -> None:
        pass
