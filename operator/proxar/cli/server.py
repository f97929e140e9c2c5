"""One MCPServer in the cluster: found, polled afresh, and its stored lists read."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from proxar.api import RECONCILE_REQUESTED_AT, InvalidObject, MCPServer, parse_mcpserver
from proxar.cli.cluster import ServerName
from proxar.cli.known import known_hashes, listed, named
from proxar.contract import ToolList
from proxar.errors import FetchError, KubernetesError, ProxarError, SnapshotError, UsageError
from proxar.kube import mcpservers
from proxar.kube.client import KubeClient
from proxar.kube.snapshots import SnapshotStore

__all__ = ["OPERATOR_SECONDS", "Found", "find", "parsed", "poll", "stored", "until"]

OPERATOR_SECONDS = 30.0
"""How long the operator may take to answer: its slowest fetch by default takes ten, and there may
be a queue.
"""

LOOK_SECONDS = 0.25
"""Between two looks at the object while waiting. A watch would save a few requests and need a right
to watch.
"""


@dataclass(frozen=True, slots=True)
class Found:
    """The object twice: as the API server sent it, and read."""

    raw: dict[str, Any]
    server: MCPServer


def parsed(raw: dict[str, Any]) -> MCPServer:
    """Read an object, or say which of its fields cannot be worked with."""
    try:
        return parse_mcpserver(raw)
    except InvalidObject as error:
        metadata = raw.get("metadata") or {}
        raise ProxarError(
            "InvalidSpec",
            f"{metadata.get('namespace')}/{metadata.get('name')}: {error.field}: {error.message}",
        ) from error


async def find(client: KubeClient, name: ServerName) -> Found:
    """Read the object.

    Raises:
        UsageError: There is none of that name.
    """
    namespace = name.namespace or client.connection.namespace
    raw = await mcpservers.get(client, namespace, name.name)
    if raw is None:
        raise UsageError(
            f"{name.name}: no MCPServer of that name in namespace {namespace}; "
            "'proxar status -A' lists them"
        )
    return Found(raw, parsed(raw))


async def until(
    client: KubeClient, server: MCPServer, done: Callable[[MCPServer], bool], seconds: float
) -> MCPServer | None:
    """The object as soon as it is `done`, `None` when the time is over.

    Raises:
        ProxarError: `Deleted`: the object went, or is another one of the same name by now.
    """
    deadline = time.monotonic() + seconds
    while True:
        raw = await mcpservers.get(client, *server.key)
        if raw is None or raw["metadata"]["uid"] != server.metadata.uid:
            raise ProxarError("Deleted", f"{named(server)}: was deleted meanwhile")
        now = parsed(raw)
        if done(now):
            return now
        if time.monotonic() >= deadline:
            return None
        await asyncio.sleep(LOOK_SECONDS)


async def poll(client: KubeClient, server: MCPServer, seconds: float) -> MCPServer:
    """Have the operator look at the server now, and return the object with what it saw.

    Raises:
        ProxarError: It could not be asked, or did not answer in time.
        FetchError: It looked, and the server gave no complete list.
    """
    cached = "--cached compares the last list that was seen"
    if server.spec.suspend:
        raise ProxarError(
            "Suspended", f"{named(server)} is suspended and cannot be polled; {cached}"
        )
    token = datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    try:
        await mcpservers.annotate(client, *server.key, {RECONCILE_REQUESTED_AT: token})
    except KubernetesError as error:
        if error.status != 403:
            raise
        raise ProxarError(
            "PollForbidden",
            f"{named(server)}: asking for a fresh look takes the right to patch it; {cached}",
        ) from error
    answered = await until(client, server, _is_handled, seconds)
    if answered is None:
        raise ProxarError(
            "PollNotAnswered",
            f"{named(server)}: no answer from the operator in {seconds:g} s, is it running?; "
            f"{cached}",
        )
    _must_be_reachable(answered)
    return answered


def _is_handled(server: MCPServer) -> bool:
    """Our request or a later one, which then stands in the annotation instead of ours."""
    asked = server.metadata.annotations.get(RECONCILE_REQUESTED_AT)
    return asked is not None and server.status.last_handled_reconcile_at == asked


def _must_be_reachable(server: MCPServer) -> None:
    seen = server.status.endpoints[0] if server.status.endpoints else None
    if seen is not None and seen.reachable == "True":
        return
    reason = (seen and seen.reason) or "NotYetObserved"
    message = (seen and seen.message) or "the server was not looked at"
    raise FetchError(
        reason, f"{named(server)}: {message}; --cached compares the last list that was seen"
    )


async def stored(client: KubeClient, server: MCPServer, hash_: str) -> ToolList:
    """The stored list of that hash.

    Raises:
        SnapshotError: It is missing although it is current, baseline or pin, or it is not what its
            hash says.
        UsageError: The hash is not one of this server's, and nothing is stored under it.
    """
    tools = await SnapshotStore(client).read(*server.key, hash_)
    if tools is not None:
        return tools
    if hash_ == server.spec.pinned_hash:
        raise SnapshotError(
            "PinnedSnapshotMissing",
            f"{named(server)}: no snapshot of the pinned {hash_} is stored; apply its ConfigMap "
            "from Git, or pin one of "
            + listed(known for known in known_hashes(server) if known != hash_),
        )
    if hash_ in known_hashes(server):
        raise SnapshotError(
            "SnapshotNotStored", f"{named(server)}: the snapshot of {hash_} is missing"
        )
    raise UsageError(
        f"{hash_}: no snapshot of {named(server)} is stored under that hash; known: "
        f"{listed(known_hashes(server))}"
    )
