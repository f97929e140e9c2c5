"""What one identity opened, no other uses; what nobody uses is closed and forgotten."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace

import pytest
import pytest_asyncio

from proxar.fetch import Era, Fetcher, Target
from proxar.fetch import lanes as module
from proxar.fetch.auth.credentials import ClientCredentials, ClientSecret
from proxar.fetch.identity import identity_of
from proxar.fetch.lanes import Lanes
from proxar.fetch.tls import ClientCertificate, TLSSettings
from tests.support.certificates import Authority
from tests.support.secureserver import ProtectedServer
from tests.support.toolserver import tool


@pytest.fixture
def server(authority: Authority) -> Iterator[ProtectedServer]:
    """Lets everybody in."""
    with ProtectedServer(authority.serve("localhost"), tools=[tool("search")]) as server:
        yield server


def identities(url: str, authority: Authority) -> dict[str, Target]:
    """Targets at one url that nobody may take for one another."""
    plain = Target(url)
    certificates = [
        TLSSettings(authority.pem, certificate=ClientCertificate(*authority.issue(name), name))
        for name in ("one", "two")
    ]
    clients = [
        ClientCredentials("https://localhost:1/token", ClientSecret("proxar", secret))
        for secret in ("one", "two")
    ]
    return {
        "nobody": plain,
        "in the cluster": replace(plain, in_cluster=True),
        "a bearer": replace(plain, headers=(("Authorization", "Bearer one"),)),
        "another bearer": replace(plain, headers=(("Authorization", "Bearer two"),)),
        "a key": replace(plain, headers=(("X-API-Key", "one"),)),
        "a secret url": replace(plain, url=f"{url}?key=one", has_private_url=True),
        "another secret url": replace(plain, url=f"{url}?key=two", has_private_url=True),
        "own authorities": replace(plain, tls=TLSSettings(authority.pem)),
        "a certificate": replace(plain, tls=certificates[0]),
        "another certificate": replace(plain, tls=certificates[1]),
        "a name": replace(plain, tls=TLSSettings(server_name="localhost")),
        "a client": replace(plain, client=clients[0]),
        "another client": replace(plain, client=clients[1]),
        "other scopes": replace(plain, client=replace(clients[0], scopes=("all",))),
    }


def test_identities_are_told_apart(authority: Authority) -> None:
    targets = identities("https://localhost/mcp", authority)
    digests = {name: target.identity.digest for name, target in targets.items()}

    alike = [
        pair for pair in itertools.combinations(digests, 2) if digests[pair[0]] == digests[pair[1]]
    ]
    assert alike == []


def test_what_is_no_credential_makes_no_identity() -> None:
    """Nor do the order and the case of header names."""
    one = Target("https://localhost/a", headers=(("A", "1"), ("b", "2")))
    two = Target("https://other/b", headers=(("B", "2"), ("a", "1")), timeout=3)

    assert one.identity == two.identity
    assert Target("https://localhost/a?x=1").identity == Target("http://other/").identity


async def test_no_connection_is_lent_to_another_identity(
    fetcher: Fetcher, server: ProtectedServer, authority: Authority
) -> None:
    """Not one of those kept alive, whoever asks in whatever order."""
    targets = [
        target for target in identities(server.url, authority).values() if target.client is None
    ]
    connections = []

    for target in [*targets, *reversed(targets)]:
        await fetcher.fetch(target, era=Era.MODERN)
        connections.append(server.asked[-1].connection)

    assert connections[: len(targets)] == connections[len(targets) :][::-1], "its own is kept"
    assert len(set(connections)) == len(targets)


@pytest_asyncio.fixture
async def lanes() -> AsyncIterator[Lanes]:
    """Lanes without connections."""
    async with Fetcher(egress=None) as fetcher:
        yield fetcher._lanes


async def test_idle_lanes_are_bounded(lanes: Lanes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those used last stay."""
    monkeypatch.setattr(module, "IDLE_LANES", 3)
    everybody = [identity_of(number) for number in range(5)]

    pools = []
    for identity in everybody:
        with lanes.lend(identity) as lane:
            pools.append(lane.pool)
    with lanes.lend(everybody[4]) as last:
        assert last.pool is pools[4]
    with lanes.lend(everybody[0]) as first:
        assert first.pool is not pools[0]
        assert len(lanes) == 4
    assert len(lanes) == 3


async def test_a_lane_in_use_is_not_closed(lanes: Lanes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "IDLE_LANES", 0)
    identity = identity_of("busy")

    with lanes.lend(identity) as lane:
        with lanes.lend(identity):
            pass
        with lanes.lend(identity_of("other")):
            pass
        assert len(lanes) == 1
        with lanes.lend(identity) as again:
            assert again is lane
    assert len(lanes) == 0


async def test_idle_lanes_are_forgotten(lanes: Lanes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without anybody asking for another one."""
    monkeypatch.setattr(module, "IDLE_SECONDS", 0.01)

    with lanes.lend(identity_of("once")):
        pass

    async with asyncio.timeout(5):
        while len(lanes):  # noqa: ASYNC110 - a timer sets no event
            await asyncio.sleep(0.005)


async def test_giving_back_to_closed_lanes_does_no_harm(lanes: Lanes) -> None:
    lane = lanes.take(identity_of("late"))

    await lanes.aclose()
    lanes.give_back(lane)

    assert len(lanes) == 0
