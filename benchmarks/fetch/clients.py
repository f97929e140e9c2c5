"""The clients: each asks for a list over connections that it keeps, and makes of it what all do.

All but the SDK get raw JSON, read it with the same strict reader, and canonicalise and hash it with
the same function. The SDK reads it itself; its values are then hashed.
"""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, cast

import aiohttp
import httpx
import httpx2
from mcp import Client, types
from mcp.client.streamable_http import streamable_http_client
from pydantic import TypeAdapter

from proxar.contract import ToolList
from proxar.contract.reader import read
from proxar.fetch import Era, Fetcher, Target

__all__ = ["CLIENTS", "OURS", "RAW", "Fetch"]

Fetch = Callable[[], Awaitable[str]]
"""Fetches once and returns the hash."""

OURS = "proxar"
RAW = "aiohttp"

HEADERS = {
    "Accept": "application/json, text/event-stream",
    "Content-Type": "application/json",
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "tools/list",
}
META = "io.modelcontextprotocol/"
REQUEST = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/list",
        "params": {
            "_meta": {
                f"{META}protocolVersion": "2026-07-28",
                f"{META}clientInfo": {"name": "benchmark", "version": "1"},
                f"{META}clientCapabilities": {},
            }
        },
    }
).encode()


def hash_of(body: bytes) -> str:
    """What every client makes of an answer."""
    document = cast("dict[str, Any]", read(body))
    return ToolList.of(document["result"]["tools"]).hash


@asynccontextmanager
async def proxar(url: str) -> AsyncIterator[Fetch]:
    """The fetcher of the operator, without its guard; the era is known."""
    async with Fetcher(egress=None) as fetcher:
        target = Target(url)

        last: ToolList | None = None  # as the operator keeps it

        async def fetch() -> str:
            nonlocal last
            last = (await fetcher.fetch(target, era=Era.MODERN)).tools
            return last.hash

        yield fetch


@asynccontextmanager
async def raw_aiohttp(url: str) -> AsyncIterator[Fetch]:
    """The least that can be done: no limits, no deadline, no reasons."""
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def fetch() -> str:
            async with session.post(url, data=REQUEST, headers=HEADERS) as response:
                return hash_of(await response.read())

        yield fetch


@asynccontextmanager
async def plain_httpx(url: str) -> AsyncIterator[Fetch]:
    """The client of httpx."""
    async with httpx.AsyncClient(trust_env=False) as client:

        async def fetch() -> str:
            return hash_of((await client.post(url, content=REQUEST, headers=HEADERS)).content)

        yield fetch


@asynccontextmanager
async def plain_httpx2(url: str) -> AsyncIterator[Fetch]:
    """The client of httpx2, on which the SDK stands."""
    async with httpx2.AsyncClient(trust_env=False) as client:

        async def fetch() -> str:
            return hash_of((await client.post(url, content=REQUEST, headers=HEADERS)).content)

        yield fetch


@asynccontextmanager
async def sdk(url: str) -> AsyncIterator[Fetch]:
    """The client of the Python SDK, kept open, its answers as raw as it gives them."""
    results = TypeAdapter(dict[str, Any])
    async with httpx2.AsyncClient(trust_env=False) as http:
        transport = streamable_http_client(url, http_client=http)
        async with Client(transport, mode="2026-07-28", cache=None) as client:

            async def fetch() -> str:
                request = types.ListToolsRequest(params=types.PaginatedRequestParams())
                page = await client.session.send_request(request, results)  # type: ignore[type-var]
                return ToolList.of(page["tools"]).hash

            yield fetch


CLIENTS = {
    RAW: raw_aiohttp,
    OURS: proxar,
    "httpx2": plain_httpx2,
    "httpx": plain_httpx,
    "mcp SDK": sdk,
}
