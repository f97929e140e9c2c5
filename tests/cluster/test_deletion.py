"""Nothing of a deleted MCPServer stays, and nothing waits for the operator."""

from tests.support.mcpservers import Handle
from tests.support.operatorprocess import OperatorProcess
from tests.support.toolserver import ToolServer, tool

TOOLS = [tool("search_issues", ("query",), query="string")]


def test_snapshots_and_series_go_with_the_object(
    operator: OperatorProcess, server: Handle, toolserver: ToolServer
) -> None:
    """The garbage collector takes the ConfigMaps, the operator its series."""
    toolserver.tools = TOOLS
    server.apply(toolserver.url)
    server.until_observed()
    assert server.config_maps()
    mine = {"namespace": server.namespace, "name": server.name}
    assert operator.series("proxar_", **mine)

    server.delete()

    server.until(lambda: server.config_maps() == [], "the ConfigMaps are collected")
    server.until(lambda: operator.series("proxar_", **mine) == [], "the series are gone")


def test_a_namespace_can_be_deleted_while_the_operator_is_down(
    operator: OperatorProcess, server: Handle, toolserver: ToolServer
) -> None:
    """There is no finalizer that anybody would have to take away."""
    toolserver.tools = TOOLS
    server.apply(toolserver.url)
    server.until_observed()
    operator.kill()

    server.cluster.kubectl("delete", "namespace", server.namespace, "--timeout=60s")

    assert "finalizers" not in str(
        server.cluster.kubectl("get", "mcpservers.proxar.dev", "-A", "-o", "json").stdout
    )


def test_an_object_deleted_while_the_operator_was_down_is_forgotten(
    operator: OperatorProcess, server: Handle, toolserver: ToolServer
) -> None:
    """No series of it comes back."""
    toolserver.tools = TOOLS
    server.apply(toolserver.url)
    server.until_observed()
    operator.kill()
    server.delete()

    operator.start()

    assert operator.series("proxar_", namespace=server.namespace, name=server.name) == []
