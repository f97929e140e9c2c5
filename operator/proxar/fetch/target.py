"""What is fetched, within which bounds, and what comes back: values only."""

from dataclasses import dataclass, field
from enum import StrEnum

from proxar.contract import ToolList
from proxar.contract.reader import MAX_DEPTH
from proxar.fetch.address import read_address
from proxar.fetch.auth.credentials import ClientCredentials
from proxar.fetch.identity import Identity, identity_of, nobody
from proxar.fetch.tls import TLSSettings

__all__ = ["Era", "Fetched", "Limits", "Target", "Transport"]


class Transport(StrEnum):
    """How an endpoint may be asked: spec.transport."""

    AUTO = "Auto"
    """Streamable HTTP, and HTTP+SSE where the server takes no requests by POST."""
    STREAMABLE_HTTP = "StreamableHTTP"
    SSE = "SSE"
    """HTTP+SSE of 2024-11-05: answers come on a stream of their own."""


class Era(StrEnum):
    """The families of the protocol, told apart by how a list is asked for.

    It is a property of the server: remember it and hand it in again.
    """

    MODERN = "Modern"
    """2026-07-28: stateless, one POST, no handshake."""
    LEGACY = "Legacy"
    """2025-03-26 to 2025-11-25: initialize, sessions."""
    SSE = "SSE"
    """HTTP+SSE: requests by POST, answers on a stream. Any version may be spoken over it."""

    @classmethod
    def of(cls, protocol_version: str | None, transport: str | None = None) -> "Era | None":
        """The era of what is remembered of a server, or ``None`` when nothing is."""
        if transport == Transport.SSE:
            return cls.SSE
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
    namespace: str | None = None
    """Of the MCPServer, for an `EgressPolicy` that opens those ranges to it."""
    transport: Transport = Transport.AUTO
    tls: TLSSettings | None = None
    """What differs from the default trust."""
    client: ClientCredentials | None = None
    """Gets a token that is sent as a bearer with each request, and is renewed when refused."""
    has_private_url: bool = False
    """The url itself is a credential."""

    @property
    def host(self) -> str:
        """The host that is asked, lower case; empty when the url cannot be used."""
        try:
            return read_address(self.url).host.lower().rstrip(".")
        except ValueError:
            return ""

    @property
    def identity(self) -> Identity:
        """Whose connections it may use. All targets without headers and credentials share one."""
        if not (self.headers or self.has_private_url or self.client or self.tls):
            return nobody(in_cluster=self.in_cluster)
        return identity_of(
            *sorted((name.lower(), value) for name, value in self.headers),
            self.url if self.has_private_url else None,
            self.client and self.client.identity.digest,
            in_cluster=self.in_cluster,
            tls=self.tls,
        )

    @property
    def label(self) -> str:
        """Scheme, host and port: all that a message may say of the url."""
        try:
            return read_address(self.url).label
        except ValueError:
            return "the url"


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one fetch, each a flag of the operator; wall time is `Target.timeout`.

    What goes beyond one is `TooLarge`, and the message names the flag.
    """

    size_bytes: int = 16 << 20
    """Bytes read after decompression, over all pages and the handshake.

    The largest list seen in the field is 2.2 MB.
    """
    values: int = 1_000_000
    """JSON values in them, counted by their punctuation.

    Each takes up to 230 bytes of memory, and may be written in four: without this bound 16 MiB of
    `{"":0},` took 1 GiB (measured). Real lists have a value in 16 bytes.
    """
    tools: int = 10_000
    pages: int = 200
    """The SDK's own servers walk 100 at most."""
    depth: int = MAX_DEPTH
    """Levels of nesting in one answer, and no more than the contract's reader takes.

    A tool of more than 128 levels is read, but nothing about it can be proved.
    """


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
    """`StreamableHTTP`, `SSE` or `stdio`."""
    era: Era
