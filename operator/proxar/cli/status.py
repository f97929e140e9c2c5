"""`proxar status`: what Proxar knows of the servers, as a table, in detail for one, or as JSON."""

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from proxar.cli import options
from proxar.cli.cluster import ClusterOptions, ServerName, in_cluster
from proxar.cli.streams import emit, note
from proxar.errors import ProxarError, UsageError
from proxar.report.visible import visible

if TYPE_CHECKING:
    from proxar.api import MCPServer
    from proxar.kube.client import KubeClient

__all__ = ["details", "status", "table"]

HEADINGS = ("NAME", "READY", "REACHABLE", "TOOLS", "DRIFT", "HASH", "PINNED", "LAST CHANGE")


def status(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME", help="One name alone is shown in detail."),
    ] = None,
    output: options.Output = "text",
    all_namespaces: options.AllNamespaces = False,
    selector: options.Selector = None,
    kubeconfig: options.Kubeconfig = None,
    context: options.Context = None,
    namespace: options.Namespace = None,
) -> None:
    """Show what Proxar knows of MCP servers."""
    options.chosen("--output", output, ("text", "json"))
    cluster = ClusterOptions(kubeconfig, context, namespace)
    if names and (all_namespaces or selector):
        raise UsageError(f"{names[0]}: name servers, or choose them with -A and -l, not both")
    if all_namespaces and namespace:
        raise UsageError("--namespace: leave out either -n or -A")
    wanted = [ServerName.parse(name, cluster) for name in names or ()]

    async def work(client: "KubeClient") -> None:
        from proxar.cli.ages import now
        from proxar.cli.server import find
        from proxar.kube import mcpservers

        if wanted:
            raw = [(await find(client, each)).raw for each in wanted]
        else:
            where = None if all_namespaces else namespace or client.connection.namespace
            raw = await mcpservers.list_all(client, where, selector)
        if output == "json":
            emit(_document(raw))
        else:
            _show(raw, now(), wanted_one=len(wanted) == 1, all_namespaces=all_namespaces)

    in_cluster(cluster, work)


def _show(
    raw: list[dict[str, Any]], at: datetime, *, wanted_one: bool, all_namespaces: bool
) -> None:
    from proxar.cli.server import parsed

    servers = []
    for each in raw:
        try:
            servers.append(parsed(each))
        except ProxarError as error:
            if wanted_one:
                raise
            note(error.message)  # one bad object must not hide the others
    if wanted_one:
        emit("".join(f"{line}\n" for line in details(servers[0], at)))
    elif servers:
        several = all_namespaces or len({server.metadata.namespace for server in servers}) > 1
        emit("".join(f"{line}\n" for line in table(servers, at, with_namespace=several)))
    else:
        note(
            "no MCPServers found"
            if all_namespaces
            else "no MCPServers found; -A looks in every namespace"
        )


def _document(raw: list[dict[str, Any]]) -> str:
    """Per server its name, pin and status as the API has them."""
    from proxar.report.jsondoc import write

    return write(
        {
            "servers": [
                {
                    "namespace": each["metadata"]["namespace"],
                    "name": each["metadata"]["name"],
                    "suspend": each["spec"].get("suspend", False),
                    "pinnedHash": each["spec"].get("pinnedHash"),
                    "status": each.get("status") or {},
                }
                for each in raw
            ]
        }
    )


def table(
    servers: list["MCPServer"], at: datetime, *, with_namespace: bool = False
) -> Iterator[str]:
    """A line for each server under its headings."""
    rows = [("NAMESPACE", *HEADINGS)] + [
        (server.metadata.namespace, *_row(server, at)) for server in servers
    ]
    if not with_namespace:
        rows = [row[1:] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "   ".join(
            cell.ljust(width) for cell, width in zip(row, widths, strict=True)
        ).rstrip()


def _row(server: "MCPServer", at: datetime) -> tuple[str, ...]:
    from proxar.cli.ages import age
    from proxar.cli.known import short

    snapshot, drift = server.status.snapshot, server.status.drift
    return (
        server.metadata.name,
        _condition(server, "Ready"),
        "Suspended" if server.spec.suspend else _condition(server, "Reachable"),
        "-" if snapshot is None or snapshot.tool_count is None else str(snapshot.tool_count),
        visible(drift.verdict) if drift and drift.verdict else "-",
        short(snapshot.hash if snapshot else None),
        short(server.spec.pinned_hash),
        age(snapshot.first_seen_time if snapshot else None, at),
    )


def _condition(server: "MCPServer", type_: str) -> str:
    """`True`, or the status with its reason: what is wrong is seen at a glance."""
    found = server.status.condition(type_)
    if found is None:
        return "Unknown"
    return found.status if found.status == "True" else f"{found.status} ({visible(found.reason)})"


def details(server: "MCPServer", at: datetime) -> Iterator[str]:
    """Everything about one server: where it stands, each condition, each change that drifted."""
    from proxar.cli.ages import age

    current = server.status.snapshot
    yield f"{server.metadata.namespace}/{server.metadata.name}"
    yield from _facts(server, at)
    if current is not None and current.server_info is not None:
        info = current.server_info
        yield f"  server     {visible(' '.join(filter(None, (info.name, info.version))))}"
    yield ""
    yield "conditions"
    for each in server.status.conditions:
        yield (
            f"  {each.type}={each.status} ({visible(each.reason)}) for "
            f"{age(each.last_transition_time, at)}: "
            f"{visible(each.message)}"
        )
    yield from _drift(server)


def _facts(server: "MCPServer", at: datetime) -> Iterator[str]:
    from proxar.cli.ages import age

    current, baseline = server.status.snapshot, server.status.baseline
    if current is None or current.hash is None:
        yield "  reports    no tool list was seen yet"
    else:
        yield (
            f"  reports    {current.hash}, {current.tool_count} tools, since "
            f"{age(current.first_seen_time, at)}, "
            f"last seen {age(current.last_seen_time, at)} ago"
        )
    if baseline is not None and baseline.hash is not None:
        yield (
            f"  baseline   {baseline.hash}, {baseline.source}, since {age(baseline.since_time, at)}"
        )
    if server.spec.pinned_hash is not None:
        yield f"  pinned     {server.spec.pinned_hash}"
    if server.spec.suspend:
        yield "  suspended  it is not polled"


def _drift(server: "MCPServer") -> Iterator[str]:
    drift = server.status.drift
    if drift is None or not drift.changes:
        return
    yield ""
    yield f"drift: {drift.verdict}"
    for each in drift.changes:
        yield (
            f"  {visible(each.verdict).lower():<11}{visible(each.path)}: "
            f"{visible(each.message or '')} "
            f"({visible(each.rule)})"
        )
    if drift.omitted:
        yield (
            f"  … and {drift.omitted} more; 'proxar diff --server {server.metadata.name} "
            "--against baseline' has all"
        )
