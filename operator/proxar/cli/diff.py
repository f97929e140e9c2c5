"""`proxar diff`: what changed between two files, or between a server now and what was known."""

from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from proxar.cli import options
from proxar.cli.cluster import ClusterOptions, ServerName, in_cluster
from proxar.cli.lists import STDIN, fetch_from, read_list, url_of
from proxar.cli.outcome import ExitCode
from proxar.cli.streams import emit, note, terminal
from proxar.contract import Diff, ToolList, Verdict, compare
from proxar.errors import UsageError
from proxar.report import json, markdown, text

if TYPE_CHECKING:
    from proxar.api import MCPServer
    from proxar.kube.client import KubeClient

__all__ = ["diff"]

FORMATS = ("text", "json", "markdown")
THRESHOLDS = ("cosmetic", "compatible", "advisory", "breaking", "never")
OPERATOR_SECONDS = timedelta(seconds=30)


def diff(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="BEFORE AFTER|BEFORE -- COMMAND…",
            help=(
                "tools/list results, JSON-RPC answers, bare lists or lock files; - is stdin. After "
                "-- the command that starts a server, whose list is the one after."
            ),
        ),
    ] = None,
    server: Annotated[
        str | None,
        typer.Option(
            "--server", metavar="NAME|NS/NAME|URL", help="Compare what this server reports now."
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="pinned|baseline|previous|HASH|FILE",
            help="What it is compared with. A HASH is sha256:… or the first digits, at least 8.",
        ),
    ] = None,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FORMAT", help="text, json or markdown.")
    ] = "text",
    fail_on: Annotated[
        str,
        typer.Option(
            "--fail-on",
            metavar="VERDICT",
            help=(
                "The least verdict that exits 1: cosmetic, compatible, advisory, breaking or never."
            ),
        ),
    ] = "breaking",
    cached: Annotated[
        bool,
        typer.Option(
            "--cached", help="Compare the last list that the operator saw; ask for no fresh look."
        ),
    ] = False,
    header: options.Headers = None,
    timeout: Annotated[
        str | None,
        typer.Option(
            "--timeout",
            metavar="DURATION",
            help=(
                "How long to wait: 10s for a URL, 30s for a command or the operator, unless said."
            ),
        ),
    ] = None,
    kubeconfig: options.Kubeconfig = None,
    context: options.Context = None,
    namespace: options.Namespace = None,
) -> int:
    """Say what changed between two tool lists.

    Exits 1 when something changed at or above --fail-on, 3 when it could not look or compare.

    When it says compatible, every call that kept to the parameters declared before is valid after.
    What a tool does behind an unchanged schema is not seen.
    """
    options.chosen("--output", output, FORMATS)
    options.chosen("--fail-on", fail_on, THRESHOLDS)
    cluster = ClusterOptions(kubeconfig, context, namespace)
    files, command = options.parted(files)
    if command is not None:
        if server is not None:
            raise UsageError(f"--server {_shown(server)}: leave it out; the command is the server")
        _only_with("--server", cached=cached, header=header)
        _only_with("--server NAME", kubeconfig=kubeconfig, context=context, namespace=namespace)
        found = _command_against_file(command, files, against, timeout)
    elif server is None:
        _only_with("--server", against=against, cached=cached, header=header, timeout=timeout)
        _only_with("--server NAME", kubeconfig=kubeconfig, context=context, namespace=namespace)
        found = _two_files(files)
    elif files:
        raise UsageError(
            f"{files[0]}: leave out either --server or the files; --against takes a file"
        )
    elif against is None:
        raise UsageError(
            f"--server {_shown(server)}: say --against what: "
            "pinned, baseline, previous, HASH or FILE"
        )
    elif options.is_url(server):
        _only_with(
            "--server NAME",
            cached=cached,
            kubeconfig=kubeconfig,
            context=context,
            namespace=namespace,
        )
        found = _url_against_file(server, against, header, timeout)
    else:
        _only_with("--server URL", header=header)
        if cached and timeout:
            raise UsageError("--timeout: leave it out with --cached, which waits for nobody")
        seconds = options.duration("--timeout", timeout, OPERATOR_SECONDS)
        found = _server_against(server, against, cluster, None if cached else seconds)
    emit(_rendered(found, output))
    drifted = fail_on != "never" and found.verdict >= Verdict(fail_on)
    return ExitCode.DRIFT if drifted else ExitCode.CLEAN


