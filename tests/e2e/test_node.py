"""The node is a real one: what the other tests take for granted."""

import json
import urllib.request
from typing import Any

import pytest

from tests.e2e.machine import Machine, devices
from tests.e2e.workloads import PATIENCE_SECONDS, Workload
from tests.e2e.workloads import web as web_in
from tests.kubernetes.binary import MODULE, locked_version
from tests.kubernetes.cluster import KubectlError
from tests.kubernetes.errors import ClusterError
from tests.kubernetes.node.inside import ADDRESS, BRIDGE
from tests.kubernetes.node.node import Node
from tests.support.operatorprocess import eventually


def kind_of(device: dict[str, Any]) -> str:
    """Return what a network device is, or nothing for the loopback."""
    return str(device.get("linkinfo", {}).get("info_kind", ""))


@pytest.fixture
def web(node: Node, namespace: str) -> Workload:
    """The workload `web` of the test's namespace; nothing is applied yet."""
    return web_in(node, namespace)


def test_it_is_ready_and_of_the_locked_version(node: Node) -> None:
    """There is one node, it is Ready, and it is the Kubernetes that go.mod names."""
    (found,) = json.loads(node.kubectl("get", "nodes", "--output=json").stdout)["items"]

    conditions = {item["type"]: item["status"] for item in found["status"]["conditions"]}
    assert conditions["Ready"] == "True"
    assert found["status"]["nodeInfo"]["kubeletVersion"] == locked_version(
        MODULE, "k8s.io/kubernetes"
    )


def test_services_and_names_route(node: Node, web: Workload, namespace: str) -> None:
    """A Service spreads over its pods, by name from inside and by its address from outside."""
    web.apply(replicas=2)
    pods = {item["metadata"]["name"] for item in web.get("pods")["items"]}

    eventually(
        lambda: web.answers() == {f"1 {name}" for name in pods},
        PATIENCE_SECONDS,
        "both pods answer",
    )

    address = web.get("service", "web")["spec"]["clusterIP"]
    full_name = f"http://web.{namespace}.svc.cluster.local/"
    assert web.inside("get", full_name).startswith("1 web-")
    with urllib.request.urlopen(f"http://127.0.0.1:{node.reach(address, 80)}/") as answer:
        assert answer.read().startswith(b"1 web-")


def test_a_pod_gets_traffic_only_while_it_is_ready(web: Workload) -> None:
    """A pod whose readiness probe fails is no endpoint of its Service."""
    unready = {"httpGet": {"path": "/", "port": 9}, "periodSeconds": 1}
    web.apply()
    web.apply_pod("unready", version="unready", readinessProbe=unready)
    web.kubectl("wait", "--for=jsonpath={.status.phase}=Running", "pod/unready", "--timeout=60s")

    def ready_endpoints() -> list[bool]:
        slices = web.get("endpointslices")["items"]
        points = [point for item in slices for point in item.get("endpoints") or []]
        return sorted(point["conditions"]["ready"] for point in points)

    eventually(
        lambda: ready_endpoints() == [False, True],
        PATIENCE_SECONDS,
        "one endpoint is ready, one is not",
    )
    eventually(lambda: len(web.answers()) == 1, PATIENCE_SECONDS, "only the ready pod answers")


def test_a_container_that_fails_its_liveness_probe_is_restarted(web: Workload) -> None:
    """Kubelet runs probes and restarts containers."""
    probe = {"httpGet": {"path": "/", "port": 9}, "periodSeconds": 1, "failureThreshold": 1}
    web.apply_pod("dying", livenessProbe=probe)

    def restarts() -> int:
        statuses = web.get("pod", "dying")["status"].get("containerStatuses", [])
        return sum(status["restartCount"] for status in statuses)

    eventually(lambda: restarts() > 0, PATIENCE_SECONDS, "the container was restarted")


def test_logs_are_kept(web: Workload) -> None:
    """What a container printed can be read."""
    web.apply()

    assert web.kubectl("logs", "deployment/web") == "serving version 1\n"


