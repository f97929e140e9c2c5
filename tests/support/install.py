"""Put into a cluster what the chart installs around the operator's pod: CRD and RBAC.

The operator then runs outside the cluster, as the ServiceAccount that it would be inside.
"""

import json
from pathlib import Path

import yaml

from tests.kubernetes.cluster import Cluster

__all__ = ["CRD", "RULES", "SERVICE_ACCOUNT", "install", "rbac"]

ROOT = Path(__file__).parents[2]
CRD = ROOT / "crds" / "mcpservers.proxar.dev.yaml"
RULES = ROOT / "charts" / "proxar" / "files" / "clusterrole-rules.yaml"
"""The rules of the chart's ClusterRole, read by the chart itself too."""
SERVICE_ACCOUNT = "proxar"


def install(cluster: Cluster, *, namespace: str = "proxar-system") -> Path:
    """Install CRD and RBAC, and return a kubeconfig of the operator's ServiceAccount.

    Doing it again changes nothing but the token.
    """
    cluster.apply(CRD.read_text(encoding="utf-8"))
    cluster.kubectl("wait", "--for=condition=Established", "--timeout=60s", f"--filename={CRD}")
    cluster.apply(rbac(namespace))
    cluster.notice_new_kinds()  # else the garbage collector sees MCPServers up to 30 s later
    return cluster.service_account_kubeconfig(namespace, SERVICE_ACCOUNT)


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
            "kind": "ClusterRoleBinding",
            "metadata": {"name": SERVICE_ACCOUNT},
            "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": SERVICE_ACCOUNT},
            "subjects": [
                {"kind": "ServiceAccount", "name": SERVICE_ACCOUNT, "namespace": namespace}
            ],
        },
    ]
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": items})
