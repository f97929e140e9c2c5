"""A control plane of our own: etcd, API server and controller manager on 127.0.0.1.

Any user may run one, and several side by side. There is no node: pods stay Pending. All else is the
real thing, ready in about three seconds.
"""

import http.client
import json
import os
import random
import shutil
import socket
import ssl
import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Self
from urllib.parse import urlsplit

from tests.kubernetes.binary import Assets
from tests.kubernetes.cluster import Cluster, KubectlError
from tests.kubernetes.credentials import kubeconfig, new_signing_key, new_token, write_secret
from tests.kubernetes.errors import ClusterError
from tests.kubernetes.existing import ExistingCluster
from tests.kubernetes.layout import AUDIT_POLICY, CONTROLLER_MANAGER, Layout, User
from tests.kubernetes.part import Part, kill_leftovers
from tests.kubernetes.runfolder import RunFolders

__all__ = [
    "CONTEXT_VARIABLE",
    "KUBECONFIG_VARIABLE",
    "ClusterError",
    "ControlPlane",
    "ExistingCluster",
    "KubectlError",
    "cluster_from_environment",
    "free_ports",
]

KUBECONFIG_VARIABLE = "PROXAR_TEST_KUBECONFIG"
CONTEXT_VARIABLE = "PROXAR_TEST_CONTEXT"

READY_DEADLINE = timedelta(seconds=90)
"""For each wait at the start. It takes two or three seconds; a busy CI machine ten times that."""

STOP_GRACE = timedelta(seconds=5)
"""For each part to end by itself; the API server would wait a minute for its slowest client."""

ATTEMPTS = 3
"""To find ports that nobody takes between our look and the part's own bind."""

PORTS = range(10_000, 30_000)
"""Below what Linux and macOS give to outgoing connections, which could take a port at any moment,
and below node ports."""


