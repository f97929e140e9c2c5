"""Snapshots that Git can carry."""

import json
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any

from proxar.kube.client import path_of
from proxar.kube.snapshots import SUMMARY_KEY, snapshot_name

if TYPE_CHECKING:
    from proxar.api import MCPServer
    from proxar.kube.client import KubeClient

__all__ = ["for_git", "snapshot_for_git"]


async def snapshot_for_git(
    client: "KubeClient", server: "MCPServer", hash_: str
) -> list[dict[str, Any]]:
    """The ConfigMaps of a stored snapshot as Git can carry them, the parts before the one that
    names them.

    They are copied, not made anew: an immutable ConfigMap can be applied over itself only with the
    very same bytes, and another zlib or another protocol version beside the list would give others.
    """
    return [for_git(item) async for item in _stored(client, server, hash_)]


def for_git(config_map: Mapping[str, Any]) -> dict[str, Any]:
    """The object without what belongs to this cluster: owners, uid, versions and the like."""
    metadata = config_map["metadata"]
    kept = {"name": metadata["name"], "namespace": metadata["namespace"]}
    annotations = {
        key: value
        for key, value in (metadata.get("annotations") or {}).items()
        if key.startswith("proxar.dev/")
    }
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": kept | {"labels": metadata.get("labels") or {}, "annotations": annotations},
        "immutable": True,
        **{key: config_map[key] for key in ("data", "binaryData") if config_map.get(key)},
    }


async def _stored(
    client: "KubeClient", server: "MCPServer", hash_: str
) -> AsyncIterator[dict[str, Any]]:
    namespace, name = server.key
    first = await client.request(
        "GET", path_of("v1", "configmaps", namespace, snapshot_name(name, hash_))
    )
    for part in json.loads(first["data"][SUMMARY_KEY])["parts"]:
        yield await client.request("GET", path_of("v1", "configmaps", namespace, str(part)))
    yield first
