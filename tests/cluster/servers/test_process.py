import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.kubernetes.errors import ClusterError
from tests.servers.process import ServerProcess, free_port
from tests.servers.programs import PORT, Program

REPOSITORY = Path(__file__).parents[3]

PYTHON = str(Path(sys.executable).resolve())
STAND_IN = Program(
    "stand-in", (PYTHON, "-I", "-m", "http.server", "--bind", "127.0.0.1", PORT), path="/"
)
"""Listens, and needs no installation."""

OWNER = """
import sys, time
from pathlib import Path
from tests.cluster.servers.test_process import STAND_IN
from tests.servers.process import ServerProcess

server = ServerProcess(STAND_IN, Path(sys.argv[1]))
server.start()
print(server.pid, flush=True)
time.sleep(600)
"""


def accepts(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_it_listens_when_started_and_not_when_stopped(tmp_path: Path) -> None:
    with ServerProcess(STAND_IN, tmp_path) as server:
        assert accepts(server.port)
        assert server.url == f"http://127.0.0.1:{server.port}/"

    assert not accepts(server.port)


def test_a_successor_takes_the_port_over(tmp_path: Path) -> None:
    with ServerProcess(STAND_IN, tmp_path) as first:
        pass

    with ServerProcess(STAND_IN, tmp_path, port=first.port) as second:
        assert second.url == first.url
        assert accepts(second.port)


def test_one_that_ends_at_once_is_told_with_its_log(tmp_path: Path) -> None:
    broken = Program("broken", (PYTHON, "-I", "-c", "raise SystemExit('no such tool')"))

    with pytest.raises(ClusterError, match=r"broken ended with exit code 1(?s:.*)no such tool"):
        ServerProcess(broken, tmp_path).start()


def test_another_process_on_the_port_is_not_taken_for_the_server(tmp_path: Path) -> None:
    with ServerProcess(STAND_IN, tmp_path) as first:
        second = ServerProcess(STAND_IN, tmp_path, port=first.port)

        with pytest.raises(ClusterError, match=f"another process listens on port {first.port}"):
            second.start()


def test_it_sees_no_variable_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROXAR_TEST_TOKEN", "not to be seen")
    teller = Program(
        "teller",
        (PYTHON, "-I", "-c", "import os; raise SystemExit(sorted(os.environ))"),
        {"GREETING": "hello"},
    )

    with pytest.raises(ClusterError) as told:
        ServerProcess(teller, tmp_path).start()

    assert "GREETING" in str(told.value)
    assert "PROXAR_TEST_TOKEN" not in str(told.value)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux kills it with its owner")
def test_a_killed_owner_takes_it_along(tmp_path: Path) -> None:
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(tmp_path)],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert owner.stdout
    pid = int(owner.stdout.readline())
    assert is_running(pid)

    owner.send_signal(signal.SIGKILL)
    owner.communicate(timeout=30)

    deadline = time.monotonic() + 10
    while is_running(pid):
        assert time.monotonic() < deadline, "it outlived its owner"
        time.sleep(0.02)


def test_a_free_port_is_one_that_nobody_listens_on() -> None:
    assert not accepts(free_port())


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return status.rpartition(") ")[2][0] != "Z"
