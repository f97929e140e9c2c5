"""While nothing changes, nothing is written: the API server's own audit log is the witness."""

import random
from typing import Any

from tests.kubernetes.controlplane import ControlPlane
from tests.support.mcpservers import Handle
from tests.support.operatorprocess import OperatorProcess
from tests.support.toolserver import ToolServer, tool

WRITES = {"create", "update", "patch", "delete", "deletecollection"}
OPERATOR = "system:serviceaccount:proxar-system:proxar"
POLLS = 20


def writes(cluster: ControlPlane, namespace: str) -> list[tuple[str, str]]:
    """Verb and resource of each write of the operator in the namespace."""
    return [
        (
            event["verb"],
            f"{event['objectRef']['resource']}/{event['objectRef'].get('subresource', '')}".strip(
                "/"
            ),
        )
        for event in cluster.audit_events()
        if event["user"]["username"] == OPERATOR
        and event["verb"] in WRITES
        and event.get("objectRef", {}).get("namespace") == namespace
    ]


def test_polls_of_an_unchanged_server_write_nothing(
    operator: OperatorProcess, server: Handle, toolserver: ToolServer
) -> None:
    """Twenty polls, with tools and `required` in another order each time, and a restart between
    them."""
    tools = [
        tool(f"tool_{number}", ("a", "b", "c"), a="string", b="integer", c="boolean")
        for number in range(10)
    ]
    toolserver.tools = tools

    def shuffle() -> None:
        # The order of a list of tools and of `required` means nothing; neither does that of object
        # keys.
        shuffled: list[Any] = random.sample(tools, len(tools))
        for each in shuffled:
            each["inputSchema"]["required"] = random.sample(["a", "b", "c"], 3)
        toolserver.tools = [dict(random.sample(list(each.items()), len(each))) for each in shuffled]

    toolserver.before_answer = shuffle
    server.apply(toolserver.url, interval="5s", timeout="4s")
    server.until_observed()
    version = server.get()["metadata"]["resourceVersion"]
    assert isinstance(server.cluster, ControlPlane)
    before = writes(server.cluster, server.namespace)
    seen = toolserver.lists

    # The API's smallest interval is 5 s, so this test is mostly waiting.
    server.until(lambda: toolserver.lists - seen >= POLLS, "the polls are done", seconds=180)
    operator.kill()
    operator.start()
    server.until(lambda: toolserver.lists - seen >= POLLS + 2, "two polls more")

    assert writes(server.cluster, server.namespace) == before
    assert server.get()["metadata"]["resourceVersion"] == version
    assert before == [
        ("patch", "mcpservers/status"),
        ("create", "configmaps"),
        ("create", "events"),
        ("patch", "mcpservers/status"),
    ]
