"""The Dockerfile, as far as it can be judged without building it."""

import re
import subprocess
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
DOCKERFILE = ROOT / "Dockerfile"
HADOLINT = Path(sysconfig.get_path("scripts")) / "hadolint"
DOCKERFILES = [DOCKERFILE, *sorted((ROOT / "tests" / "e2e").rglob("Dockerfile"))]


@pytest.mark.parametrize("path", DOCKERFILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_hadolint_finds_nothing(path: Path) -> None:
    """No rule is switched off; in those of the tests neither."""
    done = subprocess.run(
        [HADOLINT, "--no-color", path], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert "hadolint ignore" not in path.read_text(encoding="utf-8")


def test_hadolint_would_find_something(tmp_path: Path) -> None:
    """Else the test above says nothing."""
    bad = tmp_path / "Dockerfile"
    bad.write_text("FROM debian\nRUN cd /tmp && sudo apt-get install python3\n", encoding="utf-8")

    done = subprocess.run([HADOLINT, bad], capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert "DL3006" in done.stdout


def test_what_is_copied_is_let_through() -> None:
    """.dockerignore names what the Dockerfile copies from the checkout, no less and no more."""
    ignore = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    named = {line.removeprefix("!") for line in ignore if line.startswith("!")}

    copied = set()
    for line in re.findall(r"^COPY (?!--from)(.+)$", DOCKERFILE.read_text("utf-8"), re.MULTILINE):
        copied |= {source.rstrip("/") for source in line.split()[:-1]}

    assert copied == named
    assert all((ROOT / name).exists() for name in named)


def test_the_chart_runs_it_as_the_user_it_is_for() -> None:
    """One number in three files."""
    deployment = (ROOT / "charts/proxar/templates/deployment.yaml").read_text(encoding="utf-8")
    [user] = re.findall(r"^USER (\d+):\1$", DOCKERFILE.read_text("utf-8"), re.MULTILINE)

    assert re.findall(r"runAs(?:User|Group): (\d+)", deployment) == [user, user]


def test_the_build_backend_is_the_one_that_is_named() -> None:
    """It is installed from the lock file, not by pyproject.toml, which could say another."""
    [required] = re.findall(
        r'^requires = \["(hatchling==[\d.]+)"\]$',
        (ROOT / "pyproject.toml").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    lock = (ROOT / "requirements/image.txt").read_text(encoding="utf-8").splitlines()

    assert f"{required} \\" in lock


def test_its_documents_name_its_arguments() -> None:
    """A reader of the guide finds in the Dockerfile what it speaks of."""
    guide = (ROOT / "docs/guides/image.md").read_text(encoding="utf-8")
    dockerfile = DOCKERFILE.read_text(encoding="utf-8")

    [default] = re.findall(r"^ARG BASE=(\S+)$", dockerfile, re.MULTILINE)
    assert default in guide
    assert "/usr/share/doc/proxar/sbom.cdx.json" in guide
    assert set(re.findall(r"--build-context (\w+)=", guide)) == {"wheels"}
