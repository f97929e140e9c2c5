"""The issue tracker in a pod. VERSION says which of its releases this is."""

# mypy: disable-error-code="untyped-decorator"
import os
from typing import Any

from fastmcp import FastMCP  # type: ignore[import-not-found] # it is in no environment of ours

mcp: Any = FastMCP("issues")

if os.environ.get("VERSION", "1") == "1":

    @mcp.tool
    def search_issues(query: str, limit: int = 20) -> list[str]:
        """Search the issues of the tracker."""
        del query, limit
        return []

else:

    @mcp.tool
    def search_issues(query: str, limit: int) -> list[str]:
        """Search the issues of the tracker."""
        del query, limit
        return []


@mcp.tool
def get_issue(number: int) -> str:
    """Return the title of one issue."""
    return f"issue {number}"


if __name__ == "__main__":
    mcp.run(transport="http", host="0.0.0.0", port=8000, path="/mcp", show_banner=False)
