"""An API server on a page, for tests of what follows its answers: objects in a dict, 404 and 409 as
the real one gives them.

What it does not check (schemas, RBAC, admission) is for tests/cluster.
"""

import copy
import itertools
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote

from proxar.errors import Conflict, KubernetesError
from proxar.kube.client import KubeClient

__all__ = ["FakeCluster"]

Hook = Callable[[], None]


class FakeCluster(KubeClient):
    """A client whose API server is itself."""

    def __init__(self) -> None:  # no connection is made
        self.objects: dict[str, dict[str, Any]] = {}
        """Everything there is, by its path."""
        self.calls: list[tuple[str, str]] = []
        """Method and path of each request."""
        self.user = "system:serviceaccount:proxar-system:proxar"
        """Who the client is."""
        self._before: dict[tuple[str, str], list[Hook]] = {}
        self._after: dict[tuple[str, str], list[Hook]] = {}
        self._versions = itertools.count(100)

    def writes(self) -> list[tuple[str, str]]:
        """All requests but reads."""
        return [call for call in self.calls if call[0] != "GET"]

    def of(self, resource: str) -> list[dict[str, Any]]:
        """The objects of a resource, such as `configmaps`."""
        return [item for path, item in self.objects.items() if path.split("/")[-2] == resource]

    def put(self, path: str, item: dict[str, Any]) -> dict[str, Any]:
        """Store an object as a person does, and return it as it is stored."""
        version = str(next(self._versions))
        stored = copy.deepcopy(item)
        stored["metadata"].setdefault("uid", f"uid-{version}")
        stored["metadata"]["resourceVersion"] = version
        self.objects[path] = stored
        return copy.deepcopy(stored)

    def on(self, method: str, part: str, hook: Hook) -> None:
        """Have something happen just before the next request of this method, and with this in its
        path, is handled."""
        self._before.setdefault((method, part), []).append(hook)

    def on_the_way_back(self, method: str, part: str, hook: Hook) -> None:
        """The same after it was handled, before the answer arrives."""
        self._after.setdefault((method, part), []).append(hook)

    def refuse(self, method: str, part: str, error: Exception) -> None:
        """Answer the next such request with an error."""

        def fail() -> None:
            raise error

        self.on(method, part, fail)

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Any = None,
        content_type: str = "application/json",  # noqa: ARG002 - each method has one here
        accept: str = "application/json",  # noqa: ARG002 - metadata is in all of them
    ) -> dict[str, Any]:
        """Answer one request."""
        self.calls.append((method, path))
        _run(self._before, method, path)
        answer = copy.deepcopy(getattr(self, f"_{method.lower()}")(path, query or {}, body))
        _run(self._after, method, path)
        return dict(answer)

    def _get(self, path: str, query: Mapping[str, str], _body: Any) -> dict[str, Any]:
        parts = path.split("/")
        named = ("configmaps", "endpointslices", "events", "mcpservers", "secrets", "services")
        is_list = parts[-2] not in named
        if not is_list:
            return self._there(path)
        selector = dict(
            pair.split("=") for pair in query.get("labelSelector", "").split(",") if pair
        )
        found = [
            item
            for name, item in sorted(self.objects.items())
            if name.startswith(f"{path}/")
            and selector.items() <= (item["metadata"].get("labels") or {}).items()
        ]
        start = int(query.get("continue") or 0)
        end = start + int(query.get("limit") or len(found) or 1)
        return {
            "items": found[start:end],
            "metadata": {"continue": str(end)} if end < len(found) else {},
        }

    def _post(self, path: str, _query: Mapping[str, str], body: Any) -> dict[str, Any]:
        if path.endswith("/selfsubjectreviews"):
            return {"status": {"userInfo": {"username": self.user}}}
        name = f"{path}/{body['metadata']['name']}"
        if name in self.objects:
            raise Conflict("AlreadyExists", f"POST {path}: 409 already exists", status=409)
        return self.put(name, body)

    def _delete(self, path: str, _query: Mapping[str, str], body: Any) -> dict[str, Any]:
        there = self._there(path)
        wanted = ((body or {}).get("preconditions") or {}).get("uid", there["metadata"]["uid"])
        if wanted != there["metadata"]["uid"]:
            raise Conflict("Conflict", f"DELETE {path}: 409 the uid differs", status=409)
        del self.objects[path]
        return {"kind": "Status"}

    def _patch(self, path: str, _query: Mapping[str, str], body: Any) -> dict[str, Any]:
        """Apply a status: all of it is one manager's, so what is left out goes."""
        path = path.removesuffix("/status")
        there = self._there(path)
        if body["metadata"]["resourceVersion"] != there["metadata"]["resourceVersion"]:
            raise Conflict("Conflict", f"PATCH {path}: 409 the object has changed", status=409)
        if there.get("status") == body["status"]:
            return there
        return self.put(path, there | {"status": body["status"]})

    def _there(self, path: str) -> dict[str, Any]:
        try:
            return self.objects[unquote(path)]
        except KeyError:
            raise KubernetesError("NotFound", f"{path}: 404", status=404) from None


def _run(planned: dict[tuple[str, str], list[Hook]], method: str, path: str) -> None:
    """Run the next hook of each kind that is for this request."""
    for (wanted, part), hooks in planned.items():
        if wanted == method and part in path and hooks:
            hooks.pop(0)()
