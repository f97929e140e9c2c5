"""The pin guard on a real API server: who may change spec.pinnedHash, and who may not."""

import json
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.test_chart import render
from tests.kubernetes.binary import build, helm_program
from tests.kubernetes.cluster import Cluster, KubectlError
from tests.support.mcpservers import mcpserver
from tests.support.operatorprocess import eventually

A, B = (f"sha256:{digit * 64}" for digit in "ab")
REFUSAL = r"spec\.pinnedHash may be changed only by those"
KINDS = {"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "ClusterRole"}


@pytest.fixture
def release(cluster: Cluster, namespace: str, tmp_path: Path) -> Iterator[str]:
    """The guard and the roles of a release; it guards the test's namespace alone."""
    name = f"guarded-{secrets.token_hex(4)}"
    values = {
        "fullnameOverride": name,
        "pinGuard": {"enabled": True},
        "crds": {"install": False},
    }
    objects = [
        item for item in render(build(helm_program()), tmp_path, values) if item["kind"] in KINDS
    ]
    for item in objects:
        if item["kind"] == "ValidatingAdmissionPolicyBinding":
            label = {"kubernetes.io/metadata.name": namespace}
            item["spec"]["matchResources"] = {"namespaceSelector": {"matchLabels": label}}
    manifest = json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
    cluster.apply(manifest)
    yield name
    cluster.kubectl("delete", "--filename=-", "--wait=false", input=manifest)


class Person:
    """A user with the rights of the built-in role `edit` in a namespace."""

    def __init__(self, cluster: Cluster, namespace: str, *roles: str) -> None:
        self.cluster, self.namespace = cluster, namespace
        self.name = f"p-{secrets.token_hex(3)}"
        cluster.kubectl("-n", namespace, "create", "serviceaccount", self.name)
        for role in ("edit", *roles):
            self.grant(role)
        self.kubeconfig = cluster.service_account_kubeconfig(namespace, self.name)

    def grant(self, role: str) -> None:
        """Bind a ClusterRole in the namespace."""
        self.cluster.kubectl(
            *("-n", self.namespace, "create", "rolebinding", f"{self.name}.{role}"),
            *(f"--clusterrole={role}", f"--serviceaccount={self.namespace}:{self.name}"),
        )

    def apply(self, name: str, pin: str | None, **spec: Any) -> None:
        """Apply an MCPServer with this pin, or with none."""
        item = mcpserver(name, "https://mcp.example.com/mcp", **spec)
        item["metadata"]["namespace"] = self.namespace
        if pin is not None:
            item["spec"]["pinnedHash"] = pin
        self.cluster.kubectl(
            *("apply", "--server-side", "--force-conflicts", "-f", "-"),
            input=json.dumps(item),
            kubeconfig=self.kubeconfig,
        )


def test_only_a_pinner_pins(cluster: Cluster, namespace: str, release: str) -> None:
    """Editing everything else is nobody's business; setting, changing and removing a pin is."""
    editor = Person(cluster, namespace)

    def is_guarded() -> bool:
        try:
            editor.apply("probe", A)
        except KubectlError:
            return True
        cluster.kubectl("-n", namespace, "delete", "mcpservers.proxar.dev", "probe")
        return False

    # policies, and the aggregation of roles, take effect within a few seconds
    eventually(lambda: may_edit(editor), 30, "the role edit includes MCPServers")
    eventually(is_guarded, 30, "the policy is in force")

    with pytest.raises(KubectlError, match=REFUSAL) as why:
        editor.apply("born-pinned", A)
    assert f"{release}-pinner" in str(why.value)
    editor.apply("issues", None)

    pinner = Person(cluster, namespace, f"{release}-pinner")
    pinner.apply("issues", A)
    editor.apply("issues", A, interval="2h")
    for pin in (B, None):
        with pytest.raises(KubectlError, match=REFUSAL):
            editor.apply("issues", pin)
        pinner.apply("issues", pin)


def may_edit(editor: Person) -> bool:
    """Whether the role `edit` has what the chart adds to it, and not the status."""
    answers = [
        editor.cluster.kubectl(
            *(
                "auth",
                "can-i",
                "update",
                "mcpservers.proxar.dev",
                f"--namespace={editor.namespace}",
            ),
            *subresource,
            kubeconfig=editor.kubeconfig,
            check=False,
        ).stdout.strip()
        for subresource in ((), ("--subresource=status",))
    ]
    return answers == ["yes", "no"]
