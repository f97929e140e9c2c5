"""TLS faults are told apart, and one context serves all connections."""

import asyncio
import ssl

import pytest

from proxar.fetch import Era, Fetcher, FetchError, Reason, Target
from tests.support.certificates import Authority
from tests.support.faultserver import Behaviour, FaultServer, Talk


async def refusal(fetcher: Fetcher, url: str, timeout: float = 5.0) -> FetchError:  # noqa: ASYNC109
    with pytest.raises(FetchError) as caught:
        await fetcher.fetch(Target(url, timeout=timeout))
    return caught.value


async def test_it_fetches_from_a_server_of_a_private_authority(
    fetcher: Fetcher, authority: Authority
) -> None:
    async with FaultServer(tls=authority.serve("localhost")) as server:
        fetched = await fetcher.fetch(Target(server.url("modern-json", "localhost")))

    assert len(fetched.tools.tools) == 2
    assert server.connections == 1


@pytest.mark.parametrize(
    ("names", "days", "host", "says"),
    [
        (("localhost",), -1, "localhost", "has expired"),
        (("localhost",), 12, "localhost", "not valid yet"),
        (("other.example",), 1, "localhost", "another host name"),
        (("localhost",), 1, "127.0.0.1", "does not name this IP address"),
    ],
)
async def test_certificate_faults_are_told_apart(
    fetcher: Fetcher, authority: Authority, names: tuple[str], days: float, host: str, says: str
) -> None:
    async with FaultServer(tls=authority.serve(*names, days=days)) as server:
        error = await refusal(fetcher, server.url("modern-json", host))

    assert error.reason == Reason.TLS_FAILED
    assert says in error.message


async def test_an_unknown_authority(fetcher: Fetcher) -> None:
    async with FaultServer(tls=Authority("Stranger").serve("localhost")) as server:
        error = await refusal(fetcher, server.url("modern-json", "localhost"))

    assert error.reason == Reason.TLS_FAILED
    assert "unknown authority" in error.message


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
async def test_a_client_certificate_is_asked_for(
    fetcher: Fetcher, authority: Authority, version: ssl.TLSVersion
) -> None:
    """It looks like a crash (asyncio loses the alert), so the message names it as a guess."""
    context = authority.serve("localhost", client_certificates=True)
    context.maximum_version = version

    async with FaultServer(tls=context) as server:
        error = await refusal(fetcher, server.url("modern-json", "localhost"))

    assert error.reason == Reason.CONNECT_FAILED
    assert "client certificate" in error.message


async def test_https_to_a_server_without_tls(fetcher: Fetcher, server: FaultServer) -> None:
    error = await refusal(fetcher, server.url("modern-json").replace("http:", "https:"))

    assert error.reason == Reason.TLS_FAILED
    assert "begin with http://" in error.message


async def test_http_to_a_server_with_tls(fetcher: Fetcher, authority: Authority) -> None:
    async with FaultServer(tls=authority.serve("localhost")) as server:
        error = await refusal(fetcher, f"http://localhost:{server.port}/modern-json/mcp")

    assert error.reason in (Reason.CONNECT_FAILED, Reason.NOT_MCP)


async def test_a_handshake_that_hangs_is_connecting(fetcher: Fetcher) -> None:
    """Nor does it lead to an attempt in another era."""
    gone = asyncio.Event()

    async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.read(4096):
            pass
        writer.close()
        gone.set()

    async with await asyncio.start_server(hang, "127.0.0.1", 0) as listener:
        port = listener.sockets[0].getsockname()[1]
        error = await refusal(fetcher, f"https://127.0.0.1:{port}/mcp", 1.5)
        await asyncio.wait_for(gone.wait(), 1)

    assert error.reason == Reason.TIMEOUT
    assert "while connecting" in error.message


async def test_the_default_context_verifies() -> None:
    async with (
        FaultServer(tls=Authority().serve("localhost")) as server,
        Fetcher(egress=None) as fetcher,
    ):
        error = await refusal(fetcher, server.url("modern-json", "localhost"))

    assert error.reason == Reason.TLS_FAILED


async def test_no_proxy_and_no_netrc_of_the_environment(
    server: FaultServer, trust: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")

    async with Fetcher(egress=None, ssl_context=trust) as fetcher:
        fetched = await fetcher.fetch(Target(server.url("modern-json")), era=Era.MODERN)

    assert len(fetched.tools.tools) == 2


async def test_a_redirect_to_plain_http_is_refused(authority: Authority, fetcher: Fetcher) -> None:
    """As servers send it that do not know of the TLS in front of them."""

    async def serve(talk: Talk) -> None:
        await talk.send(307, Location=f"http://{talk.headers['host']}{talk.path}/")

    async with FaultServer(
        tls=authority.serve("localhost"), behaviours={"down": Behaviour("down", serve, 0)}
    ) as server:
        error = await refusal(fetcher, server.url("down", "localhost"))

    assert error.reason == Reason.REDIRECT_REFUSED
    assert "points to http://localhost" in error.message
    assert len(server.requests) == 1


async def test_http_sse_over_tls(authority: Authority, fetcher: Fetcher) -> None:
    async with FaultServer(tls=authority.serve("localhost")) as server:
        fetched = await fetcher.fetch(Target(server.url("http-sse-server", "localhost")))

    assert fetched.transport == "SSE"
