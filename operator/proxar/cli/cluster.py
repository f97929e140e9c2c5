"""Reaching a cluster with the options of kubectl, or saying which libraries that takes."""

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from proxar.errors import UsageError

if TYPE_CHECKING:
    from proxar.kube.client import KubeClient

__all__ = ["ClusterOptions", "ServerName", "in_cluster", "needs_operator_extra"]

EXTRA = frozenset({"kopf", "kubernetes", "prometheus_client", "pydantic", "yaml"})
"""What only the extra `operator` installs."""

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class ClusterOptions:
    """Which cluster and namespace, as kubectl's options say it."""

    kubeconfig: str | None = None
    context: str | None = None
    namespace: str | None = None

    @property
    def given(self) -> bool:
        """Whether any of them was typed."""
        return any((self.kubeconfig, self.context, self.namespace))


@dataclass(frozen=True, slots=True)
class ServerName:
    """The MCPServer that was named: `NAME`, or `NAMESPACE/NAME`."""

    name: str
    namespace: str | None = None

    @classmethod
    def parse(cls, typed: str, options: ClusterOptions) -> "ServerName":
        """Read what was typed; `-n` stands for the namespace when it has none.

        Raises:
            UsageError: It names no object, or two namespaces.
        """
        namespace, slash, name = typed.rpartition("/")
        if not name or "/" in namespace or (slash and not namespace):
            raise UsageError(f"{typed!r}: name a server as NAME or NAMESPACE/NAME")
        if namespace and options.namespace not in {None, namespace}:
            raise UsageError(
                f"{typed}: another namespace than -n {options.namespace}; leave one out"
            )
        return cls(name, namespace or options.namespace)


def in_cluster(
    options: ClusterOptions, work: Callable[["KubeClient"], Awaitable[Answer]]
) -> Answer:
    """Connect as kubectl would, do the work, and hang up.

    Raises:
        UsageError: The kubeconfig has no such context, or the libraries are missing.
        KubernetesError: The API server refused or was not reached.
    """
    import asyncio

    async def connected() -> Answer:
        async with _client(options) as client:
            return await work(client)

    with needs_operator_extra():
        return asyncio.run(connected())


@asynccontextmanager
async def _client(options: ClusterOptions) -> "AsyncIterator[KubeClient]":
    from proxar.kube.client import Connection, KubeClient

    if _only_in_cluster(options):
        connection = Connection.in_cluster()
    else:
        path = None if options.kubeconfig is None else Path(options.kubeconfig)
        connection = await Connection.from_kubeconfig(path, options.context)
    async with KubeClient(connection) as client:
        yield client


def _only_in_cluster(options: ClusterOptions) -> bool:
    """As kubectl: a pod's own ServiceAccount serves where there is no kubeconfig at all."""
    return (
        options.kubeconfig is None
        and options.context is None
        and not os.environ.get("KUBECONFIG")
        and "KUBERNETES_SERVICE_HOST" in os.environ
        and not Path("~/.kube/config").expanduser().is_file()
    )


@contextmanager
def needs_operator_extra() -> Iterator[None]:
    """Turn a missing library of the extra into what to install."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in EXTRA:
            raise
        raise UsageError(
            f"this command speaks to Kubernetes and {error.name} is not installed; install "
            "'proxar-operator[operator]'"
        ) from error
