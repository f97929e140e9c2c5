"""`proxar operator`: what it makes of its options."""

from pathlib import Path

import pytest

import proxar.controller.operator as controller
from proxar.controller.settings import OperatorSettings
from proxar.fetch import Limits
from tests.unit.cli.terminal import Shell


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[OperatorSettings]:
    """The settings of each start; nothing is started."""
    settings: list[OperatorSettings] = []

    def run(given: OperatorSettings) -> int:
        settings.append(given)
        return 0

    monkeypatch.setattr(controller, "run", run)
    return settings


def test_hands_on_every_option(
    proxar: Shell, started: list[OperatorSettings], tmp_path: Path
) -> None:
    """Repeated ones as often as they were typed."""
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.touch()

    printed = proxar(
        "operator",
        *("--kubeconfig", kubeconfig, "--context", "c", "-n", "a", "--namespace", "b"),
        *("--metrics-address", "127.0.0.1:1", "--health-address", "[::1]:2"),
        *("--allow-egress", "127.0.0.0/8", "--allow-egress", "mcp.local"),
        *("--service-cidr", "10.0.0.0/16", "--service-cidr", "fd00::/108"),
        *("--allow-service-egress-from", "gateway", "--allow-service-egress-from", "b"),
        *("--max-list-bytes", "1024", "--max-values", "2", "--max-tools", "3", "--max-pages", "4"),
        *("--max-depth", "5"),
        *("--workers", "3", "--per-host", "2", "--log-format", "json", "--log-level", "debug"),
    )

    assert printed.code == 0, printed.err
    assert started == [
        OperatorSettings(
            kubeconfig=kubeconfig,
            context="c",
            namespaces=("a", "b"),
            metrics_address="127.0.0.1:1",
            health_address="[::1]:2",
            allow_egress=("127.0.0.0/8", "mcp.local"),
            service_cidrs=("10.0.0.0/16", "fd00::/108"),
            service_egress_namespaces=("gateway", "b"),
            limits=Limits(size_bytes=1024, values=2, tools=3, pages=4, depth=5),
            workers=3,
            per_host=2,
            log_format="json",
            log_level="debug",
        )
    ]


def test_in_a_pod_no_option_is_needed(
    proxar: Shell, started: list[OperatorSettings], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The defaults are those of the settings."""
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")

    assert proxar("operator").code == 0
    assert started == [OperatorSettings()]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "--kubeconfig: this is not a pod, so name the kubeconfig"),
        (["--context", "c"], "--context c: name its file with --kubeconfig too"),
        (["--kubeconfig", "no-file"], "--kubeconfig no-file: no such file"),
        (
            ["--kubeconfig", __file__, "--workers", "0"],
            "--workers 0: must be a whole number from 1",
        ),
        (["--kubeconfig", __file__, "--workers", "x"], "--workers x: must be a whole number"),
        (
            ["--kubeconfig", __file__, "--max-list-bytes", "16MiB"],
            "--max-list-bytes 16MiB: must be",
        ),
        (["--kubeconfig", __file__, "--max-values", "0"], "--max-values 0: must be"),
        (["--kubeconfig", __file__, "--max-tools", "100001"], "--max-tools 100001: must be"),
        (["--kubeconfig", __file__, "--max-pages", "0"], "--max-pages 0: must be"),
        (["--kubeconfig", __file__, "--max-depth", "1001"], "number from 1 to 1000"),
        (
            ["--kubeconfig", __file__, "--allow-service-egress-from", "a,b"],
            "--allow-service-egress-from a,b: not the name of a namespace",
        ),
        (["--kubeconfig", __file__, "--log-level", "loud"], "--log-level loud: not one of debug"),
        (["--kubeconfig", __file__, "--log-format", "xml"], "--log-format xml: not one of json"),
        (["--kubeconfig", __file__, "--metrics-address", "80"], "write HOST:PORT"),
        (["--kubeconfig", __file__, "--health-address", "h:99999"], "the port 99999: must be"),
        (["--kubeconfig", __file__, "--service-cidr", "10.0.0.1/8"], "--service-cidr 10.0.0.1/8:"),
    ],
)
def test_refuses_what_cannot_be(
    proxar: Shell, started: list[OperatorSettings], arguments: list[str], said: str
) -> None:
    """Never the current context by accident: a kubeconfig in $KUBECONFIG changes nothing."""
    printed = proxar("operator", *arguments)

    assert printed.code == 2
    assert said in printed.err
    assert started == []


def test_a_kubeconfig_of_the_environment_is_not_taken(
    proxar: Shell, started: list[OperatorSettings], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An operator against the wrong cluster writes into it."""
    monkeypatch.setenv("KUBECONFIG", __file__)

    assert proxar("operator").code == 2
    assert started == []
