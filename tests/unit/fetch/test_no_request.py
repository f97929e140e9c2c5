"""What fails before a server is asked."""

import socket
import ssl

import pytest

from proxar.fetch import Fetcher, FetchError, Reason, Target
from proxar.fetch.egress import AddressInfo, LookUp
from tests.support.faultserver import FaultServer


async def refusal(fetcher: Fetcher, target: Target) -> FetchError:
    with pytest.raises(FetchError) as caught:
        await fetcher.fetch(target)
    assert "secret" not in str(caught.value)
    return caught.value


def failing(code: int) -> LookUp:
    def look_up(*_: object) -> list[AddressInfo]:
        raise socket.gaierror(code, "no")

    return look_up


@pytest.mark.parametrize(
    ("code", "says"), [(socket.EAI_NONAME, "unknown"), (socket.EAI_AGAIN, "just now")]
)
async def test_a_name_that_cannot_be_looked_up(trust: ssl.SSLContext, code: int, says: str) -> None:
    async with Fetcher(egress=None, ssl_context=trust, look_up=failing(code)) as fetcher:
        error = await refusal(fetcher, Target("http://mcp.example:8080/secret?key=secret"))

    assert error.reason == Reason.DNS_FAILED
    assert error.message.startswith("http://mcp.example:8080: ")
    assert says in error.message


async def test_a_name_that_is_none(fetcher: Fetcher) -> None:
    error = await refusal(fetcher, Target(f"http://{'a' * 70}.example/"))

    assert error.reason == Reason.DNS_FAILED


async def test_a_port_where_nobody_listens(fetcher: Fetcher) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]

        error = await refusal(fetcher, Target(f"http://127.0.0.1:{port}/secret?key=secret"))

    assert error.reason == Reason.CONNECT_FAILED
    assert error.message.startswith(f"http://127.0.0.1:{port} refused the connection")


@pytest.mark.parametrize(
    "url",
    [
        "ftp://mcp.example/secret",
        "http:///secret",
        "mcp.example/secret",
        "http://[::1/secret",
        "http://mcp.example:99999/",
        "http://user:secret@mcp.example/",
        "",
        "http://127.1/",
    ],
)
async def test_a_url_that_cannot_be_used(fetcher: Fetcher, url: str) -> None:
    error = await refusal(fetcher, Target(url))

    assert error.reason == Reason.CONNECT_FAILED
    assert "url" in error.message


@pytest.mark.parametrize(
    ("name", "value"),
    [("X-Key", "secret\n"), ("X-Key", "secret\r\nX-Evil: 1"), ("X-Key", "secret-ü"), ("X Y", "z")],
)
async def test_a_header_that_cannot_be_sent(
    server: FaultServer, fetcher: Fetcher, name: str, value: str
) -> None:
    """The usual cause is a line break at the end of a Secret; the message names the header."""
    target = Target(server.url("modern-json"), headers=((name, value),))

    error = await refusal(fetcher, target)

    assert error.reason == Reason.CONNECT_FAILED
    assert name in error.message
    assert server.requests == []
