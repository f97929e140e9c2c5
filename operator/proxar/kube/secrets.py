"""What stands in Secrets, read fresh for each look and forgotten after it.

No right on Secrets comes with the installation: each namespace grants it, by a RoleBinding to the
ClusterRole `proxar-secret-reader`. A Secret may say for which hosts it is meant; it is used for no
other, whoever names it in an MCPServer. No message ever holds a value, or a part of one.
"""

import base64
import binascii
import re
import shlex
from collections.abc import Mapping
from typing import Any

from proxar.api import ALLOWED_HOSTS
from proxar.errors import FetchError, KubernetesError
from proxar.kube.client import KubeClient, is_terminating, path_of
from proxar.kube.text import clean

__all__ = ["READER", "SecretReader", "allows"]

READER = "proxar-secret-reader"
"""The ClusterRole that the chart brings, and what its RoleBindings are called."""

TEXT_LENGTH = 16 << 10
"""Characters of a token or a header. Most servers take 8 KiB of headers in all."""

PEM_LENGTH = 1 << 20
"""Characters of certificates and keys: what a Secret may hold at most."""

ME = "/apis/authentication.k8s.io/v1/selfsubjectreviews"

_TEXT = re.compile(r"[!-~]([ -~\t]*[!-~])?")
"""What may stand in a header, without spaces at its ends."""


class SecretReader:
    """Reads what one look needs: each Secret once, and for the hosts that the look asks."""

    def __init__(self, client: KubeClient, namespace: str) -> None:
        self._client = client
        self._namespace = namespace
        self._read: dict[tuple[str, str], dict[str, Any]] = {}

    async def text(self, name: str, key: str, *, hosts: tuple[str, ...] = ()) -> str:
        """One line of printable ASCII: a token, the value of a header, a url.

        A line break at its end, which editors and `echo` leave, is not part of it.

        Args:
            hosts: Where it is to be sent. Without any the Secret's annotation is not looked at:
                check it with `check_hosts` once the hosts are known.

        Raises:
            FetchError: `SecretNotFound` when there is no such Secret, key or usable value,
                `SecretForbidden`, `EgressDenied` when the Secret is not for these hosts.
            KubernetesError: Could not look.
        """
        value = await self._value("Secret", name, key, TEXT_LENGTH)
        await self.check_hosts(name, hosts)
        value = value.removesuffix("\n").removesuffix("\r")
        if not value:
            raise self._unusable("Secret", name, key, "is empty")
        if not _TEXT.fullmatch(value):
            raise self._unusable(
                "Secret",
                name,
                key,
                "must be printable ASCII on one line, without spaces at its ends",
            )
        return value

    async def pem(self, kind: str, name: str, key: str, *, hosts: tuple[str, ...] = ()) -> str:
        """Certificates or a key, as they stand. `kind` is Secret or ConfigMap.

        Raises:
            FetchError: As `text`.
            KubernetesError: Could not look.
        """
        value = await self._value(kind, name, key, PEM_LENGTH)
        if kind == "Secret":
            await self.check_hosts(name, hosts)
        if not value.strip():
            raise self._unusable(kind, name, key, "is empty")
        return value

    async def check_hosts(self, name: str, hosts: tuple[str, ...]) -> None:
        """Refuse hosts that the Secret's annotation does not allow, where it has one.

        Raises:
            FetchError: `EgressDenied`; the message names Secret and host.
            KubernetesError: Could not look.
        """
        secret = await self._object("Secret", name)
        allowed = (secret["metadata"].get("annotations") or {}).get(ALLOWED_HOSTS)
        if allowed is None:
            return
        for host in hosts:
            if not allows(allowed, host):
                raise FetchError(
                    "EgressDenied",
                    f"Secret {self._namespace}/{name} may not be used for {_shown(host)}: its "
                    f"annotation {ALLOWED_HOSTS} does not name that host; add it there if this is "
                    "meant",
                )

    async def _value(self, kind: str, name: str, key: str, length: int) -> str:
        found = await self._object(kind, name)
        raw = _decoded(found, kind, key)
        if raw is None:
            # Which keys it has is not told: not everybody who reads this may read the Secret.
            raise FetchError(
                "SecretNotFound",
                f"{kind} {self._namespace}/{name} has no key {key}; add it or correct the "
                "reference",
            )
        if len(raw) > length:
            raise self._unusable(kind, name, key, f"is longer than {length >> 10} KiB")
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError:
            raise self._unusable(kind, name, key, "is not text") from None

    async def _object(self, kind: str, name: str) -> dict[str, Any]:
        if (kind, name) not in self._read:
            self._read[kind, name] = await self._get(kind, name)
        return self._read[kind, name]

    async def _get(self, kind: str, name: str) -> dict[str, Any]:
        resource = "secrets" if kind == "Secret" else "configmaps"
        try:
            found = await self._client.get(path_of("v1", resource, self._namespace, name))
        except KubernetesError as error:
            if kind != "Secret" or error.status != 403 or is_terminating(error):
                raise
            raise await self._forbidden(name) from None
        if found is None:
            raise FetchError(
                "SecretNotFound",
                f"{kind} {self._namespace}/{name} does not exist; create it or correct the "
                "reference",
            )
        return found

    async def _forbidden(self, name: str) -> FetchError:
        command = (
            f"kubectl create rolebinding {READER} -n {self._namespace} "
            f"--clusterrole={READER} {await _subject(self._client)}"
        )
        return FetchError(
            "SecretForbidden",
            f"Proxar may not read Secret {self._namespace}/{name}; to let it read the Secrets of "
            f"this namespace, run: {command}",
        )

    def _unusable(self, kind: str, name: str, key: str, problem: str) -> FetchError:
        return FetchError(
            "SecretNotFound",
            f"the value of key {key} in {kind} {self._namespace}/{name} {problem}; store it anew",
        )


