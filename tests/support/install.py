"""Put into a cluster what the chart installs around the operator's pod: CRD and RBAC.

The operator then runs outside the cluster, as the ServiceAccount that it would be inside.
"""

import json
from pathlib import Path

import yaml

from tests.kubernetes.cluster import Cluster
from tests.support.operatorprocess import eventually

__all__ = ["CRD", "RULES", "SECRET_READER_RULES", "SERVICE_ACCOUNT", "install", "rbac"]

ROOT = Path(__file__).parents[2]
CRD = ROOT / "crds" / "mcpservers.proxar.dev.yaml"
RULES = ROOT / "charts" / "proxar" / "files" / "clusterrole-rules.yaml"
"""The rules of the chart's ClusterRole, read by the chart itself too."""
SECRET_READER_RULES = RULES.with_name("secret-reader-rules.yaml")
"""Those of the ClusterRole that a namespace binds to let the operator read its Secrets."""
SERVICE_ACCOUNT = "proxar"


def install(cluster: Cluster, *, namespace: str = "proxar-system") -> Path:
    """Install CRD and RBAC, and return a kubeconfig of the operator's ServiceAccount.

    Doing it again changes nothing but the token.
    """
    cluster.apply(CRD.read_text(encoding="utf-8"))
    # `kubectl wait` fails on a CRD that has no conditions at all yet.
    eventually(lambda: _is_established(cluster), 60, "the CRD is established")
    cluster.apply(rbac(namespace))
    cluster.notice_new_kinds()  # else the garbage collector sees MCPServers up to 30 s later
    return cluster.service_account_kubeconfig(namespace, SERVICE_ACCOUNT)


def _is_established(cluster: Cluster) -> bool:
    found = json.loads(cluster.kubectl("get", "--output=json", f"--filename={CRD}").stdout)
    return any(
        condition["type"] == "Established" and condition["status"] == "True"
        for condition in (found.get("status") or {}).get("conditions") or ()
    )


def rbac(namespace: str) -> str:
    """Return the manifest of namespace, ServiceAccount, ClusterRole and binding, as JSON."""
    group = "rbac.authorization.k8s.io"
    items: list[dict[str, object]] = [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}},
        {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": SERVICE_ACCOUNT, "namespace": namespace},
        },
        {
            "apiVersion": f"{group}/v1",
            "kind": "ClusterRole",
            "metadata": {"name": SERVICE_ACCOUNT},
            "rules": yaml.safe_load(RULES.read_text(encoding="utf-8")),
        },
        {
            "apiVersion": f"{group}/v1",
            "kind": "ClusterRole",
            "metadata": {"name": "proxar-secret-reader"},
            "rules": yaml.safe_load(SECRET_READER_RULES.read_text(encoding="utf-8")),
        },
        {
            "apiVersion": f"{group}/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": SERVICE_ACCOUNT},
            "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": SERVICE_ACCOUNT},
            "subjects": [
                {"kind": "ServiceAccount", "name": SERVICE_ACCOUNT, "namespace": namespace}
            ],
        },
    ]
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": items})
