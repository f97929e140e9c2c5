"""`make demo`: it tells the story, and leaves nothing behind however it ends.

TMPDIR makes its folder one of ours, and its processes recognisable.
"""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.kubernetes.binary import find_assets

ROOT = Path(__file__).parents[2]

STORY = (
    r"^\$ issues-server --port \d+ --release-file \S+ > issues-server\.log 2>&1 &$",
    r"^\$ kubectl apply --server-side -f crd\.yaml -f rbac\.yaml$",
    r"^\$ proxar operator --kubeconfig \S+ --allow-egress 127\.0\.0\.0/8 ",
    r"^\$ kubectl apply -f issues-mcp\.yaml$",
    r"^mcpserver\.proxar\.dev/issues-mcp created$",
    r"^issues-mcp +True +True +2 +None ",
    r"^\$ echo 2 > release$",
    r"^issues-mcp +True +True +2 +Breaking ",
    r"^Warning BreakingDrift$",
    r"^search_issues\.inputSchema\.properties\.query: .*\(parameter-removed\)$",
    r"^\$ proxar diff --server issues-mcp --against baseline$",
    r"^breaking: 3 breaking, 2 advisory$",
    r"^  breaking   search_issues\.inputSchema\.properties\.query: .*\(parameter-removed\)$",
    r'^  breaking   search_issues\.inputSchema\.required: "limit" .*\(parameter-became-required\)$',
    r'^  breaking   search_issues\.inputSchema\.required: "search_text" .*-added-required\)$',
    r"^  advisory   search_issues\.description: .*\(description-changed\)$",
    r"^# exit code 1$",
    r'^proxar_drift_changes{.*name="issues-mcp".*verdict="breaking"} 3\.0$',
    r'^proxar_drift_change_info{.*inputSchema\.required",rule="parameter-became-required",tool="sea',
    r"^  pinnedHash: sha256:[0-9a-f]{64}$",
    r"^mcpserver\.proxar\.dev/issues-mcp configured$",
    r"^\$ proxar diff --server issues-mcp --against pinned$",
    r"^breaking: 3 breaking, 2 advisory$",
    r"^\$ echo 1 > release$",
    r"^issues-mcp +True +True +2 +None ",
    r"^\$ proxar diff --server issues-mcp --against pinned$",
    r"^none: ",
    r"^Normal +BaselineEstablished +issues-mcp",
    r"^Warning +BreakingDrift +issues-mcp",
    r"^Normal +DriftResolved +issues-mcp",
)
"""What a reader must see, in this order."""

SECONDS = 240
"""For the whole demo on a busy machine; an idle one needs a tenth."""


@contextmanager
def demo(temporary: Path) -> Iterator[subprocess.Popen[str]]:
    """The demo as `make demo` starts it, without a terminal."""
    find_assets()  # a first build is not the demo's time
    process = subprocess.Popen(
        [sys.executable, "-m", "examples.demo"],
        cwd=ROOT,
        env=os.environ | {"TMPDIR": str(temporary)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def processes_of(temporary: Path) -> list[str]:
    """The command lines that name the folder."""
    found = subprocess.run(
        ["ps", "-A", "-ww", "-o", "args="], capture_output=True, text=True, check=True
    )
    return [line for line in found.stdout.splitlines() if str(temporary) in line]


def read_until(process: subprocess.Popen[str], beginning: str) -> None:
    """Follow the transcript up to a line."""
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith(beginning):
            return
    assert process.stderr is not None
    pytest.fail(f"no line begins with {beginning!r}\n{process.stderr.read()}")


def test_the_demo_tells_the_story_and_leaves_nothing_behind(tmp_path: Path) -> None:
    """One command, from nothing to a drift that came, was pinned, and resolved."""
    with demo(tmp_path) as process:
        transcript, told = process.communicate(timeout=SECONDS)

    assert process.returncode == 0, f"{told}\n{transcript}"
    rest = transcript
    for pattern in STORY:
        found = re.search(pattern, rest, re.MULTILINE)
        assert found, f"{pattern} is not in what follows\n{rest}"
        rest = rest[found.end() :]
    assert "\x1b" not in transcript, "colour codes without a terminal"
    assert list(tmp_path.iterdir()) == []
    assert processes_of(tmp_path) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda it: it.name)
def test_the_demo_cleans_up_when_it_is_stopped(tmp_path: Path, number: signal.Signals) -> None:
    """Ctrl-C, or a CI job that is cancelled, in the middle of the story."""
    with demo(tmp_path) as process:
        read_until(process, "$ proxar operator")
        process.send_signal(number)
        code = process.wait(60)

    assert code == 130
    assert list(tmp_path.iterdir()) == []
    assert processes_of(tmp_path) == []


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the next start cleans up")
def test_no_process_outlives_a_killed_demo(tmp_path: Path) -> None:
    """SIGKILL leaves no chance to tidy up; the kernel does."""
    with demo(tmp_path) as process:
        read_until(process, "$ proxar operator")
        process.kill()
        process.wait(10)

        deadline = time.monotonic() + 10
        while (alive := processes_of(tmp_path)) and time.monotonic() < deadline:
            time.sleep(0.05)
    assert alive == []
