"""Another project's kind MCPServer, as several are: for what must be told apart from ours."""

from typing import Any

__all__ = ["namesake"]


def namesake(group: str) -> dict[str, Any]:
    """Return the CRD `mcpservers.GROUP`."""
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": {"type": "object"}},
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"mcpservers.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"kind": "MCPServer", "plural": "mcpservers"},
            "versions": [version],
        },
    }