def test_a_rollout_replaces_every_pod(web: Workload) -> None:
    """After a change of the Deployment only the new version answers."""
    web.apply(replicas=2)
    web.apply(replicas=2, version="2")

    eventually(
        lambda: {answer.partition(" ")[0] for answer in web.answers()} == {"2"},
        PATIENCE_SECONDS,
        "only version 2 answers",
    )


def test_a_pod_reaches_the_api_server_with_its_own_token(web: Workload, namespace: str) -> None:
    """The projected token, the authority beside it and the Service `kubernetes` fit together."""
    web.apply()

    answer: dict[str, Any] = json.loads(web.inside("api", "/version"))
    forbidden = web.inside("api", "/api/v1/secrets", check=False)

    assert answer["gitVersion"] == locked_version(MODULE, "k8s.io/kubernetes")
    assert forbidden == ""
    token = web.inside("cat", "/var/run/secrets/kubernetes.io/serviceaccount/token")
    who = json.loads(web.kubectl("auth", "whoami", f"--token={token}", "--output=json"))
    assert who["status"]["userInfo"]["username"] == f"system:serviceaccount:{namespace}:default"


def test_a_changed_configmap_reaches_its_volume(web: Workload) -> None:
    """A pod sees the new content without a restart."""
    web.kubectl("create", "configmap", "settings", "--from-literal=colour=red")
    web.apply(
        volumes=[{"name": "settings", "configMap": {"name": "settings"}}],
        volumeMounts=[{"name": "settings", "mountPath": "/settings"}],
    )
    assert web.inside("cat", "/settings/colour") == "red"

    web.kubectl("patch", "configmap", "settings", '--patch={"data": {"colour": "blue"}}')

    eventually(
        lambda: web.inside("cat", "/settings/colour") == "blue",
        PATIENCE_SECONDS,
        "the volume follows",
    )


def test_pods_with_privileges_are_refused(web: Workload) -> None:
    """The namespace of a test enforces the restricted security standard."""
    with pytest.raises(KubectlError, match="violates PodSecurity") as refused:
        web.apply_pod("root", securityContext={"privileged": True})

    assert "privileged" in str(refused.value)


def test_no_packet_finds_a_way_out(node: Node, web: Workload, machine_before: Machine) -> None:
    """The node's network has devices for itself and its pods only, and routes to these only."""
    web.apply()

    found = devices(run=node.run_inside)
    pods = {item["ifname"] for item in found if kind_of(item) == "veth"}
    routes = json.loads(node.run_inside("ip", "-json", "route", "show", "table", "all"))

    assert {item["ifname"] for item in found} - pods == {"lo", BRIDGE}
    assert pods, "each pod has one"
    assert not [item["ifname"] for item in found if "master" in item], "the bridge has a member"
    assert {item["dev"] for item in routes if "dev" in item} <= pods | {"lo", BRIDGE}
    # The other end of a pod's device is in the pod; none is out here.
    assert Machine.now().devices == machine_before.devices
    assert web.inside("get", "http://192.0.2.1/", check=False) == ""


def test_containers_outlive_a_restart_of_containerd(node: Node, web: Workload) -> None:
    """The pods go on meanwhile, and new ones can be started afterwards."""
    web.apply()
    (before,) = web.get("pods")["items"]

    node.restart_containerd()

    web.apply(replicas=2)
    after = {item["metadata"]["name"]: item for item in web.get("pods")["items"]}
    assert len(after) == 2
    status = after[before["metadata"]["name"]]["status"]["containerStatuses"]
    assert status == before["status"]["containerStatuses"]


def test_a_folder_in_use_is_refused(node: Node) -> None:
    """Two nodes in one folder would destroy each other; the second says who is there."""
    with pytest.raises(ClusterError, match="is in use by process"):
        Node(node.folder).start()


def test_a_door_that_leads_nowhere_is_closed(node: Node) -> None:
    """A port without a listener behind it hangs up and does not hang."""
    port = node.reach(ADDRESS, 9)

    with pytest.raises(OSError, match=r"closed|reset"):
        urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=10)
