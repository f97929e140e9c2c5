"""The locks of the real servers: everything pinned by hash, and no registry named."""

import json
import re
from pathlib import Path

import pytest

from tests.servers.programs import EVERYTHING, FASTMCP, FASTMCP_VERSIONS, SDK, SDK_VERSIONS

LOCKS = [
    *((FASTMCP, "fastmcp", version) for version in FASTMCP_VERSIONS),
    *((SDK, "mcp", version) for version in SDK_VERSIONS),
]


def requirements(folder: Path, version: str) -> str:
    return (folder / f"requirements-{version}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize(("folder", "library", "version"), LOCKS)
def test_the_file_pins_the_library_of_its_name(folder: Path, library: str, version: str) -> None:
    pinned = rf"^{library}=={re.escape(version)} \\$"

    assert re.search(pinned, requirements(folder, version), re.MULTILINE)


@pytest.mark.parametrize(("folder", "library", "version"), LOCKS)
def test_every_requirement_has_a_version_and_a_hash(
    folder: Path, library: str, version: str
) -> None:
    text = requirements(folder, version).replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]

    assert all("==" in line and "--hash=sha256:" in line for line in lines)


@pytest.mark.parametrize(("folder", "versions"), [(FASTMCP, FASTMCP_VERSIONS), (SDK, SDK_VERSIONS)])
def test_no_lock_is_there_unused(folder: Path, versions: tuple[str, ...]) -> None:
    files = {path.name for path in folder.glob("requirements-*.txt")}

    assert files == {f"requirements-{version}.txt" for version in versions}


def test_every_npm_package_has_a_hash_and_no_address() -> None:
    lock = json.loads((EVERYTHING / "package-lock.json").read_text(encoding="utf-8"))
    packages = {path: package for path, package in lock["packages"].items() if path}

    assert [path for path, package in packages.items() if "integrity" not in package] == []
    assert [path for path, package in packages.items() if "resolved" in package] == []


def test_the_npm_server_is_pinned_to_one_version() -> None:
    manifest = json.loads((EVERYTHING / "package.json").read_text(encoding="utf-8"))
    (version,) = manifest["dependencies"].values()

    assert re.fullmatch(r"\d+\.\d+\.\d+", version)
