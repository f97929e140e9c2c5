"""Where the operator may connect to.

Whoever may create an MCPServer chooses a url that the operator then asks, from inside the cluster.
So the guard stands where the socket is made: it sees the very address that is dialled, whether that
came from a name, a literal or a redirect. Nothing can change between the check and the connection.
Kept-alive connections were checked when they were made.

When a name has several addresses, one forbidden address refuses them all: the outcome does not
depend on which one would have answered first, and a name that points inside is a mistake or an
attack in any case.
"""

import asyncio
import ipaddress
import re
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from aiohttp.abc import AbstractResolver, ResolveResult

from proxar.fetch.dial import DIALLING
from proxar.fetch.reasons import Reason, failure

__all__ = ["EgressPolicy", "Guard", "LookUp", "Resolver", "look_up"]

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
IPNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network
AddressInfo = tuple[
    int | socket.AddressFamily, int | socket.SocketKind, int, str, tuple[object, ...]
]

METADATA = frozenset(
    ipaddress.ip_address(address)
    for address in (
        "169.254.169.254",  # AWS, Azure, Google, OpenStack and most others
        "169.254.169.253",  # AWS resolver
        "169.254.170.2",  # AWS ECS task credentials
        "169.254.170.23",  # AWS EKS pod identity
        "fd00:ec2::254",
        "fd00:ec2::23",
        "fd20:ce::254",  # Google
        "fd00:42::42",  # Scaleway
        "100.100.100.200",  # Alibaba
        "168.63.129.16",  # Azure's wire server
        "192.0.0.192",  # Oracle
    )
)
"""Services that hand credentials to whoever asks from the right network."""

METADATA_NAMES = frozenset(
    {
        "metadata",
        "metadata.goog",
        "metadata.google.internal",
        "metadata.tencentyun.com",
        "metadata.platformequinix.com",
        "instance-data",
        "instance-data.ec2.internal",
    }
)
"""Names of the same services. Their addresses are above; a cloud may answer with another one."""

KINDS: tuple[tuple[IPNetwork, str], ...] = tuple(
    (ipaddress.ip_network(network), kind)
    for network, kind in (
        ("127.0.0.0/8", "a loopback address"),
        ("::1/128", "a loopback address"),
        ("169.254.0.0/16", "a link-local address"),
        ("fe80::/10", "a link-local address"),
        ("fec0::/10", "a site-local address"),
        ("0.0.0.0/8", "an unspecified address"),
        ("::/128", "an unspecified address"),
        ("255.255.255.255/32", "a broadcast address"),
        ("224.0.0.0/4", "a multicast address"),
        ("ff00::/8", "a multicast address"),
        ("240.0.0.0/4", "a reserved address"),
        ("100::/64", "a reserved address"),
    )
)

EMBEDDED_AT_END = tuple(
    ipaddress.IPv6Network(network)
    for network in (
        "::ffff:0:0/96",  # IPv4-mapped
        "::/96",  # IPv4-compatible
        "::ffff:0:0:0/96",  # IPv4-translated
        "64:ff9b::/96",  # NAT64
    )
)
"""IPv6 ranges whose last 32 bits are an IPv4 address that the packet may well reach."""

SIX_TO_FOUR = ipaddress.IPv6Network("2002::/16")
TEREDO = ipaddress.IPv6Network("2001::/32")
LOCAL_NAT64 = ipaddress.IPv6Network("64:ff9b:1::/48")
ISATAP = frozenset({0x00005EFE, 0x02005EFE})


