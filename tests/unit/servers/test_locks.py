"""The locks of the real servers: everything pinned by hash, and no registry named."""

import json
import re

import pytest

from tests.servers.programs import EVERYTHING, FASTMCP, FASTMCP_VERSIONS


def requirements(version: str) -> str:
    return (FASTMCP / f"requirements-{version}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("version", FASTMCP_VERSIONS)
def test_the_file_pins_the_fastmcp_of_its_name(version: str) -> None:
    assert re.search(rf"^fastmcp=={re.escape(version)} \\$", requirements(version), re.MULTILINE)


@pytest.mark.parametrize("version", FASTMCP_VERSIONS)
def test_every_requirement_has_a_version_and_a_hash(version: str) -> None:
    text = requirements(version).replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]

    assert all("==" in line and "--hash=sha256:" in line for line in lines)


def test_no_version_of_fastmcp_is_there_unused() -> None:
    files = {path.name for path in FASTMCP.glob("requirements-*.txt")}

    assert files == {f"requirements-{version}.txt" for version in FASTMCP_VERSIONS}


def test_every_npm_package_has_a_hash_and_no_address() -> None:
    lock = json.loads((EVERYTHING / "package-lock.json").read_text(encoding="utf-8"))
    packages = {path: package for path, package in lock["packages"].items() if path}

    assert [path for path, package in packages.items() if "integrity" not in package] == []
    assert [path for path, package in packages.items() if "resolved" in package] == []


def test_the_npm_server_is_pinned_to_one_version() -> None:
    manifest = json.loads((EVERYTHING / "package.json").read_text(encoding="utf-8"))
    (version,) = manifest["dependencies"].values()

    assert re.fullmatch(r"\d+\.\d+\.\d+", version)
