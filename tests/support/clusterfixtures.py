"""Fixtures of every test that needs a cluster: one control plane for all tests of a run, with CRD
and RBAC in it, and a namespace for each."""

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kubernetes.cluster import Cluster
from tests.kubernetes.controlplane import cluster_from_environment
from tests.support.install import install
from tests.support.mcpservers import Handle
from tests.support.operatorprocess import OperatorProcess
from tests.support.toolserver import ToolServer


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A real API server, as its administrator, with the CRD installed."""
    with cluster_from_environment() as running:
        install(running)
        yield running


@pytest.fixture(scope="session")
def operator_kubeconfig(cluster: Cluster) -> Path:
    """A kubeconfig of the operator's ServiceAccount, with the rights that the chart gives it."""
    return install(cluster)


@pytest.fixture
def namespace(cluster: Cluster) -> Iterator[str]:
    """A namespace of the test's own; its deletion is not waited for."""
    name = f"test-{secrets.token_hex(4)}"
    cluster.kubectl("create", "namespace", name)
    yield name
    cluster.kubectl("delete", "namespace", name, "--wait=false", "--ignore-not-found")


@pytest.fixture
def stopped_operator(
    operator_kubeconfig: Path, namespace: str, tmp_path: Path
) -> Iterator[OperatorProcess]:
    """The operator of the test's namespace, for tests that start and kill it themselves."""
    process = OperatorProcess(operator_kubeconfig, tmp_path / "operator.log", namespace=namespace)
    yield process
    process.kill()


@pytest.fixture
def operator(stopped_operator: OperatorProcess) -> OperatorProcess:
    """The running operator of the test's namespace."""
    stopped_operator.start()
    return stopped_operator


@pytest.fixture
def toolserver() -> Iterator[ToolServer]:
    """An MCP server that the test changes at will."""
    with ToolServer() as server:
        yield server


@pytest.fixture
def server(cluster: Cluster, namespace: str) -> Handle:
    """The MCPServer `issues-mcp` of the test's namespace; nothing is applied yet."""
    return Handle(cluster, namespace, "issues-mcp")