@dataclass(frozen=True, slots=True)
class EgressPolicy:
    """What the operator's flags say.

    Entries that cannot be read raise `ValueError` at construction.
    """

    allow: tuple[str, ...] = ()
    """What is open in spite of its kind: networks, addresses and host names, with or without port.

    The metadata services and the API server open only to an entry that names their address.
    Neither a wide network nor a host name, whose DNS someone else may own, does it.
    """
    api_server: tuple[str, ...] = ()
    """Addresses of the API server, with or without a port."""
    service_ranges: tuple[str, ...] = ()
    """The cluster's Service networks.

    A url may not point there: only a serviceRef says whose Service it is.
    """
    service_namespaces: frozenset[str] = frozenset()
    """Namespaces whose servers may name a url there all the same."""
    _allowed: tuple["_Entry", ...] = field(init=False, repr=False, compare=False)
    _api_server: tuple["_Entry", ...] = field(init=False, repr=False, compare=False)
    _service_ranges: tuple[IPNetwork, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_allowed", tuple(map(_entry, self.allow)))
        object.__setattr__(self, "_api_server", tuple(map(_entry, self.api_server)))
        object.__setattr__(self, "_service_ranges", tuple(map(_network, self.service_ranges)))

    def refusal(
        self, host: str, address: str, port: int, *, in_cluster: bool = False
    ) -> str | None:
        """Why `address` may not be dialled for `host`, and what to do; ``None`` when it may."""
        real = ipaddress.ip_address(address)
        for seen in (real, *embedded(real)):
            kind = self._kind(host, seen, port, in_cluster=in_cluster)
            if kind is not None and not self._is_allowed(host, seen, real, port, kind):
                return _sentence(host, real, seen, kind)
        return None

    def opens_services(self, namespace: str | None) -> bool:
        """Whether the Service ranges are open to a url of this namespace's servers."""
        return namespace in self.service_namespaces

    def _kind(self, host: str, address: IPAddress, port: int, *, in_cluster: bool) -> str | None:
        if any(entry.covers(address, port) for entry in self._api_server):
            return _API_SERVER
        if address in METADATA or host.lower().rstrip(".") in METADATA_NAMES:
            return _METADATA
        for network, kind in KINDS:
            if address in network:
                return kind
        if not in_cluster and any(address in network for network in self._service_ranges):
            return _SERVICE
        return None

    def _is_allowed(
        self, host: str, seen: IPAddress, real: IPAddress, port: int, kind: str
    ) -> bool:
        for entry in self._allowed:
            if kind in (_API_SERVER, _METADATA) and not entry.is_one_address:
                continue
            if entry.covers(seen, port) or entry.covers(real, port) or entry.names(host, port):
                return True
        return False


_API_SERVER = "the address of the Kubernetes API server"
_METADATA = "a cloud metadata address"
_SERVICE = "in the cluster's Service range"


@dataclass(frozen=True, slots=True)
class _Entry:
    """A network or a host name, for one port or all."""

    network: IPNetwork | None
    name: str | None
    port: int | None

    @property
    def is_one_address(self) -> bool:
        return self.network is not None and self.network.num_addresses == 1

    def covers(self, address: IPAddress, port: int) -> bool:
        return self.network is not None and self.port in (None, port) and address in self.network

    def names(self, host: str, port: int) -> bool:
        return (
            self.name is not None
            and self.port in (None, port)
            and host.lower().rstrip(".") == self.name
        )


def _entry(text: str) -> _Entry:
    for candidate, port in _readings(text.strip()):
        try:
            return _Entry(ipaddress.ip_network(candidate), None, port)
        except ValueError:
            continue
    matched = re.fullmatch(
        r"([A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?)\.?(?::(\d{1,5}))?", text.strip()
    )
    # A last label of digits is a mistyped address; getaddrinfo would take it for one.
    if matched is None or matched[1].rpartition(".")[2].isdigit():
        raise ValueError(
            f"{text!r} is neither a network such as 10.1.0.0/16, nor an address, nor a host name"
        )
    return _Entry(None, matched[1].lower(), int(matched[3]) if matched[3] else None)


def _readings(text: str) -> Iterator[tuple[str, int | None]]:
    """`address`, `network`, `address:port` and `[v6]:port` as (network, port)."""
    yield text.strip("[]") if text.startswith("[") else text, None
    host, colon, port = text.rpartition(":")
    if colon and port.isdigit() and int(port) < 65536:
        yield host.removeprefix("[").removesuffix("]"), int(port)


def _network(text: str) -> IPNetwork:
    return ipaddress.ip_network(text.strip(), strict=False)


def embedded(address: IPAddress) -> tuple[ipaddress.IPv4Address, ...]:
    """The IPv4 addresses inside an IPv6 address: a gateway or the kernel may deliver to them."""
    if not isinstance(address, ipaddress.IPv6Address):
        return ()
    bits = int(address)
    if any(address in network for network in EMBEDDED_AT_END):
        # `::` and `::1` are addresses in their own right.
        return (ipaddress.IPv4Address(bits & 0xFFFFFFFF),) if bits > 1 else ()
    if address in SIX_TO_FOUR:
        return (ipaddress.IPv4Address(bits >> 80 & 0xFFFFFFFF),)
    if address in TEREDO:
        return (
            ipaddress.IPv4Address(bits >> 64 & 0xFFFFFFFF),
            ipaddress.IPv4Address(~bits & 0xFFFFFFFF),
        )
    if address in LOCAL_NAT64:
        # RFC 6052 puts the address of a /48 into bits 48-63 and 72-87; others use the last 32.
        split = (bits >> 64 & 0xFFFF) << 16 | (bits >> 40 & 0xFFFF)
        return tuple(ipaddress.IPv4Address(part) for part in (split, bits & 0xFFFFFFFF) if part)
    if bits >> 32 & 0xFFFFFFFF in ISATAP:
        return (ipaddress.IPv4Address(bits & 0xFFFFFFFF),)
    return ()


def _sentence(host: str, real: IPAddress, seen: IPAddress, kind: str) -> str:
    subject = f"{host} is" if host == str(real) else f"{host} leads to {real}, which is"
    inside = "" if seen == real else f" (it holds {seen})"
    if kind is _SERVICE:
        return (
            f"{subject} {kind}{inside} and is refused; use serviceRef instead of url, or start the "
            f"operator with --allow-service-egress-from and this namespace, or --allow-egress "
            f"{seen}, if this is meant"
        )
    return (
        f"{subject} {kind}{inside} and is refused; correct the address, "
        f"or start the operator with --allow-egress {seen} if this is meant"
    )


class Guard:
    """Enforces a policy for one connector."""

    def __init__(self, policy: EgressPolicy, *, in_cluster: bool) -> None:
        self._policy = policy
        self._in_cluster = in_cluster

    def check(self, address: str, port: int) -> None:
        """Raise `OSError` when the request at hand may not go there; its `Dial` says why."""
        dial = DIALLING.get()
        sentence = self._policy.refusal(dial.host, address, port, in_cluster=self._in_cluster)
        if sentence is None:
            return
        dial.denied = failure(Reason.EGRESS_DENIED, sentence)
        # An OSError: happy eyeballs swallows any other kind, then fails on an empty list
        # (aiohappyeyeballs 2.7).
        raise PermissionError("refused by the egress guard")

    def socket(self, info: AddressInfo) -> socket.socket:
        """Make the socket for an address that is allowed: a connector's `socket_factory`."""
        family, kind, protocol, _, address = info
        self.check(str(address[0]), int(str(address[1])))
        return socket.socket(family, kind, protocol)


LookUp = Callable[[str, int, int], list[AddressInfo]]
"""From host, port and address family to addresses, like `socket.getaddrinfo`."""


def look_up(host: str, port: int, family: int) -> list[AddressInfo]:
    """Ask the system. Blocks."""
    kind, flags = socket.SOCK_STREAM, socket.AI_ADDRCONFIG
    return list(socket.getaddrinfo(host, port, family, kind, flags=flags))


class Resolver(AbstractResolver):
    """Looks names up in threads of its own, and shows the guard all addresses at once."""

    THREADS = 16
    """A dead DNS server holds a thread for 10 s or more.

    asyncio's own pool has 6 on two cores, and others use it too.
    """

    def __init__(self, look_up: LookUp) -> None:
        self._look_up = look_up
        self._threads = ThreadPoolExecutor(self.THREADS, thread_name_prefix="proxar-dns")

    def guarded(self, guard: Guard | None) -> "AbstractResolver":
        return _GuardedResolver(self, guard) if guard is not None else self

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        found = await asyncio.get_running_loop().run_in_executor(
            self._threads, self._look_up, host, port, family
        )
        return [
            ResolveResult(
                hostname=host,
                host=str(address[0]),
                port=port,
                family=family,
                proto=protocol,
                flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
            )
            for family, _, protocol, _, address in found
        ]

    async def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)


class _GuardedResolver(AbstractResolver):
    def __init__(self, resolver: Resolver, guard: Guard) -> None:
        self._resolver = resolver
        self._guard = guard

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        results = await self._resolver.resolve(host, port, family)
        for result in results:
            self._guard.check(result["host"], port)
        return results

    async def close(self) -> None:
        """The shared resolver closes with the fetcher."""
