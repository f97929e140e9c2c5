"""The versions that Proxar speaks, and what it says of itself."""

from proxar import __version__
from proxar.contract import JSON

__all__ = [
    "LEGACY_VERSION",
    "LEGACY_VERSIONS",
    "MODERN_VERSION",
    "ServerInfo",
    "client_info",
    "server_info",
]

MODERN_VERSION = "2026-07-28"

LEGACY_VERSION = "2025-11-25"
"""Offered in initialize, always the same: a server's list may differ from version to version."""

LEGACY_VERSIONS = frozenset({LEGACY_VERSION, "2025-06-18", "2025-03-26", "2024-11-05"})
"""Accepted in its answer. Servers of 2024-11-05 that answer over streamable HTTP exist."""

ServerInfo = tuple[str | None, str | None]
"""Name and version as the server gives them."""


def client_info() -> dict[str, JSON]:
    """Who asks: nothing that changes from fetch to fetch, since some servers choose tools by it."""
    return {"name": "proxar", "version": __version__}


def server_info(value: JSON) -> ServerInfo:
    """Name and version out of a `serverInfo` object, ``None`` for what is not text."""
    if not isinstance(value, dict):
        return None, None
    name, version = value.get("name"), value.get("version")
    return name if isinstance(name, str) else None, version if isinstance(version, str) else None
