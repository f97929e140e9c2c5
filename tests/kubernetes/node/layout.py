"""What a node adds to a control plane: more parts, their users, files and command lines. Pure.

Every setting is here for a reason; what has none keeps its default, as on a real node.
"""

import json
from dataclasses import dataclass
from pathlib import Path

from tests.kubernetes.layout import CONTROLLER_MANAGER, Layout, User
from tests.kubernetes.node.inside import ADDRESS
from tests.kubernetes.node.packages import PLUGINS

__all__ = ["NODE", "PAUSE_IMAGE", "PODS", "SERVICES", "USERS", "NodeLayout"]

NODE = "node"
"""The node's name."""

PODS = "10.244.0.0/24"
"""The addresses of pods."""

SERVICES = "10.96.0.0/16"
"""The addresses of Services, which ``Layout`` sets."""

PAUSE_IMAGE = "localhost/pause:1"
"""What holds the namespaces of a pod."""

USERS = {
    "kube-controller-manager": CONTROLLER_MANAGER,
    "kube-scheduler": User("system:kube-scheduler", "system:authenticated"),
    "kube-proxy": User("system:kube-proxy", "system:authenticated"),
    "kubelet": User(f"system:node:{NODE}", "system:nodes"),
    "coredns": User("system:coredns"),  # Kubernetes makes no role for it
}


