"""MCPServer v1alpha1: the object, its spec and its status.

Bounds repeat those of the CRD where the operator relies on them: an object may have been stored
before the CRD had the rule.
"""

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Annotated, Any, Self
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic.alias_generators import to_camel

from proxar.api.duration import format_duration, parse_duration
from proxar.api.words import (
    RESERVED_HEADER_PREFIX,
    RESERVED_HEADERS,
    BaselinePolicy,
    OverrideVerdict,
    Scheme,
)

__all__ = [
    "Baseline",
    "Change",
    "Condition",
    "ConfigMapRef",
    "Drift",
    "DriftPolicy",
    "DriftRule",
    "Endpoint",
    "EndpointStatus",
    "Header",
    "HistoryEntry",
    "InvalidObject",
    "Lint",
    "LintFinding",
    "MCPServer",
    "Metadata",
    "Pin",
    "ServerInfo",
    "ServiceRef",
    "Snapshot",
    "Spec",
    "Status",
    "parse_mcpserver",
]

MAX_DEFAULT_TIMEOUT = timedelta(seconds=10)
"""A tool list takes well under a second; what takes ten is down for any client too."""


class InvalidObject(ValueError):  # noqa: N818 - it names what was read
    """A stored MCPServer that this version cannot work with.

    `field` is the path of the first bad field, such as `spec.interval`, and `message` what is wrong
    with it. `metadata` is there unless itself bad, so that the fault can be reported on the object.
    """

    def __init__(self, field: str, message: str, metadata: "Metadata | None" = None) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        self.message = message
        self.metadata = metadata


def _spell_time(time: datetime) -> str:
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _read_duration(value: object) -> timedelta:
    if isinstance(value, timedelta):
        return value
    if isinstance(value, str):
        return parse_duration(value)
    raise ValueError("must be a duration such as 90s or 1h30m")


def _between(lowest: str, highest: str) -> AfterValidator:
    def check(duration: timedelta) -> timedelta:
        if not parse_duration(lowest) <= duration <= parse_duration(highest):
            raise ValueError(f"must be between {lowest} and {highest}")
        return duration

    return AfterValidator(check)


Time = Annotated[AwareDatetime, PlainSerializer(_spell_time, when_used="json")]
"""A moment; the API has whole seconds, in UTC."""

Duration = Annotated[
    timedelta, BeforeValidator(_read_duration), PlainSerializer(format_duration, when_used="json")
]
"""A Go duration."""


class _Value(BaseModel):
    """A frozen part of the object; camelCase outside, snake_case inside; unknown fields ignored."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        frozen=True,
        extra="ignore",
        hide_input_in_errors=True,  # a url or a header may hold a credential after all
    )

    def to_json(self) -> dict[str, Any]:
        """Spell it as the API does; what is `None` is left out."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


class Metadata(_Value):
    """Who the object is."""

    name: str
    namespace: str
    uid: str
    generation: int = 0
    resource_version: str = ""
    annotations: Mapping[str, str] = {}
    deletion_timestamp: Time | None = None


class ServiceRef(_Value):
    """A Service in the namespace of the object."""

    name: str
    port: int | None = Field(default=None, ge=1, le=65535)
    """`None`: the only one that the Service has."""
    path: str = Field(default="/mcp", pattern="^/")
    scheme: Scheme = Scheme.HTTP


class Endpoint(_Value):
    """Where a tool list is fetched: exactly one of `url` and `service_ref`."""

    name: str
    url: str | None = None
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
        if (self.url is None) == (self.service_ref is None):
            raise ValueError("set exactly one of url and serviceRef")
        return self


class Header(_Value):
    """A header sent with every request."""

    name: str = Field(pattern="^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")
    value: str = Field(pattern=r"^[ -~\t]*$")
    """Printable ASCII: a line break would be a second header."""

    @field_validator("name")
    @classmethod
    def _is_free(cls, name: str) -> str:
        lower = name.lower()
        if lower in RESERVED_HEADERS or lower.startswith(RESERVED_HEADER_PREFIX):
            raise ValueError("Proxar sets this header itself: remove it")
        return name


class DriftRule(_Value):
    """A verdict that a person overruled."""

    name: str
    rule: str
    """A rule id or a glob of ids."""
    tools: tuple[str, ...] = ()
    """Globs of tool names; none means every tool."""
    verdict: OverrideVerdict
    reason: str
    expiration_time: Time | None = None


class DriftPolicy(_Value):
    """What becomes the baseline without anybody saying so."""

    baseline: BaselinePolicy = BaselinePolicy.SETTLE
    settle_after: Annotated[Duration, _between("1m", "8760h")] = timedelta(hours=168)
    rules: tuple[DriftRule, ...] = ()
    """The first that covers a change decides."""


