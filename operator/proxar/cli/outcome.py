"""What a verb came to: its exit code, and what is said when it failed.

Scripts tell four things apart, and 1 means drift and nothing else: an exception that nobody foresaw
ends in 3.
"""

import traceback
from collections.abc import Callable
from contextlib import suppress
from enum import IntEnum
from functools import wraps
from pathlib import Path
from typing import Any

import typer

from proxar.cli.streams import complain, emit
from proxar.errors import ProxarError, UsageError

__all__ = ["ExitCode", "failed", "guarded"]


class ExitCode(IntEnum):
    """Exit codes of the public API."""

    CLEAN = 0
    DRIFT = 1
    USAGE = 2
    FAILED = 3


def guarded(verb: Callable[..., int | None]) -> Callable[..., int]:
    """The verb, with every failure told and turned into its exit code.

    With `-o json` a 3 prints JSON as well.
    """

    @wraps(verb)
    def run(**typed: Any) -> int:
        try:
            return int(verb(**typed) or ExitCode.CLEAN)
        except (typer.Exit, typer.Abort, typer.TyperException):
            raise
        except UsageError as error:
            complain(error.message)
            return ExitCode.USAGE
        except Exception as error:  # noqa: BLE001 - the outermost: it is told
            return failed(error, as_json=typed.get("output") == "json")

    return run


def failed(error: Exception, *, as_json: bool = False) -> ExitCode:
    """Tell that Proxar could not look or compare."""
    reason, message = _told(error)
    complain(f"{reason}: {message}")
    if as_json and reason != "OutputFailed":
        from proxar.report.jsondoc import write

        with suppress(ProxarError):  # stdout is broken; the line on stderr has to do
            emit(write({"reason": reason, "message": message}))
    return ExitCode.FAILED


def _told(error: Exception) -> tuple[str, str]:
    if isinstance(error, ProxarError):
        return error.reason, error.message
    # An exception's text may quote what it choked on, a header for instance; the place is enough.
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "proxar" in Path(frame.filename).parts]
    place = f" at {'/'.join(Path(ours[-1].filename).parts[-2:])}:{ours[-1].lineno}" if ours else ""
    return (
        "InternalError",
        f"{type(error).__name__}{place}; this is a bug in Proxar, please report it",
    )
