"""MCP servers that others wrote, from the package registries, watched by the operator.

What FastMCP makes of one and the same source is compared between its versions: most servers drift
because somebody updated a library.
"""

import base64
import gzip
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from proxar.contract import ToolList, Verdict, compare, parse
from tests.servers.process import ServerProcess
from tests.servers.programs import everything, fastmcp
from tests.support.mcpservers import Handle
from tests.support.operatorprocess import OperatorProcess, eventually


def stored(server: Handle) -> dict[str, Any]:
    """Return the ConfigMap that status names."""
    name = server.status["snapshot"]["configMapRef"]["name"]
    found: dict[str, Any] = json.loads(server.kubectl("get", "configmap", name, "-o", "json"))
    return found


def tools_in(config_map: dict[str, Any]) -> bytes:
    """Return the tool list that a ConfigMap holds."""
    return gzip.decompress(base64.b64decode(config_map["binaryData"]["tools.json.gz"]))


def looks(operator: OperatorProcess) -> float:
    """Return how many times the operator has read a tool list."""
    series = operator.series("proxar_poll_total", result="Fetched")
    return sum(float(line.rsplit(" ", 1)[1]) for line in series)


def test_server_everything_is_read_whole_and_is_the_same_at_every_look(
    operator: OperatorProcess, server: Handle, tmp_path: Path
) -> None:
    """The list is stored under its own hash, which ten looks and a restart find again."""
    with ServerProcess(everything(), tmp_path) as real:
        server.apply(real.url, interval="5s", timeout="4s")
        first = server.until_observed()

        hash_ = first["snapshot"]["hash"]
        tools = tools_in(stored(server))
        assert hash_ == f"sha256:{hashlib.sha256(tools).hexdigest()}" == parse(tools).hash
        assert first["snapshot"] | {"serverInfo": 0, "firstSeenTime": 0, "lastSeenTime": 0} == {
            "hash": hash_,
            "configMapRef": {"name": f"issues-mcp-tools-{hash_.removeprefix('sha256:')[:32]}"},
            "toolCount": 13,  # four more are for clients that can do what Proxar says it cannot
            "protocolVersion": "2025-11-25",
            "serverInfo": 0,
            "firstSeenTime": 0,
            "lastSeenTime": 0,
        }

        assert {server.look()["snapshot"]["hash"] for _ in range(10)} == {hash_}

        operator.kill()
        operator.start()
        assert server.look()["snapshot"]["hash"] == hash_

        version, before = server.get()["metadata"]["resourceVersion"], looks(operator)
        eventually(lambda: looks(operator) >= before + 2, 30, "two looks more")
        assert server.get()["metadata"]["resourceVersion"] == version

        operator.stop()
        assert server.config_maps() == [f"configmap/{first['snapshot']['configMapRef']['name']}"]
        assert server.event_reasons() == ["BaselineEstablished"]
        log = (tmp_path / "everything.log").read_text(encoding="utf-8")
        # The killed operator may have left one behind.
        assert log.count("Session initialized") - log.count("termination request") <= 1


def test_a_server_of_http_sse_is_found_and_remembered(
    operator: OperatorProcess, server: Handle, tmp_path: Path
) -> None:
    """With `transport` left out; neither a restart of the operator nor an outage changes it."""
    with ServerProcess(everything("sse"), tmp_path) as real:
        server.apply(real.url, timeout="30s")
        hash_ = server.until_observed()["snapshot"]["hash"]
        (endpoint,) = server.status["endpoints"]
        assert (endpoint["transport"], endpoint["protocolVersion"]) == ("SSE", "2025-11-25")

    assert server.look()["endpoints"][0]["transport"] == "SSE"
    assert server.condition("Reachable") == ("False", "ConnectFailed")
    operator.kill()
    operator.start()

    with ServerProcess(everything("sse"), tmp_path, port=real.port):
        status = server.look()

    assert status["snapshot"]["hash"] == hash_
    assert status["endpoints"][0]["transport"] == "SSE"


def test_a_transport_that_is_ruled_out_is_not_tried(
    operator: OperatorProcess, server: Handle, tmp_path: Path
) -> None:
    with ServerProcess(everything("sse"), tmp_path) as real:
        server.apply(real.url, timeout="30s", transport="StreamableHTTP")
        server.look()
        assert server.condition("Reachable") == ("False", "NotFound")

        server.apply(real.url, timeout="30s", transport="SSE")
        status = server.look()

    assert server.condition("Reachable") == ("True", "Fetched")
    assert status["endpoints"][0]["transport"] == "SSE"


@dataclass(frozen=True)
class Update:
    """What one version of FastMCP, put in the place of another, does to the tool list."""

    before: str
    after: str
    protocols: tuple[str, str]
    """Spoken with each."""
    verdict: Verdict
    changes: dict[str, str]
    """Path to rule, checked line by line against a plain text diff of the two lists. The verdict of
    a rule is the contract's business."""


MOVED = "description-added"
"""FastMCP 3 takes the text of an argument out of the docstring and puts it where it belongs."""

