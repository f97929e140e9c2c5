"""Real processes: what only the shell sees."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.unit.cli.terminal import tool, tools_list

SCRIPTS = Path(sysconfig.get_path("scripts"))

WITHOUT_EXTRA = """
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"kubernetes", "kopf", "yaml", "prometheus_client"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Hidden())
from proxar.cli.main import run
print([run(line.split()) for line in sys.argv[1:]])
"""
"""Runs each argument as a command line, as if only the base had been installed."""


@pytest.fixture
def lists(tmp_path: Path) -> tuple[str, str]:
    """Two files; a tool is gone in the second."""
    paths = tmp_path / "before.json", tmp_path / "after.json"
    paths[0].write_bytes(tools_list(tool("a"), tool("b")))
    paths[1].write_bytes(tools_list(tool("a")))
    return str(paths[0]), str(paths[1])


def test_comparing_files_imports_only_what_it_needs(lists: tuple[str, str]) -> None:
    """Its 0.3 s hold for as long as none of these is imported; `benchmarks.cli` measures them."""
    heavy = ("aiohttp", "asyncio", "httpx", "kopf", "kubernetes", "pydantic", "rich", "yaml")
    script = (
        "import sys; from proxar.cli.main import run; code = run(sys.argv[1:]);"
        f"print([name for name in {heavy} if name in sys.modules], file=sys.stderr); sys.exit(code)"
    )

    done = subprocess.run(
        [sys.executable, "-c", script, "diff", *lists], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (1, "[]\n")


def test_the_kubectl_plugin_speaks_of_kubectl() -> None:
    """Whoever types `kubectl proxar` reads how to go on from there."""
    done = subprocess.run(
        [SCRIPTS / "kubectl-proxar", "diff", "--nothing"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 2
    assert done.stderr.endswith("'kubectl proxar diff --help' shows what can be typed.\n")


def test_without_the_extra_cluster_commands_say_what_to_install(lists: tuple[str, str]) -> None:
    """Authors in CI install the base only, and can compare files with it."""
    commands = (
        "status",
        "pin x",
        "accept x",
        "diff --server x --against pinned",
        f"operator --kubeconfig {__file__}",
        " ".join(["diff", *lists]),
    )

    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_EXTRA, *commands],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stdout.splitlines()[-1] == "[2, 2, 2, 2, 2, 1]"
    assert done.stderr.count("is not installed; install 'proxar-operator[operator]'\n") == 5


def test_output_is_utf_8_in_any_locale(lists: tuple[str, str]) -> None:
    """A build's locale is C; what is printed must not depend on it, nor fail."""
    Path(lists[0]).write_bytes(tools_list(tool("größe 日本"), tool("a")))
    environment = {**os.environ, "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}

    done = subprocess.run(
        [SCRIPTS / "proxar", "diff", *lists], capture_output=True, check=False, env=environment
    )

    assert done.returncode == 1
    assert "größe 日本" in done.stdout.decode()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a full device")
def test_a_full_disk_is_3(lists: tuple[str, str]) -> None:
    """Half an output with exit 0 or 1 would be believed."""
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [SCRIPTS / "proxar", "diff", *lists], stdout=full, stderr=subprocess.PIPE, check=False
        )

    assert done.returncode == 3
    assert done.stderr.startswith(b"error: OutputFailed: stdout: No space left on device")


def test_a_closed_pipe_is_no_failure(lists: tuple[str, str]) -> None:
    """`proxar diff … | head -1` has seen enough; the verdict stands."""
    read_end, write_end = os.pipe()
    os.close(read_end)

    done = subprocess.run(
        [SCRIPTS / "proxar", "diff", *lists], stdout=write_end, stderr=subprocess.PIPE, check=False
    )
    os.close(write_end)

    assert (done.returncode, done.stderr) == (1, b"")


def test_a_closed_stdout_is_3(lists: tuple[str, str]) -> None:
    """Nobody can have read anything."""
    done = subprocess.run(
        ["/bin/sh", "-c", f"{SCRIPTS / 'proxar'} diff {lists[0]} {lists[1]} >&-"],
        stderr=subprocess.PIPE,
        check=False,
    )

    assert done.returncode == 3
    assert done.stderr.startswith(b"error: OutputFailed: stdout is closed")
