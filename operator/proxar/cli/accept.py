"""`proxar accept`: a list that was reviewed becomes the baseline."""

from typing import TYPE_CHECKING, Annotated

import typer

from proxar.cli import options
from proxar.cli.cluster import ClusterOptions, ServerName, in_cluster
from proxar.cli.streams import emit
from proxar.errors import ProxarError, UsageError

if TYPE_CHECKING:
    from proxar.api import MCPServer
    from proxar.kube.client import KubeClient

__all__ = ["accept"]


def accept(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The MCPServer: NAME or NAMESPACE/NAME.")
    ],
    hash_: Annotated[
        str | None,
        typer.Argument(metavar="HASH", help="Else what the server reports now."),
    ] = None,
    kubeconfig: options.Kubeconfig = None,
    context: options.Context = None,
    namespace: options.Namespace = None,
) -> None:
    """Make what the server reports now the baseline.

    The drift up to that list is then known and no longer reported. Name the hash that was reviewed
    where the server might have changed again since.
    """
    cluster = ClusterOptions(kubeconfig, context, namespace)
    server_name = ServerName.parse(name, cluster)
    typed = options.hash_of(hash_)

    async def work(client: "KubeClient") -> None:
        from proxar.cli.known import named, short
        from proxar.cli.server import find, stored

        server = (await find(client, server_name)).server
        chosen = _acceptable(server, typed)
        baseline = server.status.baseline
        if baseline is not None and baseline.hash == chosen:
            emit(f"{named(server)}: {chosen} is the baseline already\n")
            return
        await stored(client, server, chosen)  # the operator would wait for it without a word
        await _hand_over(client, server, chosen)
        before = f" in place of {short(baseline.hash)}" if baseline and baseline.hash else ""
        emit(f"{named(server)}: {chosen} is the baseline now{before}\n")

    in_cluster(cluster, work)


def _acceptable(server: "MCPServer", typed: str | None) -> str:
    """The hash to accept: the one that was typed, else what is reported now."""
    from proxar.cli.known import current, named, resolve

    if server.spec.pinned_hash is not None:
        raise UsageError(
            f"{named(server)} is pinned, and the pin is the baseline; pin another hash with "
            f"'proxar pin {server.metadata.name} HASH', or remove spec.pinnedHash"
        )
    return current(server) if typed is None else resolve(server, typed)


async def _hand_over(client: "KubeClient", server: "MCPServer", chosen: str) -> None:
    """Set the annotation and wait until the operator took it up.

    A value that stood there before was handled once already and means nothing a second time, so it
    is taken away first.
    """
    from proxar.api import ACCEPTED_HASH
    from proxar.cli.server import OPERATOR_SECONDS, until
    from proxar.errors import KubernetesError
    from proxar.kube import mcpservers

    async def annotate(value: str | None) -> None:
        try:
            await mcpservers.annotate(client, *server.key, {ACCEPTED_HASH: value})
        except KubernetesError as error:
            if error.status != 403:
                raise
            raise ProxarError(
                "AcceptForbidden",
                f"{server.metadata.name}: accepting takes the right to patch the MCPServer",
            ) from error

    def cleared(now: "MCPServer") -> bool:
        return not now.status.last_handled_accepted_hash

    def taken_up(now: "MCPServer") -> bool:
        baseline = now.status.baseline
        return (
            now.status.last_handled_accepted_hash == chosen
            and baseline is not None
            and baseline.hash == chosen
        )

    handled = server.status.last_handled_accepted_hash
    if chosen in {server.metadata.annotations.get(ACCEPTED_HASH), handled}:
        await annotate(None)
        if await until(client, server, cleared, OPERATOR_SECONDS) is None:
            raise _silent(server)
    await annotate(chosen)
    if await until(client, server, taken_up, OPERATOR_SECONDS) is None:
        raise _silent(server)


def _silent(server: "MCPServer") -> ProxarError:
    from proxar.cli.server import OPERATOR_SECONDS

    suspended = "it is suspended" if server.spec.suspend else "is the operator running?"
    return ProxarError(
        "AcceptNotAnswered",
        f"{server.metadata.name}: the operator did not take it up in {OPERATOR_SECONDS:g} s; "
        f"{suspended}",
    )
