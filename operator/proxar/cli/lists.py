"""Tool lists without a cluster: from a file, from stdin, or from the server itself."""

import sys
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from proxar.cli import options
from proxar.contract import ContractError, ToolList, parse
from proxar.errors import ProxarError, UsageError

if TYPE_CHECKING:
    from proxar.fetch import Fetched

__all__ = ["STDIN", "fetch", "fetch_from", "read_list", "run", "url_of"]

STDIN = "-"

URL_SECONDS = timedelta(seconds=10)

COMMAND_SECONDS = timedelta(seconds=30)
"""A command may have to download itself first."""

LARGEST_FILE_BYTES = 64 << 20
"""Four times what the fetcher takes in: an indented lock file of the largest list fits."""


def read_list(path: str) -> ToolList:
    """The tool list in a file, or on stdin for `-`.

    Raises:
        UsageError: There is no such file.
        ProxarError: It cannot be read, or holds no tool list.
    """
    shown = "stdin" if path == STDIN else path
    try:
        data = _octets(path)
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError) as error:
        raise UsageError(
            f"{shown}: {error.strerror}; name a file with a tools/list result"
        ) from error
    except OSError as error:
        raise ProxarError("Unreadable", f"{shown}: {error.strerror}") from error
    if len(data) > LARGEST_FILE_BYTES:
        raise ProxarError("TooLarge", f"{shown}: more than {LARGEST_FILE_BYTES >> 20} MiB")
    try:
        return parse(data)
    except ContractError as error:
        raise ProxarError(error.reason, f"{shown}: {error.message}") from error


def _octets(path: str) -> bytes:
    if path == STDIN:
        return sys.stdin.buffer.read(LARGEST_FILE_BYTES + 1)
    with Path(path).open("rb") as file:
        return file.read(LARGEST_FILE_BYTES + 1)


def url_of(text: str) -> str:
    """The URL as typed, if a tool list can be asked for there.

    A message shows its scheme and host only: path and query may hold a key.
    """
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(text)
        host = parts.hostname
    except ValueError:
        host = None
    if not host or parts.scheme not in {"http", "https"}:
        raise UsageError(
            "the URL of the server: must be an absolute http or https URL, as in "
            "https://mcp.example.com/mcp"
        )
    if "@" in parts.netloc:
        raise UsageError(
            f"{parts.scheme}://…@{host}: must not carry credentials; send them with --header "
            "'Authorization: …'"
        )
    return text


def fetch(url: str, headers: tuple[tuple[str, str], ...], timeout: float) -> "Fetched":
    """Ask the server for its list. No egress guard: whoever types a URL may reach it anyway.

    Raises:
        FetchError: There is no complete list; the reason is one of `proxar.fetch.Reason`.
    """
    import asyncio

    from proxar.fetch import Fetcher, Target

    async def look() -> "Fetched":
        async with Fetcher(egress=None) as fetcher:
            return await fetcher.fetch(Target(url, headers, timeout))

    return asyncio.run(look())


def run(command: list[str], timeout: float) -> "Fetched":
    """Start the command, ask it for its list over its pipes, and end it.

    Raises:
        FetchError: There is no complete list; the reason is one of `proxar.fetch.Reason`.
    """
    import asyncio

    from proxar.cli.signals import cancelled_by_signals
    from proxar.fetch.stdio import fetch_command

    async def look() -> "Fetched":
        with cancelled_by_signals():
            return await fetch_command(command, timeout=timeout)

    return asyncio.run(look())


def fetch_from(
    url: str | None,
    command: list[str] | None,
    *,
    header: list[str] | None,
    timeout: str | None,
) -> "Fetched":
    """Ask a server, which is a URL or a command, for its list.

    Raises:
        UsageError: What was typed cannot be asked.
        FetchError: There is no complete list.
    """
    if command is not None:
        if header:
            raise UsageError("--header: works with a URL only; a command has its environment")
        return run(command, options.duration("--timeout", timeout, COMMAND_SECONDS))
    seconds = options.duration("--timeout", timeout, URL_SECONDS)
    headers = options.headers(header)
    return fetch(url_of(url or ""), headers, seconds)
