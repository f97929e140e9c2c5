"""Every deliberate error above the contract, and what becomes of it.

    ProxarError                  a reason word and a message that says what to do
    ├── FetchError               could not look: Reachable=False, the last good snapshot stays
    ├── SnapshotError            a stored tool list is missing or not what its hash says
    ├── KubernetesError          the API server refused or was not reached: plan again later
    │   └── Conflict             the object changed meanwhile: plan again at once
    └── UsageError               a person asked for something that cannot be: exit code 2

The reason is one CamelCase word, the same in a condition, an Event, a metric label and `-o json`. A
message never holds a credential, a query string or a response body.
"""

__all__ = [
    "Conflict",
    "FetchError",
    "KubernetesError",
    "ProxarError",
    "SnapshotError",
    "UsageError",
]


class ProxarError(Exception):
    """Something that Proxar foresaw; `reason` is for machines, `message` for people."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(f"{reason}: {message}")
        self.reason = reason
        self.message = message


class FetchError(ProxarError):
    """The MCP server did not give a complete tool list. Never evidence that a tool is gone.

    `reason` is a member of `proxar.fetch.Reason`. `retry_after` is the server's own wish in
    seconds, already bounded.
    """

    def __init__(self, reason: str, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(reason, message)
        self.retry_after = retry_after


class SnapshotError(ProxarError):
    """A stored tool list cannot be used: `SnapshotCorrupt`, `SnapshotNotStored` or
    `PinnedSnapshotMissing`."""


class KubernetesError(ProxarError):
    """The API server answered with an error (`status` is the HTTP status) or not at all (`status`
    0)."""

    def __init__(self, reason: str, message: str, *, status: int = 0) -> None:
        super().__init__(reason, message)
        self.status = status


class Conflict(KubernetesError):  # noqa: N818 - the API's own word
    """409: the object is not the one that the decision was made for."""


class UsageError(ProxarError):
    """The command cannot mean anything as it was typed."""

    def __init__(self, message: str) -> None:
        super().__init__("Usage", message)
