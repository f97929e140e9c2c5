"""What can be typed: the options that verbs share, and the reading of their values.

Every value arrives as text. A value that cannot be is a `UsageError` that names the option, the
value and the fix.
"""

import math
import re
from datetime import timedelta
from typing import Annotated

import typer

from proxar.errors import UsageError

__all__ = [
    "AllNamespaces",
    "Context",
    "Headers",
    "Kubeconfig",
    "Namespace",
    "Output",
    "Selector",
    "Timeout",
    "chosen",
    "duration",
    "hash_of",
    "headers",
    "is_url",
    "looks_like_hash",
    "number",
    "parted",
]

Kubeconfig = Annotated[
    str | None,
    typer.Option(
        "--kubeconfig", metavar="FILE", help="As kubectl: else $KUBECONFIG, else ~/.kube/config."
    ),
]
Context = Annotated[
    str | None,
    typer.Option(
        "--context", metavar="NAME", help="The kubeconfig's context; else its current one."
    ),
]
Namespace = Annotated[
    str | None,
    typer.Option("--namespace", "-n", metavar="NAME", help="Else the context's namespace."),
]
AllNamespaces = Annotated[
    bool, typer.Option("--all-namespaces", "-A", help="Every namespace that you may read.")
]
Selector = Annotated[
    str | None,
    typer.Option("--selector", "-l", metavar="LABELS", help="Only servers with these labels."),
]
Output = Annotated[str, typer.Option("--output", "-o", metavar="FORMAT", help="text or json.")]
Timeout = Annotated[
    str | None,
    typer.Option(
        "--timeout",
        metavar="DURATION",
        help=(
            "For one whole look, as in 3s or 1m30s: 10s for a URL, 30s for a command, unless said."
        ),
    ),
]
Headers = Annotated[
    list[str] | None,
    typer.Option(
        "--header", metavar="'NAME: VALUE'", help="Sent with each request to a URL; repeatable."
    ),
]

COMMAND_FOLLOWS = "--"

SHORTEST_PREFIX = 8
"""Hex digits of a hash that count as one: fewer are a word by accident."""

HASH = re.compile(rf"(sha256:)?[0-9a-f]{{{SHORTEST_PREFIX},64}}")

LONGEST_TIMEOUT = timedelta(minutes=5)
"""As in the API: a list that takes longer is down for any client."""

HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
HEADER_VALUE = re.compile(r"[ -~\t]*")


def chosen(option: str, value: str, choices: tuple[str, ...]) -> str:
    """The value, if it is one of the choices."""
    if value in choices:
        return value
    raise UsageError(f"{option} {value}: not one of {', '.join(choices)}")


def duration(option: str, value: str | None, default: timedelta) -> float:
    """A Go duration such as `3s`, in seconds; between 1 ms and five minutes."""
    if value is None:
        return default.total_seconds()
    from proxar.api.duration import parse_duration

    try:
        parsed = parse_duration(value)
    except ValueError as error:
        raise UsageError(f"{option}: {error}") from error
    if not timedelta() < parsed <= LONGEST_TIMEOUT:
        raise UsageError(f"{option} {value}: must be more than 0s and at most 5m")
    return parsed.total_seconds()


def number(option: str, value: str, *, least: int, most: int) -> int:
    """A whole number within bounds."""
    # [0-9], since int() also takes underscores, spaces and the digits of every script.
    parsed = int(value) if re.fullmatch(r"[0-9]{1,9}", value) else math.inf
    if not least <= parsed <= most:
        raise UsageError(f"{option} {value}: must be a whole number from {least} to {most}")
    return int(parsed)


def headers(typed: list[str] | None) -> tuple[tuple[str, str], ...]:
    """The headers that were typed as `Name: value`.

    A message never shows a value: it may be a credential.
    """
    found: dict[str, tuple[str, str]] = {}
    for item in typed or ():
        name, colon, value = item.partition(":")
        name, value = name.strip(), value.strip()
        if not colon:
            raise UsageError("--header: no colon in it; write it as 'Name: value'")
        if not HEADER_NAME.fullmatch(name):
            raise UsageError(f"--header {name}: not a header name; write it as 'Name: value'")
        if not HEADER_VALUE.fullmatch(value):
            raise UsageError(f"--header {name}: its value may hold printable ASCII only")
        if name.lower() in found:
            raise UsageError(f"--header {name}: given twice; a header is sent once")
        found[name.lower()] = (name, value)
    return tuple(found.values())


def looks_like_hash(text: str) -> bool:
    """Whether this is meant as a hash or the beginning of one."""
    return HASH.fullmatch(text) is not None


def hash_of(typed: str | None) -> str | None:
    """The hash, or the beginning of one, as it was typed."""
    if typed is None or looks_like_hash(typed):
        return typed
    raise UsageError(
        f"{typed}: not a hash; write sha256:… or at least its first {SHORTEST_PREFIX} digits"
    )


def parted(words: list[str] | None) -> tuple[list[str], list[str] | None]:
    """What was typed before `--`, and the command after it; ``None`` without `--`."""
    words = words or []
    if COMMAND_FOLLOWS not in words:
        return words, None
    at = words.index(COMMAND_FOLLOWS)
    command = words[at + 1 :]
    if not command or not command[0]:
        raise UsageError("--: no command follows it; write it as in '-- npx -y my-server'")
    return words[:at], command


def is_url(text: str) -> bool:
    """Whether this is meant as the URL of an MCP server."""
    return "://" in text
