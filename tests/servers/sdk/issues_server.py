"""An issue tracker on the official SDK: one source, run under 1.x and 2.x.

python issues_server.py PORT streamable-http|sse
python issues_server.py 0 stdio
"""

# mypy: disable-error-code="untyped-decorator"
import importlib
import sys
from typing import Any

VERSION_1, VERSION_2 = ("mcp.server.fastmcp", "FastMCP"), ("mcp.server", "MCPServer")


def server_class() -> Any:
    """The class that both versions have, under another name and in another place."""
    for module, name in (VERSION_2, VERSION_1):
        found = getattr(importlib.import_module(module), name, None)
        if found is not None:
            return found
    raise ImportError("no SDK that is known here")


server = server_class()("issues", log_level="ERROR")


@server.tool()
def search_issues(query: str, labels: list[str] | None = None, limit: int = 20) -> list[str]:
    """Search the issues of the tracker."""
    del query, labels, limit
    return []


@server.tool()
def close_issue(number: int, comment: str = "") -> bool:
    """Close an issue."""
    del comment
    return number > 0


def main() -> None:
    """Serve until the end."""
    port, transport = int(sys.argv[1]), sys.argv[2]
    if transport == "stdio":
        server.run(transport="stdio")
        return
    import uvicorn  # noqa: PLC0415 - not for stdio

    app = server.sse_app() if transport == "sse" else server.streamable_http_app()
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="info")


if __name__ == "__main__":
    main()
