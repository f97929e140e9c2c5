"""A small MCP server for issues, and what its vendor did to it one day.

Both releases call themselves 1.0.0, as real servers do: a version says nothing about the tools. The
release is read from a file at each request, so writing another number there deploys it.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import uvicorn
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.types import CallToolResult, InputRequiredResult, Tool
from pydantic import Field
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

__all__ = ["IssuesServer", "main"]

ISSUES = {7: "Login fails behind a proxy", 12: "Search ignores umlauts"}

State = Annotated[Literal["open", "closed", "any"], Field(description="Which issues to return.")]
Limit = Annotated[int, Field(ge=1, le=100, description="How many issues to return.")]


def first_release() -> MCPServer:
    """The tools that agents were written against."""
    server = MCPServer("release-1")

    @server.tool(description="Search issues by keyword.")
    def search_issues(
        query: Annotated[str, Field(description="Words that the title must hold.")],
        state: State = "open",
        limit: Limit = 20,
    ) -> list[str]:
        return _search(query, state, limit)

    server.add_tool(get_issue, description="Read one issue by its number.")
    return server


def second_release() -> MCPServer:
    """`query` is called `search_text`, `limit` has to be given, and the description says more."""
    server = MCPServer("release-2")

    @server.tool(description="Search issues by keyword, in titles and in comments.")
    def search_issues(
        search_text: Annotated[str, Field(description="Words that the issue must hold.")],
        limit: Limit,
        state: State = "open",
    ) -> list[str]:
        return _search(search_text, state, limit)

    server.add_tool(get_issue, description="Read one issue by its number.")
    return server


def get_issue(number: Annotated[int, Field(ge=1, description="The number of the issue.")]) -> str:
    """Return the title of an issue."""
    return ISSUES[number]


def _search(words: str, state: str, limit: int) -> list[str]:
    found = [title for title in ISSUES.values() if words.lower() in title.lower()]
    return found[:limit] if state != "closed" else []


class IssuesServer(MCPServer):
    """One server that answers with the tools of whichever release its file names."""

    def __init__(self, release_file: Path) -> None:
        super().__init__("issues-mcp", version="1.0.0", log_level="WARNING")
        self._release_file = release_file
        self._releases = {"1": first_release(), "2": second_release()}
        self.custom_route("/healthz", ["GET"])(self.healthz)

    @property
    def release(self) -> str:
        """The number in the file."""
        return self._release_file.read_text(encoding="ascii").strip()

    async def healthz(self, _: Request) -> Response:
        """Say that it is up, and with which tools."""
        return PlainTextResponse(f"issues-mcp serves release {self.release}\n")

    async def list_tools(self) -> list[Tool]:
        return await self._releases[self.release].list_tools()

    async def call_tool(
        self,
        name: str,
        arguments: dict[str, Any],
        context: Context[Any, Any] | None = None,
    ) -> CallToolResult | InputRequiredResult:
        return await self._releases[self.release].call_tool(name, arguments, context)


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve until a signal ends it."""
    parser = argparse.ArgumentParser(prog="issues-server", description="A demo MCP server.")
    parser.add_argument("--port", type=int, required=True, help="on 127.0.0.1")
    parser.add_argument(
        "--release-file", type=Path, required=True, help="holds 1 or 2: which tools to list"
    )
    options = parser.parse_args(arguments)
    app = IssuesServer(options.release_file).streamable_http_app()
    uvicorn.run(app, host="127.0.0.1", port=options.port, log_level="warning")


if __name__ == "__main__":
    main()