@dataclass(frozen=True, slots=True)
class NodeLayout(Layout):
    """Where one node keeps its files and listens.

    Its ports are those that everybody uses: nobody else is in its network.
    """

    door: int
    """The port of the machine's loopback that leads to the API server."""
    cgroup: str
    """The group for the pods."""

    @property
    def url(self) -> str:
        """The API server's. Its certificate knows this name, but no address of the machine's."""
        return f"https://localhost:{self.door}"

    @property
    def url_for_parts(self) -> str:
        """The API server's, as the node's own parts reach it."""
        return f"https://{ADDRESS}:{self.api_port}"

    def addresses(self) -> list[str]:
        return [
            "--bind-address=0.0.0.0",  # else "localhost" is not in the certificate
            f"--advertise-address={ADDRESS}",  # where its Service leads
            "--authorization-mode=Node,RBAC",
            "--enable-admission-plugins=NodeRestriction",
            "--allow-privileged=true",  # as everywhere: to forbid it is the admission's business
            "--kubelet-preferred-address-types=InternalIP",  # its name resolves nowhere
        ]

    def files(self) -> dict[Path, str]:
        """Return the configuration of every part, to be written before it starts."""
        return {
            self._containerd: self._containerd_toml(),
            self._network / "10-ptp.conflist": json.dumps(self._pod_network()),
            self._scheduler: json.dumps(self._scheduler_configuration()),
            self._proxy: json.dumps(self._proxy_configuration()),
            self._kubelet: json.dumps(self._kubelet_configuration()),
            self._corefile: self._corefile_text(),
        }

    def containerd(self) -> list[str]:
        """Return the arguments of containerd."""
        return [f"--config={self._containerd}"]

    def parts(self) -> dict[str, list[str]]:
        """Return the arguments of what is started after the control plane, in order."""
        return {
            "kube-scheduler": [f"--config={self._scheduler}", "--secure-port=0"],
            "kube-proxy": [f"--config={self._proxy}"],
            "coredns": ["-conf", str(self._corefile)],
            "kubelet": [
                f"--config={self._kubelet}",
                f"--kubeconfig={self.kubeconfig_of('kubelet')}",
                f"--hostname-override={NODE}",
                f"--node-ip={ADDRESS}",
            ],
        }

    @property
    def _containerd(self) -> Path:
        return self.folder / "containerd.toml"

    @property
    def _network(self) -> Path:
        return self.folder / "pod-network"

    @property
    def _scheduler(self) -> Path:
        return self.folder / "kube-scheduler.yaml"

    @property
    def _proxy(self) -> Path:
        return self.folder / "kube-proxy.yaml"

    @property
    def _kubelet(self) -> Path:
        return self.folder / "kubelet.yaml"

    @property
    def _corefile(self) -> Path:
        return self.folder / "Corefile"

    def _containerd_toml(self) -> str:
        # restrict_oom_score_adj: a container may want to be killed later than we would be, which
        # takes a capability that root lacks on some machines, and runc then dies without a word.
        return f"""\
version = 2
root = "{self.folder / "containerd"}"
state = "/run/containerd"
# It would make /opt/containerd on the machine.
disabled_plugins = ["io.containerd.internal.v1.opt"]
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{PAUSE_IMAGE}"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "{PLUGINS}"
    conf_dir = "{self._network}"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      SystemdCgroup = false
"""

    def _pod_network(self) -> dict[str, object]:
        # Point to point, not a bridge: there the answer of a pod to its neighbour would not pass
        # where a Service's address is put back, unless the kernel has br_netfilter.
        return {
            "cniVersion": "1.0.0",
            "name": "pods",
            "plugins": [
                {
                    "type": "ptp",
                    "ipMasq": False,
                    "ipam": {
                        "type": "host-local",
                        "ranges": [[{"subnet": PODS}]],
                        "routes": [{"dst": "0.0.0.0/0"}],
                        "dataDir": "/run/pod-addresses",
                    },
                }
            ],
        }

    def _scheduler_configuration(self) -> dict[str, object]:
        return {
            "apiVersion": "kubescheduler.config.k8s.io/v1",
            "kind": "KubeSchedulerConfiguration",
            "clientConnection": self._connection("kube-scheduler"),
            "leaderElection": {"leaderElect": False},  # it is alone
        }

    def _proxy_configuration(self) -> dict[str, object]:
        return {
            "apiVersion": "kubeproxy.config.k8s.io/v1alpha1",
            "kind": "KubeProxyConfiguration",
            "clientConnection": self._connection("kube-proxy"),
            "mode": "nftables",
            "hostnameOverride": NODE,
            "clusterCIDR": PODS,
            # The kernel has these for the whole machine, and refuses them here.
            "conntrack": {"maxPerCore": 0, "min": 0},
        }

    def _kubelet_configuration(self) -> dict[str, object]:
        return {
            "apiVersion": "kubelet.config.k8s.io/v1beta1",
            "kind": "KubeletConfiguration",
            "containerRuntimeEndpoint": "unix:///run/containerd/containerd.sock",
            # For exec and logs. Only the node and its pods can knock.
            "authentication": {"anonymous": {"enabled": True}, "webhook": {"enabled": False}},
            "authorization": {"mode": "AlwaysAllow"},
            "clusterDNS": [ADDRESS],
            "clusterDomain": "cluster.local",
            "resolvConf": "",  # the machine's name servers cannot be reached
            "podCIDR": PODS,
            "cgroupDriver": "cgroupfs",
            "cgroupRoot": f"/{self.cgroup}",
            "failCgroupV1": False,
            "enforceNodeAllocatable": [],  # the machine is not the node's to divide
            "failSwapOn": False,
            "localStorageCapacityIsolation": False,  # not every file system can tell its usage
            # Images come from tests and could not be pulled again; a full disk is no test.
            "imageGCHighThresholdPercent": 100,
            "evictionHard": {
                "memory.available": "50Mi",
                "nodefs.available": "1%",
                "imagefs.available": "1%",
            },
            "syncFrequency": "5s",  # a changed ConfigMap reaches its volume in seconds
            "volumePluginDir": "/var/lib/kubelet/volume-plugins",  # the default is the machine's
        }

    def _corefile_text(self) -> str:
        return f"""\
.:53 {{
  bind {ADDRESS}
  errors
  cache 5
  kubernetes cluster.local {{
    kubeconfig {self.kubeconfig_of("coredns")} proxar
    pods insecure
  }}
}}
"""

    def _connection(self, part: str) -> dict[str, object]:
        return {"kubeconfig": str(self.kubeconfig_of(part))}
