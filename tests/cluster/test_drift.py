"""The main job: a server changes, and everybody who should know is told what, exactly."""

import base64
import gzip
import json

from proxar.contract import parse
from tests.support.mcpservers import Handle
from tests.support.operatorprocess import OperatorProcess
from tests.support.toolserver import ToolServer, tool

BEFORE = [tool("search_issues", ("query",), "Search the issues.", query="string", limit="integer")]
AFTER = [
    tool(
        "search_issues",
        ("search_text", "limit"),
        "Find issues.",
        search_text="string",
        limit="integer",
    )
]


def test_a_first_look_sets_the_baseline(
    operator: OperatorProcess, server: Handle, toolserver: ToolServer
) -> None:
    """The first complete list is stored whole, is the baseline, and is told of once."""
    toolserver.tools = BEFORE
    server.apply(toolserver.url)

    status = server.until_observed()

    hash_ = status["snapshot"]["hash"]
    assert status["baseline"] | {"sinceTime": 0, "target": 0} == {
        "hash": hash_,
        "source": "FirstSeen",
        "sinceTime": 0,
        "target": 0,
    }
    assert status["snapshot"]["serverInfo"] == {"name": "toolserver", "version": "1"}
    assert status["transitions"] == 0
    assert status["observedGeneration"] == 1
    stored = json.loads(
        server.kubectl("get", "configmap", status["snapshot"]["configMapRef"]["name"], "-o", "json")
    )
    assert stored["immutable"] is True
    assert (
        parse(gzip.decompress(base64.b64decode(stored["binaryData"]["tools.json.gz"]))).hash
        == hash_
    )
    assert json.loads(stored["data"]["summary.json"])["tools"] == ["search_issues"]
    assert server.event_reasons() == ["BaselineEstablished"]
    assert server.condition("SchemaCompatible") == ("True", "NoDrift")
    assert server.condition("Reconciling") == ("", "")


def test_drift_is_told_with_exact_paths(
    operator: OperatorProcess, server: Handle, toolserver: ToolServer
) -> None:
    """Status, condition, Event and metrics name the path of what broke; Ready stays True."""
    toolserver.tools = BEFORE
    server.apply(toolserver.url)
    first = server.until_observed()["snapshot"]["hash"]
    toolserver.tools = AFTER

    status = server.look()

    told = {(change["path"], change["rule"]) for change in status["drift"]["changes"]}
    assert ("search_issues.inputSchema.properties.query", "parameter-removed") in told
    assert ("search_issues.inputSchema.required", "parameter-became-required") in told
    assert ("search_issues.inputSchema.required", "parameter-added-required") in told
    assert ("search_issues.description", "description-changed") in told
    assert status["drift"]["verdict"] == "Breaking"
    assert (status["drift"]["breaking"], status["drift"]["advisory"]) == (3, 1)
    assert status["baseline"]["hash"] == first
    assert server.condition("Ready") == ("True", "Tracking")
    assert server.condition("SchemaCompatible") == ("False", "BreakingDrift")
    event = server.events()[-1]
    assert (event["reason"], event["type"]) == ("BreakingDrift", "Warning")
    assert (
        'search_issues.inputSchema.required: "limit" is now required (parameter-became-required)'
        in event["note"]
    )
    mine = {"namespace": server.namespace, "name": server.name}
    assert operator.series("proxar_drift_changes", verdict="breaking", **mine)[0].endswith(" 3.0")
    path = "search_issues.inputSchema.required"
    assert operator.series(
        "proxar_drift_change_info", path=path, rule="parameter-became-required", **mine
    )
    columns = server.kubectl("get", "pmcp").split()
    assert "Breaking" in columns


def test_each_transition_has_its_event(
    operator: OperatorProcess, server: Handle, toolserver: ToolServer
) -> None:
    """A -> B -> A -> B is three transitions, with an Event each; the same list again is none."""
    toolserver.tools = BEFORE
    server.apply(toolserver.url)
    server.until_observed()
    for tools in (AFTER, BEFORE, AFTER, AFTER):
        toolserver.tools = tools
        status = server.look()

    assert status["transitions"] == 3
    expected = ["BaselineEstablished", "BreakingDrift", "DriftResolved", "BreakingDrift"]
    assert server.event_reasons() == expected
    assert len(server.config_maps()) == 2
    assert [entry["hash"] for entry in status["history"]] == [
        status["snapshot"]["hash"],
        status["baseline"]["hash"],
        status["snapshot"]["hash"],
        status["baseline"]["hash"],
    ]