UPDATES = {
    "an update": Update(
        "2.14.7",
        "3.4.11",
        ("2025-11-25", "2025-11-25"),
        Verdict.BREAKING,
        {
            "add_comment.inputSchema.additionalProperties": "root-closed",
            "create_issue.inputSchema.additionalProperties": "root-closed",
            "get_issue.inputSchema.additionalProperties": "root-closed",
            "search_issues.inputSchema.additionalProperties": "root-closed",
            "add_comment._meta._fastmcp": "meta-changed",
            "add_comment._meta.fastmcp": "meta-changed",
            "add_comment.description": "description-changed",
            # It had the docstring of its class.
            "add_comment.inputSchema.properties.comment.description": "description-changed",
            "add_comment.inputSchema.properties.number.description": MOVED,
            "add_comment.outputSchema.description": "output-description-removed",
            "create_issue._meta._fastmcp": "meta-changed",
            "create_issue._meta.fastmcp": "meta-changed",
            "create_issue.description": "description-changed",
            "create_issue.inputSchema.properties.body.description": MOVED,
            "create_issue.inputSchema.properties.metadata.description": MOVED,
            "create_issue.inputSchema.properties.priority.description": MOVED,
            "create_issue.inputSchema.properties.title.description": MOVED,
            # It has no arguments in its docstring.
            "get_issue._meta._fastmcp": "meta-changed",
            "get_issue._meta.fastmcp": "meta-changed",
            "search_issues._meta._fastmcp": "meta-changed",
            "search_issues._meta.fastmcp": "meta-changed",
            "search_issues.description": "description-changed",
            "search_issues.inputSchema.properties.labels.description": MOVED,
            "search_issues.inputSchema.properties.limit.description": MOVED,
            "search_issues.inputSchema.properties.query.description": MOVED,
            "search_issues.inputSchema.properties.state.description": MOVED,
            "search_issues.outputSchema.description": "output-description-removed",
        },
    ),
    # FastMCP 4 speaks 2026-07-28 and FastMCP 3 does not, so the protocol has to follow.
    "a rollback": Update(
        "4.2.3",
        "3.4.11",
        ("2026-07-28", "2025-11-25"),
        Verdict.ADVISORY,
        {
            # FastMCP 4 makes a title out of the name where there is none; get_issue has one.
            "add_comment.title": "title-changed",
            "create_issue.title": "title-changed",
            "search_issues.title": "title-changed",
        },
    ),
}


@pytest.mark.parametrize("update", UPDATES.values(), ids=UPDATES)
def test_another_version_of_the_library_is_told_with_exact_paths(
    operator: OperatorProcess, server: Handle, tmp_path: Path, update: Update
) -> None:
    """The drift is in status, condition and Event, and is gone with the version that brought it."""
    verdict = update.verdict.value.capitalize()
    with ServerProcess(fastmcp(update.before), tmp_path) as real:
        server.apply(real.url, timeout="30s")  # the first answer of a new installation is slow
        status = server.until_observed()
        first, before = status["snapshot"]["hash"], parse(tools_in(stored(server)))
        assert status["snapshot"]["protocolVersion"] == update.protocols[0]
        assert status["snapshot"]["serverInfo"] == {"name": "issues", "version": update.before}

    with ServerProcess(fastmcp(update.after), tmp_path, port=real.port):
        drift = server.look()["drift"]

        assert server.condition("Reachable") == ("True", "Fetched")
        after = parse(tools_in(stored(server)))
        assert told(before, after) == update.changes
        told_in_status = {change["path"]: change["rule"] for change in drift["changes"]}
        assert told_in_status.items() <= update.changes.items()
        assert len(told_in_status) + drift["omitted"] == len(update.changes)
        assert drift["verdict"] == verdict
        worst = [change["path"] for change in drift["changes"] if change["verdict"] == verdict]
        assert len(worst) == drift[update.verdict.value]
        assert worst == list(told_in_status)[: len(worst)]  # they come first
        broken = update.verdict is Verdict.BREAKING
        assert server.condition("SchemaCompatible") == (str(not broken), f"{verdict}Drift")
        assert server.condition("Ready") == ("True", "Tracking")
        assert server.status["snapshot"]["protocolVersion"] == update.protocols[1]
        event = server.events()[-1]
        assert event["reason"] == f"{verdict}Drift"
        assert all(path in event["note"] for path in worst)

        # The restarted one has the baseline from the store instead of from the server.
        operator.kill()
        operator.start()
        assert server.look()["drift"] == drift

    with ServerProcess(fastmcp(update.before), tmp_path, port=real.port):
        back = server.look()

        assert back["snapshot"]["hash"] == first
        assert back["drift"]["verdict"] == "None"
        assert back["transitions"] == 2
        assert server.condition("SchemaCompatible") == ("True", "NoDrift")
        assert server.event_reasons() == ["BaselineEstablished", f"{verdict}Drift", "DriftResolved"]


def told(before: ToolList, after: ToolList) -> dict[str, str]:
    """Return path and rule of everything that the comparison tells, the worst first."""
    return {change.path: change.rule for change in compare(before, after).changes}
