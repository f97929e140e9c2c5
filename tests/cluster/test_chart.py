"""The chart as helm renders it and a real API server takes it."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.kubernetes.binary import build, helm_program
from tests.kubernetes.cluster import Cluster
from tests.support.install import CRD, ROOT, RULES, SECRET_READER_RULES
from tests.support.namesake import namesake

CHART = ROOT / "charts" / "proxar"

Objects = list[dict[str, Any]]

MATRIX: dict[str, dict[str, Any]] = {
    "defaults": {},
    "without CRD": {
        "crds": {"install": False},
        "aggregatedRoles": {"create": False},
        "secretReader": {"create": False},
    },
    "a network of its own": {
        "networkPolicy": {
            "enabled": True,
            "egress": [{"to": [{"ipBlock": {"cidr": "10.0.0.0/8"}}]}],
        },
        "doctor": {"enabled": False},
    },
    "everything": {
        "fullnameOverride": "watcher",
        "commonLabels": {"team": "tools"},
        "crds": {"keep": False},
        "image": {"repository": "example.com/proxar", "digest": f"sha256:{'0' * 64}"},
        "imagePullSecrets": [{"name": "pull"}],
        "serviceAccount": {"name": "own", "annotations": {"a": "b"}},
        "watchNamespaces": ["proxar-chart", "default"],
        "pinGuard": {"enabled": True},
        "workers": 4,
        "allowEgress": ["10.0.0.0/8", "mcp.internal"],
        "serviceCIDRs": ["10.96.0.0/16", "fd00::/108"],
        "log": {"format": "text", "level": "debug"},
        "podLabels": {"c": "d"},
        "podAnnotations": {"e": "f"},
        "nodeSelector": {"kubernetes.io/os": "linux"},
        "tolerations": [{"operator": "Exists"}],
        "affinity": {"nodeAffinity": {}},
        "priorityClassName": "system-cluster-critical",
        "podDisruptionBudget": {"enabled": True},
        "networkPolicy": {"enabled": True, "metricsFrom": [{"namespaceSelector": {}}]},
        "metrics": {"port": 9000, "annotations": {"prometheus.io/scrape": "true"}},
        "serviceMonitor": {"enabled": True, "interval": "30s", "labels": {"release": "x"}},
        "prometheusRule": {"enabled": True, "runbookURL": "https://wiki.example.com/x/"},
        "grafanaDashboard": {"enabled": True, "annotations": {"grafana_folder": "Tools"}},
    },
}


@pytest.fixture(scope="module")
def helm() -> Path:
    """The helm program."""
    return build(helm_program())


def run(helm: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run helm and return what it wrote."""
    return subprocess.run(
        [helm, *arguments], capture_output=True, text=True, timeout=120, check=False
    )


def render(helm: Path, tmp_path: Path, values: dict[str, Any]) -> Objects:
    """Return the objects that the chart consists of."""
    file = tmp_path / "values.json"
    file.write_text(json.dumps(values), "utf-8")
    rendered = run(
        helm,
        *("template", "proxar", str(CHART), "--namespace=proxar-chart", f"--values={file}"),
        "--kube-version=1.31.0",
    )
    assert rendered.returncode == 0, rendered.stderr
    return [item for item in yaml.safe_load_all(rendered.stdout) if item]


def one(objects: Objects, kind: str) -> dict[str, Any]:
    """Return the only object of a kind."""
    (found,) = (item for item in objects if item["kind"] == kind)
    return found


def role(objects: Objects, name: str) -> dict[str, Any]:
    """Return the ClusterRole of a name."""
    (found,) = (
        item
        for item in objects
        if item["kind"] == "ClusterRole" and item["metadata"]["name"] == name
    )
    return found


def test_lint(helm: Path) -> None:
    """helm finds no fault with it."""
    linted = run(helm, "lint", "--strict", str(CHART))

    assert linted.returncode == 0, linted.stdout


