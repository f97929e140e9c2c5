"""The operator as a process, as it runs in a pod: with a token of its own ServiceAccount and the
chart's rights."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.kubernetes.part import LAUNCH
from tests.servers.process import free_port

__all__ = ["OperatorProcess", "eventually", "free_address"]

READY_SECONDS = 60.0
"""Imports alone take two seconds on an idle machine."""


def free_address() -> str:
    """A loopback address with a port that nobody takes while a process is restarted."""
    return f"127.0.0.1:{free_port()}"


class OperatorProcess:
    """A running `proxar operator`; dies with the test run.

    Args:
        module: What `python -m` runs; a test may run the operator through a module of its own.
        environment: Added to the process's own.
    """

    def __init__(
        self,
        kubeconfig: Path,
        log: Path,
        *,
        namespace: str,
        arguments: Sequence[str] = (),
        module: str = "proxar",
        environment: dict[str, str] | None = None,
    ) -> None:
        self.log = log
        self.address = free_address()
        """Where it answers probes and scrapes."""
        self._command = [
            *(sys.executable, "-m", module, "operator"),
            *("--kubeconfig", str(kubeconfig), "--namespace", namespace),
            *("--metrics-address", self.address, "--health-address", self.address),
            *("--allow-egress", "127.0.0.0/8", "--workers", "4", "--log-level", "debug"),
            *arguments,
        ]
        self._environment = os.environ | (environment or {})
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kill()

    def start(self, *, wait: bool = True) -> None:
        """Start it, and wait until it is ready."""
        launch = [sys.executable, "-I", "-S", str(LAUNCH), str(os.getpid())]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [*launch, *self._command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=self._environment,
            )
        if wait:
            eventually(
                self.is_ready, READY_SECONDS, f"the operator is ready; its log is {self.log}"
            )

    def stop(self) -> int:
        """Ask it to end, as Kubernetes does, and return its exit code."""
        return self._end(signal.SIGTERM)

    def kill(self) -> None:
        """SIGKILL: no chance to tidy up."""
        self._end(signal.SIGKILL)

    def wait(self, seconds: float) -> int:
        """Wait until it ends by itself and return its exit code."""
        assert self._process is not None
        return self._process.wait(seconds)

    def _end(self, number: signal.Signals) -> int:
        if self._process is None:
            return 0
        self._process.send_signal(number)
        code = self._process.wait(30)
        self._process = None
        return code

    @property
    def pid(self) -> int:
        """Of the operator itself; what starts it becomes it."""
        assert self._process is not None
        return self._process.pid

    @property
    def url(self) -> str:
        """Where /metrics and the health pages are."""
        return f"http://{self.address}"

    def is_ready(self) -> bool:
        """Whether /readyz says so."""
        try:
            return self.get("/readyz") == "ok\n"
        except OSError:
            return False

    def get(self, path: str) -> str:
        """The body of a GET, such as of `/metrics`."""
        with urllib.request.urlopen(f"http://{self.address}{path}", timeout=10) as answer:
            return str(answer.read().decode())

    def series(self, prefix: str, **labels: str) -> list[str]:
        """The lines of /metrics that begin with `prefix` and carry all of the labels."""
        wanted = [f"{name}={json.dumps(value)}" for name, value in labels.items()]
        lines = self.get("/metrics").splitlines()
        return [
            line
            for line in lines
            if line.startswith(prefix) and all(pair in line for pair in wanted)
        ]


def eventually(holds: object, seconds: float, what: str) -> None:
    """Wait until `holds()` is true.

    Raises:
        AssertionError: It was not within so many seconds; `what` says what was waited for.
    """
    assert callable(holds)
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"after {seconds} s still not: {what}"
        time.sleep(0.05)
