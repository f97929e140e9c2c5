"""A fast MCP server of 2026-07-28 in a process of its own: `python -m benchmarks.fetch.server`.

It answers from memory, so that nearly all of the time that is measured is the client's. Every path
is an endpoint: `/empty` lists nothing, all others the same 20 tools, `/new` each time in an answer
with other bytes. It prints its port.
"""

import asyncio
import itertools
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from benchmarks.cli.__main__ import tool

__all__ = ["TOOLS", "running"]

TOOLS = 20
DISCOVERED = {
    "resultType": "complete",
    "supportedVersions": ["2026-07-28"],
    "capabilities": {"tools": {}},
}
LISTED = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}

LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
ID = re.compile(rb'"id": ?(\d+)')


def answer(result: object) -> bytes:
    """An answer but for its id."""
    return b',"result":' + json.dumps(result).encode() + b"}"


FULL = answer({**LISTED, "tools": [tool(number, changed=False) for number in range(TOOLS)]})
EMPTY = answer({**LISTED, "tools": []})
DISCOVERY = answer(DISCOVERED)
SERIALS = itertools.count(1_000_000)


class Connection(asyncio.Protocol):
    """One client; requests come one after the other."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._data = b""

    def data_received(self, data: bytes) -> None:
        """Answer every request that is complete."""
        self._data += data
        while (end := self._data.find(b"\r\n\r\n")) >= 0:
            head, length = self._data[:end], LENGTH.search(self._data[: end + 2])
            stop = end + 4 + int(length[1] if length else 0)
            if len(self._data) < stop:
                return
            body, self._data = self._data[end + 4 : stop], self._data[stop:]
            self._transport.write(self._answered(head, body))

    @staticmethod
    def _answered(head: bytes, body: bytes) -> bytes:
        found = ID.search(body)
        if found is None:  # a notification, or not a POST
            return b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"
        if b'"server/discover"' in body:
            rest = DISCOVERY
        else:
            rest = EMPTY if head.startswith(b"POST /empty") else FULL
            if head.startswith(b"POST /new"):
                rest = b',"serial":%d' % next(SERIALS) + rest
        content = b'{"jsonrpc":"2.0","id":' + found[1] + rest
        return (
            b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
            % len(content)
        ) + content


async def serve() -> None:
    """Listen on a free port until the end."""
    server = await asyncio.get_running_loop().create_server(Connection, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@contextmanager
def running(module: str = __name__) -> Iterator[str]:
    """The url of a server in another process, for as long as the context lasts."""
    command = [sys.executable, "-m", module]
    # What some clients do makes a server of faults complain.
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            assert process.stdout is not None
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.kill()


if __name__ == "__main__":
    asyncio.run(serve())
