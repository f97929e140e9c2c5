"""Proxar: a Kubernetes operator that notices when an MCP server's tools change."""

__version__ = "0.1.0"
