"""The entry point of `proxar` and, as a kubectl plugin, of `kubectl proxar`."""

import sys
from collections.abc import Sequence
from pathlib import PurePath
from typing import Annotated

import typer
from typer.main import get_command

from proxar.cli.app import HELP_NAMES, VerbGroup
from proxar.cli.outcome import ExitCode, failed
from proxar.cli.streams import complain, emit

__all__ = ["app", "main", "run"]

app = typer.Typer(
    cls=VerbGroup,
    rich_markup_mode=None,
    context_settings=HELP_NAMES,
    help="Notice when the tools of an MCP server change.",
    epilog="Exit: 0 nothing at or above --fail-on, 1 drift, 2 usage, 3 could not look or compare.",
)


def _print_version(asked: bool) -> None:
    if asked:
        from proxar import __version__

        emit(f"proxar {__version__}\n")
        raise typer.Exit


@app.callback()
def proxar(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Notice when the tools of an MCP server change."""


def run(arguments: Sequence[str], program: str = "proxar") -> int:
    """Run one command line and return its exit code; never raises what a user could cause."""
    try:
        code = get_command(app).main(
            list(arguments) or ["--help"], prog_name=program, standalone_mode=False
        )
    except typer.TyperException as error:
        path = getattr(getattr(error, "ctx", None), "command_path", program)
        complain(error.format_message(), f"'{path} --help' shows what can be typed.")
        return ExitCode.USAGE
    except typer.Abort:
        complain("stopped before the end of the input")
        return ExitCode.FAILED
    except Exception as error:  # noqa: BLE001 - what fails outside a verb, an import for instance
        return failed(error)
    return int(code or 0)


def main() -> int:
    """Run what was typed. As `kubectl proxar` the help speaks of that command."""
    name = PurePath(sys.argv[0]).name
    return run(sys.argv[1:], "kubectl proxar" if name.startswith("kubectl") else "proxar")
