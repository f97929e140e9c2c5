"""The spec of an MCPServer: what a person asked for.

Bounds repeat those of the CRD where the operator relies on them: an object may have been stored
before the CRD had the rule.
"""

import hashlib
import json
from datetime import timedelta
from functools import cached_property
from typing import Annotated, Self
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from proxar.api.credentials import TLS, Auth, SecretKeyRef
from proxar.api.value import Duration, Time, Value, between
from proxar.api.words import (
    RESERVED_HEADER_PREFIX,
    RESERVED_HEADERS,
    BaselinePolicy,
    ChangeNotifications,
    OverrideVerdict,
    Scheme,
    Transport,
)

__all__ = ["DriftPolicy", "DriftRule", "Endpoint", "Header", "ServiceRef", "Spec"]

MAX_DEFAULT_TIMEOUT = timedelta(seconds=10)
"""A tool list takes well under a second; what takes ten is down for any client too."""


class ServiceRef(Value):
    """A Service in the namespace of the object."""

    name: str
    port: int | None = Field(default=None, ge=1, le=65535)
    """`None`: the only one that the Service has."""
    path: str = Field(default="/mcp", pattern="^/")
    scheme: Scheme = Scheme.HTTP


class Endpoint(Value):
    """Where a tool list is fetched: exactly one of `url`, `url_secret_ref` and `service_ref`."""

    name: str
    url: str | None = None
    url_secret_ref: SecretKeyRef | None = None
    service_ref: ServiceRef | None = None

    @field_validator("url")
    @classmethod
    def _is_http(cls, url: str | None) -> str | None:
        if url is None:
            return None
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError(
                "must be an absolute http or https URL with a host, as in https://mcp.example.com/mcp"
            )
        if "@" in parts.netloc:
            raise ValueError("must not carry credentials: remove the part before @")
        return url

    @model_validator(mode="after")
    def _is_one_thing(self) -> Self:
        if [self.url, self.url_secret_ref, self.service_ref].count(None) != 2:
            raise ValueError("set exactly one of url, urlSecretRef and serviceRef")
        return self


class Header(Value):
    """A header sent with every request."""

    name: str = Field(pattern="^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")
    value: str | None = Field(default=None, pattern=r"^[ -~\t]*$")
    """Printable ASCII: a line break would be a second header."""
    secret_key_ref: SecretKeyRef | None = None

    @field_validator("name")
    @classmethod
    def _is_free(cls, name: str) -> str:
        lower = name.lower()
        if lower in RESERVED_HEADERS or lower.startswith(RESERVED_HEADER_PREFIX):
            raise ValueError("Proxar sets this header itself: remove it")
        return name

    @model_validator(mode="after")
    def _is_one_thing(self) -> Self:
        if (self.value is None) == (self.secret_key_ref is None):
            raise ValueError("set exactly one of value and secretKeyRef")
        return self


class DriftRule(Value):
    """A verdict that a person overruled."""

    name: str
    rule: str
    """A rule id or a glob of ids."""
    tools: tuple[str, ...] = ()
    """Globs of tool names; none means every tool."""
    verdict: OverrideVerdict
    reason: str
    expiration_time: Time | None = None


class DriftPolicy(Value):
    """What becomes the baseline without anybody saying so."""

    confirmations: int = Field(default=1, ge=1, le=10)
    """How many looks in a row must give a new list before it counts."""
    baseline: BaselinePolicy = BaselinePolicy.SETTLE
    settle_after: Annotated[Duration, between("1m", "8760h")] = timedelta(hours=168)
    rules: tuple[DriftRule, ...] = ()
    """The first that covers a change decides."""


class Spec(Value):
    """What a person asked for."""

    endpoints: tuple[Endpoint, ...] = Field(min_length=1, max_length=16)
    transport: Transport = Transport.AUTO
    interval: Annotated[Duration, between("5s", "24h")] = timedelta(seconds=60)
    timeout: Annotated[Duration, between("1s", "5m")] | None = None
    suspend: bool = False
    change_notifications: ChangeNotifications = ChangeNotifications.IGNORE
    headers: tuple[Header, ...] = ()
    auth: Auth | None = None
    tls: TLS | None = None
    pinned_hash: str | None = Field(default=None, pattern="^sha256:[0-9a-f]{64}$")
    drift_policy: DriftPolicy = DriftPolicy()
    history_limit: int = Field(default=10, ge=1, le=50)

    @property
    def endpoint(self) -> Endpoint:
        """The reference endpoint, of which snapshot, drift and pin speak."""
        return self.endpoints[0]

    @property
    def effective_timeout(self) -> timedelta:
        """What one look may take: as set, else the smaller of 10 s and half the interval."""
        return self.timeout or min(MAX_DEFAULT_TIMEOUT, self.interval / 2)

    @cached_property
    def target_digest(self) -> str:
        """The `digest_of` the reference endpoint; that of another one is nobody's baseline."""
        return self.digest_of(self.endpoint)

    def digest_of(self, of: Endpoint) -> str:
        """16 hex digits that stand for what is looked at: address and headers, not the name.

        Kept in status.baseline.target, so it must stay the same for the same target in every later
        version: a field that comes with a later version is added only where it is set.
        """
        endpoint = of.to_json()
        del endpoint["name"]
        target: dict[str, object] = {"endpoint": endpoint}
        if self.transport is not Transport.AUTO:
            target["transport"] = str(self.transport)
        if self.headers:
            # sorted, since the order of list-map items means nothing to anybody
            target["headers"] = sorted(_header(header) for header in self.headers)
        if self.auth is not None:
            # which Secrets, never what is in them: rotating a secret is no other target
            target["auth"] = self.auth.to_json()
        if self.tls is not None and (tls := _presented(self.tls)):
            target["tls"] = tls
        text = json.dumps(target, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def _header(header: Header) -> list[str]:
    if header.secret_key_ref is None:
        return [header.name.lower(), header.value or ""]
    return [header.name.lower(), header.secret_key_ref.name, header.secret_key_ref.key]


def _presented(tls: TLS) -> dict[str, object]:
    """Who one is and whom one asks for. Whom one trusts changes nothing of what is seen."""
    return tls.model_copy(update={"ca_bundle_ref": None}).to_json()
