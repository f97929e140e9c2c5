"""One node for all tests of a run, and a namespace for each test."""

import json
import secrets
from collections.abc import Iterator

import pytest

from tests.e2e.images import issues_image, next_issues_image, web_image
from tests.e2e.installation import NAMESPACE, Installation
from tests.e2e.machine import Machine
from tests.image.build import built_image
from tests.kubernetes.node.node import Node
from tests.kubernetes.node.possible import obstacle

if obstacle():  # `python -m tests.e2e` says which; a skip would claim that all else was tested
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture(scope="session")
def machine_before() -> Machine:
    """What the machine was like before there was a node."""
    return Machine.now()


@pytest.fixture(scope="session")
def node(machine_before: Machine) -> Iterator[Node]:
    """A real node, as its administrator."""
    with Node() as running:
        running.load_image(web_image())
        yield running


@pytest.fixture(scope="session")
def proxar(node: Node) -> Installation:
    """Proxar on the node, installed once for all tests of a run."""
    for image in (built_image(), issues_image(), next_issues_image()):
        node.load_image(image)
    restricted_namespace(node, NAMESPACE)
    installation = Installation(node)
    installation.upgrade()
    return installation


@pytest.fixture
def namespace(node: Node) -> Iterator[str]:
    """A namespace of the test's own, in which only pods without privileges may run."""
    name = f"test-{secrets.token_hex(4)}"
    restricted_namespace(node, name)
    yield name
    node.kubectl("delete", "namespace", name, "--wait=false", "--ignore-not-found")


def restricted_namespace(node: Node, name: str) -> None:
    """Make a namespace that enforces the restricted security standard."""
    labels = {"pod-security.kubernetes.io/enforce": "restricted"}
    metadata = {"name": name, "labels": labels}
    node.apply(json.dumps({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}))
