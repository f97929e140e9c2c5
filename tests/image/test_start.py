"""The image runs as a pod of the chart does: nobody's user, read-only root, no capability."""

import json
import subprocess
import time
from pathlib import Path

import pytest

from tests.image.container import ContainedOperator, Image, descendants
from tests.support.mcpservers import Handle
from tests.support.operatorprocess import eventually
from tests.support.toolserver import ToolServer, tool

MOST_CPU_SECONDS = 4.0
"""Until it is ready. The promise is 2 s of time on an idle machine, where it takes one of the CPU,
and twice that where two programs share a core; without bytecode it is three more. The time itself
is printed: on a busy machine it says nothing."""

EVERY_MODULE = """
import importlib, pkgutil, proxar
for module in pkgutil.walk_packages(proxar.__path__, "proxar."):
    importlib.import_module(module.name)
"""


def test_it_is_ready_soon_and_ends_when_told(
    operator: ContainedOperator, capsys: pytest.CaptureFixture[str]
) -> None:
    """Against a real API server, as the chart's ServiceAccount. As first process of its container
    it has no default handler of SIGTERM."""
    started = time.monotonic()
    operator.start()
    took, used = time.monotonic() - started, operator.cpu_seconds()

    with capsys.disabled():
        print(f"\nthe image: {took:.2f} s from start to /readyz, {used:.2f} s of the CPU")
    assert 0.1 < used < MOST_CPU_SECONDS
    assert operator.stop() == 0


def test_it_watches_a_server(
    operator: ContainedOperator, server: Handle, toolserver: ToolServer
) -> None:
    """All of it works without anything of this machine: TLS, names, threads, the snapshot."""
    toolserver.tools = [tool("search_issues", ("query",), "Search issues.", query="string")]
    operator.start()

    server.apply(toolserver.url)

    assert server.until_observed()["snapshot"]["toolCount"] == 1
    assert server.condition("Ready") == ("True", "Tracking")


def test_version_and_diff_work(image: Image, tmp_path: Path) -> None:
    """For authors of servers who have no Python."""
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    old.write_text(json.dumps([tool("search", ("query",), query="string")]), encoding="utf-8")
    new.write_text(json.dumps([tool("search", ("text",), text="string")]), encoding="utf-8")

    version = image.run("version")
    diff = image.run("diff", "/tmp/old", "/tmp/new", files={"/tmp/old": old, "/tmp/new": new})

    assert (version.returncode, version.stderr) == (0, "")
    assert version.stdout.startswith("proxar ")
    assert diff.returncode == 1, diff.stderr
    assert "(parameter-removed)" in diff.stdout


def test_every_module_of_ours_is_read_from_bytecode(image: Image) -> None:
    """Imports would cost seconds otherwise, at every start: nothing can be written for the next.

    Python says, verbosely, where each comes from.
    """
    done = image.python(EVERY_MODULE, "-v")

    assert done.returncode == 0, done.stderr[-2000:]
    origins = [
        line.partition("code object from ")[2].strip("'")
        for line in done.stderr.splitlines()
        if "code object from " in line
    ]
    assert len(origins) > 500
    assert [path for path in origins if not path.endswith(".pyc")] == []
    assert "could not create" not in done.stderr


def test_nothing_but_tmp_can_be_written_and_nobody_is_root(image: Image) -> None:
    """The container that these tests run is the one that the chart asks for."""
    done = image.python(
        """
import os
from pathlib import Path
print(os.getuid(), os.getgid(), os.getpid())
print([line for line in Path("/proc/self/status").read_text().split("\\n") if "CapEff" in line])
Path("/tmp/x").write_text("")
try:
    Path("/opt/proxar/x").write_text("")
except OSError as error:
    print(error.strerror)
"""
    )

    assert done.stdout.splitlines() == [
        "65532 65532 1",
        "['CapEff:\\t0000000000000000']",
        "Read-only file system",
    ]


def test_tls_knows_the_public_authorities(image: Image) -> None:
    """Debian's, found where OpenSSL looks, and not the fallback that comes as a Python package."""
    done = image.python(
        "import proxar.fetch.fetcher as f, ssl\n"
        "print(ssl.get_default_verify_paths().cafile)\n"
        "print(len(f.default_ssl_context().get_ca_certs()))"
    )

    bundle, count = done.stdout.split()
    assert bundle.endswith((".pem", ".crt"))
    assert int(count) > 100


def test_names_and_times_are_understood(image: Image) -> None:
    """The resolver, threads that end, time zones and UTF-8, which all load something late."""
    done = image.python(
        "import socket, sys, threading, zoneinfo\n"
        "print(socket.getaddrinfo('127.0.0.1', 80)[0][4])\n"
        "t = threading.Thread(target=print, args=('thread',)); t.start(); t.join()\n"
        "print(zoneinfo.ZoneInfo('Europe/Zurich'), sys.getfilesystemencoding(), '\\u00fc')"
    )

    assert done.stdout.splitlines() == ["('127.0.0.1', 80)", "thread", "Europe/Zurich utf-8 ü"]


@pytest.mark.parametrize("command", [["sh", "-c", "true"], ["pip"], ["apt-get"]])
def test_there_is_no_shell_to_get(image: Image, command: list[str]) -> None:
    """`kubectl exec -- sh` finds nothing to run."""
    done = image.run(entrypoint=command)

    assert done.returncode != 0
    assert "not found" in done.stderr


def test_a_killed_container_leaves_nothing(image: Image, tmp_path: Path) -> None:
    """Its processes end with the one that started it, as they must when a test run is killed."""
    started = image.command(
        ["-c", "import time; print('up', flush=True); time.sleep(600)"], entrypoint=["python"]
    )
    with subprocess.Popen(started, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "up\n"
        inside = descendants(process.pid)
        process.kill()

    assert len(inside) >= 3
    eventually(
        lambda: not any(Path("/proc", str(pid)).exists() for pid in inside), 10, "all are gone"
    )
