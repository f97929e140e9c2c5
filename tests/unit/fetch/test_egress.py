"""The guard: which addresses are refused, and that nothing is dialled before it has agreed."""

import socket
import ssl

import pytest

from proxar.fetch import EgressPolicy, Era, Fetcher, FetchError, Reason, Target
from proxar.fetch.egress import AddressInfo, LookUp
from tests.support.conversation import Behaviour, Talk
from tests.support.faultserver import FaultServer

CLUSTER = EgressPolicy(
    api_server=("10.0.0.1:6443", "192.168.7.7"), service_ranges=("10.96.0.0/12", "fd00:10:96::/112")
)
LOCAL = EgressPolicy(allow=("127.0.0.0/8",))


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("127.0.0.1", "loopback"),
        ("127.255.0.3", "loopback"),
        ("::1", "loopback"),
        ("169.254.1.1", "link-local"),
        ("fe80::1", "link-local"),
        ("fe80::1%1", "link-local"),
        ("169.254.169.254", "metadata"),
        ("169.254.170.2", "metadata"),
        ("fd00:ec2::254", "metadata"),
        ("100.100.100.200", "metadata"),
        ("168.63.129.16", "metadata"),
        ("0.0.0.0", "unspecified"),
        ("0.1.2.3", "unspecified"),
        ("::", "unspecified"),
        ("224.0.0.1", "multicast"),
        ("ff02::1", "multicast"),
        ("255.255.255.255", "broadcast"),
        ("240.0.0.1", "reserved"),
        ("fec0::1", "site-local"),
        ("10.0.0.1", "API server"),
        ("192.168.7.7", "API server"),
        ("10.96.0.1", "Service range"),
        ("10.111.255.255", "Service range"),
        ("fd00:10:96::a", "Service range"),
        ("::ffff:127.0.0.1", "loopback"),
        ("::ffff:169.254.169.254", "metadata"),
        ("::ffff:10.96.0.1", "Service range"),
        ("::127.0.0.1", "loopback"),
        ("::ffff:0:127.0.0.1", "loopback"),
        ("64:ff9b::127.0.0.1", "loopback"),
        ("64:ff9b::a9fe:a9fe", "metadata"),
        ("64:ff9b:1::127.0.0.1", "loopback"),
        ("64:ff9b:1:7f00:0:100::", "loopback"),
        ("2002:7f00:1::1", "loopback"),
        ("2002:a9fe:a9fe::", "metadata"),
        ("2001:0:7f00:1::", "loopback"),
        ("2001:0:808:808:0:0:80ff:fffe", "loopback"),
        ("2606:4700::5efe:127.0.0.1", "loopback"),
    ],
)
def test_refused(address: str, kind: str) -> None:
    sentence = CLUSTER.refusal("mcp.example", address, 6443)

    assert sentence is not None
    assert kind in sentence
    assert "mcp.example leads to" in sentence
    assert "--allow-egress" in sentence
    assert ("use serviceRef" in sentence) == (kind == "Service range")


@pytest.mark.parametrize(
    "address",
    [
        "8.8.8.8",
        "10.1.2.3",
        "192.168.7.8",
        "172.16.0.1",
        "100.64.0.1",
        "2606:4700::1111",
        "fd12:3456::1",
        "::ffff:8.8.8.8",
        "64:ff9b::8.8.8.8",
        "2002:808:808::1",
    ],
)
def test_open(address: str) -> None:
    assert CLUSTER.refusal("mcp.example", address, 443) is None


def test_the_port_of_the_api_server_matters() -> None:
    assert CLUSTER.refusal("node", "10.0.0.1", 6443) is not None
    assert CLUSTER.refusal("node", "10.0.0.1", 8080) is None


@pytest.mark.parametrize(
    "name", ["metadata.google.internal", "Metadata.Google.Internal.", "metadata"]
)
def test_the_names_of_metadata_services_are_refused_wherever_they_lead(name: str) -> None:
    assert "metadata" in (CLUSTER.refusal(name, "10.1.2.3", 80) or "")
    open_ = EgressPolicy(allow=(name, "10.1.2.3"))
    assert open_.refusal(name, "10.1.2.3", 80) is None
    assert EgressPolicy(allow=(name,)).refusal(name, "10.1.2.3", 80) is not None


