"""The connections of one identity, and HTTP over them.

aiohttp makes, guards and keeps the connections, and reads what comes back. Of its client nothing
else is used: cookies, redirects, timers, proxies and hooks are not wanted here, and were half of
the processor time of a look (measured). Neither are requests made through it: one is some lines of
text, and goes out with its body in one piece.
"""

import asyncio
from collections.abc import Iterable
from typing import Self

import aiohttp
from aiohttp import http_exceptions
from aiohttp.client_proto import ResponseHandler
from aiohttp.connector import Connection
from aiohttp.streams import StreamReader
from aiohttp.tracing import Trace

from proxar.fetch.address import Address
from proxar.fetch.dial import DIALLING

__all__ = ["Connector", "Pool", "Response"]

PIECE = 64 << 10
"""Bytes of a body that are handed on at a time, at most."""

UNTIMED = aiohttp.ClientTimeout()
"""Time is the fetch's affair: it cancels."""

WAYS = 64
"""Origins for which aiohttp's own description is kept."""

SWITCHING_PROTOCOLS = 101


class Connector(aiohttp.TCPConnector):
    """Makes connections, and keeps the `Dial` of the request at hand up to date."""

    async def _create_connection(
        self,
        req: aiohttp.ClientRequest,
        traces: list[Trace],
        timeout: aiohttp.ClientTimeout,  # noqa: ASYNC109 - a bundle of aiohttp's
    ) -> ResponseHandler:
        dial = DIALLING.get()
        dial.connecting, dial.reused = True, False
        made = await super()._create_connection(req, traces, timeout)
        # Not in any other case: who was interrupted here was connecting.
        dial.connecting = False
        return made


class Pool:
    """Sends requests over kept-alive connections. What it raises is in `faults.NETWORK_ERRORS`."""

    def __init__(self, connector: Connector) -> None:
        self._connector = connector
        self._ways: dict[tuple[tuple[str, str, int], str | None], aiohttp.ClientRequest] = {}

    async def aclose(self) -> None:
        """Close all connections, used or not."""
        await self._connector.close()

    async def send(
        self,
        verb: str,
        address: Address,
        headers: Iterable[tuple[str, str]],
        content: bytes | None = None,
        *,
        server_name: str | None = None,
    ) -> "Response":
        """Send a request and wait until the answer begins. Close the response.

        `DIALLING` has to hold the request's `Dial`.

        Args:
            headers: What is to be sent besides Host, unless it is among them, and Content-Length.
            server_name: For TLS, where it is not the address's host.
        """
        if not address.is_http:
            raise aiohttp.InvalidURL(address.label)
        request = _request(verb, address, headers, content)
        way = self._way(address, server_name)
        DIALLING.get().reused = True  # unless it turns out otherwise
        connection = await self._connector.connect(way, [], UNTIMED)
        try:
            return await _exchange(way, connection, request)
        except BaseException:
            connection.close()
            raise

    def _way(self, address: Address, server_name: str | None) -> aiohttp.ClientRequest:
        """What aiohttp wants to know to connect: a request, of which it takes the origin only."""
        key = address.origin, server_name
        way = self._ways.get(key)
        if way is None:
            if len(self._ways) >= WAYS:
                self._ways.clear()
            loop = asyncio.get_running_loop()
            way = aiohttp.ClientRequest(
                "GET", address.url.origin(), loop=loop, server_hostname=server_name
            )
            self._ways[key] = way
        return way


async def _exchange(
    way: aiohttp.ClientRequest, connection: Connection, request: bytes
) -> "Response":
    protocol, transport = connection.protocol, connection.transport
    if protocol is None or transport is None or transport.is_closing():
        raise aiohttp.ClientConnectionResetError("closed before the request")
    protocol.set_response_params(read_until_eof=True, auto_decompress=False)
    transport.write(request)
    try:
        message, payload = await protocol.read()
        while 100 <= message.code < 200 and message.code != SWITCHING_PROTOCOLS:
            message, payload = await protocol.read()
    except http_exceptions.HttpProcessingError as error:
        raise aiohttp.ClientResponseError(
            way.request_info, (), status=error.code, message=error.message
        ) from error
    return Response(message.code, _joined(message.raw_headers), connection, payload)


def _request(
    verb: str, address: Address, headers: Iterable[tuple[str, str]], content: bytes | None
) -> bytes:
    host, others = address.authority, []
    for name, value in headers:
        if name.lower() == "host":
            host = value
        else:
            others.append(f"{name}: {value}")
    if content is not None or verb != "GET":
        others.append(f"Content-Length: {len(content or b'')}")
    lines = [f"{verb} {address.path} HTTP/1.1", f"Host: {host}", *others, "", ""]
    text = "\r\n".join(lines)
    breaks = len(lines) - 1
    # A value with a line break would be read as another header.
    if text.count("\n") != breaks or text.count("\r") != breaks or "\0" in text:
        raise ValueError("a header holds a character that HTTP forbids")
    return text.encode("ascii") + (content or b"")


def _joined(raw: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    headers: dict[str, str] = {}
    for name, value in raw:
        key, text = name.decode("latin-1").lower(), _text(value)
        headers[key] = f"{headers[key]}, {text}" if key in headers else text
    return headers


def _text(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


class Response:
    """What came back: iterate over it for the body, in pieces as they come, once."""

    __slots__ = ("_connection", "_payload", "headers", "status", "was_read")

    def __init__(
        self, status: int, headers: dict[str, str], connection: Connection, payload: StreamReader
    ) -> None:
        self.status = status
        self.headers = headers
        """Names in lower case; the values of one name are joined with commas."""
        self.was_read = False
        """Somebody began to read the body, or there is none."""
        self._connection = connection
        self._payload = payload
        # The next request may have the connection as soon as the body is there.
        payload.on_eof(connection.release)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        """The next piece of the body, as it came."""
        self.was_read = True
        if self._payload.at_eof() or not (piece := await self._payload.read(PIECE)):
            raise StopAsyncIteration
        return piece

    @property
    def has_ended(self) -> bool:
        """The body has come to its end, whether it was read or not."""
        return self._payload.is_eof()

    def close(self) -> None:
        """Give the connection back, or close it if the body has not come to its end."""
        self._connection.release()
