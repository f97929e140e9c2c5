"""Files are copied to their own path, with the links by which programs name them."""

from pathlib import Path

import pytest

from image.place import place


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A base whose lib is a link, as of merged /usr, with a library of two names."""
    base = tmp_path / "base"
    (base / "usr/lib/machine").mkdir(parents=True)
    (base / "lib").symlink_to("usr/lib")
    (base / "usr/lib/machine/libz.so.1.3").write_bytes(b"a library")
    (base / "usr/lib/machine/libz.so.1").symlink_to("libz.so.1.3")
    (base / "etc").mkdir()
    (base / "etc/absolute").symlink_to(base / "lib/machine/libz.so.1")
    (base / "etc/upwards").symlink_to("../lib/machine/libz.so.1")
    return base


@pytest.mark.parametrize("name", ["lib/machine/libz.so.1", "etc/absolute", "etc/upwards"])
def test_it_is_found_under_every_name_on_the_way(base: Path, tmp_path: Path, name: str) -> None:
    """By the name that was asked for, by its real one, and through each link between."""
    root = tmp_path / "root"
    root.mkdir()

    real = place(base / name, root)

    inside = root / base.relative_to("/")
    assert real == base / "usr/lib/machine/libz.so.1.3"
    assert (inside / "usr/lib/machine/libz.so.1.3").read_bytes() == b"a library"
    assert (inside / "lib").readlink() == Path("usr/lib")
    assert (inside / "usr/lib/machine/libz.so.1").readlink() == Path("libz.so.1.3")
    assert (inside / name).is_symlink()


def test_again_changes_nothing(base: Path, tmp_path: Path) -> None:
    """Libraries are wanted by many."""
    root = tmp_path / "root"
    root.mkdir()

    first = place(base / "lib/machine/libz.so.1", root)

    assert place(base / "lib/machine/libz.so.1", root) == first


def test_what_is_missing_is_an_error(base: Path, tmp_path: Path) -> None:
    """Never an image without it."""
    root = tmp_path / "root"
    root.mkdir()

    with pytest.raises(FileNotFoundError, match=r"libnone\.so"):
        place(base / "lib/machine/libnone.so", root)
