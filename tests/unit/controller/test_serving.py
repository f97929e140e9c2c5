"""Probes and scrapes over a real socket."""

import asyncio
import socket
import threading
from functools import partial

import aiohttp
import pytest
from prometheus_client import CollectorRegistry, Gauge
from prometheus_client.exposition import generate_latest

from proxar.controller.serving import Handler, metrics_handler, probe, serving
from proxar.errors import UsageError


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probing:
        probing.bind(("127.0.0.1", 0))
        return int(probing.getsockname()[1])


async def get(port: int, path: str, method: str = "GET") -> tuple[int, str]:
    """Status and body of a request."""
    async with (
        aiohttp.ClientSession() as session,
        session.request(method, f"http://127.0.0.1:{port}{path}") as answer,
    ):
        return answer.status, await answer.text()


def routes(fault: str | None = None) -> dict[str, Handler]:
    """A probe that has this fault."""
    return {"/livez": probe(lambda: fault)}


@pytest.mark.parametrize("address", ["127.0.0.1:{port}", "localhost:{port}", ":{port}"])
async def test_a_probe_answers(address: str) -> None:
    """At each way of writing an address."""
    port = free_port()
    async with serving(address.format(port=port), routes()):
        assert await get(port, "/livez") == (200, "ok\n")
        assert (await get(port, "/livez", "POST"))[0] == 405
        assert (await get(port, "/nothing"))[0] == 404


async def test_a_fault_is_told_in_words() -> None:
    """503, for the kubelet and for whoever reads its events."""
    port = free_port()
    async with serving(f"127.0.0.1:{port}", routes("the watch is lost")):
        assert await get(port, "/livez") == (503, "the watch is lost\n")


async def test_gauges_are_measured_at_the_scrape() -> None:
    """Not before."""
    registry, port = CollectorRegistry(), free_port()
    depth = Gauge("depth", "Depth.", registry=registry)
    handler = metrics_handler(partial(generate_latest, registry), lambda: depth.set(7))
    async with serving(f"127.0.0.1:{port}", {"/metrics": handler}):
        status, text = await get(port, "/metrics")

    assert status == 200
    assert "depth 7.0" in text


class Slow:
    """A page that does not end before it is told to."""

    def __init__(self) -> None:
        self.go_on, self.began = threading.Event(), threading.Event()
        self.at_once = self.most_at_once = 0

    def page(self) -> bytes:
        """Give nothing, late."""
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        self.began.set()
        self.go_on.wait(60)
        self.at_once -= 1
        return b""


async def test_a_probe_answers_while_a_page_is_made() -> None:
    """However long that takes, and whoever asks for another; one page is made at a time."""
    port, slow = free_port(), Slow()
    handlers = routes() | {"/metrics": metrics_handler(slow.page, lambda: None)}
    async with serving(f"127.0.0.1:{port}", handlers):
        pages = [asyncio.create_task(get(port, "/metrics")) for _ in range(3)]
        await asyncio.to_thread(slow.began.wait, 60)
        assert await get(port, "/livez") == (200, "ok\n")

        slow.go_on.set()
        assert await asyncio.gather(*pages) == [(200, "")] * 3

    assert slow.most_at_once == 1


async def test_the_port_is_free_again_afterwards() -> None:
    """However the context ends."""
    port = free_port()
    with pytest.raises(RuntimeError):
        async with serving(f"127.0.0.1:{port}", routes()):
            raise RuntimeError
    async with serving(f"127.0.0.1:{port}", routes()):
        pass


@pytest.mark.parametrize(
    "address", ["", "8080", "host:", "host:http", "127.0.0.1:99999", "127.0.0.1:-1", "1.2.3.4:²"]
)
async def test_what_is_no_address_is_a_usage_error(address: str) -> None:
    """Naming it, with an example of one."""
    with pytest.raises(UsageError, match="address"):
        async with serving(address, routes()):
            pass


async def test_a_taken_port_is_a_usage_error() -> None:
    """With the system's words."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match="cannot listen there"):
            async with serving(f"127.0.0.1:{port}", routes()):
                pass


async def test_an_address_of_another_machine_is_a_usage_error() -> None:
    """192.0.2.0/24 is nobody's."""
    with pytest.raises(UsageError, match="cannot listen there"):
        async with serving(f"192.0.2.1:{free_port()}", routes()):
            pass
