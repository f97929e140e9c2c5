"""The servers that there are, each as a command line; asking for one installs it."""

import shutil
from dataclasses import dataclass, field
from pathlib import Path

from tests.kubernetes.toolchain import find_node
from tests.servers.install import node_modules, python_environment

__all__ = [
    "EVERYTHING",
    "FASTMCP",
    "FASTMCP_VERSIONS",
    "SDK",
    "SDK_VERSIONS",
    "Program",
    "everything",
    "fastmcp",
    "sdk",
]

HERE = Path(__file__).parent
EVERYTHING = HERE / "everything"
FASTMCP = HERE / "fastmcp"
SDK = HERE / "sdk"

FASTMCP_VERSIONS = ("2.14.7", "3.4.11", "4.2.3")
"""The last of each line on the day it was pinned. The first two speak 2025-11-25, the third also
2026-07-28."""

SDK_VERSIONS = ("1.30.0", "2.3.0")
"""The last of each line of the official Python SDK on the day it was pinned. The second one speaks
2026-07-28."""

PORT = "{port}"
"""Stands for the port in arguments and variables."""


@dataclass(frozen=True, slots=True)
class Program:
    """How a server is run on a port of 127.0.0.1."""

    name: str
    arguments: tuple[str, ...]
    variables: dict[str, str] = field(default_factory=dict)
    path: str = "/mcp"
    """Of its MCP endpoint."""

    def command(self, port: int, folder: Path) -> list[str]:
        """Return the command line.

        The server sees no variable of ours: some of them would change what it lists, one of its
        tools tells them all, and none is its business.
        """
        env = shutil.which("env")
        assert env, "POSIX has it"
        variables = {"HOME": str(folder), "TMPDIR": str(folder)} | self.variables
        filled = [
            text.replace(PORT, str(port))
            for text in (*(f"{key}={value}" for key, value in variables.items()), *self.arguments)
        ]
        return [env, "-i", *filled]


def everything(transport: str = "streamableHttp") -> Program:
    """Return `@modelcontextprotocol/server-everything`, over `streamableHttp`, `sse` or `stdio`."""
    package = node_modules(EVERYTHING) / "@modelcontextprotocol" / "server-everything"
    return Program(
        "everything",
        (
            str(find_node().executable),
            # It would listen on every interface.
            *("--require", str(EVERYTHING / "loopback.cjs")),
            *(str(package / "dist" / "index.js"), transport),
        ),
        {"PORT": PORT},
        path="/sse" if transport == "sse" else "/mcp",
    )


def fastmcp(version: str) -> Program:
    """Return our issue tracker, run by one of `FASTMCP_VERSIONS`."""
    name = f"fastmcp-{version}"
    python = python_environment(name, FASTMCP / f"requirements-{version}.txt")
    return Program(name, (str(python), "-I", str(FASTMCP / "issues_server.py"), PORT))


def sdk(version: str, transport: str = "streamable-http") -> Program:
    """Return a server on one of `SDK_VERSIONS`, over `streamable-http`, `sse` or `stdio`."""
    name = f"sdk-{version}"
    python = python_environment(name, SDK / f"requirements-{version}.txt")
    return Program(
        name,
        (str(python), "-I", str(SDK / "issues_server.py"), PORT, transport),
        path="/sse" if transport == "sse" else "/mcp",
    )
