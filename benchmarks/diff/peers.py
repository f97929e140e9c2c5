"""The programs that are measured, and how each is installed on first use, from hash-pinned files.

They are kept in the user's cache beside what the tests keep there. None of them is a dependency.
"""

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.kubernetes import cache, progress
from tests.kubernetes.toolchain import find_go, find_node
from tests.servers.install import key_of, node_modules, python_environment

__all__ = ["PEERS", "Command", "Peer"]

HERE = Path(__file__).parent
LOCKS = HERE / "locks"
PROGRAMS = HERE / "programs"


@dataclass(frozen=True)
class Command:
    """How to start a program."""

    arguments: list[str]
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))


@dataclass(frozen=True)
class Peer:
    """A program that judges changes of schemas."""

    name: str
    version: str
    command: Callable[[], Command]
    """Installs it if need be.

    Raises:
        ClusterError: it cannot be had here; the message says why.
    """
    takes_lists: bool
    """Whether it compares tool lists; one that knows schemas is asked tool by tool, and only about
    those that changed.
    """

    @property
    def title(self) -> str:
        return f"{self.name} {self.version}".strip()


def _proxar() -> Command:
    return Command([sys.executable, str(PROGRAMS / "proxar_worker.py")])


def _python(name: str) -> Callable[[], Command]:
    def command() -> Command:
        python = python_environment(name, LOCKS / f"{name}.txt")
        return Command([str(python), str(PROGRAMS / f"{name.replace('-', '_')}_worker.py")])

    return command


def _json_schema_diff() -> Command:
    modules = node_modules(LOCKS / "json-schema-diff")
    node = find_node()
    environment = node.environment() | {"NODE_PATH": str(modules)}
    program = PROGRAMS / "json_schema_diff_worker.cjs"
    return Command([str(node.executable), str(program)], environment)


def _oasdiff() -> Command:
    source = PROGRAMS / "oasdiff"

    def build(target: Path) -> None:
        go = find_go()
        progress.run(
            [go.executable, "build", "-trimpath", "-o", target, "."],
            doing="building oasdiff for the benchmark, once",
            env=go.environment(),
            cwd=source,
        )

    key = key_of(*(source / name for name in ("main.go", "go.mod", "go.sum")))
    target = cache.cache_folder() / "peers" / f"oasdiff-{key}"
    return Command([str(cache.made_once(target, build))])


PEERS = (
    Peer("proxar", "", _proxar, takes_lists=True),
    Peer("jsonsubschema", "0.0.8", _python("jsonsubschema"), takes_lists=False),
    Peer("json-schema-diff", "1.0.0", _json_schema_diff, takes_lists=False),
    Peer("oasdiff", "1.37.0", _oasdiff, takes_lists=False),
    Peer("mcp-contract", "0.6.0", _python("mcp-contract"), takes_lists=True),
)
"""Proxar first: the others are compared with it."""