def test_lost_tools_count_when_they_are_seen_to_be_lost_twice(
    operator: OperatorProcess, server: Handle, toolserver: ToolServer
) -> None:
    """One list without a tool is not evidence; the second is, and comes soon."""
    toolserver.tools = [*BEFORE, tool("close_issue", ("number",), number="integer")]
    server.apply(toolserver.url)
    server.until_observed()
    toolserver.tools = BEFORE
    seen = toolserver.lists

    status = server.look()

    assert toolserver.lists - seen >= 2
    assert [(change["path"], change["rule"]) for change in status["drift"]["changes"]] == [
        ("close_issue", "tool-removed")
    ]


def test_an_empty_list_is_a_fault_first(
    operator: OperatorProcess, server: Handle, toolserver: ToolServer
) -> None:
    """Neither the first baseline nor, at once, the removal of everything."""
    server.apply(toolserver.url)
    server.until(
        lambda: server.condition("Reachable") == ("False", "EmptyList"),
        "the empty list is reported",
    )
    assert server.condition("Ready") == ("Unknown", "NotYetObserved")
    toolserver.tools = BEFORE
    first = server.look()
    assert server.condition("Ready") == ("True", "Tracking")
    toolserver.tools = []

    status = server.look()

    assert server.condition("Reachable") == ("False", "EmptyList")
    assert status["snapshot"]["hash"] == first["snapshot"]["hash"]
    assert status["drift"]["verdict"] == "None"


def test_a_changed_target_starts_a_new_baseline(
    operator: OperatorProcess, server: Handle, toolserver: ToolServer
) -> None:
    """Another url is not the vendor's drift."""
    toolserver.tools = BEFORE
    server.apply(toolserver.url)
    server.until_observed()
    with ToolServer(tools=AFTER) as other:
        server.apply(other.url)
        server.until(
            lambda: server.status["observedGeneration"] == 2, "the new target was looked at"
        )

    status = server.status
    assert status["baseline"]["hash"] == status["snapshot"]["hash"]
    assert status["drift"]["verdict"] == "None"
    assert status["transitions"] == 0
    assert server.event_reasons() == ["BaselineEstablished", "TargetChanged"]


def test_an_accepted_list_becomes_the_baseline(
    operator: OperatorProcess, server: Handle, toolserver: ToolServer
) -> None:
    """The annotation moves the baseline once; taken away or not, it does not move it back later."""
    toolserver.tools = BEFORE
    server.apply(toolserver.url)
    server.until_observed()
    toolserver.tools = AFTER
    drifted = server.look()["snapshot"]["hash"]

    server.kubectl(
        "annotate", "mcpservers.proxar.dev", server.name, f"proxar.dev/accepted-hash={drifted}"
    )
    server.until(lambda: server.status["baseline"]["hash"] == drifted, "the list was accepted")

    status = server.status
    assert status["baseline"]["source"] == "Accepted"
    assert status["drift"]["verdict"] == "None"
    assert status["lastHandledAcceptedHash"] == drifted
    assert server.event_reasons()[-1] == "BaselineAccepted"
    assert server.condition("SchemaCompatible") == ("True", "NoDrift")


def test_a_suspended_server_is_not_looked_at(
    operator: OperatorProcess, server: Handle, toolserver: ToolServer
) -> None:
    """Suspending is handled, keeps what is known, and stops the interval's series, so nothing
    alerts as stale."""
    toolserver.tools = BEFORE
    server.apply(toolserver.url)
    server.until_observed()
    server.apply(toolserver.url, suspend=True)
    server.until(lambda: server.status["observedGeneration"] == 2, "the suspension was handled")
    seen = toolserver.lists

    server.request_look()

    mine = {"namespace": server.namespace, "name": server.name}
    assert operator.series("proxar_mcpserver_interval_seconds", **mine) == []
    assert operator.series("proxar_mcpserver_tools", **mine)
    assert server.condition("Ready") == ("True", "Tracking")
    assert toolserver.lists == seen
