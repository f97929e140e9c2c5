"""What a control plane consists of: its files, its ports and the command line of each part. Pure.

Every flag is here for a reason; what has none keeps its default, as on a real cluster.
"""

from dataclasses import dataclass
from pathlib import Path

__all__ = ["AUDIT_POLICY", "CONTROLLER_MANAGER", "Layout", "User"]

AUDIT_POLICY = """\
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  # The control plane talking to itself. What its controllers write stays in: it shows who
  # deleted an object, the garbage collector or Proxar.
  - level: None
    users: [system:apiserver]
  - level: None
    users: [system:kube-controller-manager]
    verbs: [get, list, watch]
  - level: None
    users: [system:kube-controller-manager]
    resources: [{group: coordination.k8s.io, resources: [leases]}]
  - level: None
    nonResourceURLs: [/healthz*, /livez*, /readyz*]
  - level: Metadata
"""


@dataclass(frozen=True, slots=True)
class User:
    """As whom a part speaks to the API server, so that the audit log can tell who did what."""

    name: str
    group: str = "system:masters"


CONTROLLER_MANAGER = User("system:kube-controller-manager")


@dataclass(frozen=True, slots=True)
class Layout:
    """Where one control plane keeps its files and listens."""

    folder: Path
    etcd_port: int
    peer_port: int
    api_port: int

    @property
    def url(self) -> str:
        """The API server's."""
        return f"https://127.0.0.1:{self.api_port}"

    @property
    def url_for_parts(self) -> str:
        """The API server's, as its own parts reach it."""
        return self.url

    @property
    def certificates(self) -> Path:
        """Where the API server puts the certificate that it makes for itself."""
        return self.folder / "certificates"

    @property
    def ca_file(self) -> Path:
        """The API server's certificate and the authority it made for signing that."""
        return self.certificates / "apiserver.crt"

    @property
    def etcd_data(self) -> Path:
        """Everything the cluster knows."""
        return self.folder / "etcd-data"

    @property
    def audit_log(self) -> Path:
        """One JSON object a line."""
        return self.folder / "audit.log"

    @property
    def audit_policy(self) -> Path:
        """Holds ``AUDIT_POLICY``."""
        return self.folder / "audit-policy.yaml"

    @property
    def signing_key(self) -> Path:
        """Signs ServiceAccount tokens."""
        return self.folder / "service-account.key"

    @property
    def tokens(self) -> Path:
        """The users that are not ServiceAccounts."""
        return self.folder / "tokens.csv"

    @property
    def kubeconfig(self) -> Path:
        """The administrator's."""
        return self.folder / "kubeconfig"

    def kubeconfig_of(self, part: str) -> Path:
        """Return the kubeconfig of a part."""
        return self.folder / f"{part}.kubeconfig"

    @property
    def kubectl_cache(self) -> Path:
        """Kubectl's: the user's own one would mix up clusters that had the same port."""
        return self.folder / "kubectl-cache"

    def etcd(self) -> list[str]:
        """Return the arguments of etcd."""
        client = f"http://127.0.0.1:{self.etcd_port}"
        # Both pairs are named, or a second etcd on this machine collides on the default port.
        peer = f"http://127.0.0.1:{self.peer_port}"
        return [
            "--name=proxar",
            f"--data-dir={self.etcd_data}",
            f"--listen-client-urls={client}",
            f"--advertise-client-urls={client}",
            f"--listen-peer-urls={peer}",
            f"--initial-advertise-peer-urls={peer}",
            f"--initial-cluster=proxar={peer}",
            "--unsafe-no-fsync",  # nothing here is worth keeping when the machine crashes
            "--log-level=warn",
        ]

    def addresses(self) -> list[str]:
        """Return the arguments of the API server that say where it is, and who may speak to it."""
        return [
            "--bind-address=127.0.0.1",
            "--advertise-address=127.0.0.1",  # else it fails where the machine has no other
            "--endpoint-reconciler-type=none",  # a loopback address is no valid endpoint
            "--authorization-mode=RBAC",
        ]

    def api_server(self) -> list[str]:
        """Return the arguments of the API server."""
        return [
            f"--etcd-servers=http://127.0.0.1:{self.etcd_port}",
            *self.addresses(),
            f"--secure-port={self.api_port}",
            f"--cert-dir={self.certificates}",
            f"--token-auth-file={self.tokens}",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={self.signing_key}",
            f"--service-account-signing-key-file={self.signing_key}",
            "--service-cluster-ip-range=10.96.0.0/16",
            f"--audit-policy-file={self.audit_policy}",
            f"--audit-log-path={self.audit_log}",
            "--audit-log-maxsize=4096",  # MiB; a rotated log would lose events to its reader
        ]

    def controller_manager(self) -> list[str]:
        """Return the arguments of the controller manager."""
        return [
            f"--kubeconfig={self.kubeconfig_of('kube-controller-manager')}",
            f"--service-account-private-key-file={self.signing_key}",
            f"--root-ca-file={self.ca_file}",
            "--leader-elect=false",  # it is alone, and would wait for the lease of a killed one
            "--secure-port=0",  # nobody asks it
        ]
