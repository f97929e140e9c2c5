"""`proxar diff` without a cluster."""

import json
from pathlib import Path

import pytest

from tests.unit.cli.terminal import Shell, tool, tools_list

ONE = tools_list(tool("search"), tool("gone"))
OTHER = tools_list(tool("search"))


@pytest.fixture
def before(tmp_path: Path) -> Path:
    """A file with two tools."""
    path = tmp_path / "before.json"
    path.write_bytes(ONE)
    return path


@pytest.fixture
def after(tmp_path: Path) -> Path:
    """A file where one of them is gone."""
    path = tmp_path / "after.json"
    path.write_bytes(OTHER)
    return path


def test_exits_1_for_a_breaking_change(proxar: Shell, before: Path, after: Path) -> None:
    """The data is on stdout and nothing on stderr."""
    printed = proxar("diff", before, after)

    assert printed.code == 1
    assert printed.out.startswith("breaking: 1 breaking\n\ngone\n  breaking   gone: ")
    assert printed.err == ""


def test_exits_0_when_nothing_changed(proxar: Shell, before: Path) -> None:
    """And says so."""
    printed = proxar("diff", before, before)

    assert (printed.code, printed.out) == (0, "none: the tools are the same\n")


@pytest.mark.parametrize(
    ("fail_on", "code"),
    [("never", 0), ("breaking", 0), ("advisory", 0), ("compatible", 1), ("cosmetic", 1)],
)
def test_fails_from_the_verdict_that_was_named(
    proxar: Shell, before: Path, after: Path, fail_on: str, code: int
) -> None:
    """An added tool is compatible."""
    assert proxar("diff", after, before, "--fail-on", fail_on).code == code


def test_prints_json(proxar: Shell, before: Path, after: Path) -> None:
    """In the public shape."""
    printed = proxar("diff", before, after, "-o", "json")

    assert printed.code == 1
    assert printed.document["verdict"] == "breaking"
    assert printed.document["summary"]["breaking"] == 1
    assert printed.document["changes"][0]["rule"] == "tool-removed"


def test_prints_markdown(proxar: Shell, before: Path, after: Path) -> None:
    """For a pull request."""
    assert proxar("diff", before, after, "-o", "markdown").out.startswith("### MCP tools: breaking")


@pytest.mark.parametrize(
    "wrap",
    [
        lambda result: result,
        lambda result: {"jsonrpc": "2.0", "id": 1, "result": result},
        lambda result: result["tools"],
    ],
    ids=["result", "answer", "bare list"],
)
def test_reads_every_form_of_a_list_from_stdin(proxar: Shell, before: Path, wrap: object) -> None:
    """As it comes out of curl, jq, or another tool."""
    assert callable(wrap)
    data = json.dumps(wrap(json.loads(ONE))).encode()

    assert proxar("diff", before, "-", stdin=data).out == "none: the tools are the same\n"


def test_a_file_that_holds_no_list_is_3_with_json_on_stdout(
    proxar: Shell, before: Path, tmp_path: Path
) -> None:
    """Could not compare is never taken for no drift, nor for drift."""
    bad = tmp_path / "bad.json"
    bad.write_bytes(b"<html>")

    printed = proxar("diff", before, bad, "-o", "json")

    assert printed.code == 3
    assert printed.document["reason"] == "MalformedResponse"
    assert printed.document["message"].startswith(f"{bad}: ")
    assert printed.err.startswith(f"error: MalformedResponse: {bad}: ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "two tool lists are compared and 0 were named"),
        (["A"], "two tool lists are compared and 1 were named"),
        (["A", "B", "C"], "two tool lists are compared and 3 were named"),
        (["-", "-"], "stdin can be one of the two lists, not both"),
        (["no.json", "-"], "no.json: No such file or directory"),
        (["A", "B", "-o", "html"], "--output html: not one of text, json, markdown"),
        (["A", "B", "--fail-on", "none"], "--fail-on none: not one of cosmetic, compatible"),
        (["A", "B", "--cached"], "--cached: works with --server only"),
        (["A", "B", "--against", "pinned"], "--against: works with --server only"),
        (["A", "B", "-n", "x"], "--namespace: works with --server NAME only"),
        (["A", "B", "--header", "a: b"], "--header: works with --server only"),
        (["A", "B", "--server", "x"], "leave out either --server or the files"),
        (["--server", "x"], "--server x: say --against what"),
        (["--server", "https://x/?key=s3cret"], "--server URL: say --against what"),
        (["--server", "https://x/", "--against", "pinned"], "--against pinned: a URL has none"),
        (["--server", "https://x/", "--against", "F", "--cached"], "--cached: works with --server"),
        (["--server", "x", "--against", "pinned", "--header", "a: b"], "works with --server URL"),
        (["--server", "a/b/c", "--against", "pinned"], "'a/b/c': name a server as NAME or"),
        (["--server", "a/b", "--against", "pinned", "-n", "c"], "another namespace than -n c"),
        (["--server", "x", "--against", "pinned", "--timeout", "7d"], "h, m, s or ms"),
        (["--server", "x", "--against", "pinned", "--timeout", "6m"], "at most 5m"),
        (["--server", "x", "--against", "pinned"], "no such file; name one with --kubeconfig"),
        (["--server", "x", "--against", "pinned", "--cached", "--timeout", "1s"], "--timeout: "),
        (["--sever", "x"], "No such option: --sever"),
    ],
)
def test_says_what_is_wrong_with_what_was_typed(
    proxar: Shell, arguments: list[str], said: str
) -> None:
    """Exit 2, one line that names it, nothing on stdout, no secret."""
    printed = proxar("diff", *arguments)

    assert printed.code == 2
    assert printed.out == ""
    assert said in printed.err.splitlines()[0]
    assert printed.err.startswith("error: ")
    assert "s3cret" not in printed.err


def test_a_header_never_shows_its_value(proxar: Shell) -> None:
    """It may be a credential."""
    for bad in ("Authorization s3cret", "Authorization: s3\x1bcret", "Bad Name: s3cret"):
        printed = proxar("diff", "--server", "https://x/", "--against", "-", "--header", bad)

        assert printed.code == 2
        assert "--header" in printed.err
        assert "cret" not in printed.err


def test_hostile_text_is_escaped_in_every_output(proxar: Shell, tmp_path: Path) -> None:
    """A tool's name can hold anything."""
    name = "a\x1b[2J\u202e\u200b"
    hostile = tmp_path / "hostile.json"
    hostile.write_bytes(tools_list(tool(name, "x\x1b]0;owned\x07")))
    empty = tmp_path / "empty.json"
    empty.write_bytes(b'{"tools": []}')

    for output in ("text", "json", "markdown"):
        out = proxar("diff", hostile, empty, "-o", output).out
        assert "\\u001b[2J\\u202e\\u200b" in out
        assert all(line.isprintable() for line in out.split("\n"))
