"""`proxar doctor`: whether Proxar can do its work in this cluster, and does."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from proxar.cli import options
from proxar.cli.cluster import ClusterOptions, in_cluster
from proxar.cli.outcome import ExitCode
from proxar.cli.streams import emit
from proxar.errors import UsageError
from proxar.report.visible import visible

if TYPE_CHECKING:
    from proxar.cli.checks import Check, OperatorFacts
    from proxar.kube.client import KubeClient

__all__ = ["doctor", "facts_in"]

METRICS_BYTES = 16 << 20
"""As much as is read of an operator's metrics; 2,000 servers have about 8 MB."""


def doctor(
    output: options.Output = "text",
    namespace: Annotated[
        list[str] | None,
        typer.Option(
            "--namespace", "-n", metavar="NAME", help="Only there; repeatable. Else everywhere."
        ),
    ] = None,
    operator_url: Annotated[
        str | None,
        typer.Option(
            "--operator-url", metavar="URL", help="Where the operator's /metrics can be asked."
        ),
    ] = None,
    as_operator: Annotated[
        bool,
        typer.Option(
            "--as-operator", help="These are the operator's own credentials: check its rights."
        ),
    ] = False,
    kubeconfig: options.Kubeconfig = None,
    context: options.Context = None,
) -> int:
    """Check what Proxar needs: Kubernetes, CRD, rights, operator, clock, and each server."""
    options.chosen("--output", output, ("text", "json"))
    if operator_url is not None and not operator_url.startswith(("http://", "https://")):
        raise UsageError(f"--operator-url {operator_url}: write http://HOST:PORT")

    async def work(client: "KubeClient") -> int:
        from proxar.cli.checks import Outcome

        found = await _examine(client, namespace or [], operator_url, as_operator=as_operator)
        emit(_json(found) if output == "json" else "".join(f"{line}\n" for line in _lines(found)))
        sick = any(check.outcome is Outcome.PROBLEM for check in found)
        return ExitCode.DRIFT if sick else ExitCode.CLEAN

    return in_cluster(ClusterOptions(kubeconfig, context), work)


async def _examine(
    client: "KubeClient", namespaces: list[str], operator_url: str | None, *, as_operator: bool
) -> list["Check"]:
    from proxar.cli import checks
    from proxar.cli.ages import now
    from proxar.kube import discovery
    from proxar.kube.rights import OPERATOR_RIGHTS, READER_RIGHTS, may

    found = [checks.kubernetes_version(await discovery.server_version(client))]
    found.append(checks.clock(client.server_time, now()))
    missing = await discovery.missing_fields(client)
    found.append(checks.crd(missing))
    found.append(checks.namesakes(await discovery.namesakes(client)))
    places: list[str | None] = [*namespaces] or [None]
    lacking = [
        (right, where)
        for where in places
        for right in (OPERATOR_RIGHTS if as_operator else READER_RIGHTS)
        if not await may(client, right, where)
    ]
    found.append(checks.rights(lacking, "the operator" if as_operator else "this user"))
    if operator_url is not None:
        found.append(await _ask(operator_url))
    if missing is not None and not lacking:
        found.extend(await _servers(client, places))
    return found


async def _servers(client: "KubeClient", places: list[str | None]) -> list["Check"]:
    from proxar.api import InvalidObject, MCPServer, parse_mcpserver
    from proxar.cli import checks
    from proxar.cli.ages import now
    from proxar.kube import mcpservers

    found: list[checks.Check] = []
    servers: list[MCPServer] = []
    for where in places:
        for raw in await mcpservers.list_all(client, where):
            try:
                servers.append(parse_mcpserver(raw))
            except InvalidObject as error:
                name = "{namespace}/{name}".format_map(raw["metadata"])
                found.append(checks.Check(name, checks.Outcome.PROBLEM, str(error)))
    return [*found, *checks.servers(servers, now())]


async def _ask(url: str) -> "Check":
    """Read the operator's metrics; that they cannot be read is a finding like any other."""
    import httpx

    from proxar.cli.checks import Check, Outcome, operator

    try:
        async with (
            httpx.AsyncClient(timeout=10, trust_env=False) as client,
            client.stream("GET", f"{url.rstrip('/')}/metrics") as response,
        ):
            response.raise_for_status()
            text = bytearray()
            async for piece in response.aiter_raw():
                text += piece
                if len(text) > METRICS_BYTES:
                    break
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        return Check(
            "operator",
            Outcome.PROBLEM,
            f"{url} does not answer ({type(error).__name__}): does its pod run, and may this one "
            "reach it?",
        )
    return operator(facts_in(text.decode("utf-8", "replace")))


def facts_in(metrics: str) -> "OperatorFacts":
    """Read what the metrics, in Prometheus' text format, say of the operator itself."""
    import re

    from proxar.cli.checks import OperatorFacts

    ready = re.search(r"^proxar_ready (\S+)$", metrics, re.MULTILINE)
    version = re.search(r'^proxar_build_info\{.*?version="([^"]*)"', metrics, re.MULTILINE)
    return OperatorFacts(
        is_ready=ready is not None and float(ready[1]) == 1,
        version=version[1] if version else None,
    )


def _lines(found: list["Check"]) -> Iterator[str]:
    width = max(len(check.name) for check in found)
    for check in found:
        yield f"{check.outcome:<8} {visible(check.name):<{width}}  {visible(check.message)}"


def _json(found: list["Check"]) -> str:
    from proxar.report.jsondoc import write

    return write(
        {
            "checks": [
                {"name": check.name, "outcome": check.outcome, "message": check.message}
                for check in found
            ]
        }
    )
