"""`proxar doctor` on a real API server, as a person and as the operator."""

import json
import os
import subprocess
import sysconfig
from pathlib import Path

from tests.kubernetes.cluster import Cluster
from tests.support.mcpservers import Handle
from tests.support.namesake import namesake
from tests.support.operatorprocess import OperatorProcess, free_address
from tests.support.toolserver import ToolServer, html, tool

PROXAR = Path(sysconfig.get_path("scripts")) / "proxar"


def doctor(kubeconfig: Path, *arguments: str, code: int = 0) -> dict[str, tuple[str, str]]:
    """Run it and return outcome and message of each check by its name."""
    done = subprocess.run(
        [PROXAR, "doctor", "-o", "json", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "KUBECONFIG": str(kubeconfig)},
    )
    assert done.returncode == code, done.stdout + done.stderr
    return {
        check["name"]: (check["outcome"], check["message"])
        for check in json.loads(done.stdout)["checks"]
    }


def test_a_cluster_in_order_has_a_clean_bill(
    cluster: Cluster,
    operator_kubeconfig: Path,
    operator: OperatorProcess,
    server: Handle,
    toolserver: ToolServer,
) -> None:
    """As the operator itself, which `helm test` does: it may do all that it needs."""
    toolserver.tools = [tool("search", query="string")]
    server.apply(toolserver.url)
    server.until_observed()

    found = doctor(
        operator_kubeconfig,
        *("--as-operator", "--operator-url", operator.url, "-n", server.namespace),
    )

    assert {name: outcome for name, (outcome, _) in found.items()} == dict.fromkeys(
        ("kubernetes", "clock", "crd", "names", "rights", "operator", "servers"), "ok"
    )
    assert found["servers"][1] == "1 of 1 are looked at without a fault, 0 suspended"

    toolserver.fault = html()
    server.look()
    found = doctor(cluster.kubeconfig, "-n", server.namespace)
    outcome, message = found[f"{server.namespace}/{server.name}"]
    assert (outcome, message.split(":")[0]) == ("warning", "NotMCP")


def test_what_is_missing_is_a_problem(cluster: Cluster, namespace: str) -> None:
    """A ServiceAccount without any right, and an operator that is not there."""
    powerless = cluster.service_account_kubeconfig(namespace, "default")

    found = doctor(
        powerless,
        *("--as-operator", "--operator-url", f"http://{free_address()}", "-n", namespace),
        code=1,
    )

    assert found["crd"][0] == "ok"
    assert found["rights"][0] == "problem"
    assert f"get mcpservers.proxar.dev in {namespace}" in found["rights"][1]
    assert found["operator"][0] == "problem"


def test_a_namesake_is_told(cluster: Cluster, namespace: str) -> None:
    """Another project's MCPServer is told by its group."""
    crd = namesake("namesake.example.com")
    name = crd["metadata"]["name"]
    cluster.apply(json.dumps(crd))
    cluster.kubectl("wait", "--for=condition=Established", f"crd/{name}", "--timeout=60s")
    try:
        found = doctor(cluster.kubeconfig, "-n", namespace)
    finally:
        cluster.kubectl("delete", "crd", name)

    outcome, message = found["names"]
    assert (outcome, message.split(" ")[0]) == ("warning", "namesake.example.com")
