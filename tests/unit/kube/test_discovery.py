"""What discovery and OpenAPI tell of the kind."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
import yaml

from proxar.kube.discovery import missing_fields, namesakes, server_version
from tests.support.fakecluster import FakeCluster
from tests.support.install import CRD


def schema() -> dict[str, Any]:
    """The CRD's own schema, which is what the API server serves of it."""
    (version,) = yaml.safe_load(CRD.read_text("utf-8"))["spec"]["versions"]
    found: dict[str, Any] = version["schema"]["openAPIV3Schema"]
    return found


class Documents(FakeCluster):
    """Serves documents, which are no objects: each path is one."""

    def _get(self, path: str, _query: Mapping[str, str], _body: Any) -> dict[str, Any]:
        return self._there(path)


def openapi(schema: dict[str, Any]) -> dict[str, Any]:
    """A document with this schema of the kind."""
    return {"components": {"schemas": {"dev.proxar.v1alpha1.MCPServer": schema}}}


def missing(document: dict[str, Any] | None) -> tuple[str, ...] | None:
    """Ask an API server that has this document, or none."""
    cluster = Documents()
    if document is not None:
        cluster.objects["/openapi/v3/apis/proxar.dev/v1alpha1"] = document
    return asyncio.run(missing_fields(cluster))


def test_the_crd_of_this_version_lacks_nothing() -> None:
    """Every field of the models is in it."""
    assert missing(openapi(schema())) == ()


def test_fields_that_lack_are_named_by_their_path() -> None:
    """At any depth, in lists too."""
    old = schema()
    del old["properties"]["spec"]["properties"]["pinnedHash"]
    del old["properties"]["spec"]["properties"]["driftPolicy"]["properties"]["settleAfter"]
    drift = old["properties"]["status"]["properties"]["drift"]["properties"]
    del drift["changes"]["items"]["properties"]["fingerprint"]

    assert set(missing(openapi(old)) or ()) == {
        "spec.pinnedHash",
        "spec.driftPolicy.settleAfter",
        "status.drift.changes.fingerprint",
    }


@pytest.mark.parametrize("document", [None, {}, {"components": {"schemas": {}}}])
def test_a_kind_that_is_not_installed_is_not_one_without_fields(
    document: dict[str, Any] | None,
) -> None:
    """The remedy differs."""
    assert missing(document) is None


def test_namesakes_are_other_groups_with_the_kind() -> None:
    """Ours is none, and Kubernetes' own groups are not asked."""
    cluster = Documents()
    groups = ("proxar.dev", "apps", "batch", "events.k8s.io", "kagent.dev", "toolhive.dev")
    cluster.objects["/apis"] = {
        "groups": [{"name": name, "versions": [{"groupVersion": f"{name}/v1"}]} for name in groups]
    }
    for name in groups:
        kind = "MCPServer" if name != "kagent.dev" else "Agent"
        cluster.objects[f"/apis/{name}/v1"] = {"resources": [{"kind": kind}]}

    assert asyncio.run(namesakes(cluster)) == ("toolhive.dev",)
    assert ("GET", "/apis/apps/v1") not in cluster.calls


@pytest.mark.parametrize(("minor", "number"), [("31", 31), ("31+", 31), ("", 0)])
def test_versions_of_vendors(minor: str, number: int) -> None:
    """Some append a plus sign."""
    cluster = Documents()
    cluster.objects["/version"] = {"major": "1", "minor": minor}

    assert asyncio.run(server_version(cluster)) == (1, number)
