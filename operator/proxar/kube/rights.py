"""What the operator may do, and whether somebody may: RBAC as the API server itself judges it."""

from dataclasses import dataclass

from proxar.api import GROUP, PLURAL
from proxar.kube.client import KubeClient, path_of

__all__ = ["OPERATOR_RIGHTS", "READER_RIGHTS", "Right", "may"]


@dataclass(frozen=True, slots=True)
class Right:
    """One verb on one resource."""

    verb: str
    resource: str
    """With its subresource, as in `mcpservers/status`."""
    group: str = ""
    is_namespaced: bool = True
    name: str = ""
    """Of the one object that it is for; empty is all of them."""

    def __str__(self) -> str:
        return f"{self.verb} {self.resource}{self.group and '.'}{self.group}"


OPERATOR_RIGHTS = (
    *(Right(verb, PLURAL, GROUP) for verb in ("get", "list", "watch")),
    Right("patch", f"{PLURAL}/status", GROUP),
    *(Right(verb, "configmaps") for verb in ("get", "list", "create", "delete")),
    Right("get", "services"),
    Right("create", "events", "events.k8s.io"),
    Right("get", "endpointslices", "discovery.k8s.io", name="kubernetes"),
    Right("list", "servicecidrs", "networking.k8s.io", is_namespaced=False),
)
"""What the chart grants the operator, in the order of its `clusterrole-rules.yaml`."""

READER_RIGHTS = (Right("list", PLURAL, GROUP), Right("get", "configmaps"))
"""What the commands that read need."""


async def may(client: KubeClient, right: Right, namespace: str | None) -> bool:
    """Whether this client has a right in a namespace; in all of them for ``None``.

    Every authenticated user may ask this of itself.

    Raises:
        KubernetesError: Could not ask.
    """
    resource, _, subresource = right.resource.partition("/")
    attributes = {"verb": right.verb, "group": right.group, "resource": resource}
    if subresource:
        attributes["subresource"] = subresource
    if right.name:
        attributes["name"] = right.name
    if namespace is not None and right.is_namespaced:
        attributes["namespace"] = namespace
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": attributes},
    }
    path = path_of("authorization.k8s.io/v1", "selfsubjectaccessreviews", None)
    answer = await client.request("POST", path, body=review)
    return bool((answer.get("status") or {}).get("allowed"))
