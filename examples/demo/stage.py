"""Where the demo plays: a folder with the tools on a PATH, commands that are printed before they
run, and background processes that end with it.
"""

import codecs
import fcntl
import os
import pty
import re
import shlex
import signal
import struct
import subprocess
import sys
import termios
import textwrap
import threading
import tty
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

from tests.kubernetes.cluster import Cluster
from tests.kubernetes.part import LAUNCH, Part

__all__ = ["ROOT", "Stage", "StoryError", "set_stage"]

ROOT = Path(__file__).parents[2]

DEADLINE = timedelta(seconds=90)
"""For one command. Those that wait have a shorter one of their own, which says more."""

GRACE = timedelta(seconds=5)
"""For a background process to end by itself."""

ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
"""Colours, which only a terminal gets."""

MODULES = {
    "proxar": "proxar",
    "issues-server": "examples.demo.issues_server",
    "http-get": "examples.demo.http_get",
}
"""The demo's tools besides kubectl, and what Python runs for them."""


class StoryError(Exception):
    """A step did not show what it must; the message says which and what came instead."""


class Stage:
    """Runs the commands of the story in the cluster's folder, as a shell there would."""

    def __init__(self, cluster: Cluster, starter: ThreadPoolExecutor) -> None:
        self.folder = cluster.folder
        self.bin = self.folder / "bin"
        self._starter = starter
        self._parts: list[Part] = []
        self._environment = os.environ | {
            "PATH": os.pathsep.join([str(self.bin), os.environ.get("PATH", os.defpath)]),
            "KUBECONFIG": str(cluster.kubeconfig),
        }
        self.bin.mkdir()
        # The user's cache would mix up clusters that had the same port one after another, and the
        # user's preferences could change what is printed.
        cache = shlex.quote(str(self.folder / "kubectl-cache"))
        kubectl = shlex.join(cluster.assets.command("kubectl"))
        self._write_tool("kubectl", f"KUBECACHEDIR={cache} KUBERC=off exec {kubectl}")
        python = f"PYTHONPATH={shlex.quote(str(ROOT))} exec {shlex.quote(sys.executable)}"
        for name, module in MODULES.items():
            self._write_tool(name, f"{python} -m {module}")

    def _write_tool(self, name: str, command: str) -> None:
        tool = self.bin / name
        tool.write_text(f'#!/bin/sh\n{command} "$@"\n', encoding="utf-8")
        tool.chmod(0o755)

    def tell(self, text: str) -> None:
        """Narrate: a comment, so that it is no command."""
        lines = textwrap.wrap(text, 94, break_on_hyphens=False)
        self._print("\n" + "".join(f"# {line}\n" for line in lines))

    def show_environment(self) -> None:
        """Print what a reader has to type first."""
        self._print(f"$ cd {shlex.quote(str(self.folder))}\n")
        self._print(f'$ export PATH="$PWD/{self.bin.name}:$PATH" KUBECONFIG="$PWD/kubeconfig"\n')

    def run(self, command: str, *, code: int = 0, shows: Sequence[str] = ()) -> str:
        """Print a shell command, run it, and pass on what it writes as it comes.

        Args:
            code: the exit code that it must have. shows: regular expressions, each of which must be
                found in its output.

        Returns:
            What it wrote, to stdout and stderr.

        Raises:
            StoryError: It was otherwise.
        """
        self._print(f"$ {command}\n")
        output = ESCAPES.sub("", "".join(self._pieces(command, code)))
        for pattern in shows:
            if not re.search(pattern, output, re.MULTILINE):
                raise self._failure(command, f"must show {pattern!r} and does not")
        if code:
            self._print(f"# exit code {code}\n")
        return output

    def _pieces(self, command: str, code: int) -> Iterator[str]:
        launch = [sys.executable, "-I", "-S", str(LAUNCH), str(os.getpid())]
        with _channel() as (reading, writing):
            process = subprocess.Popen(
                [*launch, "/bin/sh", "-c", command],
                cwd=self.folder,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=writing,
                stderr=writing,
            )
            os.close(writing)
            timer = threading.Timer(DEADLINE.total_seconds(), process.kill)
            timer.start()
            try:
                for piece in _read(reading):
                    self._print(piece)
                    yield piece
                found = process.wait()
            finally:  # also on Ctrl-C, which must not wait for the command
                timer.cancel()
                process.kill()
                process.wait()
        if found != code:
            late = f" (stopped after {DEADLINE})" if found == -signal.SIGKILL else ""
            raise self._failure(command, f"must exit {code} and exited {found}{late}")

    def start(self, name: str, *arguments: str) -> None:
        """Print a background command and start it. It ends with the stage, or with this process."""
        self._print(f"$ {shlex.join(arguments)} > {name}.log 2>&1 &\n")
        tool = str(self.bin / arguments[0])
        self._parts.append(Part(name, [tool, *arguments[1:]], self.folder, self._starter))

    def write(self, name: str, text: str) -> None:
        """Put a file in the folder and show it."""
        (self.folder / name).write_text(text, encoding="utf-8")
        self.run(f"cat {name}")

    def close(self) -> None:
        """End the background processes, the last started first."""
        while self._parts:
            self._parts.pop().stop(GRACE)

    def _failure(self, command: str, what: str) -> StoryError:
        logs = "".join(f"\n{part.log.name} ends with\n{part.log_tail()}" for part in self._parts)
        return StoryError(f"$ {command}\n{what}{logs}")

    def _print(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()


@contextmanager
def set_stage(cluster: Cluster) -> Iterator[Stage]:
    """Give a stage on a running cluster; everything on it ends with the context."""
    # Linux ends a process when the thread that started it ends: this one stays until the last.
    with ThreadPoolExecutor(1, "stage") as starter:
        stage = Stage(cluster, starter)
        try:
            yield stage
        finally:
            stage.close()


@contextmanager
def _channel() -> Iterator[tuple[int, int]]:
    """Give two ends of a pipe, of which the writing one is the caller's to close.

    In front of a person it is a terminal of the same size, so that commands show what they would.
    """
    if sys.stdout.isatty():
        reading, writing = pty.openpty()
        tty.setraw(writing)  # the real terminal turns line ends into what it needs
        columns, lines = os.get_terminal_size(sys.stdout.fileno())
        fcntl.ioctl(writing, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    else:
        reading, writing = os.pipe()
    try:
        yield reading, writing
    finally:
        os.close(reading)


def _read(descriptor: int) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    while True:
        try:
            octets = os.read(descriptor, 65536)
        except OSError:  # how Linux says that the other side of a terminal is closed
            octets = b""
        yield decoder.decode(octets, final=not octets)
        if not octets:
            return
