import os
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import pytest

from tests.kubernetes import progress
from tests.kubernetes.errors import ClusterError

REPOSITORY = Path(__file__).parents[3]

OWNER = """
import os, sys
from tests.kubernetes.progress import run

body = "import os, time; print(os.getpid(), file=open('pid', 'w'), flush=True); time.sleep(600)"
run([sys.executable, "-c", body], doing="sleeping", env=os.environ, cwd=sys.argv[1])
"""


def python(body: str) -> list[str]:
    return [sys.executable, "-c", body]


def test_a_slow_command_shows_that_it_lives(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "INTERVAL", timedelta(milliseconds=50))

    progress.run(python("import time; time.sleep(0.5)"), doing="waiting", env=os.environ)

    first, second, *_, last = capsys.readouterr().err.splitlines()
    assert first == "proxar: waiting"
    assert second == "proxar: waiting: 0 s"
    assert "done in" in last


def test_a_failed_command_shows_the_end_of_its_output() -> None:
    body = "import sys; print('first'); sys.exit('last words')"

    with pytest.raises(ClusterError, match=r"(?s)trying: exit code 1 of: .*first.*last words"):
        progress.run(python(body), doing="trying", env=os.environ)


def test_a_command_that_never_ends_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "INTERVAL", timedelta(milliseconds=50))
    monkeypatch.setattr(progress, "DEADLINE", timedelta(milliseconds=100))

    with pytest.raises(ClusterError, match="not finished after"):
        progress.run(python("import time; time.sleep(600)"), doing="trying", env=os.environ)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ties a process to another")
def test_a_command_ends_with_a_killed_owner(tmp_path: Path) -> None:
    """Else two builds would write to one place, since the lock went with the owner."""
    command = [*python(OWNER), str(tmp_path)]
    with subprocess.Popen(command, cwd=REPOSITORY, stderr=subprocess.DEVNULL) as owner:
        text = _read_when_written(tmp_path / "pid")
        owner.kill()

    deadline = time.monotonic() + 10
    while Path(f"/proc/{int(text)}/cmdline").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not Path(f"/proc/{int(text)}/cmdline").exists()


def _read_when_written(path: Path) -> str:
    deadline = time.monotonic() + 30
    while not path.exists() or not (text := path.read_text(encoding="utf-8")).endswith("\n"):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return text
