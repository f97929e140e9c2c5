"""`proxar lint`: files, stdin and a real socket; text, JSON and exit codes."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.toolserver import ToolServer, html
from tests.unit.cli.terminal import Shell, tool, tools_list

CLEAN = tools_list(tool("search", query={"type": "string"}))
BROKEN = tools_list(
    tool("search", query={"$ref": "#/nowhere"}),
    tool("close", key={"type": "integer", "maximum": 2**64}),
)
WARNED = tools_list(tool("close", key={"type": "integer", "maximum": 2**64}))


@pytest.fixture
def server() -> Iterator[ToolServer]:
    """An MCP server with one tool that has a mistake."""
    with ToolServer([json.loads(BROKEN)["tools"][0]]) as running:
        yield running


def test_says_where_what_and_by_which_rule(proxar: Shell, tmp_path: Path) -> None:
    """Grouped by tool in the order of the list; the first line counts."""
    file = tmp_path / "tools.json"
    file.write_bytes(BROKEN)

    printed = proxar("lint", file)

    assert (printed.code, printed.err) == (1, "")
    assert printed.out == (
        "1 error, 1 warning in 2 tools\n"
        "\n"
        "search\n"
        "  error    search.inputSchema.properties.query.$ref: "
        '"#/nowhere" points at nothing (lint-reference-dangling)\n'
        "\n"
        "close\n"
        "  warning  close.inputSchema.properties.key.maximum: 18446744073709551616 "
        "does not fit a signed integer of 64 bits (lint-number-beyond-64-bits)\n"
    )


def test_a_list_without_mistakes_is_0(proxar: Shell) -> None:
    """One line, from stdin as well."""
    printed = proxar("lint", "-", stdin=CLEAN)

    assert (printed.code, printed.out, printed.err) == (0, "nothing found in 1 tool\n", "")


@pytest.mark.parametrize(
    ("document", "threshold", "code"),
    [
        (BROKEN, "error", 1),
        (BROKEN, "never", 0),
        (WARNED, "error", 0),
        (WARNED, "warning", 1),
        (WARNED, "never", 0),
        (CLEAN, "warning", 0),
    ],
)
def test_fails_at_or_above_the_threshold(
    proxar: Shell, document: bytes, threshold: str, code: int
) -> None:
    """Error unless said; what is below is printed all the same."""
    printed = proxar("lint", "-", "--fail-on", threshold, stdin=document)

    assert printed.code == code
    assert printed.out == proxar("lint", "-", stdin=document).out


def test_prints_json(proxar: Shell) -> None:
    """The numbers and the findings."""
    printed = proxar("lint", "-", "-o", "json", stdin=WARNED)

    assert printed.code == 0
    assert printed.document == {
        "summary": {"error": 0, "warning": 1},
        "findings": [
            {
                "tool": "close",
                "path": "close.inputSchema.properties.key.maximum",
                "pointer": "/inputSchema/properties/key/maximum",
                "rule": "lint-number-beyond-64-bits",
                "severity": "warning",
                "message": "18446744073709551616 does not fit a signed integer of 64 bits",
            }
        ],
    }


def test_members_given_twice_are_found_in_files_and_stdin(proxar: Shell, tmp_path: Path) -> None:
    """Around the list they belong to no tool."""
    document = (
        b'{"tools": [], "tools": [{"name": "a", "name": "a", "inputSchema": {"type": "object"}}]}'
    )
    file = tmp_path / "tools.json"
    file.write_bytes(document)

    printed = proxar("lint", file)

    assert printed.code == 1
    assert printed.out == proxar("lint", "-", stdin=document).out
    assert printed.out == (
        "2 errors in 1 tool\n"
        "\n"
        "the list\n"
        '  error    "tools" is there more than once; readers differ in which one they keep '
        "(lint-key-duplicated)\n"
        "\n"
        "a\n"
        '  error    a.name: "name" is there more than once; readers differ in which one they keep '
        "(lint-key-duplicated)\n"
    )


def test_what_it_prints_hides_nothing(proxar: Shell) -> None:
    """The name of a tool may be an escape sequence."""
    printed = proxar("lint", "-", stdin=tools_list(tool("\x1b[2J\u202eclose", "Close.\u200b")))

    assert printed.code == 1
    assert printed.out.replace("\n", "").isascii()
    assert printed.out.replace("\n", "").isprintable()
    assert "U+202E" in printed.out


def test_looks_at_a_server(proxar: Shell, server: ToolServer) -> None:
    """A URL instead of a file."""
    printed = proxar("lint", server.url, "--timeout", "5s")

    assert printed.code == 1
    assert "lint-reference-dangling" in printed.out


def test_could_not_look_is_3(proxar: Shell, server: ToolServer) -> None:
    """With the reason of the fetch, as JSON too; no list is no clean list."""
    server.fault = html()

    printed = proxar("lint", server.url, "-o", "json")

    assert printed.code == 3
    assert printed.document["reason"] == "NotMCP"


@pytest.mark.parametrize(
    ("document", "reason"),
    [(b"{", "MalformedResponse"), (b"{}", "ProtocolError"), (b"[NaN]", "MalformedResponse")],
)
def test_no_tool_list_is_3(proxar: Shell, tmp_path: Path, document: bytes, reason: str) -> None:
    """From a file and from stdin alike."""
    file = tmp_path / "tools.json"
    file.write_bytes(document)

    by_file, by_stdin = proxar("lint", file), proxar("lint", "-", stdin=document)

    assert by_file.code == by_stdin.code == 3
    assert by_file.err.startswith(f"error: {reason}: {file}: ")
    assert by_stdin.err.startswith(f"error: {reason}: stdin: ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["no/such/file"], "no/such/file: No such file or directory"),
        (["-", "-o", "yaml"], "--output yaml: not one of text, json"),
        (["-", "--fail-on", "breaking"], "--fail-on breaking: not one of error, warning, never"),
        (["-", "--timeout", "3s"], "--timeout: works with a server only"),
        (["-", "--header", "A: b"], "--header: works with a server only"),
        (["ftp://x/"], "must be an absolute http or https URL"),
        ([], "one tool list is looked at and 0 were named"),
    ],
)
def test_says_what_is_wrong_with_what_was_typed(
    proxar: Shell, arguments: list[str], said: str
) -> None:
    """Exit 2."""
    printed = proxar("lint", *arguments)

    assert printed.code == 2
    assert said in printed.err
