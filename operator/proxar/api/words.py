"""The fixed words of the API: names, annotations, labels, condition types, reasons.

People write them in Git, alerts and scripts, so none is ever renamed. The reasons of a failed look
are `proxar.fetch.Reason`.
"""

from enum import StrEnum

__all__ = [
    "ACCEPTED_HASH",
    "ALLOWED_HOSTS",
    "API_VERSION",
    "FIELD_MANAGER",
    "GROUP",
    "KIND",
    "LABEL_HASH",
    "LABEL_ROLE",
    "LABEL_SERVER",
    "MAX_CHANGES",
    "MAX_FINDINGS",
    "PLURAL",
    "RECONCILE_REQUESTED_AT",
    "RESERVED_HEADERS",
    "RESERVED_HEADER_PREFIX",
    "VERSION",
    "AuthMethod",
    "BaselinePolicy",
    "BaselineSource",
    "CABundleKind",
    "ChangeNotifications",
    "ConditionReason",
    "ConditionStatus",
    "ConditionType",
    "DriftVerdict",
    "OverrideVerdict",
    "PinSource",
    "Scheme",
    "Transport",
]

GROUP = "proxar.dev"
VERSION = "v1alpha1"
API_VERSION = f"{GROUP}/{VERSION}"
KIND = "MCPServer"
PLURAL = "mcpservers"

FIELD_MANAGER = "proxar"
"""Who the operator is in managedFields."""

ACCEPTED_HASH = "proxar.dev/accepted-hash"
"""Annotation, set by a person: make the current snapshot, which has this hash, the baseline."""
ALLOWED_HOSTS = "proxar.dev/allowed-hosts"
"""Annotation, set by a person on a Secret: the only hosts that it may be used for."""
RECONCILE_REQUESTED_AT = "proxar.dev/reconcile-requested-at"
"""Annotation, set by a person: look now. The value is a token, compared for equality only."""

LABEL_SERVER = "proxar.dev/server"
"""On what Proxar creates: the name of the MCPServer."""
LABEL_HASH = "proxar.dev/hash"
"""On a snapshot: the first 32 hex digits of its hash, since a label value takes no colon."""
LABEL_ROLE = "proxar.dev/role"
"""On what Proxar creates: what it is, such as `snapshot`."""

MAX_CHANGES = 20
"""How many changes status lists: with every text at its longest the status then has 175 KB."""

MAX_FINDINGS = 10
"""How many findings of the lint status lists."""

RESERVED_HEADERS = frozenset(
    {
        "accept",
        "accept-encoding",
        "connection",
        "content-encoding",
        "content-length",
        "content-type",
        "cookie",
        "expect",
        "host",
        "keep-alive",
        "last-event-id",
        "mcp-method",
        "mcp-name",
        "mcp-protocol-version",
        "mcp-session-id",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "user-agent",
    }
)
"""Headers, lower case, that spec.headers may not set: Proxar or the connection does."""
RESERVED_HEADER_PREFIX = "mcp-param-"
"""Headers that begin so carry arguments of a tool call; spec.headers may not set them either."""


class ConditionType(StrEnum):
    """What a condition speaks of."""

    READY = "Ready"
    REACHABLE = "Reachable"
    SCHEMA_COMPATIBLE = "SchemaCompatible"
    PIN_MATCHED = "PinMatched"
    CONSISTENT = "Consistent"
    RECONCILING = "Reconciling"
    STALLED = "Stalled"


class ConditionStatus(StrEnum):
    """The three values that a condition's status has."""

    TRUE = "True"
    FALSE = "False"
    UNKNOWN = "Unknown"


class ConditionReason(StrEnum):
    """Why a condition is as it is, where it is not the reason of a failed look."""

    # Ready
    TRACKING = "Tracking"
    NOT_YET_OBSERVED = "NotYetObserved"
    SNAPSHOT_NOT_STORED = "SnapshotNotStored"
    CRD_OUTDATED = "CRDOutdated"
    # Reachable
    FETCHED = "Fetched"
    # SchemaCompatible
    NO_DRIFT = "NoDrift"
    COMPATIBLE_DRIFT = "CompatibleDrift"
    ADVISORY_DRIFT = "AdvisoryDrift"
    BREAKING_DRIFT = "BreakingDrift"
    # PinMatched
    IDENTICAL = "Identical"
    EQUIVALENT = "Equivalent"
    DRIFTED = "Drifted"
    PINNED_SNAPSHOT_MISSING = "PinnedSnapshotMissing"
    SNAPSHOT_CORRUPT = "SnapshotCorrupt"
    # Consistent
    AGREE = "Agree"
    ENDPOINTS_DIFFER = "EndpointsDiffer"
    FLAPPING = "Flapping"
    # Reconciling, Stalled
    PROGRESSING = "Progressing"
    INVALID_SPEC = "InvalidSpec"


class AuthMethod(StrEnum):
    """spec.auth.oauth2ClientCredentials.authMethod: how the client proves who it is."""

    CLIENT_SECRET_BASIC = "ClientSecretBasic"  # noqa: S105 - a word, not a secret
    CLIENT_SECRET_POST = "ClientSecretPost"  # noqa: S105
    PRIVATE_KEY_JWT = "PrivateKeyJWT"


class CABundleKind(StrEnum):
    """spec.tls.caBundleRef.kind."""

    CONFIG_MAP = "ConfigMap"
    SECRET = "Secret"  # noqa: S105


class BaselinePolicy(StrEnum):
    """spec.driftPolicy.baseline."""

    SETTLE = "Settle"
    HOLD = "Hold"


class ChangeNotifications(StrEnum):
    """spec.changeNotifications."""

    IGNORE = "Ignore"
    LISTEN = "Listen"


class OverrideVerdict(StrEnum):
    """spec.driftPolicy.rules[].verdict. Never Compatible: that is a promise about calls."""

    BREAKING = "Breaking"
    ADVISORY = "Advisory"
    IGNORED = "Ignored"


class BaselineSource(StrEnum):
    """status.baseline.source: how a list became the baseline."""

    FIRST_SEEN = "FirstSeen"
    SETTLED = "Settled"
    ACCEPTED = "Accepted"
    PINNED = "Pinned"


class PinSource(StrEnum):
    """status.pin.source: where the content of the pinned hash is known from."""

    OBSERVED = "Observed"
    MISSING = "Missing"


class DriftVerdict(StrEnum):
    """A verdict as the API spells it; `proxar.contract.Verdict` in lower case."""

    NONE = "None"
    COSMETIC = "Cosmetic"
    COMPATIBLE = "Compatible"
    ADVISORY = "Advisory"
    BREAKING = "Breaking"


class Transport(StrEnum):
    """spec.transport."""

    AUTO = "Auto"
    STREAMABLE_HTTP = "StreamableHTTP"
    SSE = "SSE"


class Scheme(StrEnum):
    """spec.endpoints[].serviceRef.scheme."""

    HTTP = "HTTP"
    HTTPS = "HTTPS"
