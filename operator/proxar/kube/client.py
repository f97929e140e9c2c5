"""One connection to the API server: JSON in, JSON out, and every failure one of our own errors.

Over `kubernetes.aio` for kubeconfig, credentials, token rotation and TLS; without its generated
models, which cannot say what an apply patch must say (absent against null) and write a MicroTime of
whole seconds in a form that the server refuses.
"""

import asyncio
import copy
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
from kubernetes.aio.client import ApiClient, Configuration
from kubernetes.aio.config import ConfigException, load_incluster_config, load_kube_config
from kubernetes.aio.config.kube_config import list_kube_config_contexts

from proxar import __version__
from proxar.errors import Conflict, KubernetesError, UsageError
from proxar.kube.text import clean

__all__ = [
    "APPLY",
    "MERGE",
    "METADATA_ONLY",
    "Connection",
    "KubeClient",
    "is_refusal",
    "is_terminating",
    "path_of",
]

APPLY = "application/apply-patch+yaml"
"""Server-side apply. The client's default patch type is a JSON patch, which answers 422 to an
object."""

MERGE = "application/merge-patch+json"

METADATA_ONLY = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"
"""Accepts a list of objects without what is in them."""

REQUEST_TIMEOUT_SECONDS = 30.0
"""The client's own default is five minutes: longer than any lease or poll may wait for one
answer."""

NAMESPACE_FILE = Path("/var/run/secrets/kubernetes.io/serviceaccount/namespace")


def path_of(
    group_version: str, resource: str, namespace: str | None, name: str = "", sub: str = ""
) -> str:
    """The URL path of a resource; `group_version` is `v1` or `group/version`, no namespace means
    all of them."""
    root = "/api" if "/" not in group_version else "/apis"
    parts = [root, group_version]
    if namespace is not None:
        parts += ["namespaces", quote(namespace, safe="")]
    parts += [part for part in (resource, quote(name, safe=""), sub) if part]
    return "/".join(parts)


@dataclass(frozen=True, slots=True)
class Connection:
    """Which API server, as whom. Nothing is dialled before `KubeClient` is entered."""

    configuration: Configuration
    namespace: str
    """The context's namespace, or the pod's own; `default` otherwise."""

    @classmethod
    async def from_kubeconfig(cls, path: Path | None = None, context: str | None = None) -> Self:
        """Read a kubeconfig as kubectl does: the path given, else $KUBECONFIG, else ~/.kube/config.

        Raises:
            UsageError: No such file or context, or the file is not a kubeconfig.
        """
        location = str(path) if path is not None else _default_kubeconfig()
        if not _is_there(location):
            raise UsageError(
                f"kubeconfig {location}: no such file; name one with --kubeconfig or KUBECONFIG"
            )
        configuration = Configuration()
        try:
            contexts, current = list_kube_config_contexts(location)
            chosen = (
                next((item for item in contexts if item["name"] == context), None)
                if context
                else current
            )
            if chosen is None:
                known = ", ".join(item["name"] for item in contexts)
                raise UsageError(
                    f"--context {context}: not in {location}, which has: {known or 'none'}"
                )
            await load_kube_config(location, context, configuration, persist_config=False)
        except (ConfigException, OSError, KeyError, TypeError, ValueError) as error:
            raise UsageError(f"kubeconfig {location}: {error}") from error
        return cls(configuration, chosen["context"].get("namespace") or "default")

    @classmethod
    def in_cluster(cls) -> Self:
        """The pod's own ServiceAccount; its token is read again as it rotates.

        Raises:
            UsageError: This is not a pod, or it has no token mounted.
        """
        configuration = Configuration()
        try:
            load_incluster_config(configuration)
        except ConfigException as error:
            raise UsageError(
                f"not in a cluster ({error}); name a kubeconfig with --kubeconfig"
            ) from error
        namespace = NAMESPACE_FILE.read_text().strip() if NAMESPACE_FILE.is_file() else "default"
        return cls(configuration, namespace)

    @property
    def server(self) -> str:
        """The API server's URL."""
        return str(self.configuration.host)


