"""Snapshots that Git can carry."""

from typing import Any

from proxar.cli.gitops import for_git, snapshot_for_git
from tests.unit.cli.objects import A, mcpserver


def test_a_snapshot_for_git_has_nothing_of_this_cluster() -> None:
    """An ownerReference with a foreign uid would have a fresh cluster delete it at once."""
    stored = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": "issues-tools-aa",
            "namespace": "team",
            "uid": "1",
            "resourceVersion": "7",
            "creationTimestamp": "2026-11-30T00:00:00Z",
            "ownerReferences": [{"uid": "2"}],
            "managedFields": [{}],
            "labels": {"proxar.dev/server": "issues"},
            "annotations": {"proxar.dev/hash": "sha256:aa", "other": "x"},
        },
        "immutable": True,
        "data": {"summary.json": "{}"},
        "binaryData": {"tools.json.gz": "H4s="},
    }

    assert for_git(stored) == {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": "issues-tools-aa",
            "namespace": "team",
            "labels": {"proxar.dev/server": "issues"},
            "annotations": {"proxar.dev/hash": "sha256:aa"},
        },
        "immutable": True,
        "data": {"summary.json": "{}"},
        "binaryData": {"tools.json.gz": "H4s="},
    }


class Stored:
    """Answers GET with what is stored, and nothing else."""

    def __init__(self, *objects: dict[str, Any]) -> None:
        self._objects = {each["metadata"]["name"]: each for each in objects}

    async def request(self, method: str, path: str) -> dict[str, Any]:
        """The object of that path."""
        assert method == "GET"
        assert path.startswith("/api/v1/namespaces/team/configmaps/")
        return self._objects[path.rpartition("/")[2]]


async def test_a_snapshot_in_parts_is_printed_as_a_whole() -> None:
    """The one that names the others comes last: whoever finds it finds them all."""

    def part(name: str, **data: str) -> dict[str, Any]:
        return {"metadata": {"name": name, "namespace": "team"}, "immutable": True, "data": data}

    name = "issues-tools-" + "a" * 32
    client: Any = Stored(
        part(name, **{"summary.json": f'{{"parts": ["{name}-2-x", "{name}-3-y"]}}'}),
        part(f"{name}-2-x"),
        part(f"{name}-3-y"),
    )

    found = await snapshot_for_git(client, mcpserver(), A)

    assert [each["metadata"]["name"] for each in found] == [f"{name}-2-x", f"{name}-3-y", name]
