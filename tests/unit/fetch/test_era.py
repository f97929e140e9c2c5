"""The era is found out once and then changes only by what the server itself says."""

import pytest

from proxar.fetch import Era, Fetcher, FetchError, Target
from tests.support.faultserver import FaultServer

NO_EVIDENCE = [
    "status-400",
    "status-401",
    "status-403",
    "status-404",
    "status-405",
    "status-421",
    "status-429",
    "status-500",
    "status-503",
    "rpc-error",
    "html",
    "accepted-only",
    "closed-without-answer",
    "stuck-in-body",
]


def methods(server: FaultServer, name: str) -> list[str]:
    return [talk.method for talk in server.seen(name)]


@pytest.mark.parametrize("name", NO_EVIDENCE)
async def test_a_fault_never_downgrades_a_known_modern_server(
    server: FaultServer, fetcher: Fetcher, name: str
) -> None:
    with pytest.raises(FetchError):
        await fetcher.fetch(Target(server.url(name), timeout=1.5), era=Era.MODERN)

    assert set(methods(server, name)) == {"tools/list"}


@pytest.mark.parametrize("name", NO_EVIDENCE)
async def test_a_fault_never_upgrades_a_known_legacy_server(
    server: FaultServer, fetcher: Fetcher, name: str
) -> None:
    with pytest.raises(FetchError):
        await fetcher.fetch(Target(server.url(name), timeout=1.5), era=Era.LEGACY)

    assert "server/discover" not in methods(server, name)
    assert [talk for talk in server.seen(name) if "mcp-method" in talk.headers] == []


@pytest.mark.parametrize("name", ["probe-503", "probe-internal-error", "status-401", "status-429"])
async def test_a_probe_that_fails_says_nothing_about_the_era(
    server: FaultServer, fetcher: Fetcher, name: str
) -> None:
    with pytest.raises(FetchError):
        await fetcher.fetch(Target(server.url(name)))

    assert methods(server, name) == ["server/discover"]


async def test_a_known_modern_server_gets_one_request(
    server: FaultServer, fetcher: Fetcher
) -> None:
    first = await fetcher.fetch(Target(server.url("modern-json")))
    await fetcher.fetch(Target(server.url("modern-json")), era=first.era)

    assert methods(server, "modern-json") == ["server/discover", "tools/list", "tools/list"]


async def test_a_known_legacy_server_is_not_probed(server: FaultServer, fetcher: Fetcher) -> None:
    await fetcher.fetch(Target(server.url("legacy-json")), era=Era.LEGACY)

    assert methods(server, "legacy-json") == [
        "initialize",
        "notifications/initialized",
        "tools/list",
        "DELETE",
    ]


async def test_evidence_that_leads_nowhere_leaves_the_first_fault(
    server: FaultServer, fetcher: Fetcher
) -> None:
    """A server without initialize that is not modern either is reported for what it said."""
    with pytest.raises(FetchError, match="does not know initialize"):
        await fetcher.fetch(Target(server.url("list-unknown")), era=Era.LEGACY)


@pytest.mark.parametrize(
    ("version", "transport", "era"),
    [
        ("2026-07-28", None, Era.MODERN),
        ("2026-07-28", "StreamableHTTP", Era.MODERN),
        ("2027-01-01", "StreamableHTTP", Era.MODERN),
        ("2025-11-25", "StreamableHTTP", Era.LEGACY),
        ("2024-11-05", "StreamableHTTP", Era.LEGACY),
        ("2024-11-05", "SSE", Era.SSE),
        ("2026-07-28", "SSE", Era.SSE),
        ("", "StreamableHTTP", None),
        (None, None, None),
    ],
)
def test_the_era_of_what_is_remembered(
    version: str | None, transport: str | None, era: Era | None
) -> None:
    assert Era.of(version, transport) == era


@pytest.mark.parametrize("name", NO_EVIDENCE)
async def test_a_fault_never_makes_a_known_server_one_of_http_sse(
    server: FaultServer, fetcher: Fetcher, name: str
) -> None:
    """Not even a 404 or 405, which an unknown server would be asked again for."""
    for era in (Era.MODERN, Era.LEGACY):
        with pytest.raises(FetchError):
            await fetcher.fetch(Target(server.url(name), timeout=1.5), era=era)

    assert "GET" not in {talk.verb for talk in server.seen(name)}


@pytest.mark.parametrize(
    "name", ["status-401", "status-403", "status-429", "status-500", "status-503", "silent", "html"]
)
async def test_no_event_stream_is_asked_for_without_evidence(
    server: FaultServer, fetcher: Fetcher, name: str
) -> None:
    with pytest.raises(FetchError):
        await fetcher.fetch(Target(server.url(name), timeout=1.5))

    assert "GET" not in {talk.verb for talk in server.seen(name)}


@pytest.mark.parametrize("name", ["probe-404", "probe-405", "probe-400-html"])
async def test_a_probe_that_is_not_taken_is_half_of_the_evidence(
    server: FaultServer, fetcher: Fetcher, name: str
) -> None:
    """These take initialize, so they speak streamable HTTP."""
    await fetcher.fetch(Target(server.url(name)))

    assert "GET" not in {talk.verb for talk in server.seen(name)}


async def test_an_unknown_server_of_http_sse_is_found_after_both_were_refused(
    server: FaultServer, fetcher: Fetcher
) -> None:
    fetched = await fetcher.fetch(Target(server.url("http-sse-server")))

    assert (fetched.transport, fetched.protocol_version) == ("SSE", "2024-11-05")
    assert methods(server, "http-sse-server") == [
        "server/discover",
        "initialize",
        "GET",
        "initialize",
        "notifications/initialized",
        "tools/list",
    ]


async def test_a_known_server_of_http_sse_is_asked_nothing_else(
    server: FaultServer, fetcher: Fetcher
) -> None:
    first = await fetcher.fetch(Target(server.url("http-sse-server")))
    server.requests.clear()
    await fetcher.fetch(Target(server.url("http-sse-server")), era=first.era)

    assert methods(server, "http-sse-server") == [
        "GET",
        "initialize",
        "notifications/initialized",
        "tools/list",
    ]


@pytest.mark.parametrize("name", ["status-401", "status-429", "status-500", "status-503", "silent"])
async def test_a_fault_never_takes_http_sse_from_a_known_server(
    server: FaultServer, fetcher: Fetcher, name: str
) -> None:
    with pytest.raises(FetchError):
        await fetcher.fetch(Target(server.url(name), timeout=1.5), era=Era.SSE)

    assert {talk.verb for talk in server.seen(name)} == {"GET"}


async def test_the_version_and_the_server_are_told(server: FaultServer, fetcher: Fetcher) -> None:
    modern = await fetcher.fetch(Target(server.url("modern-json")))
    legacy = await fetcher.fetch(Target(server.url("legacy-2025-06-18")))

    assert (modern.protocol_version, legacy.protocol_version) == ("2026-07-28", "2025-06-18")
    for fetched in (modern, legacy):
        assert (fetched.server_name, fetched.server_version) == ("fault-server", "1.2.3")
        assert fetched.transport == "StreamableHTTP"
