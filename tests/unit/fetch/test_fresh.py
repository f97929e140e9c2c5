"""A look over a new connection, for whom one look is not enough."""

from proxar.fetch import Era, Fetcher, Target
from tests.support.faultserver import FaultServer


async def test_a_fresh_fetch_has_a_connection_of_its_own(
    server: FaultServer, fetcher: Fetcher
) -> None:
    """Which is closed after it; the one that is kept alive stays for the others."""
    target = Target(server.url("modern-json"))
    made = []
    for fresh in (False, False, True, False, True):
        fetched = await fetcher.fetch(target, era=Era.MODERN, fresh=fresh)
        made.append(server.connections)
        assert fetched.tools.tools

    assert made == [1, 1, 2, 2, 3]


async def test_a_session_is_opened_and_ended_over_it(server: FaultServer, fetcher: Fetcher) -> None:
    """All of a fetch: handshake, pages and goodbye."""
    target = Target(server.url("legacy-json"))
    await fetcher.fetch(target, era=Era.LEGACY)
    connections = server.connections

    await fetcher.fetch(target, era=Era.LEGACY, fresh=True)

    assert server.connections == connections + 1
    methods = [talk.method for talk in server.seen("legacy-json")]
    assert methods.count("DELETE") == methods.count("initialize") == 2