class Spec(_Value):
    """What a person asked for."""

    endpoints: tuple[Endpoint, ...] = Field(min_length=1, max_length=1)
    interval: Annotated[Duration, _between("5s", "24h")] = timedelta(seconds=60)
    timeout: Annotated[Duration, _between("1s", "5m")] | None = None
    suspend: bool = False
    headers: tuple[Header, ...] = ()
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
        """16 hex digits that stand for what is looked at: address and headers, not the name.

        Kept in status.baseline.target, so it must stay the same for the same target in every later
        version: a field that comes with a later version is added only where it is set.
        """
        endpoint = self.endpoint.to_json()
        del endpoint["name"]
        target: dict[str, object] = {"endpoint": endpoint}
        if self.headers:
            # sorted, since the order of list-map items means nothing to anybody
            target["headers"] = sorted(
                [header.name.lower(), header.value] for header in self.headers
            )
        text = json.dumps(target, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


class ConfigMapRef(_Value):
    """A ConfigMap in the namespace of the object."""

    name: str | None = None


class ServerInfo(_Value):
    """Who the server says it is."""

    name: str | None = None
    version: str | None = None


class Snapshot(_Value):
    """The tool list that the server reported when it was last reached."""

    hash: str | None = None
    config_map_ref: ConfigMapRef | None = None
    tool_count: int | None = None
    protocol_version: str | None = None
    server_info: ServerInfo | None = None
    first_seen_time: Time | None = None
    last_seen_time: Time | None = None


class Baseline(_Value):
    """What drift is measured against."""

    hash: str | None = None
    source: str | None = None
    target: str | None = None
    since_time: Time | None = None


class Pin(_Value):
    """The pin as it was taken up."""

    hash: str | None = None
    source: str | None = None
    set_time: Time | None = None


class Change(_Value):
    """One change, as status lists it."""

    tool: str
    path: str
    rule: str
    verdict: str
    message: str | None = None
    fingerprint: str | None = None
    overridden_by: str | None = None
    """The name of the `DriftRule` that gave it its verdict."""


class Drift(_Value):
    """What changed from the baseline to the current list."""

    verdict: str | None = None
    breaking: int | None = None
    advisory: int | None = None
    compatible: int | None = None
    omitted: int | None = None
    first_seen_time: Time | None = None
    settle_time: Time | None = None
    changes: tuple[Change, ...] = ()


class LintFinding(_Value):
    """One finding of the lint."""

    tool: str | None = None
    path: str
    rule: str
    severity: str
    message: str | None = None


class Lint(_Value):
    """What is wrong with the current list by itself."""

    errors: int = 0
    warnings: int = 0
    findings: tuple[LintFinding, ...] = ()
    """Errors first; not all of them."""


class EndpointStatus(_Value):
    """How the last look at one endpoint went."""

    name: str
    reachable: str | None = None
    reason: str | None = None
    message: str | None = None
    hash: str | None = None
    protocol_version: str | None = None
    transport: str | None = None
    last_success_time: Time | None = None


class HistoryEntry(_Value):
    """One tool list, for as long as the server reported it."""

    hash: str
    config_map_ref: ConfigMapRef | None = None
    tool_count: int | None = None
    first_seen_time: Time | None = None
    last_seen_time: Time | None = None


class Condition(_Value):
    """One condition."""

    type: str
    status: str
    observed_generation: int | None = None
    last_transition_time: Time
    reason: str
    message: str


class Status(_Value):
    """What the operator wrote last. Everything may be absent."""

    observed_generation: int = -1
    last_handled_reconcile_at: str | None = None
    last_handled_accepted_hash: str | None = None
    snapshot: Snapshot | None = None
    baseline: Baseline | None = None
    pin: Pin | None = None
    drift: Drift | None = None
    endpoints: tuple[EndpointStatus, ...] = ()
    lint: Lint | None = None
    transitions: int = 0
    history: tuple[HistoryEntry, ...] = ()
    """Newest first."""
    conditions: tuple[Condition, ...] = ()

    def condition(self, type_: str) -> Condition | None:
        """The condition of that type, if there is one."""
        return next((found for found in self.conditions if found.type == type_), None)


class MCPServer(_Value):
    """One object, as it was read from the API server."""

    metadata: Metadata
    spec: Spec
    status: Status = Status()

    @property
    def key(self) -> tuple[str, str]:
        """Namespace and name."""
        return self.metadata.namespace, self.metadata.name


def parse_mcpserver(raw: Mapping[str, Any]) -> MCPServer:
    """Read an object as the API server delivers it.

    Raises:
        InvalidObject: A field is missing or has a value that this version cannot work with.
    """
    try:
        return MCPServer.model_validate(raw)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = _path(first["loc"])
        message = first["msg"].removeprefix("Value error, ")
        raise InvalidObject(field, message, _metadata_of(raw)) from error


def _metadata_of(raw: Mapping[str, Any]) -> Metadata | None:
    try:
        return Metadata.model_validate(raw.get("metadata"))
    except ValidationError:
        return None


def _path(location: tuple[int | str, ...]) -> str:
    """Spell a location as Kubernetes does: `spec.endpoints[0].url`."""
    path = ""
    for part in location:
        path += f"[{part}]" if isinstance(part, int) else f".{part}"
    return path.removeprefix(".") or "the object"