class ControlPlane(Cluster):
    """A new, empty cluster in a run folder of its own.

    Whatever an earlier one left in the folder, files or processes, is removed at the start.

    Args:
        folder: Its files are kept after the end, logs included. Without one a temporary folder is
            used, which goes with the cluster.
    """

    _folders: ClassVar = RunFolders("proxar-kubernetes-", kill_leftovers)
    _users: ClassVar[dict[str, User]] = {"kube-controller-manager": CONTROLLER_MANAGER}
    """The parts that speak to the API server."""

    def __init__(self, folder: Path | None = None, *, assets: Assets | None = None) -> None:
        self._temporary = folder is None
        super().__init__((folder or self._folders.new()).absolute(), assets)
        self._token = new_token()
        self._parts: list[Part] = []
        self._starter: ThreadPoolExecutor | None = None
        self._layout: Layout | None = None
        self._cleanup = ExitStack()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def layout(self) -> Layout:
        """Its files and ports.

        Raises:
            ClusterError: It was not started.
        """
        if self._layout is None:
            raise ClusterError(f"the control plane in {self.folder} was not started")
        return self._layout

    @property
    def url(self) -> str:
        """The API server's."""
        return self.layout.url

    @property
    def ca_file(self) -> Path:
        """The certificates to trust when speaking to ``url``."""
        return self.layout.ca_file

    @property
    def audit_log(self) -> Path:
        """One ``audit.k8s.io/v1`` Event a line, without bodies; see ``audit_events``."""
        return self.layout.audit_log

    @property
    def processes(self) -> dict[str, int]:
        """The process id of each part."""
        return {part.name: part.pid for part in self._parts}

    def start(self) -> None:
        """Start it, and return when the API server is ready and the controllers work.

        Raises:
            ClusterError: Another live process uses the folder, or a part failed or was too slow.
        """
        self.assets.command("etcd")  # the first use builds for minutes: not with a lock held
        with ExitStack() as cleanup:
            cleanup.enter_context(self._folders.used(self.folder, temporary=self._temporary))
            # Its thread must outlive the parts: see Part.
            self._starter = cleanup.enter_context(ThreadPoolExecutor(1, "control-plane"))
            cleanup.callback(self._stop_parts)
            for attempt in range(1, ATTEMPTS + 1):
                try:
                    self._start_parts()
                    break
                except ClusterError as error:
                    self._stop_parts()
                    if "address already in use" not in str(error) or attempt == ATTEMPTS:
                        raise
            self._cleanup = cleanup.pop_all()

    def stop(self) -> None:
        """End every part and wait for it. Does nothing if it was not started."""
        self._cleanup.close()

    def wait(self) -> None:
        """Return only by an exception: Ctrl-C, or a part that ended.

        Raises:
            ClusterError: A part ended; the end of its log is in the message.
        """
        while True:
            self._check_parts()
            time.sleep(0.5)

    def notice_new_kinds(self) -> None:
        self._restart("kube-controller-manager")

    def audit_events(self) -> Iterator[dict[str, Any]]:
        with self.audit_log.open(encoding="utf-8") as lines:
            for line in lines:
                if line.endswith("\n"):  # the last one may be half-written
                    yield json.loads(line)

    def _new_layout(self) -> Layout:
        return Layout(self.folder, *free_ports(3))

    def _start_parts(self) -> None:
        layout = self._layout = self._new_layout()
        _remove_previous(layout)
        layout.audit_policy.write_text(AUDIT_POLICY, encoding="utf-8")
        write_secret(layout.signing_key, new_signing_key())
        tokens = {part: new_token() for part in self._users}
        lines = [f"{self._token},admin,admin,system:masters\n"]
        lines += [
            f"{tokens[part]},{user.name},{part},{user.group}\n"
            for part, user in self._users.items()
        ]
        write_secret(layout.tokens, "".join(lines))

        self._start_part("etcd", layout.etcd())
        self._start_part("kube-apiserver", layout.api_server())
        self._wait_for("/readyz")
        authority = {"certificate-authority-data": b64encode(layout.ca_file.read_bytes()).decode()}
        admin = kubeconfig({"server": layout.url, **authority}, self._token)
        write_secret(layout.kubeconfig, admin)
        for part, token in tokens.items():
            connection = {"server": layout.url_for_parts, **authority}
            write_secret(layout.kubeconfig_of(part), kubeconfig(connection, token))
        self._start_part("kube-controller-manager", layout.controller_manager())
        # Made by two of its controllers, and needed by any workload.
        self._wait_for("/api/v1/namespaces/default/serviceaccounts/default")
        self._wait_for("/api/v1/namespaces/default/configmaps/kube-root-ca.crt")

    def _start_part(self, name: str, arguments: list[str]) -> None:
        self._start_process(name, self.assets.command(name, *arguments))

    def _start_process(self, name: str, command: list[str]) -> None:
        assert self._starter, "start() made it"
        self._parts.append(Part(name, command, self.folder, self._starter))

    def _restart(self, name: str) -> None:
        assert self._starter, "start() made it"
        (part,) = (part for part in self._parts if part.name == name)
        part.stop(STOP_GRACE)
        # In its old place: the order is that in which they can be stopped.
        at = self._parts.index(part)
        self._parts[at] = Part(name, part.command, self.folder, self._starter)

    def _stop_parts(self) -> None:
        # In reverse: without etcd the API server's end hangs, and it holds the port meanwhile.
        while self._parts:
            self._parts.pop().stop(STOP_GRACE)

    def _check_parts(self) -> None:
        for part in self._parts:
            part.check()

    def _wait_for(self, path: str) -> None:
        def not_there() -> object:
            answer = self._get(path)
            return None if answer == http.HTTPStatus.OK else answer

        self._wait_while(f"{self.url}{path} is not there", not_there)

    def _wait_while(self, complaint: str, reason: Callable[[], object]) -> None:
        """Wait until ``reason`` returns nothing; a part that ends meanwhile will not make it so."""
        deadline = time.monotonic() + READY_DEADLINE.total_seconds()
        while (last := reason()) is not None:
            self._check_parts()
            if time.monotonic() > deadline:
                logs = "\n".join(f"{part.log}:\n{part.log_tail()}" for part in self._parts)
                raise ClusterError(f"{complaint} after {READY_DEADLINE}: {last}\n{logs}")
            time.sleep(0.05)

    def _get(self, path: str) -> int | Exception:
        """Return the status of an answer, or why there is none yet."""
        try:
            # Not urllib: it would go through the user's proxy.
            connection = http.client.HTTPSConnection(
                urlsplit(self.url).netloc,
                timeout=10,
                context=ssl.create_default_context(cafile=str(self.ca_file)),
            )
            with closing(connection):
                connection.request("GET", path, headers={"Authorization": f"Bearer {self._token}"})
                return connection.getresponse().status
        except (OSError, http.client.HTTPException) as error:  # also a half-written certificate
            return error


def cluster_from_environment() -> ControlPlane | ExistingCluster:
    """Return the cluster for this test run, not started yet.

    It is a new control plane, unless both ``PROXAR_TEST_KUBECONFIG`` and ``PROXAR_TEST_CONTEXT``
    name an existing cluster.

    Raises:
        ClusterError: Only one of them is set.
    """
    named = os.environ.get(KUBECONFIG_VARIABLE)
    context = os.environ.get(CONTEXT_VARIABLE)
    if named and context:
        return ExistingCluster(Path(named), context)
    if named or context:
        present, absent = (
            (KUBECONFIG_VARIABLE, CONTEXT_VARIABLE)
            if named
            else (CONTEXT_VARIABLE, KUBECONFIG_VARIABLE)
        )
        raise ClusterError(
            f"{present} is set but {absent} is not: set both to test on an existing cluster, "
            "or none to have one started"
        )
    return ControlPlane()


def _remove_previous(layout: Layout) -> None:
    for folder in (layout.etcd_data, layout.certificates, layout.kubectl_cache):
        shutil.rmtree(folder, ignore_errors=True)
    layout.audit_log.unlink(missing_ok=True)


def free_ports(count: int) -> list[int]:
    """Return ports of 127.0.0.1 that nobody listens on, and that no outgoing connection takes."""
    ports: list[int] = []
    while len(ports) < count:
        port = random.choice(PORTS)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        if port not in ports:
            ports.append(port)
    return ports
