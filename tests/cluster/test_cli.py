"""The command line against a real operator and a real API server."""

import json
import os
import secrets
import subprocess
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from tests.kubernetes.cluster import Cluster
from tests.support.mcpservers import Handle
from tests.support.operatorprocess import OperatorProcess
from tests.support.toolserver import ToolServer, html, tool

PROXAR = Path(sysconfig.get_path("scripts")) / "proxar"

OLD = [tool("search_issues", ("query",), "Search issues by keyword.", query="string")]
NEW = [tool("search_issues", ("text",), "Search issues by text.", text="string")]


@dataclass(frozen=True)
class Cli:
    """`proxar` as a person with this kubeconfig runs it, in the namespace of the test."""

    kubeconfig: Path
    namespace: str

    def __call__(self, *arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        """Run it and return what it printed; another exit code than `code` fails the test."""
        done = subprocess.run(
            [PROXAR, *arguments, "-n", self.namespace],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            env={**os.environ, "KUBECONFIG": str(self.kubeconfig)},
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done


@pytest.fixture(scope="module")
def home(cluster: Cluster) -> Iterator[str]:
    """A namespace for all tests of this module: each has an MCPServer of its own in it."""
    name = f"test-{secrets.token_hex(4)}"
    cluster.kubectl("create", "namespace", name)
    yield name
    cluster.kubectl("delete", "namespace", name, "--wait=false")


@pytest.fixture(scope="module")
def watching(
    operator_kubeconfig: Path, home: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[OperatorProcess]:
    """One operator for all of them: its start takes longer than most tests."""
    log = tmp_path_factory.mktemp("cli") / "operator.log"
    with OperatorProcess(operator_kubeconfig, log, namespace=home) as process:
        yield process


@pytest.fixture
def proxar(cluster: Cluster, home: str) -> Cli:
    """As the cluster's administrator."""
    return Cli(cluster.kubeconfig, home)


@pytest.fixture
def viewer(cluster: Cluster, home: str) -> Cli:
    """As somebody who may read MCPServers and ConfigMaps, and write nothing."""
    cluster.kubectl("-n", home, "create", "serviceaccount", "viewer")
    cluster.kubectl(
        *("-n", home, "create", "role", "viewer", "--verb=get,list"),
        "--resource=mcpservers.proxar.dev,configmaps",
    )
    cluster.kubectl(
        *("-n", home, "create", "rolebinding", "viewer", "--role=viewer"),
        f"--serviceaccount={home}:viewer",
    )
    return Cli(cluster.service_account_kubeconfig(home, "viewer"), home)


@pytest.fixture
def issues(
    watching: OperatorProcess, cluster: Cluster, home: str, toolserver: ToolServer
) -> Handle:
    """An MCPServer, observed once with OLD, while the server has NEW by now. Polled hourly."""
    assert watching.is_ready()
    toolserver.tools = OLD
    server = Handle(cluster, home, f"issues-{secrets.token_hex(2)}")
    server.apply(toolserver.url)
    server.until_observed()
    toolserver.tools = NEW
    return server


def hashes(server: Handle) -> tuple[str, str]:
    """Of the baseline and of what is reported."""
    status = server.status
    return status["baseline"]["hash"], status["snapshot"]["hash"]


def test_diff_looks_afresh_and_compares(issues: Handle, proxar: Cli, tmp_path: Path) -> None:
    """The operator would have looked in an hour; every name of an earlier list works."""
    cached = proxar("diff", "--server", issues.name, "--against", "baseline", "--cached")
    fresh = proxar("diff", "--server", issues.name, "--against", "baseline", code=1)

    old, new = hashes(issues)
    assert cached.stdout == "none: the tools are the same\n"
    assert "the list that was last seen " in cached.stderr
    assert fresh.stdout.startswith("breaking: ")
    assert "  breaking   search_issues" in fresh.stdout
    assert fresh.stderr == (
        f"{issues.namespace}/{issues.name}: baseline {old[7:19]} against now {new[7:19]}\n"
    )
    assert old != new
    for against in ("previous", old, old[7:19]):
        again = proxar("diff", "--server", issues.name, "--against", against, code=1)
        assert again.stdout == fresh.stdout
    document = proxar(
        "diff", "--server", issues.name, "--against", "baseline", "-o", "json", code=1
    )
    assert json.loads(document.stdout)["verdict"] == "breaking"

    lock = tmp_path / "lock.json"
    lock.write_text(json.dumps(OLD))
    file = proxar("diff", "--server", issues.name, "--against", str(lock), code=1)
    assert file.stdout == fresh.stdout


def test_diff_refuses_what_cannot_be(issues: Handle, proxar: Cli) -> None:
    """2, and the way out."""
    pinned = proxar("diff", "--server", issues.name, "--against", "pinned", code=2)
    unknown = proxar("diff", "--server", issues.name, "--against", "0" * 12, code=2)
    nobody = proxar("diff", "--server", "nobody", "--against", "baseline", code=2)

    assert f"'proxar pin {issues.name}', or use --against baseline" in pinned.stderr
    assert f"is no known hash of {issues.namespace}/{issues.name}" in unknown.stderr
    assert issues.status["snapshot"]["hash"] in unknown.stderr
    assert "no MCPServer of that name in namespace" in nobody.stderr


def test_could_not_look_is_3_with_the_reason(
    issues: Handle, proxar: Cli, toolserver: ToolServer
) -> None:
    """Never the last list in place of an answer, unless it is asked for."""
    toolserver.fault = html()

    failed = proxar("diff", "--server", issues.name, "--against", "baseline", "-o", "json", code=3)
    cached = proxar("diff", "--server", issues.name, "--against", "baseline", "--cached")

    told = json.loads(failed.stdout)
    assert told["reason"] == "NotMCP"
    assert "--cached" in told["message"]
    assert "; it is not reachable now (NotMCP)" in cached.stderr


def test_a_suspended_server_is_not_polled(issues: Handle, proxar: Cli) -> None:
    """It would never answer."""
    issues.apply("http://127.0.0.1:1/mcp", suspend=True)

    failed = proxar("diff", "--server", issues.name, "--against", "baseline", code=3)

    assert failed.stderr.startswith("error: Suspended: ")
    assert "--cached" in failed.stderr


def test_an_operator_that_is_down_is_3(
    cluster: Cluster, namespace: str, server: Handle, toolserver: ToolServer
) -> None:
    """No operator watches this namespace."""
    server.apply(toolserver.url)

    failed = Cli(cluster.kubeconfig, namespace)(
        *("diff", "--server", server.name, "--against", "baseline", "--timeout", "1s"), code=3
    )

    assert failed.stderr.startswith("error: PollNotAnswered: ")
    assert "no answer from the operator in 1 s" in failed.stderr
    assert "--cached" in failed.stderr


def test_who_may_not_annotate_is_told_of_cached(issues: Handle, viewer: Cli) -> None:
    """Reading is enough for what was seen last."""
    failed = viewer("diff", "--server", issues.name, "--against", "baseline", code=3)
    accept = viewer("accept", issues.name, issues.status["snapshot"]["hash"])
    cached = viewer("diff", "--server", issues.name, "--against", "baseline", "--cached")

    assert failed.stderr.startswith("error: PollForbidden: ")
    assert "--cached" in failed.stderr
    assert "is the baseline already" in accept.stdout
    assert cached.returncode == 0


def test_a_pin_goes_through_git(issues: Handle, proxar: Cli) -> None:
    """What is printed can be applied as it stands, here and over what the operator stored."""
    proxar("diff", "--server", issues.name, "--against", "baseline", code=1)
    old, new = hashes(issues)

    printed = proxar("pin", issues.name)

    documents = list(yaml.safe_load_all(printed.stdout))
    assert [each["kind"] for each in documents] == ["ConfigMap", "MCPServer"]
    assert "ownerReferences" not in documents[0]["metadata"]
    assert documents[1] == {
        "apiVersion": "proxar.dev/v1alpha1",
        "kind": "MCPServer",
        "metadata": {"name": issues.name, "namespace": issues.namespace},
        "spec": {"pinnedHash": old},
    }
    assert f"pinning {old}, the baseline since" in printed.stderr
    assert f"the server reports {new[7:19]} now" in printed.stderr
    issues.cluster.kubectl(
        "apply", "--server-side", "--field-manager=git", "-f", "-", input=printed.stdout
    )
    issues.until(lambda: issues.condition("PinMatched")[1] == "Drifted", "the pin is looked at")
    pinned = proxar("diff", "--server", issues.name, "--against", "pinned", code=1)
    assert pinned.stdout.startswith("breaking: ")

    # The field belongs to git now.
    conflict = proxar("pin", issues.name, new, "--apply", code=3)
    assert conflict.stderr.splitlines()[-1] == (
        f"error: Conflict: {issues.namespace}/{issues.name}: spec.pinnedHash belongs to git; "
        "change it there, or have it removed there first"
    )
    refused = proxar("accept", issues.name, code=2)
    assert "is pinned, and the pin is the baseline" in refused.stderr


def test_a_pin_is_applied_by_hand(issues: Handle, proxar: Cli) -> None:
    """As a field manager of its own; never where Git would undo it, unless that is said."""
    old = issues.status["baseline"]["hash"]

    applied = proxar("pin", issues.name, old[:20], "--apply")

    assert applied.stdout == f"{issues.namespace}/{issues.name} pinned to {old}\n"
    raw = issues.kubectl("get", "pmcp", issues.name, "-o", "json", "--show-managed-fields")
    managers = [each["manager"] for each in json.loads(raw)["metadata"]["managedFields"]]
    assert "kubectl-proxar" in managers
    assert issues.get()["spec"]["pinnedHash"] == old

    issues.kubectl("label", "pmcp", issues.name, "kustomize.toolkit.fluxcd.io/name=apps")
    refused = proxar("pin", issues.name, "--apply", code=2)
    assert "is owned by Git (Flux Kustomization apps)" in refused.stderr
    assert "--out-of-band" in refused.stderr
    proxar("pin", issues.name, "--apply", "--out-of-band")

    unknown = proxar("pin", issues.name, "sha256:" + "0" * 64, code=2)
    assert old in unknown.stderr


def test_a_pin_without_its_snapshot_is_3(issues: Handle, proxar: Cli) -> None:
    """Not "no drift": there is nothing to compare with."""
    missing = "sha256:" + "0" * 64
    patch = json.dumps({"spec": {"pinnedHash": missing}})
    issues.kubectl("patch", "pmcp", issues.name, "--type=merge", "-p", patch)

    failed = proxar("diff", "--server", issues.name, "--against", "pinned", "-o", "json", code=3)

    told = json.loads(failed.stdout)
    assert told["reason"] == "PinnedSnapshotMissing"
    assert issues.status["snapshot"]["hash"] in told["message"]


def test_accept_moves_the_baseline(issues: Handle, proxar: Cli) -> None:
    """It waits until the operator has done it, and works for a list that was accepted before."""
    proxar("diff", "--server", issues.name, "--against", "baseline", code=1)
    old, new = hashes(issues)

    accepted = proxar("accept", issues.name)
    again = proxar("accept", issues.name, new)

    name = f"{issues.namespace}/{issues.name}"
    assert accepted.stdout == f"{name}: {new} is the baseline now in place of {old[7:19]}\n"
    assert again.stdout == f"{name}: {new} is the baseline already\n"
    assert issues.status["baseline"] | {"target": 0, "sinceTime": 0} == {
        "hash": new,
        "source": "Accepted",
        "target": 0,
        "sinceTime": 0,
    }
    assert "BaselineAccepted" in issues.event_reasons()
    proxar("diff", "--server", issues.name, "--against", "baseline")

    # Pinned and unpinned in between: the baseline is old while the annotation names the new one.
    proxar("pin", issues.name, old, "--apply")
    issues.until(lambda: issues.status["baseline"]["source"] == "Pinned", "the pin is taken up")
    issues.kubectl(
        *("patch", "pmcp", issues.name, "--type=json", "-p"),
        '[{"op": "remove", "path": "/spec/pinnedHash"}]',
    )
    issues.look()
    assert hashes(issues) == (old, new)
    assert proxar("accept", issues.name).stdout.startswith(f"{name}: {new} is the baseline now")


def test_status_shows_what_is_known(issues: Handle, proxar: Cli) -> None:
    """As a table, for one in detail, and as JSON."""
    proxar("diff", "--server", issues.name, "--against", "baseline", code=1)
    old, new = hashes(issues)

    table = proxar("status").stdout.splitlines()
    line = next(each for each in table if each.startswith(f"{issues.name} ")).split()
    detail = proxar("status", issues.name).stdout
    document = json.loads(proxar("status", issues.name, "-o", "json").stdout)
    chosen = proxar("status", "-l", "team=none")

    assert table[0].split("   ")[0] == "NAME"
    assert line[:6] == [issues.name, "True", "True", "1", "Breaking", new[7:19]]
    assert f"  baseline   {old}, FirstSeen" in detail
    assert "Ready=True (Tracking)" in detail
    assert "drift: Breaking" in detail
    assert document["servers"][0]["name"] == issues.name
    assert document["servers"][0]["status"]["snapshot"]["hash"] == new
    assert (chosen.stdout, chosen.stderr) == (
        "",
        "no MCPServers found; -A looks in every namespace\n",
    )


def test_the_operator_never_takes_a_kubeconfig_by_itself(proxar: Cli) -> None:
    """$KUBECONFIG leads to a cluster here, and is not followed."""
    refused = proxar("operator", code=2)

    assert "none is taken by itself" in refused.stderr


def test_kubectl_finds_the_plugin(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """`kubectl proxar` is the same program."""
    monkeypatch.setenv("PATH", str(PROXAR.parent), prepend=os.pathsep)

    assert cluster.kubectl("proxar", "version").stdout.startswith("proxar ")


def test_an_api_server_that_is_gone_is_3(proxar: Cli, tmp_path: Path) -> None:
    """Not a traceback, and not "no servers"."""
    kubeconfig = yaml.safe_load(proxar.kubeconfig.read_text())
    kubeconfig["clusters"][0]["cluster"]["server"] = "https://127.0.0.1:1"
    gone = tmp_path / "kubeconfig"
    gone.write_text(yaml.safe_dump(kubeconfig))

    failed = Cli(gone, "default")("status", "-o", "json", code=3)

    assert json.loads(failed.stdout)["reason"] == "APIServerUnreachable"
