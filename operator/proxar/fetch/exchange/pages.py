"""All pages of tools/list, or none: a list read half would look like removed tools."""

from collections.abc import Awaitable, Callable

from proxar.contract import JSON
from proxar.errors import FetchError
from proxar.fetch.exchange.channel import Channel
from proxar.fetch.reasons import Reason, failure

__all__ = ["AskPage", "page_name", "read_pages"]

AskPage = Callable[[str | None, int], Awaitable[dict[str, JSON]]]
"""Asks for the page at a cursor; the number is for messages."""


def page_name(number: int) -> str:
    """What a page is called in messages."""
    return "tools/list" if number == 1 else f"page {number} of tools/list"


async def read_pages(wire: Channel, ask: AskPage) -> list[JSON]:
    """Ask until a page has no cursor, and return the tools of all pages in order.

    A cursor is opaque, and `""` is one like any other. But many servers mean the end by it and read
    it as the beginning; when it brings the first page again, everything has been seen.

    Raises:
        FetchError: `PaginationLoop`, `TooLarge`, `ProtocolError`, or whatever a page failed with.
    """
    tools: list[JSON] = []
    first: list[JSON] = []
    previous: list[JSON] = []
    cursor: str | None = None
    seen: set[str] = set()
    for number in range(1, wire.limits.pages + 1):
        page, following = _read_page(await ask(cursor, number), number)
        if cursor == "" and _is_same(page, first):
            return tools
        if number > 1 and page and _is_same(page, previous):
            raise _loop(f"page {number} repeats page {number - 1}")
        first = page if number == 1 else first
        tools += page
        if len(tools) > wire.limits.tools:
            raise failure(
                Reason.TOO_LARGE,
                f"{wire.label} lists more than {wire.limits.tools} tools; ask it for fewer, or "
                "raise the operator's --max-tools",
            )
        if following is None:
            return tools
        if following in seen:
            raise _loop(f"the cursor after page {number} was given before")
        seen.add(following)
        cursor, previous = following, page
    raise failure(
        Reason.TOO_LARGE,
        f"{wire.label} has more than {wire.limits.pages} pages of tools; let it send larger "
        "ones, or raise the operator's --max-pages",
    )


def _read_page(result: dict[str, JSON], number: int) -> tuple[list[JSON], str | None]:
    what = page_name(number)
    page, cursor = result.get("tools"), result.get("nextCursor")
    if not isinstance(page, list):
        raise failure(
            Reason.PROTOCOL_ERROR,
            f"the answer to {what} has no list of tools; the server is at fault",
        )
    if cursor is not None and not isinstance(cursor, str):
        raise failure(
            Reason.PROTOCOL_ERROR, f"the answer to {what} has a nextCursor that is not a string"
        )
    return page, cursor


def _is_same(one: list[JSON], other: list[JSON]) -> bool:
    try:
        return one == other
    except RecursionError:
        # Nested too deeply to tell; then the limits end it.
        return False


def _loop(what: str) -> FetchError:
    return failure(
        Reason.PAGINATION_LOOP, f"tools/list does not end: {what}; the server's paging is at fault"
    )
