"""What the measured programs are installed from: everything pinned by hash, no registry named."""

import json
import re

import pytest

from benchmarks.diff.peers import LOCKS, PEERS, PROGRAMS

VERSIONS = {peer.name: peer.version for peer in PEERS}
PYTHON = ("jsonsubschema", "mcp-contract")


@pytest.mark.parametrize("name", PYTHON)
def test_every_requirement_has_a_version_and_a_hash(name: str) -> None:
    text = (LOCKS / f"{name}.txt").read_text(encoding="utf-8").replace("\\\n", " ")

    assert all("==" in line and "--hash=sha256:" in line for line in text.splitlines())
    assert re.search(rf"^{name}=={re.escape(VERSIONS[name])} ", text, re.MULTILINE)


def test_every_npm_package_has_a_hash_and_no_address() -> None:
    lock = json.loads((LOCKS / "json-schema-diff/package-lock.json").read_text(encoding="utf-8"))
    packages = {path: package for path, package in lock["packages"].items() if path}

    assert all("integrity" in package for package in packages.values())
    assert not any("resolved" in package for package in packages.values())
    name = "json-schema-diff"
    assert packages[f"node_modules/{name}"]["version"] == VERSIONS[name]


def test_the_go_module_is_pinned() -> None:
    required = (PROGRAMS / "oasdiff/go.mod").read_text(encoding="utf-8")

    assert f"github.com/oasdiff/oasdiff v{VERSIONS['oasdiff']}\n" in required
    sums = (PROGRAMS / "oasdiff/go.sum").read_text(encoding="utf-8")
    assert f"github.com/oasdiff/oasdiff v{VERSIONS['oasdiff']} h1:" in sums
