"""`proxar snapshot`, and `proxar diff` with a URL, against a real socket."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from proxar.contract import parse
from tests.support.toolserver import ToolServer, html, tool
from tests.unit.cli.terminal import Shell


@pytest.fixture
def server() -> Iterator[ToolServer]:
    """An MCP server with two tools."""
    with ToolServer([tool("search", query="string"), tool("close", number="integer")]) as running:
        yield running


def test_writes_a_lock_file_to_stdout(proxar: Shell, server: ToolServer) -> None:
    """Sorted, so that the order of a server's answer never shows in Git."""
    first = proxar("snapshot", server.url)
    server.tools.reverse()
    second = proxar("snapshot", server.url)

    assert (first.code, first.err) == (0, "")
    assert first.out == second.out
    assert first.document["apiVersion"] == "proxar.dev/v1"
    assert first.document["server"] == {"name": "toolserver", "version": "1"}
    assert first.document["protocolVersion"] == "2026-07-28"
    assert first.document["hash"] == parse(first.out.encode()).hash
    assert [each["name"] for each in first.document["tools"]] == ["close", "search"]


def test_writes_a_file_and_says_what_is_in_it(
    proxar: Shell, server: ToolServer, tmp_path: Path
) -> None:
    """stdout stays empty."""
    file = tmp_path / "tools.lock.json"

    printed = proxar("snapshot", server.url, "-o", file)

    assert (printed.code, printed.out) == (0, "")
    assert printed.err == f"{file}: 2 tools, {parse(file.read_bytes()).hash}\n"


def test_a_url_is_compared_with_a_lock_file(
    proxar: Shell, server: ToolServer, tmp_path: Path
) -> None:
    """The whole round of an author's build."""
    file = tmp_path / "tools.lock.json"
    proxar("snapshot", server.url, "-o", file)
    same = proxar("diff", "--server", server.url, "--against", file)
    del server.tools[0]
    drifted = proxar("diff", "--server", server.url, "--against", file)

    assert (same.code, same.out) == (0, "none: the tools are the same\n")
    assert drifted.code == 1
    assert "breaking   search: " in drifted.out


def test_a_login_page_is_3_with_the_reason_of_the_fetch(
    proxar: Shell, server: ToolServer, tmp_path: Path
) -> None:
    """Not a list without tools, and no file is left behind or emptied."""
    server.fault = html()
    file = tmp_path / "tools.lock.json"

    printed = proxar("snapshot", server.url + "?key=s3cret", "-o", file)

    assert printed.code == 3
    assert printed.err.startswith("error: NotMCP: ")
    assert "s3cret" not in printed.err
    assert not file.exists()


def test_could_not_look_prints_json(proxar: Shell, server: ToolServer) -> None:
    """For scripts: reason and message, and nothing that looks like a diff."""
    server.fault = html()

    printed = proxar("diff", "--server", server.url, "--against", "-", "-o", "json", stdin=b"[]")

    assert printed.code == 3
    assert printed.document.keys() == {"reason", "message"}
    assert printed.document["reason"] == "NotMCP"


def test_waits_no_longer_than_it_was_told(proxar: Shell) -> None:
    """A server that takes the connection and says nothing is a Timeout."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/mcp"

        printed = proxar("snapshot", url, "--timeout", "200ms")

    assert printed.code == 3
    assert printed.err.startswith("error: Timeout: ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["ftp://x/"], "must be an absolute http or https URL"),
        (["localhost:8080"], "must be an absolute http or https URL"),
        (["https://me:s3cret@x/"], "must not carry credentials"),
        (["https://x/", "--timeout", "3"], "--timeout: '3' is not a duration"),
        (
            ["https://x/", "--header", "A: s3cret", "--header", "a: s3cret"],
            "--header a: given twice",
        ),
        ([], "one server is asked and 0 were named"),
    ],
)
def test_says_what_is_wrong_with_what_was_typed(
    proxar: Shell, arguments: list[str], said: str
) -> None:
    """Exit 2, and no secret in it."""
    printed = proxar("snapshot", *arguments)

    assert printed.code == 2
    assert said in printed.err
    assert "s3cret" not in printed.err
