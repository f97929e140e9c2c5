"""`proxar snapshot`: keep a server's tool list as a lock file, in Git for instance."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from proxar.cli import options
from proxar.cli.lists import fetch_from
from proxar.cli.streams import emit, note
from proxar.errors import ProxarError, UsageError

if TYPE_CHECKING:
    from proxar.contract import JSON
    from proxar.fetch import Fetched

__all__ = ["snapshot"]


def snapshot(
    server: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="URL|-- COMMAND…",
            help=(
                "Where the server speaks MCP over HTTP; or how it is started, if it speaks MCP "
                "over its standard input and output. It gets the environment as it is."
            ),
        ),
    ] = None,
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
    urls, command = options.parted(server)
    if len(urls) + (command is not None) != 1:
        raise UsageError(
            f"one server is asked and {len(urls) + (command is not None)} were named; write its "
            "URL, or -- and the command that starts it"
        )
    url = urls[0] if urls else None
    fetched = fetch_from(url, command, header=header, timeout=timeout)
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
