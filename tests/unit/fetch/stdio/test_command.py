"""Servers that are commands, as real processes."""

import asyncio
import sys
import time
from pathlib import Path

import pytest

from proxar.contract import ToolList
from proxar.fetch import Era, Fetched, FetchError, Limits, Reason
from proxar.fetch.stdio import fetch_command
from tests.support import stdioserver
from tests.support.pids import is_running, is_unwaited


def command(name: str, *more: str) -> list[str]:
    return [sys.executable, "-I", "-S", stdioserver.__file__, name, *more]


async def fetch(name: str, *more: str, timeout: float = 20) -> Fetched:  # noqa: ASYNC109
    return await fetch_command(command(name, *more), timeout=timeout)


async def fault(name: str, timeout: float = 20, **limits: int) -> FetchError:  # noqa: ASYNC109
    with pytest.raises(FetchError) as caught:
        await fetch_command(command(name), timeout=timeout, limits=Limits(**limits))
    assert caught.value.message.isprintable()
    return caught.value


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("modern", "2026-07-28"),
        ("legacy", "2025-11-25"),
        ("strict", "2025-11-25"),
        ("exits", "2025-11-25"),
        ("complains", "2025-11-25"),
        ("logs", "2026-07-28"),
        ("pieces", "2026-07-28"),
    ],
)
async def test_the_same_list_comes_out_of_every_era(name: str, version: str) -> None:
    fetched = await fetch(name)

    assert fetched.protocol_version == version
    assert fetched.era == Era.of(version)
    assert fetched.transport == "stdio"
    assert fetched.tools.hash == ToolList.of(stdioserver.TOOLS).hash
    assert (fetched.server_name, fetched.server_version) == ("stdio-server", "1.2.3")


async def test_a_server_that_stays_silent_over_the_probe_is_started_anew() -> None:
    fetched = await fetch("silent", timeout=4)

    assert fetched.protocol_version == "2025-11-25"


@pytest.mark.parametrize(("name", "era"), [("deaf", Era.LEGACY), ("slow", Era.MODERN)])
async def test_a_server_that_is_slow_to_start_is_not_taken_for_one_that_is_deaf(
    name: str, era: Era
) -> None:
    """Or the same server would give another list on a busy machine."""
    fetched = await fetch_command(command(name), timeout=20, patience=0.5)

    assert fetched.era is era
    assert len(fetched.tools.tools) == 2


async def test_all_pages_are_read() -> None:
    fetched = await fetch("pages")

    assert [tool.name for tool in fetched.tools.tools] == ["tool-0", "tool-1", "tool-2"]


async def test_a_large_line_and_a_talkative_stderr_block_nothing() -> None:
    fetched = await fetch("large")

    assert len(fetched.tools.tools) == 3000


async def test_the_environment_is_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROXAR_TEST_VARIABLE", "from_the_environment")

    fetched = await fetch("environment")

    assert [tool.name for tool in fetched.tools.tools] == ["from_the_environment"]


@pytest.mark.parametrize(
    ("name", "reason", "says"),
    [
        ("crashes", Reason.TRUNCATED_RESPONSE, "exited with status 3"),
        ("crashes", Reason.TRUNCATED_RESPONSE, "File x | ValueError: no ?[31mtoken"),
        ("killed", Reason.TRUNCATED_RESPONSE, "was killed by SIGKILL"),
        ("usage", Reason.TRUNCATED_RESPONSE, "did not answer initialize: it exited with status 1"),
        ("usage", Reason.TRUNCATED_RESPONSE, "usage: server [--port PORT]"),
        ("broken", Reason.TRUNCATED_RESPONSE, "middle of its JSON"),
        ("nan", Reason.MALFORMED_RESPONSE, "tools/list"),
        ("wrong_id", Reason.PROTOCOL_ERROR, "id of another request"),
        ("refuses", Reason.RPC_ERROR, "-32000; look"),
        ("loops", Reason.PAGINATION_LOOP, "given before"),
    ],
)
async def test_a_fault_has_its_reason(name: str, reason: Reason, says: str) -> None:
    error = await fault(name)

    assert error.reason == reason, error.message
    assert says in error.message


async def test_a_server_that_is_too_slow_is_a_timeout_with_its_last_words() -> None:
    error = await fault("hangs", timeout=1.5)

    assert error.reason == Reason.TIMEOUT
    assert "took longer than 1.5 s while waiting for the answer to tools/list" in error.message
    assert "waiting for the database" in error.message


async def test_lines_that_are_no_mcp_are_named_when_there_is_no_list() -> None:
    error = await fault("endless", size_bytes=1 << 20)
    logged = await fault("logs_and_exits")

    assert error.reason == Reason.TOO_LARGE
    assert "lines that are no MCP, such as 'INFO starting'" in logged.message


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        (["./no/such-server"], "such-server cannot be started: No such file or directory"),
        (["/"], "cannot be started: Permission denied"),
        (["a\0b"], "a null byte in it"),
    ],
)
async def test_a_command_that_cannot_be_started_is_told(typed: list[str], says: str) -> None:
    with pytest.raises(FetchError) as caught:
        await fetch_command(typed, timeout=5)

    assert caught.value.reason == Reason.CONNECT_FAILED
    assert says in caught.value.message


async def test_nothing_outlives_the_look(tmp_path: Path) -> None:
    """Neither a server that ignores everything but SIGKILL, nor a child of it."""
    file = tmp_path / "pids"

    await fetch("family", str(file))

    pids = [int(pid) for pid in file.read_text(encoding="ascii").split()]
    assert [pid for pid in pids if is_running(pid)] == []
    assert not is_unwaited(pids[0])


async def test_nothing_outlives_a_look_that_was_cancelled(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    look = asyncio.create_task(fetch("orphans", str(file)))
    deadline = time.monotonic() + 20
    while not (file.exists() and file.read_text(encoding="ascii")):
        assert time.monotonic() < deadline
        await asyncio.sleep(0.01)

    look.cancel()
    await asyncio.gather(look, return_exceptions=True)

    pids = [int(pid) for pid in file.read_text(encoding="ascii").split()]
    assert [pid for pid in pids if is_running(pid)] == []
