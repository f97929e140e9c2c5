"""Reading MCPServers and writing what is ours of them: the status, and for the command line a pin
or an annotation."""

from collections.abc import AsyncIterator, Mapping
from typing import Any

from proxar.api import API_VERSION, FIELD_MANAGER, KIND, PLURAL
from proxar.kube.client import APPLY, MERGE, KubeClient, path_of

__all__ = ["annotate", "apply_spec", "apply_status", "get", "list_all", "pages"]

PAGE = 500


async def get(client: KubeClient, namespace: str, name: str) -> dict[str, Any] | None:
    """Return the object as the API server has it now, or `None` when there is none."""
    return await client.get(path_of(API_VERSION, PLURAL, namespace, name))


async def list_all(
    client: KubeClient, namespace: str | None = None, label_selector: str | None = None
) -> list[dict[str, Any]]:
    """Return every MCPServer of a namespace, or of all that may be read."""
    return [
        item
        async for item in pages(client, path_of(API_VERSION, PLURAL, namespace), label_selector)
    ]


async def pages(
    client: KubeClient,
    path: str,
    label_selector: str | None = None,
    *,
    accept: str = "application/json",
) -> AsyncIterator[dict[str, Any]]:
    """Yield the items of a list, page by page; a failure on a later page raises, so nothing looks
    deleted."""
    query = {"limit": str(PAGE)} | ({"labelSelector": label_selector} if label_selector else {})
    while True:
        answer = await client.request("GET", path, query=query, accept=accept)
        for item in answer.get("items") or ():
            yield item
        query["continue"] = (answer.get("metadata") or {}).get("continue") or ""
        if not query["continue"]:
            return


async def apply_status(
    client: KubeClient, planned_from: Mapping[str, Any], status: Mapping[str, Any]
) -> dict[str, Any]:
    """Server-side apply the whole status onto the very object that the plan was made from.

    The server does not look at a uid in a status apply, but honours the resourceVersion: a
    re-created or edited object is a `Conflict`.
    """
    metadata = planned_from["metadata"]
    body = {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "metadata": {key: metadata[key] for key in ("name", "namespace", "resourceVersion")},
        "status": status,
    }
    path = path_of(API_VERSION, PLURAL, metadata["namespace"], metadata["name"], "status")
    query = {"fieldManager": FIELD_MANAGER, "force": "true"}
    return await client.request("PATCH", path, query=query, body=body, content_type=APPLY)


async def annotate(
    client: KubeClient, namespace: str, name: str, annotations: Mapping[str, str | None]
) -> dict[str, Any]:
    """Set annotations, or remove those given as `None`. For the command line: the operator never
    annotates."""
    path = path_of(API_VERSION, PLURAL, namespace, name)
    body = {"metadata": {"annotations": dict(annotations)}}
    return await client.request("PATCH", path, body=body, content_type=MERGE)


async def apply_spec(
    client: KubeClient, namespace: str, name: str, spec: Mapping[str, Any], field_manager: str
) -> dict[str, Any]:
    """Server-side apply some fields of the spec, never forced: another owner's field is a
    `Conflict`."""
    path = path_of(API_VERSION, PLURAL, namespace, name)
    body = {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "metadata": {"name": name, "namespace": namespace},
        "spec": dict(spec),
    }
    return await client.request(
        "PATCH", path, query={"fieldManager": field_manager}, body=body, content_type=APPLY
    )
