"""Could not look is not gone: every fault has a reason of its own and leaves what was known."""

import os
import socket
from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.support.kstatus import kstatus
from tests.support.mcpservers import Handle
from tests.support.operatorprocess import OperatorProcess
from tests.support.toolserver import Answer, ToolServer, html, status, tool, truncated

TOOLS = [tool("search_issues", ("query",), query="string")]

FAULTS = {
    "ServerError": status(503),
    "Unauthorized": status(401),
    "NotMCP": html(),
    "TruncatedResponse": truncated(),
    "MalformedResponse": Answer(b'{"jsonrpc": nonsense'),
}


@pytest.mark.parametrize("reason", FAULTS)
def test_a_fault_keeps_the_last_good_list(
    operator: OperatorProcess, server: Handle, toolserver: ToolServer, reason: str
) -> None:
    """Reachable=False with the reason, one Event, the snapshot kept, no drift; then it recovers."""
    toolserver.tools = TOOLS
    server.apply(toolserver.url)
    good = server.until_observed()
    toolserver.fault = FAULTS[reason]

    bad = server.look()
    server.look()

    assert server.condition("Reachable") == ("False", reason)
    assert bad["endpoints"][0]["reason"] == reason
    assert bad["snapshot"] == good["snapshot"]
    assert bad["drift"]["verdict"] == "None"
    assert bad["transitions"] == 0
    assert server.event_reasons() == ["BaselineEstablished", "Unreachable"]
    # Only what a person must mend makes Ready False; a vendor's bad hour leaves the rollout green.
    mend = reason == "Unauthorized"
    assert server.condition("Ready") == (("False", reason) if mend else ("True", "Tracking"))
    assert kstatus(server.get()) == ("Failed" if mend else "Current")
    toolserver.fault = None
    server.look()
    assert server.condition("Reachable") == ("True", "Fetched")
    assert server.condition("Stalled") == ("", "")
    assert server.event_reasons() == ["BaselineEstablished", "Unreachable", "Recovered"]


@pytest.fixture
def closed_port() -> Iterator[int]:
    """A port that is taken, but where nobody listens."""
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


def test_an_unreachable_server_is_not_ready_before_the_first_look(
    operator: OperatorProcess, server: Handle, closed_port: int
) -> None:
    """A pipeline that waits for Ready goes on waiting."""
    server.apply(f"http://127.0.0.1:{closed_port}/mcp")
    server.until(
        lambda: server.condition("Reachable") == ("False", "ConnectFailed"), "the fault is reported"
    )

    assert server.condition("Ready") == ("Unknown", "NotYetObserved")
    assert kstatus(server.get()) == "InProgress"
    waited = server.kubectl(
        "wait",
        "--for=condition=Ready",
        "--timeout=1s",
        f"mcpservers.proxar.dev/{server.name}",
        check=False,
    )
    assert "condition met" not in waited


def test_nothing_is_ready_before_the_operator_has_looked(cluster: object, server: Handle) -> None:
    """Without an operator an object is in progress, not current."""
    server.apply("https://mcp.example.com/mcp")

    assert kstatus(server.get()) == "InProgress"


def test_egress_is_guarded(operator: OperatorProcess, server: Handle) -> None:
    """A metadata address is refused, and a person has to mend the object."""
    server.apply("http://169.254.169.254/latest/meta-data")
    server.until(
        lambda: server.condition("Reachable") == ("False", "EgressDenied"), "it is refused"
    )

    assert server.condition("Ready") == ("False", "EgressDenied")
    assert server.condition("Stalled") == ("True", "EgressDenied")
    assert kstatus(server.get()) == "Failed"


def test_the_api_server_is_guarded(operator: OperatorProcess, server: Handle) -> None:
    """Also where a flag opens its network."""
    port = server.cluster.url.rpartition(":")[2]
    server.apply(f"https://127.0.0.1:{port}/api")

    server.until(
        lambda: server.condition("Reachable") == ("False", "EgressDenied"), "it is refused"
    )


def test_a_service_is_resolved_and_checked(operator: OperatorProcess, server: Handle) -> None:
    """serviceRef: a missing Service, one that leads elsewhere, and a port that is not one of it,
    each say so."""
    server.apply("", endpoints=[{"name": "primary", "serviceRef": {"name": "issues"}}])
    server.until(
        lambda: server.condition("Reachable") == ("False", "DNSFailed"), "the Service is missing"
    )
    server.kubectl(
        "create",
        "service",
        "externalname",
        "issues",
        "--external-name",
        "example.com",
        "--tcp",
        "80",
    )
    server.look()
    assert server.condition("Reachable") == ("False", "EgressDenied")
    server.kubectl("delete", "service", "issues")
    server.kubectl("create", "service", "clusterip", "issues", "--tcp", "80", "--tcp", "81")
    server.look()
    message = server.status["endpoints"][0]["message"]
    assert "set serviceRef.port to one of [80, 81]" in message
    server.apply("", endpoints=[{"name": "primary", "serviceRef": {"name": "issues", "port": 81}}])
    # There is no cluster DNS here, so the name is as far as it gets.
    server.until(
        lambda: f"issues.{server.namespace}.svc" in server.status["endpoints"][0]["message"],
        "it is dialled",
    )
    assert server.condition("Reachable") == ("False", "DNSFailed")


def test_a_header_value_is_never_told(
    operator: OperatorProcess, server: Handle, toolserver: ToolServer
) -> None:
    """Whatever goes wrong, status, Events, metrics and log do not hold it."""
    token = f"secret-{os.urandom(8).hex()}"
    toolserver.fault = status(401)
    server.apply(f"{toolserver.url}?key={token}", headers=[{"name": "X-API-Key", "value": token}])
    server.until(
        lambda: server.condition("Reachable") == ("False", "Unauthorized"), "the fault is reported"
    )

    told = (
        str(server.status)
        + str(server.events())
        + operator.get("/metrics")
        + operator.log.read_text()
    )
    assert token not in told