@pytest.mark.parametrize("values", MATRIX)
def test_the_api_server_takes_it(cluster: Cluster, helm: Path, tmp_path: Path, values: str) -> None:
    """Strictly validated, in a namespace that enforces restricted pod security."""
    namespace = {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {
            "name": "proxar-chart",
            "labels": {"pod-security.kubernetes.io/enforce": "restricted"},
        },
    }
    cluster.apply(json.dumps(namespace))
    # the Prometheus operator's kinds are not known to a bare cluster
    known = [
        item
        for item in render(helm, tmp_path, MATRIX[values])
        if not item["apiVersion"].startswith("monitoring.coreos.com/")
    ]
    deployment = one(known, "Deployment")
    # restricted pod security only warns about a Deployment; it is the pod that would be refused
    # (that of `helm test` is in the list as it stands)
    known = [
        item | {"spec": item["spec"] | {"serviceAccountName": "default"}}
        if item["kind"] == "Pod"
        else item
        for item in known
    ]
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "proxar-chart", "namespace": "proxar-chart"},
        "spec": deployment["spec"]["template"]["spec"] | {"serviceAccountName": "default"},
    }

    cluster.kubectl(
        *("apply", "--server-side", "--dry-run=server", "--force-conflicts", "--filename=-"),
        input=json.dumps({"apiVersion": "v1", "kind": "List", "items": [*known, pod]}),
    )


def test_crd_and_rules_are_those_of_the_source(helm: Path, tmp_path: Path) -> None:
    """What the tests and the demo install is what the chart installs."""
    objects = render(helm, tmp_path, {})

    assert (
        one(objects, "CustomResourceDefinition")["spec"] == yaml.safe_load(CRD.read_text())["spec"]
    )
    assert role(objects, "proxar")["rules"] == yaml.safe_load(RULES.read_text())


def test_a_release_for_some_namespaces_has_its_rights_there_alone(
    helm: Path, tmp_path: Path
) -> None:
    """Together they are the same rules; only what is the cluster's own is granted everywhere."""
    objects = render(helm, tmp_path, MATRIX["everything"])
    everywhere = role(objects, "watcher")["rules"]
    roles = [item for item in objects if item["kind"] == "Role"]
    bindings = [item for item in objects if item["kind"] == "RoleBinding"]

    assert [(rule["resources"], rule.get("resourceNames")) for rule in everywhere] == [
        (["endpointslices"], ["kubernetes"]),
        (["servicecidrs"], None),
    ]
    assert [item["metadata"]["namespace"] for item in roles] == ["proxar-chart", "default"]
    assert [item["metadata"]["namespace"] for item in bindings] == ["proxar-chart", "default"]
    assert all([*item["rules"], *everywhere] == yaml.safe_load(RULES.read_text()) for item in roles)


def test_nobody_is_given_the_status(helm: Path, tmp_path: Path) -> None:
    """The roles for people hold mcpservers alone: what the operator says is its own to write."""
    objects = render(helm, tmp_path, {})

    for name, aggregated in (("proxar-view", "view"), ("proxar-edit", "edit")):
        found = role(objects, name)
        label = f"rbac.authorization.k8s.io/aggregate-to-{aggregated}"
        assert found["metadata"]["labels"][label] == "true"
        assert [rule["resources"] for rule in found["rules"]] == [["mcpservers"]]
    assert not {"create", "update", "patch", "delete"} & set(
        role(objects, "proxar-view")["rules"][0]["verbs"]
    )


def test_the_right_to_read_secrets_is_offered_and_granted_nowhere(
    helm: Path, tmp_path: Path
) -> None:
    """Its name is the same in every release, since messages print it."""
    objects = render(helm, tmp_path, MATRIX["everything"])
    bound = [item["roleRef"]["name"] for item in objects if "roleRef" in item]

    assert role(objects, "proxar-secret-reader")["rules"] == yaml.safe_load(
        SECRET_READER_RULES.read_text()
    )
    assert "proxar-secret-reader" not in bound
    assert "secrets" not in {
        resource
        for item in objects
        if item["kind"] in ("ClusterRole", "Role")
        and item["metadata"]["name"] != "proxar-secret-reader"
        for rule in item["rules"]
        for resource in rule["resources"]
    }


def test_the_crd_outlives_the_release_unless_told_otherwise(helm: Path, tmp_path: Path) -> None:
    """Uninstalling must not delete every MCPServer by surprise."""
    kept = one(render(helm, tmp_path, {}), "CustomResourceDefinition")
    dropped = one(render(helm, tmp_path, {"crds": {"keep": False}}), "CustomResourceDefinition")
    without = render(helm, tmp_path, {"crds": {"install": False}})

    assert kept["metadata"]["annotations"] == {"helm.sh/resource-policy": "keep"}
    assert "annotations" not in dropped["metadata"]
    assert "CustomResourceDefinition" not in {item["kind"] for item in without}


