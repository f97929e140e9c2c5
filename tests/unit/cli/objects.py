"""MCPServers as the API server delivers them."""

from datetime import UTC, datetime
from typing import Any

from proxar.api import MCPServer, parse_mcpserver

__all__ = ["NOW", "A", "B", "C", "mcpserver", "raw"]

A, B, C = ("sha256:" + digit * 64 for digit in "abc")

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def raw(**status: Any) -> dict[str, Any]:
    """An object that reports B now, whose baseline is A; `status` replaces parts of that."""
    return {
        "apiVersion": "proxar.dev/v1alpha1",
        "kind": "MCPServer",
        "metadata": {"name": "issues", "namespace": "team", "uid": "1"},
        "spec": {"endpoints": [{"name": "primary", "url": "https://mcp.example.com/mcp"}]},
        "status": {
            "snapshot": {
                "hash": B,
                "toolCount": 12,
                "serverInfo": {"name": "issues-server", "version": "1.2.3"},
                "firstSeenTime": "2026-11-30T09:00:00Z",
                "lastSeenTime": "2026-11-30T11:59:30Z",
            },
            "baseline": {"hash": A, "source": "FirstSeen", "sinceTime": "2026-11-20T12:00:00Z"},
            "history": [{"hash": B}, {"hash": A}, {"hash": C}, {"hash": A}],
            **status,
        },
    }


def mcpserver(pinned: str | None = None, **status: Any) -> MCPServer:
    """The same, read."""
    item = raw(**status)
    if pinned is not None:
        item["spec"]["pinnedHash"] = pinned
    return parse_mcpserver(item)