class KubeClient:
    """An open connection; use as an async context manager.

    `on_response` is told method and status (0: no answer) of every request, for metrics.
    """

    def __init__(
        self, connection: Connection, *, on_response: Callable[[str, int], None] | None = None
    ) -> None:
        self.connection = connection
        self._api = ApiClient(_with_proxy(connection.configuration))
        self._api.user_agent = f"proxar/{__version__}"
        self._on_response = on_response or (lambda _method, _status: None)
        self._date: str | None = None

    @property
    def server_time(self) -> datetime | None:
        """When the API server sent its last answer, by its own clock, in whole seconds."""
        try:
            return parsedate_to_datetime(self._date or "")
        except ValueError:
            return None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._api.close()

    async def authorize(self, headers: dict[str, str]) -> None:
        """Add the credentials; a rotated service account token, or an exec plugin's, is read anew
        here."""
        await self._api.update_params_for_auth(headers, [], ["BearerToken"], "", "", None)

    async def get(self, path: str, query: Mapping[str, str] | None = None) -> dict[str, Any] | None:
        """GET, where 404 is an answer: `None`."""
        try:
            return await self.request("GET", path, query=query)
        except KubernetesError as error:
            if error.status == 404:
                return None
            raise

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: object = None,
        content_type: str = "application/json",
        accept: str = "application/json",
    ) -> dict[str, Any]:
        """Send one request and return the JSON object of the answer.

        Raises:
            Conflict: 409.
            KubernetesError: Any other error status, or no answer at all (`status` 0).
        """
        headers = {
            "Content-Type": content_type,
            "Accept": accept,
            "User-Agent": self._api.user_agent,
        }
        await self.authorize(headers)
        url = f"{self._api.configuration.host}{path}{'?' + urlencode(query) if query else ''}"
        try:
            async with asyncio.timeout(REQUEST_TIMEOUT_SECONDS):
                response = await self._api.rest_client.request(
                    method,
                    url,
                    headers=headers,
                    body=body,
                    _request_timeout=REQUEST_TIMEOUT_SECONDS,
                )
                payload = await response.read()
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            self._on_response(method, 0)
            raise KubernetesError(
                "APIServerUnreachable",
                f"{method} {path}: {type(error).__name__} from the API server",
            ) from error
        self._on_response(method, response.status)
        self._date = response.headers.get("Date")
        if response.status >= 400:
            raise _error(method, path, response.status, payload)
        try:
            answer = json.loads(payload)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise KubernetesError(
                "MalformedAnswer", f"{method} {path}: not a JSON object", status=response.status
            )
        return answer


def _with_proxy(configuration: Configuration) -> Configuration:
    """The same, with the proxy that the environment names for its server, if any.

    Looked for once. The client does so with each request, and for credentials in ~/.netrc besides:
    two threads and a file each time.
    """
    own = copy.copy(configuration)
    server = urlsplit(str(configuration.host))
    if own.proxy is None and not proxy_bypass(server.hostname or ""):
        own.proxy = getproxies().get(server.scheme)
    own.client_session_kwargs = {"trust_env": False}
    return own


def is_terminating(error: KubernetesError) -> bool:
    """Whether a write was refused because its namespace is being deleted: nothing to mend."""
    return error.status == 403 and "because it is being terminated" in error.message


def is_refusal(error: KubernetesError) -> bool:
    """Whether the API server said no, and will say it again: by RBAC, quota, policy or schema."""
    return error.status in (400, 403, 413, 422) and not is_terminating(error)


def _default_kubeconfig() -> str:
    return os.environ.get("KUBECONFIG") or str(Path("~/.kube/config").expanduser())


def _is_there(location: str) -> bool:
    """Whether any file of a kubeconfig path, which may name several, exists."""
    return any(Path(part).is_file() for part in location.split(os.pathsep) if part)


def _error(method: str, path: str, status: int, payload: bytes) -> KubernetesError:
    """Keep the reason and message of a Status object; any other body is dropped, it may hold
    anything."""
    try:
        told = json.loads(payload)
        reason, message = str(told.get("reason") or "Unknown"), str(told.get("message") or "")
    except (ValueError, AttributeError):
        reason, message = "Unknown", ""
    text = clean(f"{method} {path}: {status} {message}".rstrip(), characters=1024)
    return (
        Conflict(reason, text, status=status)
        if status == 409
        else KubernetesError(reason, text, status=status)
    )