def test_values_become_flags(helm: Path, tmp_path: Path) -> None:
    """In the order of values.yaml; lists repeat their flag."""
    objects = render(helm, tmp_path, MATRIX["everything"])

    (container,) = one(objects, "Deployment")["spec"]["template"]["spec"]["containers"]
    assert container["args"] == [
        "operator",
        "--metrics-address=0.0.0.0:8080",
        "--health-address=0.0.0.0:8081",
        "--workers=4",
        "--per-host=4",
        "--max-list-bytes=16777216",
        "--max-values=1000000",
        "--max-tools=10000",
        "--max-pages=200",
        "--max-depth=1000",
        "--log-format=text",
        "--log-level=debug",
        "--namespace=proxar-chart",
        "--namespace=default",
        "--allow-egress=10.0.0.0/8",
        "--allow-egress=mcp.internal",
        "--service-cidr=10.96.0.0/16",
        "--service-cidr=fd00::/108",
    ]
    assert container["image"] == f"example.com/proxar:0.1.0@sha256:{'0' * 64}"


def test_names_labels_and_selectors_fit_together(helm: Path, tmp_path: Path) -> None:
    """Service, Deployment and ServiceMonitor select what they mean; every object has the labels."""
    objects = render(helm, tmp_path, MATRIX["everything"])
    service = one(objects, "Service")
    deployment = one(objects, "Deployment")
    pod_labels = deployment["spec"]["template"]["metadata"]["labels"]

    assert service["spec"]["selector"].items() <= pod_labels.items()
    assert deployment["spec"]["selector"]["matchLabels"].items() <= pod_labels.items()
    selected = one(objects, "ServiceMonitor")["spec"]["selector"]["matchLabels"]
    assert selected.items() <= service["metadata"]["labels"].items()
    assert all(item["metadata"]["labels"]["team"] == "tools" for item in objects)
    (subject,) = one(objects, "ClusterRoleBinding")["subjects"]
    assert subject["name"] == one(objects, "ServiceAccount")["metadata"]["name"] == "own"


def test_the_alerts_point_to_the_runbooks_that_were_named(helm: Path, tmp_path: Path) -> None:
    """Only the address of the runbooks differs from files/alerts.yaml."""
    rule = one(render(helm, tmp_path, MATRIX["everything"]), "PrometheusRule")
    source = (CHART / "files" / "alerts.yaml").read_text("utf-8")

    assert rule["spec"] == yaml.safe_load(
        source.replace("https://proxar.dev/runbooks", "https://wiki.example.com/x")
    )


def test_another_kind_of_the_same_name_is_warned_of(
    cluster: Cluster, helm: Path, namespace: str
) -> None:
    """Whoever installs the chart reads that `kubectl get mcpserver` may mean another project's."""
    crd = namesake("chart.example.com")
    name = crd["metadata"]["name"]

    def warnings() -> list[str]:
        # only a server's answer tells what `lookup` finds; what the tests installed is not helm's
        absent = ("crds.install", "aggregatedRoles.create", "secretReader.create")
        installed = run(
            helm,
            *("install", "notes", str(CHART), f"--namespace={namespace}", "--dry-run=server"),
            *(f"--set={switch}=false" for switch in absent),
            f"--kubeconfig={cluster.kubeconfig}",
        )
        assert installed.returncode == 0, installed.stderr
        return [line for line in installed.stdout.splitlines() if line.startswith("WARNING: ")]

    before = warnings()
    cluster.apply(json.dumps(crd))
    try:
        told = warnings()
    finally:
        cluster.kubectl("delete", "crd", name)

    assert not [line for line in before if "chart.example.com" in line or "proxar.dev" in line]
    (warning,) = (line for line in told if line not in before)
    assert warning.startswith(f"WARNING: {name} is installed in this cluster")


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ("wrokers=3", "wrokers"),
        ("image.registry=x", "registry"),
        ("workers=0", "workers"),
        ("log.level=loud", "level"),
        ("image.digest=abc", "digest"),
    ],
)
def test_a_mistyped_value_is_refused(helm: Path, setting: str, says: str) -> None:
    """The message names the key."""
    rendered = run(helm, "template", "proxar", str(CHART), f"--set={setting}")

    assert rendered.returncode != 0
    assert says in rendered.stderr


def test_a_kubernetes_that_is_too_old_is_refused(helm: Path) -> None:
    """Before 1.31 the CRD would be taken without some of its rules."""
    rendered = run(helm, "template", "proxar", str(CHART), "--kube-version=1.30.9")

    assert rendered.returncode != 0
    assert "1.31" in rendered.stderr
