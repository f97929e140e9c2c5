"""Where output goes: data to stdout, everything said to a person to stderr.

Closing the pipe early (`proxar status | head`) is no failure. A full disk is one: then the data is
not there.
"""

import os
import shutil
import sys
from contextlib import suppress
from dataclasses import dataclass

from proxar.errors import ProxarError
from proxar.report.visible import visible

__all__ = ["Terminal", "complain", "emit", "note", "terminal"]


@dataclass(frozen=True, slots=True)
class Terminal:
    """What stdout can show. `width` is `None` for a file or a pipe."""

    width: int | None
    colour: bool


def terminal() -> Terminal:
    """Look at stdout. NO_COLOR and TERM=dumb are honoured."""
    if sys.stdout is None or not sys.stdout.isatty():
        return Terminal(None, colour=False)
    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    return Terminal(shutil.get_terminal_size().columns, colour=not plain)


def emit(data: str | bytes) -> None:
    """Write data to stdout: bytes as they are, text as the terminal's encoding allows and UTF-8 in
    a pipe.

    Raises:
        ProxarError: `OutputFailed`: stdout did not take it all.
    """
    if sys.stdout is None:  # started with stdout closed
        raise ProxarError("OutputFailed", "stdout is closed; nothing was written")
    encoding = (sys.stdout.encoding if sys.stdout.isatty() else None) or "utf-8"
    octets = data if isinstance(data, bytes) else data.encode(encoding, errors="backslashreplace")
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(octets)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        _abandon_stdout()  # whoever read has seen enough
    except OSError as error:
        _abandon_stdout()
        raise ProxarError(
            "OutputFailed", f"stdout: {error.strerror}; not everything was written"
        ) from error


def _abandon_stdout() -> None:
    """What is left in the buffer goes nowhere: Python would fail on it again at exit, with 120."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def note(message: str) -> None:
    """Tell the person something beside the data."""
    _say(message)


def complain(message: str, hint: str = "") -> None:
    """Say in one line what is wrong; a hint follows after a blank line."""
    _say(f"error: {message}")
    if hint:
        _say("")
        _say(hint)


def _say(message: str) -> None:
    with suppress(OSError, ValueError):  # stderr is closed or full: there is nobody left to tell
        print(visible(message), file=sys.stderr, flush=True)  # noqa: T201
