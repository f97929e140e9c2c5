"""Whatever a server sends, the status is written: one bad value would lose all of it."""

import pytest

from tests.support.mcpservers import Handle
from tests.support.operatorprocess import OperatorProcess
from tests.support.toolserver import ToolServer, tool

GOOD = [tool("search_issues", ("query",), query="string")]

HOSTILE_INFO = {
    "long": {"name": "n" * 300, "version": "9" * 300},
    "control-characters": {"name": "a\x00b\x1b[31m\r\nc", "version": "\u202e1.0\u200b"},
    "lone-surrogates": {"name": "\ud800", "version": "\udfff1"},
}


@pytest.mark.parametrize("info", HOSTILE_INFO)
def test_hostile_server_info_costs_nothing(
    operator: OperatorProcess, server: Handle, toolserver: ToolServer, info: str
) -> None:
    """Names and versions are cut and shown as escapes."""
    toolserver.tools, toolserver.server_info = GOOD, HOSTILE_INFO[info]
    server.apply(toolserver.url)

    status = server.until_observed()

    shown = status["snapshot"]["serverInfo"]
    assert all(0 < len(value) <= 256 and value.isprintable() for value in shown.values())


def test_hostile_tools_cost_nothing(
    operator: OperatorProcess, server: Handle, toolserver: ToolServer
) -> None:
    """Nor do names, descriptions and parameters."""
    toolserver.tools = GOOD
    server.apply(toolserver.url)
    server.until_observed()
    nasty = [
        "\ud800",
        "x" * 5000,
        "a\x00\x1b]0;title\x07",
        "\u202egnirts",
        'quote"backslash\\',
        "",
        "{{ $labels }}",
    ]
    toolserver.tools = [
        *GOOD,
        *(tool(name, (name,), name, **{name: "string"}) for name in nasty),
        None,
        17,
        {},
    ]

    status = server.look()

    assert status["drift"]["verdict"] != "None"
    assert status["snapshot"]["toolCount"] == len(toolserver.tools)
    assert operator.series("proxar_drift_change_info", namespace=server.namespace)


def test_five_thousand_changed_tools_cost_nothing(
    operator: OperatorProcess, server: Handle, toolserver: ToolServer
) -> None:
    """Twenty changes are listed, the rest is counted, one Event is sent, and the list is stored in
    parts if it must be."""
    filler = {f"parameter_{number}": "string" for number in range(10)}
    toolserver.tools = [tool(f"tool_{number}", **filler) for number in range(5000)]
    server.apply(toolserver.url, interval="1h", timeout="60s")
    server.until(
        lambda: server.condition("Ready")[0] == "True", "the first look is done", seconds=90
    )
    toolserver.tools = [
        tool(f"tool_{number}", ("parameter_1",), **filler) for number in range(5000)
    ]
    server.request_look()
    server.until(lambda: server.status["transitions"] == 1, "the drift is reported", seconds=90)

    status = server.status
    assert status["drift"]["breaking"] == 5000
    assert len(status["drift"]["changes"]) == 20
    assert status["drift"]["omitted"] == 4980
    (event,) = [event for event in server.events() if event["reason"] == "BreakingDrift"]
    assert len(event["note"].encode()) <= 1024
    assert "5000 breaking" in event["note"]
