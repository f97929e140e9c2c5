"""`proxar lint`: what makes clients drop a tool or the whole list, without a baseline."""

import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from proxar.cli import options
from proxar.cli.lists import LARGEST_FILE_BYTES, STDIN, fetch_from, read_list
from proxar.cli.outcome import ExitCode
from proxar.cli.streams import Terminal, emit, terminal
from proxar.contract import ContractError, parse
from proxar.errors import ProxarError, UsageError
from proxar.report.visible import visible

if TYPE_CHECKING:
    from proxar.contract import JSON, ToolList
    from proxar.contract.lint import Finding

__all__ = ["lint"]

FORMATS = ("text", "json")
THRESHOLDS = ("error", "warning", "never")

STYLES = {"error": "1;31", "warning": "33"}
SEVERITY_COLUMN = 9
"""Room for `warning` and two spaces."""


def lint(
    source: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE|URL|-- COMMAND…",
            help=(
                "A tools/list result, a JSON-RPC answer, a bare list or a lock file, - is stdin; "
                "or a server's URL, or the command that starts one."
            ),
        ),
    ] = None,
    output: options.Output = "text",
    fail_on: Annotated[
        str,
        typer.Option(
            "--fail-on",
            metavar="SEVERITY",
            help="The least severity that exits 1: error, warning or never.",
        ),
    ] = "error",
    header: options.Headers = None,
    timeout: options.Timeout = None,
) -> int:
    """Find what makes clients drop a tool or the whole list, and text that nobody sees.

    Exits 1 when something was found at or above --fail-on, 3 when it could not look.
    """
    options.chosen("--output", output, FORMATS)
    options.chosen("--fail-on", fail_on, THRESHOLDS)
    tools, document = _found(*options.parted(source), header, timeout)
    from proxar.contract.lint import lint as find

    findings = find(tools, document)
    emit(
        _json(findings)
        if output == "json"
        else "".join(f"{line}\n" for line in _lines(findings, len(tools.tools), terminal()))
    )
    failing = {"error": ("error",), "warning": ("error", "warning"), "never": ()}[fail_on]
    found = any(each.severity.value in failing for each in findings)
    return ExitCode.DRIFT if found else ExitCode.CLEAN


def _found(
    sources: list[str],
    command: list[str] | None,
    header: list[str] | None,
    timeout: str | None,
) -> "tuple[ToolList, bytes | None]":
    """The list of the one source that was named."""
    named = len(sources) + (command is not None)
    if named != 1:
        raise UsageError(
            f"one tool list is looked at and {named} were named; write a file, a URL, or -- and "
            "the command that starts a server"
        )
    if command is not None or options.is_url(sources[0]):
        url = None if command is not None else sources[0]
        return fetch_from(url, command, header=header, timeout=timeout).tools, None
    if header or timeout:
        raise UsageError(f"--{'header' if header else 'timeout'}: works with a server only")
    return _read(sources[0])


def _read(path: str) -> "tuple[ToolList, bytes | None]":
    """The list, and its text where that can be had: a member given twice is once in the list."""
    if path != STDIN:
        document = None
        tools = read_list(path)
        with suppress(OSError):  # gone since; a pipe cannot be read twice
            document = Path(path).read_bytes() if Path(path).is_file() else None
        return tools, document
    data = sys.stdin.buffer.read(LARGEST_FILE_BYTES + 1)
    if len(data) > LARGEST_FILE_BYTES:
        raise ProxarError("TooLarge", f"stdin: more than {LARGEST_FILE_BYTES >> 20} MiB")
    try:
        return parse(data), data
    except ContractError as error:
        raise ProxarError(error.reason, f"stdin: {error.message}") from error


def _counts(findings: "tuple[Finding, ...]") -> dict[str, int]:
    return {
        severity: sum(each.severity.value == severity for each in findings) for severity in STYLES
    }


def _json(findings: "tuple[Finding, ...]") -> str:
    from proxar.report.jsondoc import write

    told: list[JSON] = [each.to_json() for each in findings]
    return write({"summary": _counts(findings), "findings": told})


def _lines(findings: "tuple[Finding, ...]", tools: int, screen: Terminal) -> Iterator[str]:
    counts = ", ".join(
        f"{count} {severity if count == 1 else f'{severity}s'}"
        for severity, count in _counts(findings).items()
        if count
    )
    yield f"{counts or 'nothing found'} in {tools} {'tool' if tools == 1 else 'tools'}"
    for (tool, is_list), found in groupby(findings, lambda each: (each.tool, not each.path)):
        yield ""
        yield _styled("the list" if is_list else visible(tool) or '""', "1", screen)
        for each in found:
            severity = _styled(
                f"{each.severity.value:<{SEVERITY_COLUMN}}", STYLES[each.severity.value], screen
            )
            where = "" if is_list else f"{visible(each.path)}: "
            yield f"  {severity}{where}{visible(each.message)} ({each.rule})"


def _styled(text: str, style: str, screen: Terminal) -> str:
    return f"\x1b[{style}m{text}\x1b[0m" if screen.colour else text
