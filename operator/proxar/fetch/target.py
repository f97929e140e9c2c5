"""What is fetched, within which bounds, and what comes back: values only."""

from dataclasses import dataclass, field
from enum import StrEnum

import httpx

from proxar.contract import ToolList

__all__ = ["Era", "Fetched", "Limits", "Target"]


class Era(StrEnum):
    """The two families of the protocol.

    It is a property of the server: remember it and hand it in again.
    """

    MODERN = "Modern"
    """2026-07-28: stateless, one POST, no handshake."""
    LEGACY = "Legacy"
    """2025-11-25 and before: initialize, sessions."""

    @classmethod
    def of(cls, protocol_version: str | None) -> "Era | None":
        """The era of a remembered protocol version, or ``None`` when none is remembered."""
        if not protocol_version:
            return None
        # Versions are dates, so they order as text.
        return cls.MODERN if protocol_version >= "2026-07-28" else cls.LEGACY


@dataclass(frozen=True, slots=True)
class Target:
    """One MCP endpoint and how to ask it."""

    url: str = field(repr=False)
    """http or https. It may hold a key in its path or query, so it is never shown; `label` is."""
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """Sent with each request. What Proxar sets itself cannot be overridden; Host can."""
    timeout: float = 10.0
    """Seconds for one whole fetch, all pages and the handshake included."""
    in_cluster: bool = False
    """The address came from a serviceRef, so the cluster's Service ranges are open to it."""

    @property
    def label(self) -> str:
        """Scheme, host and port: all that a message may say of the url."""
        try:
            url = httpx.URL(self.url)
        except httpx.InvalidURL:
            return "the url"
        return label(url)


def label(url: httpx.URL) -> str:
    """`https://host:port` without path, query and credentials."""
    return f"{url.scheme}://{url.netloc.decode('ascii', 'replace')}"


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one fetch. Wall time is `Target.timeout`; the contract's reader bounds nesting."""

    size_bytes: int = 16 << 20
    """Bytes read after decompression, over all pages and the handshake.

    The largest list seen in the field is 2.2 MB.
    """
    tools: int = 10_000
    pages: int = 200
    """The SDK's own servers walk 100 at most."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """A complete tool list, and what the server said of itself.

    Strings are the server's own: clean before showing.
    """

    tools: ToolList
    protocol_version: str | None
    server_name: str | None
    server_version: str | None
    transport: str
    era: Era
