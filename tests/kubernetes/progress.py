"""Slow commands that tell the person in front of the terminal what they do."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path

from tests.kubernetes.errors import ClusterError
from tests.kubernetes.launch import tied

__all__ = ["run", "say", "tail"]

INTERVAL = timedelta(seconds=10)
"""Between two signs of life: often enough that nobody thinks it hangs, rare enough for a CI log."""

DEADLINE = timedelta(hours=1)
"""For one command. The slowest, the build, takes five minutes on two idle cores."""


def say(text: str) -> None:
    """Write one line to standard error; standard output belongs to the caller."""
    print(f"proxar: {text}", file=sys.stderr, flush=True)


def tail(text: str, lines: int = 20) -> str:
    """Return the end of a log, indented, for an error message."""
    return "\n".join(f"    {line}" for line in text.splitlines()[-lines:])


def run(
    command: Sequence[str | Path],
    *,
    doing: str,
    env: Mapping[str, str],
    cwd: Path | None = None,
) -> None:
    """Run a command to its end, with its output kept back and a line of progress now and then.

    Raises:
        ClusterError: It failed or outlived ``DEADLINE``; the end of its output is in the message.
    """
    say(doing)
    started = time.monotonic()
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as output,
        subprocess.Popen(
            tied(command),  # an orphan would go on in a place that the next process works in
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        ) as process,
    ):
        try:
            code = _watch(process, doing, started)
        except BaseException:  # also Ctrl-C: leaving the block would wait for the command
            process.terminate()
            raise
        if code:
            output.seek(0)
            what = " ".join(map(str, command))
            raise ClusterError(f"{doing}: exit code {code} of: {what}\n{tail(output.read())}")
    say(f"{doing}: done in {time.monotonic() - started:.0f} s")


def _watch(process: subprocess.Popen[bytes], doing: str, started: float) -> int:
    while (elapsed := time.monotonic() - started) < DEADLINE.total_seconds():
        try:
            return process.wait(INTERVAL.total_seconds())
        except subprocess.TimeoutExpired:
            say(f"{doing}: {elapsed + INTERVAL.total_seconds():.0f} s")
    raise ClusterError(f"{doing}: not finished after {DEADLINE}")
