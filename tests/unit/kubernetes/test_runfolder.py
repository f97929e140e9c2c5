import os
import tempfile
from pathlib import Path

import pytest

from tests.kubernetes.errors import ClusterError
from tests.kubernetes.runfolder import ABANDONED, RunFolders

cleared: list[Path] = []


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunFolders:
    """Those of a kind of cluster, where temporary ones are below ``tmp_path``."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    cleared.clear()
    return RunFolders("cluster-", cleared.append)


def test_a_folder_is_cleared_before_use_and_kept_after(folders: RunFolders, tmp_path: Path) -> None:
    """What a killed owner left must not meet the next cluster; logs are for people."""
    folder = tmp_path / "mine"

    with folders.used(folder, temporary=False):
        assert cleared == [folder]
        (folder / "log").touch()

    assert (folder / "log").exists()


def test_a_temporary_folder_goes(folders: RunFolders) -> None:
    """With all that is in it, also when its use fails."""
    folder = folders.new()

    def use() -> None:
        with folders.used(folder, temporary=True):
            (folder / "log").touch()
            raise LookupError

    with pytest.raises(LookupError):
        use()

    assert not folder.exists()


def test_a_folder_has_one_user(folders: RunFolders, tmp_path: Path) -> None:
    """The second is told who is there."""
    with (
        folders.used(tmp_path / "mine", temporary=False),
        pytest.raises(ClusterError, match=f"in use by process {os.getpid()}"),
        folders.used(tmp_path / "mine", temporary=False),
    ):
        pass


def test_abandoned_folders_are_cleared_and_removed(folders: RunFolders) -> None:
    """The old one that nobody holds, but not the young one, whose owner may be about to hold it."""
    old, young = folders.new(), folders.new()
    old.mkdir()
    young.mkdir()
    long_ago = young.stat().st_mtime - ABANDONED.total_seconds() - 1
    os.utime(old, (long_ago, long_ago))

    folders.remove_abandoned()

    assert cleared == [old]
    assert not old.exists()
    assert young.exists()
