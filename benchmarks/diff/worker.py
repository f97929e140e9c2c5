"""A measured program while it runs: it answers a question, fails, or is ended at a deadline."""

import json
import os
import select
import subprocess
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from benchmarks.diff.pairs import Tool
from benchmarks.diff.peers import Command

__all__ = ["Answer", "Worker"]


@dataclass(frozen=True)
class Answer:
    """What a program said, or that it said nothing in time."""

    seconds: float
    """That the comparison took."""
    verdicts: dict[str, str]
    """Empty when there was no answer."""
    failure: str | None = None
    """`no answer` or `crashed`."""
    reading: float = 0.0
    """Seconds before the others: from two texts to what the program keeps of them."""


class Worker:
    """A process that is started when it is needed, and again after it was ended."""

    def __init__(self, command: Command, *, deadline: float) -> None:
        self._command = command
        self._deadline = deadline
        self._process: subprocess.Popen[bytes] | None = None
        self._pending = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

    def ask(self, before: list[Tool], after: list[Tool]) -> Answer:
        """Return the verdicts on two lists and the seconds they took by the program's own clock."""
        question = {"before": json.dumps(before), "after": json.dumps(after)}
        process = self._running()
        started = time.monotonic()
        line = b""
        with suppress(BrokenPipeError):
            assert process.stdin is not None
            process.stdin.write(json.dumps(question).encode() + b"\n")
            process.stdin.flush()
            line = self._line(process, started + self._deadline)
        if not line:
            seconds = time.monotonic() - started
            self._end()
            failure = "no answer" if seconds >= self._deadline else "crashed"
            return Answer(seconds, {}, failure)
        answer = json.loads(line)
        return Answer(answer["seconds"], answer["verdicts"], reading=answer["reading"])

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._end()
            self._process = subprocess.Popen(
                self._command.arguments,
                env=dict(self._command.environment),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=tempfile.TemporaryFile(),  # noqa: SIM115 - the process keeps it
            )
        return self._process

    def _line(self, process: subprocess.Popen[bytes], until: float) -> bytes:
        """The next line; empty when time is up or the program has ended."""
        assert process.stdout is not None
        while b"\n" not in self._pending:
            left = until - time.monotonic()
            if left <= 0 or not select.select([process.stdout], [], [], left)[0]:
                return b""
            read = os.read(process.stdout.fileno(), 1 << 16)
            if not read:
                return b""
            self._pending += read
        line, _, self._pending = self._pending.partition(b"\n")
        return line

    def _end(self) -> None:
        self._pending = b""
        if self._process is not None:
            process, self._process = self._process, None
            process.kill()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    with suppress(BrokenPipeError):
                        stream.close()
            process.wait()
