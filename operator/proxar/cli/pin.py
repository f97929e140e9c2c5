"""`proxar pin`: say in Git which tool list clients should see."""

from typing import TYPE_CHECKING, Annotated

import typer

from proxar.cli import options
from proxar.cli.cluster import ClusterOptions, ServerName, in_cluster
from proxar.cli.streams import emit, note
from proxar.errors import UsageError

if TYPE_CHECKING:
    from proxar.api import MCPServer
    from proxar.cli.server import Found
    from proxar.kube.client import KubeClient

__all__ = ["pin"]

FIELD_MANAGER = "kubectl-proxar"


def pin(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The MCPServer: NAME or NAMESPACE/NAME.")
    ],
    hash_: Annotated[
        str | None,
        typer.Argument(metavar="HASH", help="Else the baseline: the list that agents know."),
    ] = None,
    apply: Annotated[
        bool,
        typer.Option("--apply", help="Set it in the cluster instead of printing what to commit."),
    ] = False,
    out_of_band: Annotated[
        bool, typer.Option("--out-of-band", help="With --apply: although Git owns the object.")
    ] = False,
    kubeconfig: options.Kubeconfig = None,
    context: options.Context = None,
    namespace: options.Namespace = None,
) -> None:
    """Print what to commit to pin a tool list.

    That is the snapshot's ConfigMap and the patch of the MCPServer; --apply sets the pin instead.
    """
    cluster = ClusterOptions(kubeconfig, context, namespace)
    server_name = ServerName.parse(name, cluster)
    typed = options.hash_of(hash_)
    if out_of_band and not apply:
        raise UsageError("--out-of-band: works with --apply only")

    async def work(client: "KubeClient") -> None:
        from proxar.cli import known
        from proxar.cli.server import find, stored

        found = await find(client, server_name)
        chosen = known.resolve(found.server, typed or known.Against.BASELINE)
        # The content is proved before anybody commits its name.
        await stored(client, found.server, chosen)
        note(_why(found.server, chosen, given=typed is not None))
        if apply:
            await _apply(client, found, chosen, out_of_band=out_of_band)
        else:
            emit(await _for_git(client, found.server, chosen))

    in_cluster(cluster, work)


def _why(server: "MCPServer", chosen: str, *, given: bool) -> str:
    from proxar.cli.known import named, short

    baseline, snapshot = server.status.baseline, server.status.snapshot
    reports = (
        f"; the server reports {short(snapshot.hash)} now"
        if snapshot and snapshot.hash != chosen
        else ""
    )
    if given or baseline is None:
        return f"{named(server)}: pinning {chosen}{reports}"
    since = f" since {baseline.since_time:%Y-%m-%d %H:%M} UTC" if baseline.since_time else ""
    return (
        f"{named(server)}: pinning {chosen}, the baseline{since}: the list that agents know"
        f"{reports}"
    )


async def _for_git(client: "KubeClient", server: "MCPServer", chosen: str) -> str:
    import yaml

    from proxar.api import API_VERSION, KIND
    from proxar.cli.gitops import snapshot_for_git

    patch = {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "metadata": {"name": server.metadata.name, "namespace": server.metadata.namespace},
        "spec": {"pinnedHash": chosen},
    }
    config_maps = await snapshot_for_git(client, server, chosen)
    texts = [
        yaml.safe_dump(each, sort_keys=False, width=1_000_000) for each in (*config_maps, patch)
    ]
    return (
        f"# The snapshot of {chosen}: it makes the pin work in a fresh cluster too.\n"
        + "---\n".join(texts[:-1])
        + "---\n# To merge into the MCPServer in Git. It is not a whole manifest.\n"
        + texts[-1]
    )


async def _apply(client: "KubeClient", found: "Found", chosen: str, *, out_of_band: bool) -> None:
    from proxar.api.managers import git_owner, owners_of_pin
    from proxar.cli.known import named
    from proxar.errors import Conflict
    from proxar.kube import mcpservers

    server = found.server
    if not out_of_band and (owner := git_owner(server.metadata)) is not None:
        raise UsageError(
            f"--apply: {named(server)} is owned by Git ({owner}), which would undo this; "
            f"commit what 'proxar pin {server.metadata.name}' prints, or add --out-of-band"
        )
    try:
        await mcpservers.apply_spec(client, *server.key, {"pinnedHash": chosen}, FIELD_MANAGER)
    except Conflict as error:
        owners = ", ".join(owners_of_pin(server.metadata)) or "somebody else"
        raise Conflict(
            "Conflict",
            f"{named(server)}: spec.pinnedHash belongs to {owners}; change it there, or have it "
            "removed there first",
            status=409,
        ) from error
    emit(f"{named(server)} pinned to {chosen}\n")
