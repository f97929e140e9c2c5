"""The pin: what Git says clients should see."""

from tests.support.mcpservers import Handle
from tests.support.operatorprocess import OperatorProcess
from tests.support.toolserver import ToolServer, tool

BEFORE = [tool("search_issues", ("query",), query="string", limit="integer")]
AFTER = [tool("search_issues", ("query", "limit"), query="string", limit="integer")]
UNKNOWN = f"sha256:{'0' * 64}"


def test_a_pin_is_what_drift_is_measured_against(
    operator: OperatorProcess, server: Handle, toolserver: ToolServer
) -> None:
    """Pinned to the earlier list the server drifts; mended, it matches; unpinned, nothing moves by
    itself."""
    toolserver.tools = BEFORE
    server.apply(toolserver.url)
    first = server.until_observed()["snapshot"]["hash"]
    toolserver.tools = AFTER
    server.look()

    server.apply(toolserver.url, pinnedHash=first)
    server.until(
        lambda: server.condition("PinMatched") == ("False", "Drifted"), "the pin is taken up"
    )

    status = server.status
    assert status["baseline"] | {"sinceTime": 0, "target": 0} == {
        "hash": first,
        "source": "Pinned",
        "sinceTime": 0,
        "target": 0,
    }
    assert (status["pin"]["hash"], status["pin"]["source"]) == (first, "Observed")
    assert status["drift"]["verdict"] == "Breaking"
    toolserver.tools = BEFORE
    server.look()
    assert server.condition("PinMatched") == ("True", "Identical")
    assert server.condition("SchemaCompatible") == ("True", "NoDrift")
    assert server.event_reasons()[-1] == "DriftResolved"
    server.apply(toolserver.url)
    server.until(lambda: server.condition("PinMatched") == ("", ""), "the pin is gone")
    assert server.status["baseline"]["hash"] == first
    assert "pin" not in server.status


def test_a_pin_to_what_is_reported_matches(
    operator: OperatorProcess, server: Handle, toolserver: ToolServer
) -> None:
    """The ordinary way: pin what is there; the Event says that it matches."""
    toolserver.tools = BEFORE
    server.apply(toolserver.url)
    first = server.until_observed()["snapshot"]["hash"]

    server.apply(toolserver.url, pinnedHash=first)
    server.until(lambda: server.condition("PinMatched") == ("True", "Identical"), "the pin matches")

    assert server.event_reasons() == ["BaselineEstablished", "PinMatched"]


def test_an_unknown_pin_names_the_remedy(
    operator: OperatorProcess, server: Handle, toolserver: ToolServer
) -> None:
    """Nobody has that list: PinMatched=False says so and what to do; the rest goes on, and Ready
    stays True."""
    toolserver.tools = BEFORE
    server.apply(toolserver.url)
    first = server.until_observed()["snapshot"]["hash"]

    server.apply(toolserver.url, pinnedHash=UNKNOWN)
    server.until(
        lambda: server.condition("PinMatched") == ("False", "PinnedSnapshotMissing"),
        "it is missing",
    )

    (condition,) = [item for item in server.status["conditions"] if item["type"] == "PinMatched"]
    assert "pin a hash of status.history" in condition["message"]
    assert server.status["pin"]["source"] == "Missing"
    assert server.status["baseline"]["hash"] == first
    assert server.condition("Ready") == ("True", "Tracking")
    assert server.event_reasons() == ["BaselineEstablished", "PinMissing"]


def test_a_tampered_snapshot_is_corrupt(
    operator: OperatorProcess,
    stopped_operator: OperatorProcess,
    server: Handle,
    toolserver: ToolServer,
) -> None:
    """What is stored is believed only when it is what its hash says."""
    toolserver.tools = BEFORE
    server.apply(toolserver.url)
    first = server.until_observed()["snapshot"]
    toolserver.tools = AFTER
    second = server.look()["snapshot"]
    operator.kill()
    name, other = first["configMapRef"]["name"], second["configMapRef"]["name"]
    manifest = server.kubectl("get", "configmap", other, "-o", "json").replace(other, name)
    server.kubectl("delete", "configmap", name)
    server.kubectl("create", "-f", "-", input=manifest)
    server.apply(toolserver.url, pinnedHash=first["hash"])

    operator.start()
    server.until(
        lambda: server.condition("PinMatched") == ("False", "SnapshotCorrupt"), "it is found out"
    )

    assert server.condition("SchemaCompatible") == ("Unknown", "SnapshotCorrupt")


def test_a_pinned_snapshot_is_never_pruned(
    operator: OperatorProcess, server: Handle, toolserver: ToolServer
) -> None:
    """Nor is the baseline; history beyond its limit is."""
    toolserver.tools = BEFORE
    server.apply(toolserver.url, historyLimit=1)
    first = server.until_observed()["snapshot"]
    server.apply(toolserver.url, historyLimit=1, pinnedHash=first["hash"])
    for number in range(3):
        toolserver.tools = [*AFTER, tool(f"extra_{number}")] if number else AFTER
        status = server.look()

    assert len(status["history"]) == 1
    kept = {
        f"configmap/{first['configMapRef']['name']}",
        f"configmap/{status['snapshot']['configMapRef']['name']}",
    }
    server.until(lambda: set(server.config_maps()) == kept, "the rest is pruned")
