"""The manifests in the documents are such as a real API server takes."""

import re
from pathlib import Path

import pytest

from tests.kubernetes.cluster import Cluster

ROOT = Path(__file__).parents[2]

FENCED_YAML = re.compile(r"^```ya?ml\n(.*?)^```", re.MULTILINE | re.DOTALL)

MANIFESTS = [
    pytest.param(manifest, id=f"{document.relative_to(ROOT)}-{number}")
    for document in sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
    for number, manifest in enumerate(FENCED_YAML.findall(document.read_text(encoding="utf-8")), 1)
    if "kind: MCPServer" in manifest
]


@pytest.mark.parametrize("manifest", MANIFESTS)
def test_a_manifest_in_a_document_is_accepted(
    cluster: Cluster, namespace: str, manifest: str
) -> None:
    """Fields, bounds and CEL rules included; unknown fields are refused."""
    cluster.kubectl(
        *("apply", "--dry-run=server", "--validate=strict"),
        *("--namespace", namespace, "--filename", "-"),
        input=manifest,
    )
