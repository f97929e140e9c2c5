"""A real MCP server as a process that never outlives the test run."""

import socket
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.kubernetes.controlplane import free_ports
from tests.kubernetes.errors import ClusterError
from tests.kubernetes.part import Part
from tests.servers.programs import Program

__all__ = ["ServerProcess", "free_port"]

READY_DEADLINE = timedelta(seconds=60)
"""From the start to the first connection. One to three seconds, and three times that for the first
run of a fresh installation on a busy machine."""

STOP_GRACE = timedelta(seconds=5)
"""For the server to end by itself."""


def free_port() -> int:
    """Return a port of 127.0.0.1 that nobody listens on, and that no outgoing connection takes
    while a server is stopped and another one started."""
    return free_ports(1)[0]


class ServerProcess:
    """A program on a port of 127.0.0.1, running for as long as the context lasts.

    Args:
        folder: Gets its log, ``<name of the program>.log``, and is its home.
        port: Where a predecessor listened, to take its place; a free one without it.
    """

    def __init__(self, program: Program, folder: Path, *, port: int | None = None) -> None:
        self.program = program
        self.port = free_port() if port is None else port
        self._folder = folder
        self._part: Part | None = None
        self._starter: ThreadPoolExecutor | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def url(self) -> str:
        """Its MCP endpoint."""
        return f"http://127.0.0.1:{self.port}{self.program.path}"

    @property
    def pid(self) -> int:
        """The process id."""
        assert self._part, "start() made it"
        return self._part.pid

    def start(self) -> None:
        """Start it, and return when it accepts connections.

        Raises:
            ClusterError: It ended or was too slow, and the end of its log is in the message; or the
                port is taken.
        """
        if self._accepts():
            raise ClusterError(f"{self.program.name}: another process listens on port {self.port}")
        command = self.program.command(self.port, self._folder)
        self._starter = ThreadPoolExecutor(1, self.program.name)  # lives as long as the part
        try:
            self._part = Part(self.program.name, command, self._folder, self._starter)
            self._wait(self._part)
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """End it, and return when the port is free again. Does nothing if it does not run."""
        if self._part:
            self._part.stop(STOP_GRACE)
        if self._starter:
            self._starter.shutdown()
        self._part = self._starter = None

    def _wait(self, part: Part) -> None:
        deadline = time.monotonic() + READY_DEADLINE.total_seconds()
        # A connection and no more: a GET leaves a session behind in some servers.
        while not self._accepts():
            part.check()
            if time.monotonic() > deadline:
                raise ClusterError(
                    f"{part.name} does not listen on port {self.port} after {READY_DEADLINE}; its "
                    f"log ends with\n{part.log_tail()}"
                )
            time.sleep(0.05)

    def _accepts(self) -> bool:
        with socket.socket() as probe:
            probe.settimeout(1)
            return probe.connect_ex(("127.0.0.1", self.port)) == 0
