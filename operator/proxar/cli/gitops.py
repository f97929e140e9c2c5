"""Objects that Git owns, and snapshots that Git can carry."""

import json
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any

from proxar.kube.client import path_of
from proxar.kube.snapshots import SUMMARY_KEY, snapshot_name

if TYPE_CHECKING:
    from proxar.api import MCPServer
    from proxar.kube.client import KubeClient

__all__ = ["for_git", "git_owner", "owners_of_pin", "snapshot_for_git"]

MANAGERS = {
    "kustomize-controller": "Flux",
    "helm-controller": "Flux",
    "argocd-controller": "Argo CD",
    "argocd-application-controller": "Argo CD",
}
"""Field managers of what applies from Git."""

MARKS = {
    "kustomize.toolkit.fluxcd.io/name": "Flux Kustomization",
    "helm.toolkit.fluxcd.io/name": "Flux HelmRelease",
    "argocd.argoproj.io/instance": "Argo CD Application",
    "argocd.argoproj.io/tracking-id": "Argo CD",
}
"""Labels and annotations that they leave. Argo CD's default label is left out: every Helm chart
sets that one.
"""


def git_owner(raw: Mapping[str, Any]) -> str | None:
    """Who applies this object from Git, in words; `None` when nobody seems to."""
    metadata = raw["metadata"]
    marks = {**(metadata.get("labels") or {}), **(metadata.get("annotations") or {})}
    for key, owner in MARKS.items():
        if key in marks:
            return f"{owner} {marks[key]}"
    managers = (entry.get("manager") for entry in metadata.get("managedFields") or ())
    return next((f"{MANAGERS[name]}, as {name}" for name in managers if name in MANAGERS), None)


def owners_of_pin(raw: Mapping[str, Any]) -> list[str]:
    """The field managers that own spec.pinnedHash."""
    return [
        str(entry.get("manager"))
        for entry in raw["metadata"].get("managedFields") or ()
        if "f:pinnedHash" in ((entry.get("fieldsV1") or {}).get("f:spec") or {})
    ]


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