def allows(annotation: str, host: str) -> bool:
    """Whether a list such as `mcp.example.com, *.example.org` has the host.

    `*.` stands for one label or more, so `*.example.org` does not have `example.org` itself.
    """
    host = _plain(host)
    for entry in map(_plain, annotation.split(",")):
        if entry.startswith("*."):
            if host.endswith(entry[1:]) and len(host) > len(entry) - 1:
                return True
        elif entry and entry == host:
            return True
    return False


def _plain(host: str) -> str:
    return host.strip().lower().rstrip(".").removeprefix("[").removesuffix("]")


def _shown(host: str) -> str:
    return clean(host, characters=253) or "a url without host"


def _decoded(found: Mapping[str, Any], kind: str, key: str) -> bytes | None:
    """The bytes under a key; a ConfigMap keeps text as it stands, a Secret all in base64."""
    data, binary = found.get("data") or {}, found.get("binaryData") or {}
    if kind == "ConfigMap" and key in data:
        return str(data[key]).encode("utf-8", "surrogatepass")
    encoded = data.get(key) if kind == "Secret" else binary.get(key)
    if encoded is None:
        return None
    try:
        return base64.b64decode(str(encoded), validate=True)
    except binascii.Error:
        return b"\xff"  # the API server takes none such; it is not text either


async def _subject(client: KubeClient) -> str:
    """The flag of `kubectl create rolebinding` that names whom this client speaks for."""
    review = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    try:
        answer = await client.request("POST", ME, body=review)
    except KubernetesError:
        return "--serviceaccount=NAMESPACE:NAME (of the operator's ServiceAccount)"
    user = str(((answer.get("status") or {}).get("userInfo") or {}).get("username") or "")
    account = user.removeprefix("system:serviceaccount:")
    if account != user:
        return f"--serviceaccount={shlex.quote(account)}"
    return f"--user={shlex.quote(clean(user, characters=253))}"
