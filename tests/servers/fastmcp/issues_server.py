"""The issue tracker that the tests watch: one source, run under several versions of FastMCP.

python issues_server.py PORT

Not a line differs between the runs, so whatever changes in its tool list is the library's doing.
That is how most servers drift: nobody touched a tool, somebody updated a dependency.
"""

# mypy: disable-error-code="untyped-decorator"
import sys
from enum import Enum
from typing import Annotated, Any, Literal

from fastmcp import FastMCP  # type: ignore[import-not-found] # it is in no environment of ours
from pydantic import BaseModel, Field

mcp: Any = FastMCP("issues")


class State(Enum):
    """Where an issue stands."""

    OPEN = "open"
    CLOSED = "closed"


class Author(BaseModel):
    """Who wrote something."""

    login: str
    email: str | None = None


class Comment(BaseModel):
    """One comment on an issue."""

    body: Annotated[str, Field(min_length=1, max_length=65536, description="Markdown.")]
    author: Author
    hidden: bool = False


class Issue(BaseModel):
    """An issue as the tools return it."""

    number: int
    title: str
    state: State
    labels: list[str] = []


@mcp.tool
def search_issues(
    query: str,
    state: State | None = None,
    labels: list[str] | None = None,
    limit: Annotated[int, Field(ge=1, le=100)] = 20,
) -> list[Issue]:
    """Search the issues of the tracker.

    Args:
        query: Words that title or text must hold.
        state: Only issues in this state.
        labels: Only issues that carry all of these.
        limit: At most so many issues.

    Returns:
        The issues, newest first.
    """
    del query, state, labels, limit
    return []


@mcp.tool(annotations={"readOnlyHint": True, "title": "Read one issue"})
def get_issue(number: Annotated[int, Field(description="The issue's number.", ge=1)]) -> Issue:
    """Return one issue."""
    return Issue(number=number, title="", state=State.OPEN)


@mcp.tool(tags={"write"})
def create_issue(
    title: str,
    body: str = "",
    priority: Literal["low", "normal", "high"] = "normal",
    metadata: dict[str, str] | None = None,
) -> Issue:
    """Create an issue.

    Args:
        title: One line.
        body: Markdown.
        priority: How soon somebody should look.
        metadata: Kept with the issue and shown to nobody.
    """
    del body, priority, metadata
    return Issue(number=1, title=title, state=State.OPEN)


@mcp.tool
def add_comment(number: int, comment: Comment) -> str:
    """Add a comment to an issue.

    Args:
        number: The issue's number.
        comment: What to add, and who says it.
    """
    del comment
    return f"comment on {number}"


if __name__ == "__main__":
    mcp.run(
        transport="http", host="127.0.0.1", port=int(sys.argv[1]), path="/mcp", show_banner=False
    )
