from pathlib import Path

import pytest

from tests.servers.install import key_of


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    path = tmp_path / "package-lock.json"
    path.write_text("{}", encoding="utf-8")
    return path


def test_the_same_lock_has_the_same_key(lock: Path) -> None:
    assert key_of(lock) == key_of(lock)


def test_a_changed_lock_has_another_key(lock: Path) -> None:
    before = key_of(lock)

    lock.write_text('{"packages": {}}', encoding="utf-8")

    assert key_of(lock) != before


def test_another_python_has_another_key(lock: Path) -> None:
    assert key_of(lock, facts=("/usr/bin/python3.11",)) != key_of(
        lock, facts=("/usr/bin/python3.14",)
    )
