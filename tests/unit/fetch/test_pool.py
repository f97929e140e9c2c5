"""Requests as they are sent, and answers as they come back."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import pytest
import pytest_asyncio

from proxar.fetch.address import Address, read_address
from proxar.fetch.dial import DIALLING, Dial
from proxar.fetch.exchange.http import close
from proxar.fetch.pool import Connector, Pool

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


class Server:
    """Answers each request with `answer`, and remembers what it was sent."""

    def __init__(self) -> None:
        self.answer = OK
        self.requests: list[bytes] = []
        self.connections = 0
        self.port = 0
        self.was_left = asyncio.Event()
        """A connection was closed by its client."""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection."""
        self.connections += 1
        while request := await reader.read(1 << 16):
            self.requests.append(request)
            writer.write(self.answer)
        self.was_left.set()
        writer.close()


@pytest_asyncio.fixture
async def server() -> AsyncIterator[Server]:
    """On a free port."""
    server = Server()
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    server.port = listening.sockets[0].getsockname()[1]
    yield server
    listening.close()


@pytest.fixture
def address(server: Server) -> Address:
    """Of the server."""
    return read_address(f"http://127.0.0.1:{server.port}/mcp?a=1")


@asynccontextmanager
async def dialling() -> AsyncIterator[tuple[Pool, Dial]]:
    """A pool, and what it tells of the requests at hand."""
    pool, dial = Pool(Connector(limit=0)), Dial("127.0.0.1")
    token = DIALLING.set(dial)
    try:
        yield pool, dial
    finally:
        DIALLING.reset(token)
        await pool.aclose()


async def test_a_request_is_sent_in_one_piece(server: Server, address: Address) -> None:
    """To the byte."""
    async with dialling() as (pool, _):
        response = await pool.send("POST", address, [("Accept", "text/plain")], b"body")

        assert [piece async for piece in response] == [b"ok"]

    host = f"127.0.0.1:{address.port}"
    assert server.requests == [
        f"POST /mcp?a=1 HTTP/1.1\r\nHost: {host}\r\nAccept: text/plain\r\n"
        "Content-Length: 4\r\n\r\nbody".encode()
    ]


@pytest.mark.parametrize(("verb", "length"), [("GET", False), ("DELETE", True), ("POST", True)])
async def test_a_body_that_is_none(
    verb: str, length: bool, server: Server, address: Address
) -> None:
    """Is announced as empty where one could be expected."""
    async with dialling() as (pool, _):
        (await pool.send(verb, address, [])).close()

    assert (b"Content-Length: 0" in server.requests[0]) == length


async def test_another_host_is_named(server: Server, address: Address) -> None:
    """Once, and instead of the address's own."""
    async with dialling() as (pool, _):
        (await pool.send("GET", address, [("host", "mcp.example")])).close()

    assert [line for line in server.requests[0].split(b"\r\n") if b"ost:" in line] == [
        b"Host: mcp.example"
    ]


@pytest.mark.parametrize("value", ["a\r\nX: 1", "a\nb", "a\rb", "a\0b", "ä"])
async def test_no_value_becomes_another_header(
    value: str, server: Server, address: Address
) -> None:
    """Nothing is sent at all."""
    async with dialling() as (pool, _):
        for headers in ([("Mcp-Session-Id", value)], [("Host", value)]):
            with pytest.raises(ValueError):  # noqa: PT011 - aiohttp and str word it themselves
                await pool.send("GET", address, headers)

    assert server.connections == 0


async def test_news_before_the_answer_are_passed_over(server: Server, address: Address) -> None:
    """100 and 103 are no answers."""
    server.answer = b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + OK
    async with dialling() as (pool, _):
        response = await pool.send("GET", address, [])
        response.close()

    assert (response.status, "link" in response.headers) == (200, False)


async def test_headers_of_one_name_are_one(server: Server, address: Address) -> None:
    """In lower case, in whatever encoding the server writes."""
    server.answer = OK.replace(b"\r\n\r\n", b"\r\nX-A: 1\r\nx-a: \xe4\r\nX-B: \xc3\xa4\r\n\r\n")
    async with dialling() as (pool, _):
        response = await pool.send("GET", address, [])
        response.close()

    assert (response.headers["x-a"], response.headers["x-b"]) == ("1, ä", "ä")


async def test_a_connection_is_used_again(server: Server, address: Address) -> None:
    """And the request's dial knows it; not after a body that was not read to its end."""
    async with dialling() as (pool, dial):
        (await pool.send("GET", address, [])).close()
        first = dial.reused
        server.answer = OK.replace(b"2", b"3")
        (await pool.send("GET", address, [])).close()
        second = dial.reused
        (await pool.send("GET", address, [])).close()

        assert (first, second, dial.reused) == (False, True, False)
        assert not dial.connecting
    assert server.connections == 2


async def test_only_http_is_spoken(server: Server) -> None:
    """Whatever the caller did not look at."""
    async with dialling() as (pool, _):
        with pytest.raises(aiohttp.InvalidURL):
            await pool.send("GET", read_address("ftp://127.0.0.1/"), [])


async def test_who_is_cancelled_while_the_rest_arrives_keeps_no_connection(
    server: Server, address: Address
) -> None:
    """Such a fetch ran out of time; its connection would be kept until somebody collects it."""
    server.answer = b"HTTP/1.1 404 Not Found\r\nContent-Length: 9\r\n\r\nhalf"
    async with dialling() as (pool, _):
        response = await pool.send("POST", address, [], b"{}")
        closing = asyncio.create_task(close(response))
        await asyncio.sleep(0)

        closing.cancel()

        with pytest.raises(asyncio.CancelledError):
            await closing
        await asyncio.wait_for(server.was_left.wait(), 5)
