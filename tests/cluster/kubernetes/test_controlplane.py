import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.kubernetes.binary import (
    ASSETS_VARIABLE,
    build,
    helm_program,
    kubernetes_program,
    locked_version,
)
from tests.kubernetes.controlplane import (
    CONTEXT_VARIABLE,
    KUBECONFIG_VARIABLE,
    ClusterError,
    ControlPlane,
    ExistingCluster,
    KubectlError,
    cluster_from_environment,
)
from tests.kubernetes.credentials import kubeconfig

REPOSITORY = Path(__file__).parents[3]

OWNER = """
import sys, time
from pathlib import Path
from tests.kubernetes.controlplane import ControlPlane

cluster = ControlPlane(Path(sys.argv[1]))
cluster.start()
print(*cluster.processes.values(), flush=True)
time.sleep(600)
"""


@pytest.fixture(scope="module")
def cluster() -> Iterator[ControlPlane]:
    with ControlPlane() as control_plane:
        yield control_plane


def wait_until(condition: Callable[[], bool], *, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "deadline passed"
        time.sleep(0.1)


def is_running(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def config_map(name: str, namespace: str = "default", owner: str = "") -> str:
    return f"""
apiVersion: v1
kind: ConfigMap
metadata:
  name: {name}
  namespace: {namespace}
  ownerReferences: [{owner}]
"""


def exists(cluster: ControlPlane, *arguments: str) -> bool:
    found = cluster.kubectl("get", *arguments, "--ignore-not-found", "--output=name").stdout
    return bool(found.strip())


def test_the_server_reports_the_locked_release(cluster: ControlPlane) -> None:
    if os.environ.get(ASSETS_VARIABLE):
        pytest.skip(f"the release of {ASSETS_VARIABLE} is the user's choice")

    versions = json.loads(cluster.kubectl("version", "--output=json").stdout)

    release = locked_version(kubernetes_program().module, "k8s.io/kubernetes")
    assert release == "v1.37.2"
    assert versions["serverVersion"]["gitVersion"] == release
    assert versions["serverVersion"]["minor"] == "37"
    assert versions["clientVersion"]["gitVersion"] == release


def test_an_object_goes_with_its_owner(cluster: ControlPlane) -> None:
    cluster.apply(config_map("owner"))
    uid = cluster.kubectl("get", "configmap", "owner", "--output=jsonpath={.metadata.uid}").stdout
    owner = f"{{apiVersion: v1, kind: ConfigMap, name: owner, uid: {uid}}}"
    cluster.apply(config_map("owned", owner=owner))

    cluster.kubectl("delete", "configmap", "owner")

    wait_until(lambda: not exists(cluster, "configmap", "owned"), seconds=20)


def test_an_object_goes_with_an_owner_of_a_kind_that_is_new(cluster: ControlPlane) -> None:
    """As Proxar's snapshots go with their MCPServer, in the first test after the CRD is there."""
    cluster.apply("""
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  names: {kind: Thing, plural: things, singular: thing}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
""")
    cluster.kubectl("wait", "--for=condition=Established", "crd/things.example.com")
    cluster.notice_new_kinds()
    cluster.apply(
        "{apiVersion: example.com/v1, kind: Thing, metadata: {name: t, namespace: default}}"
    )
    uid = cluster.kubectl("get", "thing", "t", "--output=jsonpath={.metadata.uid}").stdout
    owner = f"{{apiVersion: example.com/v1, kind: Thing, name: t, uid: {uid}}}"
    cluster.apply(config_map("of-a-thing", owner=owner))

    cluster.kubectl("delete", "thing", "t")

    wait_until(lambda: not exists(cluster, "configmap", "of-a-thing"), seconds=20)


def test_a_namespace_can_be_deleted(cluster: ControlPlane) -> None:
    cluster.kubectl("create", "namespace", "short-lived")
    cluster.apply(config_map("inside", namespace="short-lived"))

    cluster.kubectl("delete", "namespace", "short-lived", "--timeout=60s")

    assert not exists(cluster, "namespace", "short-lived")


def test_the_audit_log_has_what_was_asked_and_by_whom(cluster: ControlPlane) -> None:
    cluster.kubectl("create", "serviceaccount", "reader")
    as_reader = cluster.service_account_kubeconfig("default", "reader")
    cluster.kubectl("get", "secrets", check=False, kubeconfig=as_reader)

    def refused() -> bool:
        return any(
            event["verb"] == "list"
            and event["objectRef"]["resource"] == "secrets"
            and event["user"]["username"] == "system:serviceaccount:default:reader"
            and event["responseStatus"]["code"] == 403
            for event in cluster.audit_events()
            if "objectRef" in event
        )

    wait_until(refused)
    events = list(cluster.audit_events())
    assert {event["stage"] for event in events} <= {"ResponseStarted", "ResponseComplete"}
    assert all("requestObject" not in event for event in events), "bodies may hold secrets"


def test_a_service_account_may_do_what_rbac_grants_and_no_more(cluster: ControlPlane) -> None:
    cluster.kubectl("create", "serviceaccount", "viewer")
    cluster.kubectl(
        "create", "rolebinding", "viewer", "--clusterrole=view", "--serviceaccount=default:viewer"
    )
    as_viewer = cluster.service_account_kubeconfig("default", "viewer")

    wait_until(
        lambda: (
            cluster.kubectl("get", "configmaps", check=False, kubeconfig=as_viewer).returncode == 0
        )
    )
    with pytest.raises(KubectlError, match="forbidden"):
        cluster.kubectl("create", "configmap", "mine", kubeconfig=as_viewer)


def test_a_failed_command_says_why(cluster: ControlPlane) -> None:
    with pytest.raises(KubectlError, match='configmaps "absent" not found'):
        cluster.kubectl("get", "configmap", "absent")

    assert cluster.kubectl("get", "configmap", "absent", check=False).returncode == 1


def test_secrets_are_readable_by_the_owner_alone_and_trust_is_never_skipped(
    cluster: ControlPlane,
) -> None:
    cluster.kubectl("create", "serviceaccount", "private")
    files = [cluster.kubeconfig, cluster.service_account_kubeconfig("default", "private")]
    files += [cluster.layout.tokens, cluster.layout.signing_key]

    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert stat.S_IMODE(cluster.folder.stat().st_mode) == 0o700
    assert "insecure" not in cluster.kubeconfig.read_text(encoding="utf-8")


def test_a_stranger_is_refused(cluster: ControlPlane, tmp_path: Path) -> None:
    connection = {"server": cluster.url, "certificate-authority": str(cluster.ca_file)}
    stranger = tmp_path / "kubeconfig"
    stranger.write_text(kubeconfig(connection, "guessed"), encoding="utf-8")

    refused = cluster.kubectl("get", "namespaces", check=False, kubeconfig=stranger)

    assert refused.returncode != 0
    assert "Unauthorized" in refused.stderr or "logged in" in refused.stderr


def test_two_run_side_by_side_and_know_nothing_of_each_other(cluster: ControlPlane) -> None:
    with ControlPlane() as other:
        other.apply(config_map("only-in-the-other"))

        assert other.url != cluster.url
        assert exists(other, "configmap", "only-in-the-other")
        assert not exists(cluster, "configmap", "only-in-the-other")
        one, two = (
            c.kubeconfig.read_text(encoding="utf-8").split('"token"')[1] for c in (cluster, other)
        )
        assert one != two


def test_after_stop_no_process_and_no_temporary_file_is_left() -> None:
    control_plane = ControlPlane()
    control_plane.start()
    processes = list(control_plane.processes.values())
    assert len(processes) == 3
    assert all(map(is_running, processes))

    began = time.monotonic()
    control_plane.stop()

    assert time.monotonic() - began < 12
    assert not any(map(is_running, processes))
    assert not control_plane.folder.exists()
    control_plane.stop()  # again is harmless


def test_it_starts_again_empty_in_the_same_folder(tmp_path: Path) -> None:
    control_plane = ControlPlane(tmp_path / "run")
    with control_plane:
        control_plane.apply(config_map("of-the-first-run"))
    assert (tmp_path / "run" / "kube-apiserver.log").exists()

    with control_plane:
        assert not exists(control_plane, "configmap", "of-the-first-run")


def test_a_killed_owner_leaves_no_process_and_the_folder_works_again(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", OWNER, str(tmp_path / "run")],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        text=True,
    ) as owner:
        assert owner.stdout
        processes = [int(pid) for pid in owner.stdout.readline().split()]
        assert len(processes) == 3
        owner.kill()

    if sys.platform == "linux":
        wait_until(lambda: not any(map(is_running, processes)), seconds=10)
    with ControlPlane(tmp_path / "run") as control_plane:
        control_plane.apply(config_map("works"))
        assert not any(map(is_running, processes))


def test_a_live_owner_keeps_its_folder(tmp_path: Path) -> None:
    with ControlPlane(tmp_path) as control_plane:
        with pytest.raises(ClusterError, match=f"in use by process {os.getpid()}"):
            ControlPlane(tmp_path).start()

        control_plane.apply(config_map("still-works"))


def test_a_part_that_ends_is_reported_with_its_log(tmp_path: Path) -> None:
    with ControlPlane(tmp_path) as control_plane:
        os.kill(control_plane.processes["etcd"], signal.SIGKILL)

        with pytest.raises(ClusterError, match="etcd ended with exit code -9"):
            control_plane.wait()


def test_an_existing_cluster_is_used_by_its_full_name(
    cluster: ControlPlane, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its kubeconfig's current context, here one that leads nowhere, does not matter."""
    source = json.loads(cluster.kubeconfig.read_text(encoding="utf-8"))
    source["clusters"].append({"name": "wrong", "cluster": {"server": "https://127.0.0.1:1"}})
    source["contexts"].append({"name": "wrong", "context": {"cluster": "wrong", "user": "proxar"}})
    source["current-context"] = "wrong"
    named = tmp_path / "kubeconfig"
    named.write_text(json.dumps(source), encoding="utf-8")
    monkeypatch.setenv(KUBECONFIG_VARIABLE, str(named))
    monkeypatch.setenv(CONTEXT_VARIABLE, "proxar")

    existing = cluster_from_environment()

    assert isinstance(existing, ExistingCluster)
    with existing:
        assert existing.url == cluster.url
        assert existing.ca_file.read_bytes() == cluster.ca_file.read_bytes()
        assert "wrong" not in existing.kubeconfig.read_text(encoding="utf-8")
        existing.apply(config_map("through-the-existing"))
        assert exists(cluster, "configmap", "through-the-existing")
        with pytest.raises(ClusterError, match="unset"):
            existing.audit_events()
    assert not existing.folder.exists()


def test_an_unknown_context_is_refused(cluster: ControlPlane) -> None:
    existing = ExistingCluster(cluster.kubeconfig, "absent")

    with pytest.raises(ClusterError, match="no usable context absent"):
        existing.start()

    assert not existing.folder.exists()


def test_half_a_name_of_an_existing_cluster_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KUBECONFIG_VARIABLE, "/somewhere")
    monkeypatch.delenv(CONTEXT_VARIABLE, raising=False)

    with pytest.raises(ClusterError, match=f"{CONTEXT_VARIABLE} is not"):
        cluster_from_environment()


def test_helm_speaks_to_it(cluster: ControlPlane) -> None:
    listed = subprocess.run(
        [build(helm_program()), "list", "--all-namespaces", "--output=json"],
        env={**os.environ, "KUBECONFIG": str(cluster.kubeconfig)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert (listed.returncode, listed.stdout.strip()) == (0, "[]"), listed.stderr
