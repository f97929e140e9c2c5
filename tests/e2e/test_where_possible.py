"""Where no node can run, these tests are left out, and that is said."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run_without_capability(*command: str) -> subprocess.CompletedProcess[str]:
    """Run Python as a root that lacks what a node needs, as in most containers."""
    return subprocess.run(
        ["setpriv", "--bounding-set=-sys_admin", sys.executable, *command],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize(("arguments", "code"), [((), 1), (("--where-possible",), 0)])
def test_it_says_why(arguments: tuple[str, ...], code: int) -> None:
    """It is a failure only for those who asked for nothing but these tests."""
    ended = run_without_capability("-m", "tests.e2e", *arguments)

    assert ended.returncode == code
    assert ended.stderr.count("\n") == 1
    assert "root lacks CAP_SYS_ADMIN" in ended.stderr


def test_pytest_finds_nothing_to_run() -> None:
    """The tests are not collected, rather than failed or skipped."""
    ended = run_without_capability("-m", "pytest", "tests/e2e", "-q", "-p", "no:xdist")

    assert ended.returncode == pytest.ExitCode.NO_TESTS_COLLECTED, ended.stdout
