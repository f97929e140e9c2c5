import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.kubernetes.cache import cache_folder, locked, made_once
from tests.kubernetes.errors import ClusterError

REPOSITORY = Path(__file__).parents[3]

MAKER = """
import sys, time
from pathlib import Path
from tests.kubernetes.cache import made_once

def make(partial):
    with Path(sys.argv[2]).open("a") as calls:
        calls.write("made\\n")
    time.sleep(0.3)
    partial.write_text("whole")

print(made_once(Path(sys.argv[1]), make).read_text())
"""


def start_maker(target: Path, calls: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", MAKER, str(target), str(calls)],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_two_processes_make_it_once_and_both_see_all_of_it(tmp_path: Path) -> None:
    makers = [start_maker(tmp_path / "key" / "tool", tmp_path / "calls") for _ in range(2)]

    answers = [maker.communicate(timeout=30) for maker in makers]

    assert [output for output, _ in answers] == ["whole\n", "whole\n"], answers
    assert (tmp_path / "calls").read_text(encoding="utf-8") == "made\n"


def test_what_a_killed_process_left_half_made_is_made_anew(tmp_path: Path) -> None:
    target, calls = tmp_path / "tool", tmp_path / "calls"
    first = start_maker(target, calls)
    deadline = time.monotonic() + 30
    while not calls.exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    first.kill()
    first.communicate(timeout=30)
    target.with_name("tool.partial").mkdir(exist_ok=True)

    made = made_once(target, lambda partial: _write(partial, "second"))

    assert made.read_text(encoding="utf-8") == "second"
    assert not target.with_name("tool.partial").exists()


def test_a_failed_attempt_leaves_nothing_that_looks_made(tmp_path: Path) -> None:
    def fail(partial: Path) -> None:
        partial.write_text("half", encoding="utf-8")
        raise ClusterError("no")

    with pytest.raises(ClusterError, match="no"):
        made_once(tmp_path / "tool", fail)

    assert not (tmp_path / "tool").exists()


def test_a_lock_is_free_again_after_its_holder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(2):
        with locked(tmp_path / "lock", waiting="waiting"):
            pass

    assert "waiting" not in capsys.readouterr().err


def test_a_cache_that_cannot_be_written_is_an_error_with_the_fix(tmp_path: Path) -> None:
    def refuse(partial: Path) -> None:
        raise PermissionError(13, os.strerror(13), str(partial))

    with pytest.raises(ClusterError, match="set XDG_CACHE_HOME"):
        made_once(tmp_path / "tool", refuse)


def test_the_cache_is_the_users(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert cache_folder() == tmp_path / ".cache" / "proxar"

    monkeypatch.setenv("XDG_CACHE_HOME", "relative/is/invalid")
    assert cache_folder() == tmp_path / ".cache" / "proxar"

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "elsewhere"))
    assert cache_folder() == tmp_path / "elsewhere" / "proxar"


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
