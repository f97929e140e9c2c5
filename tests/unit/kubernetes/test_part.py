import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest

from tests.kubernetes.errors import ClusterError
from tests.kubernetes.launch import tied
from tests.kubernetes.part import Part, kill_leftovers

SLEEP = [sys.executable, "-c", "import time; print(flush=True); time.sleep(600)"]
GRACE = timedelta(seconds=10)


@pytest.fixture
def starter() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as executor:
        yield executor


@pytest.fixture
def sleeper(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that has the run folder in its arguments."""
    command = [*SLEEP, f"--data-dir={tmp_path}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()  # in the middle of exec it has no arguments to see
        yield process
        process.kill()


def test_a_part_runs_until_it_is_stopped(tmp_path: Path, starter: ThreadPoolExecutor) -> None:
    part = Part("sleep", [*SLEEP, str(tmp_path)], tmp_path, starter)
    part.check()
    assert (tmp_path / "sleep.pid").read_text(encoding="ascii") == f"{part.pid}\n"

    part.stop(GRACE)

    assert not (tmp_path / "sleep.pid").exists()
    with pytest.raises(ClusterError, match="sleep ended"):
        part.check()


def test_a_part_that_ignores_the_request_is_killed(
    tmp_path: Path, starter: ThreadPoolExecutor
) -> None:
    body = "import signal, time; signal.signal(15, signal.SIG_IGN); print(flush=True)"
    command = [sys.executable, "-c", f"{body}; time.sleep(600)"]
    part = Part("stubborn", command, tmp_path, starter)
    deadline = time.monotonic() + 30
    while not part.log.read_bytes():  # the signal is ignored from here on
        assert time.monotonic() < deadline
        time.sleep(0.01)

    part.stop(timedelta(seconds=0.1))

    with pytest.raises(ClusterError, match="exit code -9"):
        part.check()


def test_a_part_that_fails_shows_the_end_of_its_log(
    tmp_path: Path, starter: ThreadPoolExecutor
) -> None:
    command = [sys.executable, "-c", "import sys; sys.exit('the port is taken')"]
    part = Part("broken", command, tmp_path, starter)
    part.wait(GRACE)

    with pytest.raises(ClusterError, match=r"(?s)exit code 1;.*the port is taken"):
        part.check()


def test_a_part_outlives_the_thread_that_asked_for_it(
    tmp_path: Path, starter: ThreadPoolExecutor
) -> None:
    """Linux would kill it with the thread that forked it."""
    parts: list[Part] = []
    thread = threading.Thread(
        target=lambda: parts.append(Part("sleep", [*SLEEP], tmp_path, starter))
    )

    thread.start()
    thread.join()
    time.sleep(0.2)

    parts[0].check()
    parts[0].stop(GRACE)


def test_a_program_whose_starter_is_gone_does_not_start() -> None:
    if sys.platform != "linux":
        pytest.skip("only Linux can tell")
    nobody = str(2**22 + 1)  # above the largest process id
    command = [nobody if word == str(os.getpid()) else word for word in tied(SLEEP)]

    started = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )

    assert started.returncode == 1
    assert f"process {nobody}" in started.stderr


def test_what_a_killed_owner_left_in_the_folder_is_killed(
    tmp_path: Path, sleeper: subprocess.Popen[bytes]
) -> None:
    (tmp_path / "etcd.pid").write_text(f"{sleeper.pid}\n", encoding="ascii")

    kill_leftovers(tmp_path)

    assert sleeper.wait(10) == -9
    assert not (tmp_path / "etcd.pid").exists()


def test_a_stranger_who_got_the_process_id_later_is_left_alone(
    tmp_path: Path, sleeper: subprocess.Popen[bytes]
) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "etcd.pid").write_text(f"{sleeper.pid}\n", encoding="ascii")

    kill_leftovers(folder)

    assert sleeper.poll() is None
    assert not (folder / "etcd.pid").exists()


@pytest.mark.parametrize("text", ["", f"{2**22 + 1}\n"], ids=["half-written", "gone"])
def test_a_process_id_without_a_process_is_forgotten(tmp_path: Path, text: str) -> None:
    (tmp_path / "etcd.pid").write_text(text, encoding="ascii")

    kill_leftovers(tmp_path)

    assert not list(tmp_path.iterdir())
