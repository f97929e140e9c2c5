"""The built image, unpacked once for all tests of a run; and nothing where there can be none."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.image.archive import Archive, Files
from tests.image.build import base_image, built_image
from tests.image.container import ContainedOperator, Image
from tests.image.possible import obstacle

# Not skipped but left out: a skip is to be looked into, and here there is nothing to be done.
collect_ignore_glob = ["test_*.py"] if obstacle() else []


@pytest.fixture(scope="session")
def archive() -> Archive:
    """The image of this checkout, in its file."""
    return Archive(built_image())


@pytest.fixture(scope="session")
def files(archive: Archive) -> Files:
    """What is in the image."""
    return archive.files()


@pytest.fixture(scope="session")
def base() -> Archive:
    """The image that it was built on."""
    return Archive(base_image())


@pytest.fixture(scope="session")
def image(archive: Archive) -> Iterator[Image]:
    """The image, ready to run."""
    with Image.unpacked(archive) as unpacked:
        yield unpacked


@pytest.fixture
def operator(
    image: Image, operator_kubeconfig: Path, namespace: str, tmp_path: Path
) -> Iterator[ContainedOperator]:
    """The operator of the test's namespace, in a container; the test starts it."""
    kubeconfig = tmp_path / "kubeconfig"
    shutil.copy(operator_kubeconfig, kubeconfig)
    user, group = map(int, image.config["User"].split(":"))
    shutil.chown(kubeconfig, user, group)
    process = ContainedOperator(image, kubeconfig, tmp_path / "operator.log", namespace=namespace)
    yield process
    process.kill()