def test_a_service_reference_opens_the_service_range_and_nothing_else() -> None:
    assert CLUSTER.refusal("svc", "10.96.0.1", 80, in_cluster=True) is None
    assert CLUSTER.refusal("svc", "10.0.0.1", 6443, in_cluster=True) is not None
    assert CLUSTER.refusal("svc", "127.0.0.1", 80, in_cluster=True) is not None


@pytest.mark.parametrize(
    ("entry", "host", "address", "port", "is_open"),
    [
        ("127.0.0.0/8", "x", "127.0.0.1", 80, True),
        ("127.0.0.0/8", "x", "::ffff:127.0.0.1", 80, True),
        ("127.0.0.0/8", "x", "169.254.1.1", 80, False),
        ("127.0.0.1:8080", "x", "127.0.0.1", 8080, True),
        ("127.0.0.1:8080", "x", "127.0.0.1", 8081, False),
        ("[::1]:8080", "x", "::1", 8080, True),
        ("::1", "x", "::1", 1, True),
        ("mcp.Example.", "MCP.example", "127.0.0.1", 80, True),
        ("mcp.example:81", "mcp.example", "127.0.0.1", 80, False),
        ("mcp.example", "evil.mcp.example", "127.0.0.1", 80, False),
        ("mcp.example", "mcp.example", "169.254.169.254", 80, False),
        ("0.0.0.0/0", "x", "169.254.169.254", 80, False),
        ("169.254.169.254", "x", "169.254.169.254", 80, True),
        ("10.0.0.0/8", "x", "10.0.0.1", 6443, False),
        ("10.0.0.1:6443", "x", "10.0.0.1", 6443, True),
        ("10.96.0.0/12", "x", "10.96.0.9", 80, True),
    ],
)
def test_allowed(entry: str, host: str, address: str, port: int, is_open: bool) -> None:
    policy = EgressPolicy(
        allow=(entry,), api_server=CLUSTER.api_server, service_ranges=CLUSTER.service_ranges
    )

    assert (policy.refusal(host, address, port) is None) == is_open


@pytest.mark.parametrize(
    "entry", ["", "10.0.0.0/33", "10.0.0.1/8", "a b", "http://x", "10.0.0", "*"]
)
def test_an_entry_that_cannot_be_read_is_refused_at_once(entry: str) -> None:
    with pytest.raises(ValueError, match="network"):
        EgressPolicy(allow=(entry,))


def resolving(*addresses: str) -> LookUp:
    def look_up(host: str, port: int, family: int) -> list[AddressInfo]:
        del host, family
        return [
            (
                socket.AF_INET6 if ":" in address else socket.AF_INET,
                socket.SOCK_STREAM,
                6,
                "",
                (address, port),
            )
            for address in addresses
        ]

    return look_up


async def denial(fetcher: Fetcher, target: Target) -> str:
    with pytest.raises(FetchError) as caught:
        await fetcher.fetch(target, era=Era.MODERN)
    assert caught.value.reason == Reason.EGRESS_DENIED, caught.value
    return caught.value.message


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "[::ffff:127.0.0.1]", "localhost", "0x7f.1", "[::1]", "0.0.0.0"]
)
async def test_real_attempts_are_refused_before_they_connect(
    server: FaultServer, trust: ssl.SSLContext, host: str
) -> None:
    async with Fetcher(egress=EgressPolicy(), ssl_context=trust) as fetcher:
        message = await denial(fetcher, Target(server.url("modern-json", host)))

    assert host.strip("[]") in message
    assert server.connections == 0


async def test_allowed_addresses_are_fetched_from(
    server: FaultServer, trust: ssl.SSLContext
) -> None:
    async with Fetcher(egress=LOCAL, ssl_context=trust) as fetcher:
        for host in ("127.0.0.1", "[::ffff:127.0.0.1]"):
            fetched = await fetcher.fetch(Target(server.url("modern-json", host)))
            assert len(fetched.tools.tools) == 2