def _rendered(found: Diff, output: str) -> str:
    if output == "json":
        return json(found)
    if output == "markdown":
        return markdown(found)
    screen = terminal()
    return text(found, screen.width, screen.colour)


def _only_with(other: str, **typed: object) -> None:
    """Refuse an option that would be ignored: it was typed for a reason."""
    for name, value in typed.items():
        if value:
            raise UsageError(f"--{name}: works with {other} only")


def _shown(server: str) -> str:
    """A URL may hold a key in its path or query."""
    return server if not options.is_url(server) else "URL"


def _two_files(files: list[str]) -> Diff:
    if len(files) != 2:
        raise UsageError(
            f"two tool lists are compared and {len(files)} were named; "
            "write BEFORE AFTER, or --server"
        )
    if files == [STDIN, STDIN]:
        raise UsageError("-: stdin can be one of the two lists, not both")
    return _explained(read_list(files[0]), read_list(files[1]))


def _url_against_file(
    url: str, against: str, header: list[str] | None, timeout: str | None
) -> Diff:
    _must_be_file(against, "a URL")
    url_of(url)
    options.headers(header)
    before = read_list(against)
    return _explained(before, fetch_from(url, None, header=header, timeout=timeout).tools)


def _command_against_file(
    command: list[str], files: list[str], against: str | None, timeout: str | None
) -> Diff:
    before = [*files, *([against] if against is not None else [])]
    if len(before) != 1:
        raise UsageError(
            f"--: the command's list is compared with one other and {len(before)} were named; "
            "write BEFORE -- COMMAND…"
        )
    if against is not None:
        _must_be_file(against, "a command")
    listed = read_list(before[0])
    return _explained(listed, fetch_from(None, command, header=None, timeout=timeout).tools)


def _must_be_file(against: str, what: str) -> None:
    if against in {"pinned", "baseline", "previous"}:
        raise UsageError(
            f"--against {against}: {what} has none; name a file, './{against}' for one of that name"
        )


def _server_against(
    typed: str, against: str, cluster: ClusterOptions, seconds: float | None
) -> Diff:
    """Compare as the operator does, the verdicts that its drift policy overrules included."""
    name = ServerName.parse(typed, cluster)

    async def look(client: "KubeClient") -> Diff:
        from proxar.cli import known
        from proxar.cli.server import find, poll, stored

        server = (await find(client, name)).server
        named_list = against in set(known.Against) or options.looks_like_hash(against)
        from_file = None if named_list else read_list(against)
        if against == known.Against.PINNED:
            known.resolve(server, against)  # what cannot be is said before anybody waits for a poll
        if seconds is None:
            _tell_age(server)
        else:
            server = await poll(client, server, seconds)
        after_hash = known.current(server)
        if from_file is not None:
            return _judged(server, from_file, await stored(client, server, after_hash))
        before_hash = known.resolve(server, against)
        what = f"{against} " if against in set(known.Against) else ""
        note(
            f"{known.named(server)}: {what}{known.short(before_hash)} against "
            f"{'the last seen' if seconds is None else 'now'} {known.short(after_hash)}"
        )
        before = await stored(client, server, before_hash)
        return _judged(server, before, await stored(client, server, after_hash))

    return in_cluster(cluster, look)


def _judged(server: "MCPServer", before: ToolList, after: ToolList) -> Diff:
    from proxar.cli.ages import now
    from proxar.contract.overrides import with_overrides
    from proxar.controller.overrides import overrides_of

    overrides = overrides_of(server.spec.drift_policy)
    return with_overrides(_explained(before, after), overrides, now())


def _explained(before: ToolList, after: ToolList) -> Diff:
    """Compare, with an example of a call that is valid no more wherever one can be built."""
    from proxar.contract.witness import explained

    found = compare(before, after)
    return explained(before, after, found) if found.verdict is Verdict.BREAKING else found


def _tell_age(server: "MCPServer") -> None:
    from proxar.cli.ages import age, now
    from proxar.cli.known import named

    snapshot = server.status.snapshot
    seen = age(snapshot.last_seen_time if snapshot else None, now())
    endpoint = server.status.endpoints[0] if server.status.endpoints else None
    unreachable = (
        f"; it is not reachable now ({endpoint.reason})"
        if endpoint and endpoint.reachable == "False"
        else ""
    )
    note(f"{named(server)}: the list that was last seen {seen} ago{unreachable}")
