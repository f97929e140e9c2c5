"""One control plane for all tests of a run, with CRD and RBAC in it, and a namespace for each."""

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kubernetes.cluster import Cluster
from tests.kubernetes.controlplane import cluster_from_environment
from tests.support.install import install


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
    cluster.kubectl("delete", "namespace", name, "--wait=false")