async def test_an_allowed_name_is_fetched_from(server: FaultServer, trust: ssl.SSLContext) -> None:
    policy = EgressPolicy(allow=("mcp.example",))

    async with Fetcher(egress=policy, ssl_context=trust, look_up=resolving("127.0.0.1")) as fetcher:
        await fetcher.fetch(Target(server.url("modern-json", "mcp.example")))
        message = await denial(fetcher, Target(server.url("modern-json", "other.example")))

    assert "other.example leads to 127.0.0.1, which is a loopback address" in message


async def test_one_forbidden_address_of_several_refuses_the_name(
    server: FaultServer, trust: ssl.SSLContext
) -> None:
    look_up = resolving("127.0.0.1", "::1", "169.254.169.254")

    async with Fetcher(
        egress=EgressPolicy(allow=("127.0.0.0/8", "::1")), ssl_context=trust, look_up=look_up
    ) as fetcher:
        message = await denial(fetcher, Target(server.url("modern-json", "mcp.example")))

    assert "metadata" in message
    assert server.connections == 0


async def test_a_name_is_looked_up_once_for_check_and_connection(
    server: FaultServer, trust: ssl.SSLContext
) -> None:
    """A name that changes its address between the two would be dialled unchecked."""
    asked: list[str] = []
    answers = iter(["127.0.0.1", "169.254.169.254", "169.254.169.254"])

    def look_up(host: str, port: int, family: int) -> list[AddressInfo]:
        asked.append(host)
        return resolving(next(answers))(host, port, family)

    async with Fetcher(egress=LOCAL, ssl_context=trust, look_up=look_up) as fetcher:
        await fetcher.fetch(Target(server.url("modern-json", "mcp.example")))

    assert asked == ["mcp.example"]


async def test_a_redirect_is_no_way_around(trust: ssl.SSLContext) -> None:
    async def serve(talk: Talk) -> None:
        await talk.send(307, Location="http://169.254.169.254/latest/meta-data")

    behaviours = {"trap": Behaviour("trap", serve, 0)}
    async with (
        FaultServer(behaviours=behaviours) as server,
        Fetcher(egress=LOCAL, ssl_context=trust) as fetcher,
    ):
        with pytest.raises(FetchError) as caught:
            await fetcher.fetch(Target(server.url("trap")))

    assert caught.value.reason == Reason.REDIRECT_REFUSED


async def test_a_namespace_that_the_operator_lets_may_name_a_url_in_the_service_range(
    server: FaultServer, trust: ssl.SSLContext
) -> None:
    """But its url opens nothing else, and no other namespace's url that range."""
    policy = EgressPolicy(
        service_ranges=("10.96.0.0/12", "127.0.0.0/8"), service_namespaces=frozenset({"gateway"})
    )
    url = server.url("modern-json")
    look_up = resolving("10.96.0.1")

    async with Fetcher(egress=policy, ssl_context=trust, look_up=look_up) as fetcher:
        # Loopback is refused for what it is, before anybody asks whether it is a Service.
        assert "loopback" in await denial(fetcher, Target(url, namespace="gateway"))
        message = await denial(fetcher, Target("http://mcp.example/mcp", namespace="other"))
        identities = [
            fetcher._identity(Target(url, namespace=name)) for name in ("gateway", "other", None)
        ]

    assert "--allow-service-egress-from" in message
    assert "serviceRef" in message
    assert [identity.in_cluster for identity in identities] == [True, False, False]
    assert server.connections == 0


async def test_connections_of_service_references_are_not_lent_to_urls(
    server: FaultServer, trust: ssl.SSLContext
) -> None:
    """A kept-alive connection into the Service range would otherwise be a way around the guard."""
    policy = EgressPolicy(allow=("127.0.0.1",), service_ranges=("127.0.0.0/8",))
    strict = EgressPolicy(service_ranges=("127.0.0.0/8",))
    url = server.url("modern-json")

    async with Fetcher(egress=policy, ssl_context=trust) as fetcher:
        await fetcher.fetch(Target(url, in_cluster=True))
        await fetcher.fetch(Target(url))
    async with Fetcher(egress=strict, ssl_context=trust) as fetcher:
        await denial(fetcher, Target(url))

    assert server.connections == 2
