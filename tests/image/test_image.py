"""What is in the image, and what is not. Read from the archive that a registry would get."""

import re
import struct
from pathlib import PurePosixPath

import pytest

from tests.image.archive import Archive, Files, resolve
from tests.image.build import PYTHON
from tests.image.container import Image

MOST_BYTES = 120_000_000
"""Compressed. It was 50 MB when this was written; half of that is the Kubernetes client."""

PROGRAMS = {
    "opt/proxar/bin/kubectl-proxar",
    "opt/proxar/bin/proxar",
    f"usr/bin/python{PYTHON}",
}


def regular(files: Files) -> set[str]:
    """The paths of the files proper."""
    return {path for path, member in files.items() if member.isfile()}


def test_it_is_small(archive: Archive, capsys: pytest.CaptureFixture[str]) -> None:
    """A node pulls it in seconds."""
    size = archive.compressed_bytes()

    with capsys.disabled():
        print(f"\nthe image: {size / 1e6:.1f} MB compressed")
    assert size < MOST_BYTES


def test_it_says_how_it_is_run(archive: Archive) -> None:
    """As nobody in particular, by number, so that `runAsNonRoot` can tell."""
    config = archive.config()

    assert config["User"] == "65532:65532"
    assert config["Entrypoint"] == ["proxar"]
    assert config["Cmd"] == ["operator"]
    assert config["WorkingDir"] == "/tmp"
    assert set(config["ExposedPorts"]) == {"8080/tcp", "8081/tcp"}
    assert "PATH=/opt/proxar/bin" in config["Env"]


def test_it_says_what_it_is(archive: Archive) -> None:
    """The labels that registries show."""
    labels = archive.config()["Labels"]

    assert labels["org.opencontainers.image.title"] == "Proxar"
    assert labels["org.opencontainers.image.description"]
    assert labels["org.opencontainers.image.licenses"] == "Apache-2.0"


def test_nothing_but_python_and_proxar_can_be_executed(files: Files) -> None:
    """No shell, no package manager, no compiler, no pip: whoever breaks in finds no tools.

    Modules of the standard library that carry the bit for historical reasons need an interpreter.
    """
    executable = {path for path in regular(files) if files[path].mode & 0o111}

    assert {
        path
        for path in executable
        if not re.search(r"\.so(\.[\d.]+)?$", path) and not path.endswith(".py")
    } == PROGRAMS


@pytest.mark.parametrize(
    "name",
    [
        *("sh", "bash", "dash", "busybox", "apt", "apt-get", "dpkg", "gcc", "cc", "ld", "make"),
        *("perl", "pip", "ensurepip", "setuptools", "wheel", "hatchling", "cyclonedx", "ldconfig"),
    ],
)
def test_no_tool_is_left_under_its_name(files: Files, name: str) -> None:
    """As a program, a link or a Python package."""
    # Proxar's, and what dpkg would know: descriptions for scanners.
    allowed = {"var/lib/dpkg"}

    assert {
        path
        for path in files
        if re.fullmatch(rf"{name}([\d.]*|-[\d.]+\.dist-info)", PurePosixPath(path).name)
    } <= allowed


def test_no_file_gives_rights(files: Files) -> None:
    """No setuid or setgid, nothing that the operator or a stranger could write to."""
    assert {path for path, member in files.items() if member.mode & 0o6000} == set()
    assert {(member.uid, member.gid) for member in files.values()} == {(0, 0)}
    assert {
        path for path, member in files.items() if not member.issym() and member.mode & 0o022
    } == {"tmp"}
    assert not any(member.ischr() or member.isblk() for member in files.values())


def test_every_link_leads_somewhere(files: Files) -> None:
    """A dangling one would be a library that the assembly forgot."""
    for path, member in files.items():
        if member.issym():
            assert resolve(files, path) in files, f"{path} -> {member.linkname}"


def test_the_user_has_a_name_and_no_shell(image: Image) -> None:
    """Some libraries ask for the home folder of whoever runs them."""
    users = [line.split(":") for line in (image.root / "etc/passwd").read_text().splitlines()]

    assert [user for user in users if user[2] == "65532"] == [
        ["proxar", "x", "65532", "65532", "proxar", "/tmp", "/nonexistent"]
    ]
    assert {user[6] for user in users} == {"/nonexistent"}


def test_every_module_is_compiled(files: Files, image: Image) -> None:
    """By hash and unchecked: no time stamp that a layer changes can make it stale."""
    tag = f"cpython-{PYTHON.replace('.', '')}"
    sources = {path for path in regular(files) if path.endswith(".py")}
    assert sources

    missing = {path for path in sources if str(compiled(path, tag)) not in files}

    assert missing == set()
    package = f"opt/proxar/lib/python{PYTHON}/site-packages/proxar/__init__.py"
    bytecode = (image.root / compiled(package, tag)).read_bytes()
    assert struct.unpack("<I", bytecode[4:8]) == (0b01,)  # PEP 552: hash-based, not checked


def compiled(source: str, tag: str) -> PurePosixPath:
    """Where the bytecode of a module is."""
    path = PurePosixPath(source)
    return path.parent / "__pycache__" / f"{path.stem}.{tag}.pyc"
