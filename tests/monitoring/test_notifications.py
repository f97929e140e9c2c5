"""Who is told what, and how often: a real operator, Prometheus and Alertmanager with the shipped
rules and configuration, on a real control plane."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.kubernetes.cluster import Cluster
from tests.monitoring.stack import Monitoring, Notification
from tests.support.mcpservers import Handle
from tests.support.operatorprocess import OperatorProcess, eventually
from tests.support.toolserver import ToolServer, status, tool

BEFORE = [
    tool("search_issues", ("query",), query="string", limit="integer"),
    tool("close_issue", ("number",), number="integer") | {"annotations": {"readOnlyHint": True}},
]
BROKEN = [tool("search_issues", ("query", "limit"), query="string", limit="integer"), BEFORE[1]]
WITHDRAWN = [BROKEN[0], tool("close_issue", ("number",), number="integer")]
PATH = "search_issues.inputSchema.required"
NAMES = ("accepted", "pinned", "deleted", "withdrawn", "calm")
MANY = [tool(f"tool_{number:02}") for number in range(74)]

PATIENCE_SECONDS = 60.0
"""For a window of half a minute and the waits of Alertmanager."""


class Scene:
    """Some MCPServers, each with a server of its own."""

    def __init__(self, cluster: Cluster, namespace: str, stack: ExitStack) -> None:
        self.cluster, self.namespace = cluster, namespace
        self._stack = stack
        self.sources: dict[str, ToolServer] = {}

    def handle(self, name: str) -> Handle:
        """The MCPServer of that name."""
        return Handle(self.cluster, self.namespace, name)

    def begin(self, **servers: list[Any]) -> None:
        """Apply one for each list of tools, and wait until all were looked at."""
        for name, tools in servers.items():
            self.sources[name] = self._stack.enter_context(ToolServer(tools=tools))
            self.apply(name)
        kinds = ("mcpservers.proxar.dev", "--all")
        self.cluster.kubectl(
            *("wait", "-n", self.namespace, "--for=condition=Ready", "--timeout=60s", *kinds)
        )

    def apply(self, name: str, **spec: Any) -> None:
        """Apply one as Git would."""
        spec = {"interval": "5s", "timeout": "4s"} | spec
        self.handle(name).apply(self.sources[name].url, **spec)

    def change(self, **servers: list[Any]) -> None:
        """Have servers report other tools, which the operator finds out by itself."""
        for name, tools in servers.items():
            self.sources[name].tools = tools

    def reported(self, name: str) -> str:
        """The hash of what the server reports, as far as the operator knows."""
        return str(self.handle(name).status["snapshot"]["hash"])


@pytest.fixture
def operators(
    operator_kubeconfig: Path, namespace: str, tmp_path: Path
) -> Iterator[list[OperatorProcess]]:
    """Two pods of one Deployment; neither runs yet."""
    processes = [
        OperatorProcess(operator_kubeconfig, tmp_path / f"{name}.log", namespace=namespace)
        for name in ("old", "new")
    ]
    yield processes
    for process in processes:
        process.kill()


@pytest.fixture
def scene(cluster: Cluster, namespace: str) -> Iterator[Scene]:
    """A namespace without servers."""
    with ExitStack() as stack:
        yield Scene(cluster, namespace, stack)


def holds(monitoring: Monitoring, expression: str) -> Callable[[], bool]:
    """Whether a query has a result, to be waited for."""
    return lambda: bool(monitoring.query(expression))


def until_told(monitoring: Monitoring, **numbers: int) -> None:
    """Wait for so many notifications about servers, by name; `operator` is Proxar itself."""

    def told() -> bool:
        return all(
            len(monitoring.about("" if name == "operator" else name)) >= number
            for name, number in numbers.items()
        )

    eventually(told, PATIENCE_SECONDS, f"notifications: {numbers}")


def firing(notification: Notification, alert: str) -> dict[str, Any]:
    """The only firing alert of a notification, which must be of that name."""
    assert notification.names("firing") == [alert]
    return notification.alerts("firing")[0]


def test_one_notification_for_each_server_and_transition(
    scene: Scene, operators: list[OperatorProcess], tmp_path: Path
) -> None:
    """Whatever the number of changes, and whatever happens to the operator meanwhile."""
    old, new = operators
    old.start()
    # Ten minutes are half a minute, for a restart on a busy machine.
    with Monitoring(tmp_path, [old.address, new.address], divisor=20) as monitoring:
        scene.begin(**dict.fromkeys(NAMES, BEFORE) | {"github": MANY})
        scene.apply("pinned", pinnedHash=scene.reported("pinned"))
        eventually(
            holds(monitoring, "count(proxar_mcpserver_tools) == 6"), 30, "all servers are scraped"
        )

        scene.change(accepted=BROKEN, deleted=BROKEN, pinned=BROKEN)
        scene.change(withdrawn=WITHDRAWN, github=MANY[:3])
        until_told(monitoring, accepted=1, deleted=1, pinned=1, withdrawn=1, github=1)

        old.stop()
        new.start()
        eventually(
            holds(
                monitoring,
                f'count(proxar_drift_transitions_total{{instance="{new.address}"}}) == 6',
            ),
            30,
            "the new pod tells of all servers",
        )

        accepted = scene.handle("accepted")
        accepted.kubectl(
            "annotate",
            f"mcpservers.proxar.dev/{accepted.name}",
            f"proxar.dev/accepted-hash={scene.reported('accepted')}",
        )
        scene.apply("pinned", pinnedHash=scene.reported("pinned"))
        scene.handle("deleted").delete()
        scene.change(withdrawn=BROKEN, github=MANY[:2])
        until_told(monitoring, accepted=2, pinned=2, withdrawn=3, github=2, deleted=2)

        eventually(lambda: not monitoring.query('{name="deleted"}'), 10, "no series of it is left")
        told = {name: monitoring.about(name) for name in scene.sources}

    everything = "\n".join(map(str, monitoring.notifications))
    numbers = {name: len(found) for name, found in told.items()}
    assert numbers == dict.fromkeys(NAMES, 2) | {"calm": 0, "withdrawn": 3, "github": 2}, everything
    assert len(monitoring.notifications) == 11, everything  # none about the operator

    alert = firing(told["accepted"][0], "MCPServerBreakingChange")
    server = f"{scene.namespace}/accepted"
    assert told["accepted"][0].receiver == "team"
    assert alert["labels"]["transition"] == "1"
    assert alert["annotations"]["summary"] == f"MCP server {server} broke its tools: {PATH}"
    assert (
        f"- tool search_issues: {PATH} (parameter-became-required)"
        in alert["annotations"]["description"].splitlines()
    )

    firing(told["pinned"][0], "MCPServerBreaksPin")
    assert told["pinned"][0].receiver == "page"

    alert = firing(told["withdrawn"][0], "MCPServerSafetyPromiseWithdrawn")
    assert alert["annotations"]["summary"].endswith(": close_issue.annotations.readOnlyHint")
    assert "- and 1 breaking changes of other kinds" in alert["annotations"]["description"]
    # Each of two receivers is told once: for one it is over, for the other it is not.
    assert [item.receiver for item in told["withdrawn"]].count("page") == 2
    (team,) = (item for item in told["withdrawn"] if item.receiver == "team")
    assert firing(team, "MCPServerBreakingChange")["labels"]["transition"] == "2"

    alert = firing(told["github"][0], "MCPServerBreakingChange")
    assert alert["annotations"]["summary"].endswith(" and 70 more")
    assert "- and 51 more changes that are not listed here" in alert["annotations"]["description"]
    assert alert["annotations"]["description"].count("\n- tool ") == 20
    again = firing(told["github"][1], "MCPServerBreakingChange")
    assert [again["labels"]["transition"], alert["labels"]["transition"]] == ["2", "1"]

    for name in ("accepted", "deleted", "pinned"):
        assert told[name][1].names("firing") == []
        assert told[name][1].names("resolved") == told[name][0].names("firing")


def test_what_is_held_back_is_told_of_neither_then_nor_later(
    scene: Scene, operators: list[OperatorProcess], tmp_path: Path
) -> None:
    """Drift while the server cannot be read; and everything while the operator is down, which it is
    for longer than Prometheus remembers its series."""
    operator, _ = operators
    operator.start()
    with Monitoring(tmp_path, [operator.address], divisor=30) as monitoring:
        scene.begin(broken=BEFORE, away=BEFORE)
        pinned = scene.reported("away")
        scene.change(broken=BROKEN, away=BROKEN)
        until_told(monitoring, broken=1, away=1)

        scene.sources["away"].fault = status(503)
        until_told(monitoring, away=2)
        scene.apply("away", pinnedHash=pinned)
        eventually(
            lambda: "MCPServerBreaksPin" in monitoring.inhibited("away"), 30, "drift is held back"
        )

        operator.stop()
        until_told(monitoring, operator=1)
        alert = 'ALERTS{name="broken",alertstate="firing"}'
        away = f"{alert} and on () absent_over_time(proxar_ready[20s])"
        eventually(holds(monitoring, away), 60, "the alert goes on while the operator is away")
        operator.start()
        until_told(monitoring, operator=2)

        accepted = f"proxar.dev/accepted-hash={scene.reported('broken')}"
        scene.handle("broken").kubectl("annotate", "mcpservers.proxar.dev/broken", accepted)
        until_told(monitoring, broken=2)

    everything = "\n".join(map(str, monitoring.notifications))
    told = {name: monitoring.about(name) for name in ("broken", "away", "")}
    assert {name: len(found) for name, found in told.items()} == {
        "broken": 2,
        "away": 2,
        "": 2,
    }, everything
    assert told["broken"][1].names("resolved") == ["MCPServerBreakingChange"]
    unreachable = told["away"][1]
    assert unreachable.names("firing") == ["MCPServerUnreachable"], everything
    assert unreachable.alerts("firing")[0]["annotations"]["summary"].endswith(": ServerError")
    assert [item.names("firing") for item in told[""]] == [["ProxarDown"], []]
