"""An operator that is newer than the installed CRD, as in an upgrade that forgot the CRD."""

import json
from pathlib import Path

import yaml

from tests.kubernetes.controlplane import ControlPlane
from tests.support.install import CRD, install
from tests.support.mcpservers import Handle
from tests.support.operatorprocess import OperatorProcess
from tests.support.toolserver import ToolServer, tool


def test_it_says_so_and_goes_on_once_the_crd_is_there(
    toolserver: ToolServer, tmp_path: Path
) -> None:
    """Ready=False with the remedy, no write at each look, no Event twice; then all is as usual."""
    crd = yaml.safe_load(CRD.read_text())
    schema = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    del schema["properties"]["status"]["properties"]["lint"]
    toolserver.tools = [tool("search_issues", ("query",), query="string")]
    # A cluster of its own: no other test may see this CRD.
    with ControlPlane() as cluster:
        kubeconfig = install(cluster)
        cluster.apply(json.dumps(crd))
        cluster.kubectl("create", "namespace", "team")
        server = Handle(cluster, "team", "issues-mcp")
        with OperatorProcess(kubeconfig, tmp_path / "operator.log", namespace="team"):
            server.apply(toolserver.url, interval="5s", timeout="4s")
            outdated = ("False", "CRDOutdated")
            server.until(lambda: server.condition("Ready") == outdated, "the old CRD is noticed")
            version, seen = server.get()["metadata"]["resourceVersion"], toolserver.lists
            server.until(lambda: toolserver.lists >= seen + 2, "two more looks")
            assert server.get()["metadata"]["resourceVersion"] == version

            cluster.apply(CRD.read_text())
            server.until(lambda: server.condition("Ready")[0] == "True", "it goes on")

            assert server.status["snapshot"]["toolCount"] == 1
            assert server.event_reasons() == ["BaselineEstablished"]
