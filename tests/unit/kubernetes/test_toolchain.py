import os
from pathlib import Path

import pytest

from tests.kubernetes import toolchain
from tests.kubernetes.errors import ClusterError
from tests.kubernetes.toolchain import Go, find_go, find_node, parse_version, required_go


def script(folder: Path, name: str, body: str) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """The names of the toolchains that were installed, with the installation left out."""
    names: list[str] = []

    def install(name: str, minimum: toolchain.Version) -> Path:
        assert minimum
        names.append(name)
        return tmp_path / "cache" / name

    monkeypatch.setattr(toolchain, "_installed", install)
    return names


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("go1.26.6\n", (1, 26, 6)),
        ("go1.27rc1\n", (1, 27)),
        ("go1.28-devel_0123abc\n", (1, 28)),
        ("v24.19.0\n", (24, 19, 0)),
        ("1.26.0", (1, 26, 0)),
        ("no version here", ()),
    ],
)
def test_a_version_is_read_as_numbers(text: str, version: tuple[int, ...]) -> None:
    assert parse_version(text) == version


def test_the_go_line_of_a_module_is_the_oldest_go_for_it() -> None:
    go_mod = "module example\n\ngo 1.26.0\n\ngodebug default=go1.26\n"

    assert required_go(go_mod) == (1, 26, 0)


def test_a_module_without_a_go_line_is_an_error() -> None:
    with pytest.raises(ClusterError, match="has no go line"):
        required_go("module example\n")


def test_a_recent_go_on_the_path_is_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, installed: list[str]
) -> None:
    go = script(tmp_path / "bin", "go", "echo go1.99.1")
    monkeypatch.setenv("PATH", str(go.parent))

    assert find_go().executable == go
    assert installed == []


@pytest.mark.parametrize(
    "body", ["echo go1.22.4", "exit 127", "echo not a version"], ids=["old", "broken", "odd"]
)
def test_another_go_on_the_path_is_passed_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, installed: list[str], body: str
) -> None:
    go = script(tmp_path / "bin", "go", body)
    monkeypatch.setenv("PATH", str(go.parent))

    assert find_go().executable == tmp_path / "cache/go/go/bin/go"
    assert installed == ["go"]


def test_go_is_installed_where_there_is_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, installed: list[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    find_go()

    assert installed == ["go"]


def test_go_is_asked_for_its_own_version_not_for_one_it_would_download(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, installed: list[str]
) -> None:
    go = script(tmp_path / "bin", "go", '[ "$GOTOOLCHAIN" = local ] && echo go1.20 || echo go1.99')
    monkeypatch.setenv("PATH", str(go.parent))

    find_go()

    assert installed == ["go"]


def test_a_build_is_for_this_machine_and_keeps_the_users_caches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GOOS", "plan9")
    monkeypatch.setenv("GOFLAGS", "-mod=mod")
    monkeypatch.setenv("GOMODCACHE", "/the/users/own")

    environment = Go(Path("go")).environment()

    assert "GOOS" not in environment
    assert environment["GOFLAGS"] == "-mod=readonly"
    assert environment["GOTOOLCHAIN"] == "local"
    assert environment["GOMODCACHE"] == "/the/users/own"


def test_a_recent_node_with_npm_on_the_path_is_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, installed: list[str]
) -> None:
    node = script(tmp_path / "bin", "node", "echo v22.1.0")
    npm = script(tmp_path / "bin", "npm", "echo 11")
    monkeypatch.setenv("PATH", str(node.parent))

    found = find_node()

    assert (found.executable, found.npm) == (node, (str(npm),))
    assert installed == []


def test_a_node_without_npm_or_too_old_for_the_caller_is_passed_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, installed: list[str]
) -> None:
    node = script(tmp_path / "bin", "node", "echo v22.1.0")
    monkeypatch.setenv("PATH", str(node.parent))
    find_node()
    script(node.parent, "npm", "echo 11")

    found = find_node((24,))

    assert installed == ["node", "node"]
    assert found.environment()["PATH"].split(os.pathsep)[0] == str(found.executable.parent)
