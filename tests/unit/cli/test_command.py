"""Servers that are commands: `proxar snapshot -- COMMAND…` and its like, with real processes."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from proxar.contract import parse
from tests.support import stdioserver
from tests.support.pids import is_running
from tests.unit.cli.terminal import Shell


def command(name: str, *more: str) -> list[str]:
    return ["--", sys.executable, "-I", "-S", stdioserver.__file__, name, *more]


def test_writes_the_lock_file_of_a_command(proxar: Shell, tmp_path: Path) -> None:
    """Options stand before the dashes; all that follows is the command's."""
    file = tmp_path / "tools.lock.json"

    printed = proxar("snapshot", "-o", file, *command("legacy", "-o", "--", "--timeout"))

    assert (printed.code, printed.out) == (0, "")
    assert json.loads(file.read_bytes())["protocolVersion"] == "2025-11-25"
    assert [tool.name for tool in parse(file.read_bytes()).tools] == [
        "close_issue",
        "search_issues",
    ]


@pytest.mark.parametrize("is_named", [False, True])
def test_a_command_is_compared_with_a_lock_file(
    proxar: Shell, tmp_path: Path, *, is_named: bool
) -> None:
    """As BEFORE or with --against: both say the same."""
    file = tmp_path / "tools.lock.json"
    proxar("snapshot", "-o", file, *command("modern"))
    before = ["--against", str(file)] if is_named else [str(file)]

    same = proxar("diff", *before, *command("legacy"))
    drifted = proxar("diff", *before, *command("pages"))

    assert (same.code, same.out) == (0, "none: the tools are the same\n")
    assert drifted.code == 1
    assert "search_issues" in drifted.out


def test_a_command_is_linted(proxar: Shell) -> None:
    printed = proxar("lint", *command("modern"))

    assert (printed.code, printed.out) == (0, "nothing found in 2 tools\n")


def test_a_command_that_fails_is_3_with_reason_and_last_words(proxar: Shell) -> None:
    """Never a list without tools."""
    crashed = proxar("snapshot", *command("crashes"))
    missing = proxar("diff", "-", "-o", "json", "--", "./no-such-server", stdin=b"[]")

    assert (crashed.code, crashed.out) == (3, "")
    assert crashed.err.startswith("error: TruncatedResponse: python")
    assert "exited with status 3; its stderr ends with: Traceback:" in crashed.err
    assert missing.code == 3
    assert missing.document["reason"] == "ConnectFailed"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["snapshot", "--"], "--: no command follows it"),
        (["snapshot", "--", ""], "--: no command follows it"),
        (["snapshot", "http://x/", "--", "true"], "one server is asked and 2 were named"),
        (["snapshot", "my-server"], "must be an absolute http or https URL"),
        (["snapshot", "--header", "A: s3cret", "--", "true"], "--header: works with a URL only"),
        (["snapshot", "--timeout", "3", "--", "true"], "--timeout: '3' is not a duration"),
        (["lint", "a.json", "--", "true"], "one tool list is looked at and 2 were named"),
        (["diff", "--", "true"], "compared with one other and 0 were named"),
        (["diff", "a.json", "b.json", "--", "true"], "compared with one other and 2 were named"),
        (["diff", "--against", "pinned", "--", "true"], "--against pinned: a command has none"),
        (["diff", "--server", "x", "--", "true"], "--server x: leave it out"),
    ],
)
def test_says_what_is_wrong_with_what_was_typed(
    proxar: Shell, arguments: list[str], said: str
) -> None:
    """Exit 2, and nothing is started."""
    printed = proxar(*arguments)

    assert printed.code == 2
    assert said in printed.err
    assert "s3cret" not in printed.err


def test_a_server_does_not_outlive_a_look_that_was_ended(tmp_path: Path) -> None:
    """A CI job that is stopped sends SIGTERM."""
    file = tmp_path / "pids"
    look = subprocess.Popen(
        [sys.executable, "-m", "proxar", "snapshot", *command("orphans", str(file))]
    )
    deadline = time.monotonic() + 60
    while not (file.exists() and file.read_text(encoding="ascii")):
        assert time.monotonic() < deadline
        time.sleep(0.01)

    look.terminate()

    assert look.wait(60) == -signal.SIGTERM
    pids = [int(pid) for pid in file.read_text(encoding="ascii").split()]
    assert [pid for pid in pids if is_running(pid)] == []
