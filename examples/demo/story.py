"""The story: a server drifts, Proxar says exactly what changed, a person pins, the vendor mends.

Each step says what it must show; one that does not ends the demo with what it showed instead.
"""

from examples.demo.stage import Stage
from tests.support.install import CRD, rbac
from tests.support.operatorprocess import free_address

__all__ = ["play"]

NAMESPACE = "proxar-system"
SERVER = "issues-mcp"

MANIFEST = """\
apiVersion: proxar.dev/v1alpha1
kind: MCPServer
metadata:
  name: {name}
spec:
  endpoints:
  - name: primary
    url: http://{address}/mcp
  interval: 5s
"""

DRIFT = (
    r"breaking .*search_issues\.inputSchema\.properties\.query: .*\(parameter-removed",
    r"breaking .*search_issues\.inputSchema\.required: .*search_text.*\(parameter-added-required",
    r"breaking .*search_issues\.inputSchema\.required: .*limit.*\(parameter-became-required",
    r"advisory .*search_issues\.description: .*\(description-changed",
)
"""What `proxar diff` must say about the second release."""


def play(stage: Stage) -> None:
    """Tell all of it."""
    stage.tell(
        "What follows a $ is a command that runs here. Beside kubectl and proxar there are two "
        "tools of the demo: issues-server, an MCP server, and http-get, a small curl."
    )
    stage.show_environment()
    metrics, vendor = free_address(), free_address()
    start_vendor(stage, vendor)
    install(stage)
    start_operator(stage, metrics)
    watch(stage, vendor)
    drift(stage, metrics)
    pin(stage)
    mend(stage)


def start_vendor(stage: Stage, address: str) -> None:
    """A server that somebody else runs."""
    stage.tell("1. A vendor runs an MCP server. Which release of its tools it lists is in a file.")
    stage.run("echo 1 > release")
    port = address.rpartition(":")[2]
    stage.start(
        "issues-server",
        "issues-server",
        *("--port", port, "--release-file", str(stage.folder / "release")),
    )


def install(stage: Stage) -> None:
    """CRD and RBAC as the chart has them, and an identity for the operator with no more rights."""
    stage.tell("2. Install what the chart would: the CRD, a ServiceAccount, its few rights.")
    (stage.folder / "crd.yaml").symlink_to(CRD)
    (stage.folder / "rbac.yaml").write_text(rbac(NAMESPACE), encoding="utf-8")
    stage.run("kubectl apply --server-side -f crd.yaml -f rbac.yaml", shows=["clusterrolebinding"])
    stage.run("kubectl wait --for=condition=Established --timeout=60s -f crd.yaml")
    stage.tell("The operator gets a token of that ServiceAccount, not the administrator's.")
    stage.run("cp kubeconfig operator.kubeconfig")
    stage.run(
        "kubectl --kubeconfig operator.kubeconfig config set-credentials proxar "
        f'--token="$(kubectl create token proxar --namespace {NAMESPACE})"'
    )


def start_operator(stage: Stage, address: str) -> None:
    """The operator, outside the cluster, allowed to look at servers on loopback."""
    stage.tell("Start the operator. Loopback is closed to it unless a flag opens it.")
    stage.start(
        "operator",
        "proxar",
        "operator",
        *("--kubeconfig", str(stage.folder / "operator.kubeconfig")),
        *("--allow-egress", "127.0.0.0/8"),
        *("--metrics-address", address, "--health-address", address),
    )
    stage.run(f"http-get --wait 60 http://{address}/readyz", shows=["^ok$"])


def watch(stage: Stage, address: str) -> None:
    """The object that has Proxar look at the vendor's server."""
    stage.run(f"http-get --wait 60 http://{address}/healthz", shows=["release 1"])
    stage.tell("3. Have Proxar look at it every five seconds. The first list becomes the baseline.")
    stage.write("issues-mcp.yaml", MANIFEST.format(name=SERVER, address=address))
    stage.run("kubectl apply -f issues-mcp.yaml", shows=["created"])
    stage.run(f"kubectl wait --for=condition=Ready --timeout=30s pmcp/{SERVER}")
    stage.run("kubectl get pmcp", shows=[rf"^{SERVER} +True +True +2 +None"])


def drift(stage: Stage, metrics: str) -> None:
    """The vendor changes the tools, and everybody who should know does."""
    stage.tell(
        "4. The vendor deploys: a parameter has another name, one is required, a description "
        "tells more."
    )
    stage.run("echo 2 > release")
    stage.run(f"kubectl wait --for=condition=SchemaCompatible=False --timeout=30s pmcp/{SERVER}")
    stage.run("kubectl get pmcp", shows=[rf"^{SERVER} +True +True +2 +Breaking"])
    stage.tell("Ready stays True: Proxar does its job. One Event names the exact paths.")
    stage.run(
        "kubectl get events --field-selector reason=BreakingDrift "
        '-o jsonpath=\'{range .items[*]}{.type} {.reason}{"\\n"}{.message}{"\\n"}{end}\'',
        shows=[
            "^Warning BreakingDrift$",
            r"^search_issues\.inputSchema\.properties\.query: ",
            r"^search_issues\.inputSchema\.required: .*limit",
        ],
    )
    stage.tell("What changed since the baseline? Proxar looks again, then compares; 1 means drift.")
    stage.run(f"proxar diff --server {SERVER} --against baseline", code=1, shows=DRIFT)
    stage.tell("The metrics, from which the chart's alert is made, name the paths as well.")
    stage.run(
        f"http-get http://{metrics}/metrics | grep '^proxar_drift'",
        shows=[
            rf'^proxar_drift_changes{{name="{SERVER}",.*verdict="breaking"}} 3\.0$',
            r'^proxar_drift_change_info{.*path="search_issues\.inputSchema\.required"',
        ],
    )


def pin(stage: Stage) -> None:
    """The old list goes into Git as the one that clients should see."""
    stage.tell("5. Say in Git which list clients should see: pin the earlier one, and apply.")
    stage.run(
        f'echo "  pinnedHash: $(kubectl get pmcp {SERVER} '
        "-o jsonpath='{.status.baseline.hash}')\" >> issues-mcp.yaml"
    )
    stage.run("tail -n 2 issues-mcp.yaml", shows=["^  pinnedHash: sha256:[0-9a-f]{64}$"])
    stage.run("kubectl apply -f issues-mcp.yaml", shows=["configured"])
    stage.run(f"kubectl wait --for=condition=PinMatched=False --timeout=30s pmcp/{SERVER}")
    stage.run(f"proxar diff --server {SERVER} --against pinned", code=1, shows=DRIFT)


def mend(stage: Stage) -> None:
    """The vendor takes it back, and the drift resolves by itself."""
    stage.tell("6. The vendor takes the release back, and the drift resolves by itself.")
    stage.run("echo 1 > release")
    stage.run(f"kubectl wait --for=condition=PinMatched --timeout=30s pmcp/{SERVER}")
    stage.run("kubectl get pmcp", shows=[rf"^{SERVER} +True +True +2 +None"])
    stage.run(f"proxar diff --server {SERVER} --against pinned", shows=["^none: "])
    stage.tell("All that happened. The second BreakingDrift is against the pin.")
    stage.run(
        "kubectl get events --sort-by .metadata.creationTimestamp "
        "-o custom-columns=TYPE:.type,REASON:.reason,OBJECT:.involvedObject.name",
        shows=["BaselineEstablished", "BreakingDrift", "DriftResolved"],
    )
