"""The status of an MCPServer: what the operator wrote last. Everything in it may be absent."""

from proxar.api.value import Time, Value

__all__ = [
    "Baseline",
    "Change",
    "Condition",
    "ConfigMapRef",
    "Drift",
    "EndpointStatus",
    "HistoryEntry",
    "Lint",
    "LintFinding",
    "Pin",
    "ServerInfo",
    "Snapshot",
    "Status",
]


class ConfigMapRef(Value):
    """A ConfigMap in the namespace of the object."""

    name: str | None = None


class ServerInfo(Value):
    """Who the server says it is."""

    name: str | None = None
    version: str | None = None


class Snapshot(Value):
    """The tool list that the server reported when it was last reached."""

    hash: str | None = None
    config_map_ref: ConfigMapRef | None = None
    tool_count: int | None = None
    protocol_version: str | None = None
    server_info: ServerInfo | None = None
    first_seen_time: Time | None = None
    last_seen_time: Time | None = None


class Baseline(Value):
    """What drift is measured against."""

    hash: str | None = None
    source: str | None = None
    target: str | None = None
    since_time: Time | None = None


class Pin(Value):
    """The pin as it was taken up."""

    hash: str | None = None
    source: str | None = None
    manager: str | None = None
    """The field manager that set it."""
    set_time: Time | None = None


class Change(Value):
    """One change, as status lists it."""

    tool: str
    path: str
    rule: str
    verdict: str
    message: str | None = None
    fingerprint: str | None = None
    overridden_by: str | None = None
    """The name of the `DriftRule` that gave it its verdict."""


class Drift(Value):
    """What changed from the baseline to the current list."""

    verdict: str | None = None
    breaking: int | None = None
    advisory: int | None = None
    compatible: int | None = None
    omitted: int | None = None
    first_seen_time: Time | None = None
    settle_time: Time | None = None
    changes: tuple[Change, ...] = ()


class LintFinding(Value):
    """One finding of the lint."""

    tool: str | None = None
    path: str
    rule: str
    severity: str
    message: str | None = None


class Lint(Value):
    """What is wrong with the current list by itself."""

    errors: int = 0
    warnings: int = 0
    findings: tuple[LintFinding, ...] = ()
    """Errors first; not all of them."""


class EndpointStatus(Value):
    """How the last look at one endpoint went."""

    name: str
    reachable: str | None = None
    reason: str | None = None
    message: str | None = None
    hash: str | None = None
    protocol_version: str | None = None
    transport: str | None = None
    last_success_time: Time | None = None


class HistoryEntry(Value):
    """One tool list, for as long as the server reported it."""

    hash: str
    config_map_ref: ConfigMapRef | None = None
    tool_count: int | None = None
    first_seen_time: Time | None = None
    last_seen_time: Time | None = None


class Condition(Value):
    """One condition."""

    type: str
    status: str
    observed_generation: int | None = None
    last_transition_time: Time
    reason: str
    message: str


class Status(Value):
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
