"""What the API server serves: its version, our kind as it knows it, and other projects' namesakes.

By discovery and OpenAPI, which every authenticated user may read; the CRD itself is for
administrators.
"""

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from proxar.api import API_VERSION, GROUP, KIND, VERSION, Spec, Status
from proxar.kube.client import KubeClient

__all__ = ["missing_fields", "namesakes", "server_version"]

BUILT_IN = frozenset({"apps", "autoscaling", "batch", "policy", "extensions"})
"""Groups of Kubernetes whose names do not end in `.k8s.io`."""


async def server_version(client: KubeClient) -> tuple[int, int]:
    """The API server's minor version, such as `(1, 31)`.

    Raises:
        KubernetesError: Could not look.
    """
    answer = await client.request("GET", "/version")
    # Some vendors write "31+".
    major, minor = (
        "".join(filter(str.isdecimal, str(answer.get(key, "")))) or "0"
        for key in ("major", "minor")
    )
    return int(major), int(minor)


async def missing_fields(client: KubeClient) -> tuple[str, ...] | None:
    """The fields that this version of Proxar writes or reads and the installed CRD does not have.

    ``None`` when the API server does not know the kind at all.

    Raises:
        KubernetesError: Could not look.
    """
    document = await client.get(f"/openapi/v3/apis/{API_VERSION}")
    schemas = ((document or {}).get("components") or {}).get("schemas") or {}
    name = ".".join([*reversed(GROUP.split(".")), VERSION, KIND])
    if name not in schemas:
        return None
    served = schemas[name].get("properties") or {}
    return tuple(
        path
        for part, model in (("spec", Spec), ("status", Status))
        for path in _missing(model, served.get(part) or {}, part)
    )


def _missing(model: type[BaseModel], schema: dict[str, Any], path: str) -> Iterator[str]:
    properties = schema.get("properties") or {}
    for name, field in model.model_fields.items():
        key = field.alias or name
        if key not in properties:
            yield f"{path}.{key}"
            continue
        for inner in _models_in(field.annotation):
            part = properties[key]
            yield from _missing(inner, part.get("items") or part, f"{path}.{key}")


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type):
        if issubclass(annotation, BaseModel):
            yield annotation
        return
    for argument in getattr(annotation, "__args__", ()):
        yield from _models_in(argument)


async def namesakes(client: KubeClient) -> tuple[str, ...]:
    """The groups of other projects that have a kind MCPServer too, sorted.

    Raises:
        KubernetesError: Could not look.
    """
    groups = await client.request("GET", "/apis")
    found = set()
    for group in groups.get("groups") or ():
        name = str(group.get("name"))
        if name == GROUP or name in BUILT_IN or name.endswith(".k8s.io"):
            continue
        for version in group.get("versions") or ():
            resources = await client.get(f"/apis/{version.get('groupVersion')}") or {}
            if any(item.get("kind") == KIND for item in resources.get("resources") or ()):
                found.add(name)
    return tuple(sorted(found))
