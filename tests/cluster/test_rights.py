"""Least privilege, with the API server's audit log as the witness.

The operator runs with the Roles that the chart makes for one namespace, and with nothing else.
"""

import json
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cluster.test_chart import render
from tests.kubernetes.binary import build, helm_program
from tests.kubernetes.controlplane import ControlPlane
from tests.support.install import RULES
from tests.support.mcpservers import Handle, mcpserver
from tests.support.operatorprocess import OperatorProcess, eventually
from tests.support.toolserver import ToolServer, tool

RBAC = {"ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"}

Use = tuple[str, str, str]
"""Verb, resource with subresource, and group."""


def granted() -> set[Use]:
    """Every verb on every resource of the chart's rules."""
    return {
        (verb, resource, group)
        for rule in yaml.safe_load(RULES.read_text("utf-8"))
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }


def use(event: dict[str, Any]) -> Use:
    """What a request of the audit log needed."""
    target = event["objectRef"]
    resource = "/".join(filter(None, (target["resource"], target.get("subresource"))))
    return event["verb"], resource, target.get("apiGroup", "")


@pytest.fixture
def account(cluster: ControlPlane, namespace: str, tmp_path: Path) -> Iterator[str]:
    """The ServiceAccount of a release that watches the test's namespace alone."""
    name = f"own-{secrets.token_hex(4)}"
    home = f"home-{name}"
    values = {
        "watchNamespaces": [namespace],
        "fullnameOverride": name,
        "crds": {"install": False},
        "secretReader": {"create": False},
    }
    objects = [
        item for item in render(build(helm_program()), tmp_path, values) if item["kind"] in RBAC
    ]
    for item in objects:
        if item["kind"] == "ServiceAccount":
            item["metadata"]["namespace"] = home
        for subject in item.get("subjects", ()):
            subject["namespace"] = home
    cluster.kubectl("create", "namespace", home)
    manifest = json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
    cluster.apply(manifest)
    yield f"{home}/{name}"
    cluster.kubectl("delete", "--filename=-", "--wait=false", input=manifest)
    cluster.kubectl("delete", "namespace", home, "--wait=false")


def test_it_uses_every_right_and_needs_no_other_and_stays_in_its_namespaces(
    cluster: ControlPlane,
    account: str,
    namespace: str,
    server: Handle,
    toolserver: ToolServer,
    tmp_path: Path,
) -> None:
    """A life with everything in it: url and serviceRef, drift, a pruned history, a restart."""
    outside = f"{namespace}-outside"
    cluster.kubectl("create", "namespace", outside)
    home, name = account.split("/")
    kubeconfig = cluster.service_account_kubeconfig(home, name)
    service: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "issues"},
        "spec": {"selector": {"app": "issues"}, "ports": [{"port": 80}]},
    }
    by_reference = mcpserver("by-reference", "", timeout="1s")
    by_reference["spec"]["endpoints"] = [{"name": "primary", "serviceRef": {"name": "issues"}}]
    elsewhere = mcpserver("elsewhere", toolserver.url)
    for where, item in ((namespace, service), (namespace, by_reference), (outside, elsewhere)):
        item["metadata"]["namespace"] = where
        cluster.apply(json.dumps(item))
    toolserver.tools = [tool("search", query="string")]

    log = tmp_path / "operator.log"
    with OperatorProcess(kubeconfig, log, namespace=namespace) as operator:
        server.apply(toolserver.url, historyLimit=1)
        server.until_observed()
        for parameter in ("text", "words", "phrase"):
            toolserver.tools = [tool("search", **{parameter: "string"})]
            server.look()
        # current and baseline stay; what came between is pruned
        server.until(lambda: len(server.config_maps()) == 2, "the history is pruned")
        other = Handle(cluster, namespace, "by-reference")
        eventually(lambda: "conditions" in other.status, 30, "the other was looked at")
        operator.kill()
        operator.start()
        server.look()

    user = f"system:serviceaccount:{home}:{name}"
    events = [
        event
        for event in cluster.audit_events()
        if event["user"]["username"] == user and "objectRef" in event
    ]
    refused = [use(event) for event in events if event["responseStatus"]["code"] == 403]
    assert refused == []
    assert {use(event) for event in events} == granted()
    assert {use(event) for event in events if event["objectRef"].get("namespace") != namespace} == {
        ("list", "servicecidrs", "networking.k8s.io"),  # of no namespace
        ("get", "endpointslices", "discovery.k8s.io"),  # of `default`: where the API server is
    }
    assert Handle(cluster, outside, "elsewhere").status == {"observedGeneration": -1}
