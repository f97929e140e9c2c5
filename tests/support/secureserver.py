"""An https server on a loopback port that remembers who asked: headers, connection, certificate.

Answered from threads, so that tests with and without an event loop can use it. Its handshakes are
OpenSSL's own: unlike asyncio it sends the alert when a client certificate is missing.
"""

import itertools
import json
import socket
import ssl
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from tests.support.toolserver import Answer, ToolServer, status

__all__ = ["Asked", "ProtectedServer", "SecureServer"]


@dataclass(frozen=True, slots=True)
class Asked:
    """One request."""

    headers: dict[str, str]
    """Names in lower case."""
    body: bytes
    connection: int
    """Which one it came over, counted from 1."""
    certificate: str | None
    """The common name of the client's certificate."""
    server_name: str | None
    """What the client asked for in the handshake (SNI)."""


@dataclass
class SecureServer:
    """Serves from entering it as a context manager until leaving it."""

    tls: ssl.SSLContext | None
    asked: list[Asked] = field(default_factory=list)

    def answer(self, asked: Asked) -> tuple[Answer, dict[str, str]]:
        """Status, body, and further headers."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        self._server = _Listener(("127.0.0.1", 0), self._handler())
        if self.tls is not None:
            self.tls.set_servername_callback(_remember_name)
            self._server.tls = self.tls
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

    def url_of(self, path: str, host: str = "localhost") -> str:
        """An address of it."""
        return f"{'https' if self.tls else 'http'}://{host}:{self.port}{path}"

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server, numbers = self, itertools.count(1)

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self) -> None:
                super().setup()
                self.number = next(numbers)

            def do_POST(self) -> None:
                asked = Asked(
                    {name.lower(): value for name, value in self.headers.items()},
                    self.rfile.read(int(self.headers["Content-Length"])),
                    self.number,
                    _common_name(self.connection),
                    getattr(self.connection, "asked_name", None),
                )
                server.asked.append(asked)
                answer, headers = server.answer(asked)
                self.send_response(answer.status)
                self.send_header("Content-Type", answer.content_type)
                self.send_header("Content-Length", str(len(answer.body)))
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(answer.body)

            def log_message(self, *_: object) -> None:
                pass

        return Handler


class _Listener(ThreadingHTTPServer):
    daemon_threads = True
    tls: ssl.SSLContext | None = None

    def finish_request(self, request: Any, client_address: Any) -> None:
        """In a thread of its own: a handshake that hangs hangs nobody else."""
        if self.tls is not None:
            request = self.tls.wrap_socket(request, server_side=True, do_handshake_on_connect=False)
            try:
                request.do_handshake()
            except ssl.SSLError:
                _read_out(request)
                raise
        super().finish_request(request, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients of the tests hang up as they like."""


def _read_out(connection: ssl.SSLSocket) -> None:
    """Let the client have the alert: closing at once would reset the connection under it."""
    connection.settimeout(5)
    while socket.socket.recv(connection, 4096):
        pass


def _remember_name(connection: Any, name: str | None, _: object) -> None:
    connection.asked_name = name


def _common_name(connection: Any) -> str | None:
    certificate = connection.getpeercert() if isinstance(connection, ssl.SSLSocket) else None
    names: Any = (certificate or {}).get("subject", ())
    return next((str(pair[0][1]) for pair in names if pair[0][0] == "commonName"), None)


@dataclass
class ProtectedServer(SecureServer):
    """An MCP server that lets in whom `admits` says."""

    tools: list[Any] = field(default_factory=list)
    admits: Callable[[Asked], bool] = lambda _: True
    refusal: Answer = field(default_factory=lambda: status(401))
    headers: dict[str, str] = field(default_factory=dict)
    """Added to each answer."""

    @property
    def url(self) -> str:
        """Its MCP endpoint."""
        return self.url_of("/mcp")

    def answer(self, asked: Asked) -> tuple[Answer, dict[str, str]]:
        """What a `ToolServer` says, or the refusal."""
        if not self.admits(asked):
            return self.refusal, self.headers
        return ToolServer(tools=self.tools)._answer(json.loads(asked.body)), self.headers
