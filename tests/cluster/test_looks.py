"""Several endpoints, lists that do not stand still, and servers that announce their changes."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.servers.process import ServerProcess
from tests.servers.programs import everything
from tests.support.announcingserver import AnnouncingServer
from tests.support.balancer import Balancer
from tests.support.mcpservers import Handle
from tests.support.operatorprocess import OperatorProcess
from tests.support.toolserver import ToolServer, tool

BEFORE = [tool("search_issues", ("query",), query="string", limit="integer")]
AFTER = [tool("search_issues", ("query", "limit"), query="string", limit="integer")]


@pytest.fixture
def other() -> Iterator[ToolServer]:
    """A second server."""
    with ToolServer(tools=BEFORE) as server:
        yield server


def endpoints(**urls: str) -> list[dict[str, Any]]:
    """The first is the reference."""
    return [{"name": name, "url": url} for name, url in urls.items()]


def message(server: Handle) -> str:
    """Of the condition Consistent."""
    found = {item["type"]: item["message"] for item in server.status.get("conditions", ())}
    return str(found.get("Consistent", ""))


def test_endpoints_that_differ_are_told(
    operator: OperatorProcess, server: Handle, toolserver: ToolServer, other: ToolServer
) -> None:
    """With the first difference, by one Event; the server itself has not drifted."""
    toolserver.tools = BEFORE
    listed = endpoints(primary=toolserver.url, canary=other.url)
    server.apply("", endpoints=listed)
    server.until_observed()
    assert server.condition("Consistent") == ("True", "Agree")
    other.tools = AFTER

    for _ in range(2):
        status = server.look()

    assert server.condition("Consistent") == ("False", "EndpointsDiffer")
    assert 'canary (search_issues.inputSchema.required: "limit" is now required' in message(server)
    assert [each["name"] for each in status["endpoints"]] == ["primary", "canary"]
    assert len({each["hash"] for each in status["endpoints"]}) == 2
    assert status["drift"]["verdict"] == "None"
    assert status["transitions"] == 0
    assert server.condition("Ready") == ("True", "Tracking")
    assert server.event_reasons() == ["BaselineEstablished", "EndpointsDiffer"]
    mine = {"namespace": server.namespace, "name": server.name}
    (series,) = operator.series(
        "proxar_mcpserver_status_condition", condition="Consistent", status="False", **mine
    )
    assert series.endswith(" 1.0")

    other.tools = BEFORE
    server.look()
    assert server.condition("Consistent") == ("True", "Agree")
    assert server.event_reasons() == ["BaselineEstablished", "EndpointsDiffer"]


def test_an_endpoint_that_lists_nothing_is_its_own_fault(
    operator: OperatorProcess, server: Handle, toolserver: ToolServer, other: ToolServer
) -> None:
    """No difference, and nothing about the server; taking it away is no other target."""
    toolserver.tools, other.tools = BEFORE, []
    server.apply("", endpoints=endpoints(primary=toolserver.url, canary=other.url))
    status = server.until_observed()

    assert [each["reason"] for each in status["endpoints"]] == ["Fetched", "EmptyList"]
    assert server.condition("Reachable") == ("True", "Fetched")
    assert server.condition("Consistent") == ("Unknown", "NotYetObserved")
    server.apply("", endpoints=endpoints(primary=toolserver.url))
    server.until(lambda: server.status["observedGeneration"] == 2, "the change was handled")
    assert [each["name"] for each in server.status["endpoints"]] == ["primary"]
    assert server.condition("Consistent") == ("", "")
    assert server.event_reasons() == ["BaselineEstablished"]


def test_replicas_that_differ_behind_one_address_are_told_once(
    operator: OperatorProcess, server: Handle
) -> None:
    """Three transitions as any, and then Flapping: no more Events, and the worst list stays."""
    with (
        ToolServer(tools=BEFORE, closes=True) as one,
        ToolServer(tools=AFTER, closes=True) as two,
        Balancer([one.port, two.port]) as address,
    ):
        server.apply(address.url)
        server.until_observed()
        for _ in range(5):
            server.look()
        told = server.event_reasons()
        assert server.condition("Consistent") == ("False", "Flapping")
        assert told[-1] == "Flapping"
        assert len(told) <= 5
        operator.kill()
        operator.start()
        for _ in range(6):
            status = server.look()

    assert server.event_reasons() == told
    assert server.condition("Consistent") == ("False", "Flapping")
    assert status["transitions"] <= 3
    hashes = {entry["hash"] for entry in status["history"]}
    assert len(hashes) == 2
    assert all(hash_ in message(server) for hash_ in hashes)
    # Whichever of the two was seen first, the other one breaks it.
    assert status["drift"]["verdict"] in ("Breaking", "Compatible")
    assert status["snapshot"]["hash"] != status["baseline"]["hash"]
    assert len(server.config_maps()) == 2


def test_a_new_list_is_seen_as_often_as_is_asked_for(
    operator: OperatorProcess, server: Handle, toolserver: ToolServer
) -> None:
    """Over a new connection each time, and within seconds."""
    toolserver.tools = BEFORE
    server.apply(toolserver.url, driftPolicy={"confirmations": 3})
    server.until_observed()
    toolserver.tools = AFTER
    seen, connections = toolserver.lists, toolserver.connections

    status = server.look()

    assert toolserver.lists - seen == 3
    assert toolserver.connections - connections >= 2
    assert status["transitions"] == 1
    assert server.event_reasons() == ["BaselineEstablished", "BreakingDrift"]


@pytest.mark.parametrize("is_legacy", [False, True], ids=["modern", "legacy"])
def test_an_announced_change_is_seen_at_once(
    operator: OperatorProcess, server: Handle, is_legacy: bool
) -> None:
    """Though the interval is an hour; and the stream is open only while it is wanted."""
    with AnnouncingServer(tools=BEFORE, is_legacy=is_legacy) as real:
        server.apply(real.url, changeNotifications="Listen")
        server.until_observed()
        server.until(lambda: len(real.listeners) == 1, "it is listened to")
        real.tools = AFTER
        started = time.monotonic()
        for _ in range(10):
            real.announce()
        server.until(lambda: server.status["transitions"] == 1, "the drift is seen")
        # One second of it so that ten announcements are one look.
        assert time.monotonic() - started < 6

        real.hang_up()
        server.until(lambda: len(real.listeners) == 1, "the stream is opened again")
        assert operator.stop() == 0
        server.until(lambda: real.listeners == [] and not real.sessions, "it said goodbye")
        operator.start()
        server.look()  # by itself it would come within half a minute
        server.until(lambda: len(real.listeners) == 1, "one process has one stream")
        server.apply(real.url, changeNotifications="Listen", suspend=True)
        server.until(lambda: real.listeners == [], "nobody listens while it is suspended")
        server.apply(real.url, changeNotifications="Listen")
        server.until(lambda: len(real.listeners) == 1, "it is listened to again")
        server.apply(real.url)
        server.until(lambda: real.listeners == [], "nobody listens any more")
        server.until(lambda: real.sessions == set(), "the sessions are ended")


def test_a_server_that_announces_nothing_is_not_listened_to(
    operator: OperatorProcess, server: Handle
) -> None:
    """And sees no GET."""
    with AnnouncingServer(tools=BEFORE, is_legacy=True, offers=False) as real:
        server.apply(real.url, changeNotifications="Listen")
        server.until_observed()
        for _ in range(3):
            server.look()

        assert real.gets == 0
        server.until(lambda: real.sessions == set(), "the sessions are ended")


def test_server_everything_is_listened_to_and_left(
    operator: OperatorProcess, server: Handle, tmp_path: Path
) -> None:
    """One session for as long as it takes, and none afterwards."""
    log = tmp_path / "everything.log"

    def sessions() -> int:
        text = log.read_text(encoding="utf-8")
        return text.count("Session initialized") - text.count("termination request")

    with ServerProcess(everything(), tmp_path) as real:
        server.apply(real.url, changeNotifications="Listen")
        server.until_observed()
        server.until(lambda: "Establishing new SSE stream" in log.read_text(), "it is listened to")
        server.look()
        assert sessions() == 1
        server.delete()
        server.until(lambda: sessions() == 0, "the session is ended")
