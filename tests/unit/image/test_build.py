"""When the tests' image is built anew, and what stays of the earlier ones."""

import os
from pathlib import Path

from tests.image.build import KEPT, forget_oldest, inputs, key_of


def test_it_depends_on_what_is_in_it() -> None:
    """On nothing else: a change of a test or a document builds no image."""
    files = inputs()

    assert {"Dockerfile", ".dockerignore", "pyproject.toml", "requirements/operator.txt"} <= set(
        files
    )
    assert {"operator/proxar/__init__.py", "image/assemble.py"} <= set(files)
    assert not any(name.startswith(("tests/", "docs/", "charts/")) for name in files)
    assert not any(name.endswith(".pyc") for name in files)


def test_any_change_of_that_is_another_image() -> None:
    """Of a name, a content, or where one ends and the next begins."""
    files = {"a": b"1", "b": b"2"}

    keys = {
        key_of(each)
        for each in (files, {"a": b"1"}, {"a": b"12", "b": b""}, {"a": b"1", "c": b"2"}, {})
    }

    assert len(keys) == 5
    assert key_of({"b": b"2", "a": b"1"}) == key_of(files)
    assert key_of(files, "3.14") != key_of(files)


def test_the_latest_images_stay(tmp_path: Path) -> None:
    """By use. The base image is none of them."""
    images = [tmp_path / f"proxar-{number}.tar" for number in range(KEPT + 2)]
    for age, image in enumerate(images):
        image.touch()
        os.utime(image, (age, age))
    (tmp_path / "base-0.tar").touch()

    forget_oldest(tmp_path)

    assert {path.name for path in tmp_path.iterdir()} == {
        "base-0.tar",
        *(image.name for image in images[2:]),
    }
