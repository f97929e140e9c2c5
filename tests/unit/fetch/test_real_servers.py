"""Servers built on the SDK, in both eras."""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import uvicorn
from mcp.server import MCPServer

from proxar.fetch import Era, Fetcher, Target


def build() -> MCPServer:
    server = MCPServer("issues", version="4.5.6", log_level="ERROR")

    @server.tool()
    def search_issues(query: str, limit: int = 10) -> str:
        """Find issues."""
        return f"{query} {limit}"

    @server.tool()
    def close_issue(number: int) -> bool:
        """Close an issue."""
        return number > 0

    return server


@asynccontextmanager
async def serving(**options: Any) -> AsyncIterator[str]:
    config = uvicorn.Config(build().streamable_http_app(**options), log_config=None)
    server = uvicorn.Server(config)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        task = asyncio.create_task(server.serve(sockets=[listener]))
        async with asyncio.timeout(5):
            while not server.started:  # noqa: ASYNC110 - uvicorn offers no event
                await asyncio.sleep(0)
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
        finally:
            server.should_exit = True
            await task


@pytest.mark.parametrize(
    "options",
    [{}, {"stateless_http": True}, {"json_response": True}],
    ids=["stateful", "stateless", "json"],
)
async def test_the_sdk_gives_the_same_list_in_both_eras(
    fetcher: Fetcher, options: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    async with serving(**options) as url:
        first = await fetcher.fetch(Target(url))
        modern = await fetcher.fetch(Target(url), era=first.era)
        legacy = await fetcher.fetch(Target(url), era=Era.LEGACY)

    assert (first.era, modern.era, legacy.era) == (Era.MODERN, Era.MODERN, Era.LEGACY)
    assert (modern.protocol_version, legacy.protocol_version) == ("2026-07-28", "2025-11-25")
    assert [tool.name for tool in modern.tools.tools] == ["search_issues", "close_issue"]
    assert first.tools.hash == modern.tools.hash == legacy.tools.hash
    assert {(each.server_name, each.server_version) for each in (first, legacy)} == {
        ("issues", "4.5.6")
    }
