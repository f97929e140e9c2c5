"""`proxar snapshot`: keep a server's tool list as a lock file, in Git for instance."""

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from proxar.cli import options
from proxar.cli.lists import fetch, url_of
from proxar.cli.streams import emit, note
from proxar.errors import ProxarError

if TYPE_CHECKING:
    from proxar.contract import JSON
    from proxar.fetch import Fetched

__all__ = ["snapshot"]

URL_SECONDS = timedelta(seconds=10)


def snapshot(
    url: Annotated[
        str, typer.Argument(metavar="URL", help="Where the server speaks MCP over streamable HTTP.")
    ],
    file: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write there; else to stdout."),
    ] = None,
    header: options.Headers = None,
    timeout: options.Timeout = None,
) -> None:
    """Write a server's tool list as a lock file.

    The same list gives the same bytes, so that a change in Git is a change of the server.
    """
    seconds = options.duration("--timeout", timeout, URL_SECONDS)
    headers = options.headers(header)
    url_of(url)
    fetched = fetch(url, headers, seconds)
    data = fetched.tools.lock_file(
        server=_server_info(fetched), protocol_version=fetched.protocol_version
    )
    if file is None:
        emit(data)
        return
    try:
        Path(file).write_bytes(data)
    except OSError as error:
        raise ProxarError("OutputFailed", f"{file}: {error.strerror}") from error
    note(f"{file}: {len(fetched.tools.tools)} tools, {fetched.tools.hash}")


def _server_info(fetched: "Fetched") -> "JSON":
    told = {"name": fetched.server_name, "version": fetched.server_version}
    return {key: value for key, value in told.items() if value is not None}
