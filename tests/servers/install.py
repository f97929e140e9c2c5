"""Packages that are installed once for each user and kept; the key is their lock file.

The files name no registry: pip and npm ask the one that the user has configured.
"""

import hashlib
import os
import platform
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from tests.kubernetes import cache, progress
from tests.kubernetes.toolchain import find_node

__all__ = ["key_of", "node_modules", "python_environment"]


def key_of(*locks: Path, facts: tuple[str, ...] = ()) -> str:
    """Return a name for an installation: equal only if its locks, its platform and `facts` are."""
    digest = hashlib.sha256()
    for lock in locks:
        content = lock.read_bytes()
        digest.update(f"{lock.name} {len(content)}\n".encode())
        digest.update(content)
    for fact in (platform.system(), platform.machine(), *facts):
        digest.update(f"{fact}\n".encode())
    return digest.hexdigest()[:16]


def node_modules(folder: Path) -> Path:
    """Return the folder `node_modules` of what a package.json and its lock ask for.

    Raises:
        ClusterError: npm failed; its words are in the message.
    """
    manifest, lock = folder / "package.json", folder / "package-lock.json"

    def install(target: Path) -> None:
        node = find_node()
        target.mkdir()
        for file in (manifest, lock):
            shutil.copy(file, target)
        progress.run(
            [*node.npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
            doing=f"installing the MCP server {folder.name} from npm, once",
            env=node.environment(),
            cwd=target,
        )

    return _kept(folder.name, key_of(manifest, lock), install) / "node_modules"


def python_environment(name: str, requirements: Path) -> Path:
    """Return the Python of a virtual environment that holds the requirements and nothing else.

    Raises:
        ClusterError: pip failed; its words are in the message.
    """

    def install(target: Path) -> None:
        pip = [sys.executable, "-m", "pip", "--python", str(target / "bin" / "python"), "install"]
        # --no-deps: the file is complete, and pip would doubt the hashes of requirements with
        # extras. Bytecode is written by the first run, and only of what is used.
        exactly = ["--require-hashes", "--only-binary", ":all:", "--no-deps", "--no-compile"]
        quietly = ["--disable-pip-version-check", "--no-input"]
        doing = f"installing the MCP server library {name}"
        progress.run(
            [sys.executable, "-m", "venv", "--without-pip", target],
            doing=f"{doing}: a virtual environment",
            env=os.environ,
        )
        progress.run(
            [*pip, *quietly, *exactly, "-r", requirements],
            doing=f"{doing} from the package index, once",
            env=os.environ,
        )

    # The environment points to the Python that made it, and is of no use with another one.
    base = str(Path(sys.executable).resolve())
    return _kept(name, key_of(requirements, facts=(base,)), install) / "bin" / "python"


def _kept(name: str, key: str, install: Callable[[Path], None]) -> Path:
    return cache.made_once(cache.cache_folder() / "servers" / f"{name}-{key}", install)
