"""The images that only these tests need."""

import os
import shutil
import sys
from pathlib import Path

from tests.image import buildah
from tests.image.build import PYTHON, base_argument
from tests.kubernetes import cache, progress
from tests.kubernetes.binary import build, key_of, static_program
from tests.kubernetes.node.archive import write_image
from tests.servers.install import key_of as key_of_files
from tests.servers.programs import FASTMCP, FASTMCP_VERSIONS

__all__ = ["ISSUES", "WEB", "issues_image", "next_issues_image", "web_image"]

HERE = Path(__file__).parent

WEB = "localhost/web:1"
"""See ``web/main.go``."""

ISSUES = "localhost/issues:{version}"
"""See ``issues/server.py``; of both of its releases there is an image."""


def web_image() -> Path:
    """Return the archive of ``WEB``, after making it if need be."""
    program = static_program(HERE / "web")
    return cache.made_once(
        buildah.image_folder() / f"web-{key_of(program)}.tar",
        lambda target: write_image(target, WEB, build(program), arguments=["serve"]),
    )


def issues_image() -> Path:
    """Return the archive of release 1 of ``ISSUES``, after building it if need be."""
    requirements = FASTMCP / f"requirements-{FASTMCP_VERSIONS[-1]}.txt"
    sources = [HERE / "issues" / name for name in ("Dockerfile", "server.py")]

    def make(target: Path) -> None:
        base = base_argument()
        with buildah.workspace() as work:
            context = work / "context"
            context.mkdir()
            for source in sources:
                shutil.copy(source, context)
            _install(requirements, context / "libraries")
            buildah.build(
                *(context, ISSUES.format(version=1), target),
                doing="building the image of an MCP server, once",
                arguments={"BASE": base},
            )

    key = key_of_files(requirements, *sources, facts=(PYTHON, base_argument()))
    return cache.made_once(buildah.image_folder() / f"issues-{key}.tar", make)


def next_issues_image() -> Path:
    """Return the archive of release 2, which is release 1 with another environment."""
    first = issues_image()
    dockerfile = HERE / "issues" / "next" / "Dockerfile"

    def make(target: Path) -> None:
        with buildah.workspace() as work:
            context = work / "context"
            context.mkdir()
            shutil.copy(dockerfile, context)
            buildah.build(
                *(context, ISSUES.format(version=2), target),
                doing="building the next release of an MCP server, once",
                arguments={"RELEASE_1": f"oci-archive:{first}:{ISSUES.format(version=1)}"},
            )

    key = key_of_files(dockerfile, facts=(first.name,))
    return cache.made_once(buildah.image_folder() / f"issues-next-{key}.tar", make)


def _install(requirements: Path, target: Path) -> None:
    """Install what an MCP server imports, for the Python of the base image."""
    pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
    exactly = ["--require-hashes", "--only-binary", ":all:", "--no-deps", "--no-compile"]
    foreign = ["--python-version", PYTHON, "--implementation", "cp"]
    progress.run(
        [*pip, *exactly, *foreign, "--target", target, "-r", requirements],
        doing="installing the MCP server library for an image, once",
        env=os.environ,
    )
