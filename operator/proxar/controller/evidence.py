"""Everything that a plan is made from: the object, what this look gave, and the lists at hand."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from proxar.api import MCPServer
from proxar.contract import Diff, ToolList, compare
from proxar.contract.overrides import with_overrides
from proxar.controller.observation import Fault, Held, Look
from proxar.controller.overrides import overrides_of
from proxar.errors import SnapshotError
from proxar.fetch import Fetched

__all__ = ["Evidence", "Seen", "Stored"]

Stored = Mapping[str, ToolList | SnapshotError | None]
"""Tool lists by hash as read from the store; `None` is one that was looked for and is missing."""

NO_DIFF = compare(ToolList.of(()), ToolList.of(()))


@dataclass(frozen=True, slots=True)
class Seen:
    """Everything gathered for one plan besides the object itself."""

    found: Look | Fault | Held | None
    """What the look gave; `None` when there was none (suspended)."""
    stored: Stored
    now: datetime
    """Whole seconds, as the API keeps them."""
    requested: str | None = None
    """The reconcile annotation as it stood before the look began: what this look answers."""
    store_error: SnapshotError | None = None
    """Storing this look's list was refused: nothing may move to it."""
    compare: Callable[[ToolList, ToolList], Diff] = compare


@dataclass(frozen=True, slots=True)
class Evidence:
    """The same, sorted out: a list that counts or a fault, and all lists that can be compared."""

    server: MCPServer
    seen: Seen
    look: Fetched | None
    fault: Fault | None
    lists: Mapping[str, ToolList]

    @classmethod
    def of(cls, server: MCPServer, seen: Seen) -> "Evidence":
        """Sort it out."""
        look = fault = None
        match seen.found:
            case Fault():
                fault = seen.found
            case Held(fault=held):
                fault = held
            case Look(fetched) if seen.store_error is None:
                look = fetched
        lists = {
            hash_: tools for hash_, tools in seen.stored.items() if isinstance(tools, ToolList)
        }
        snapshot = server.status.snapshot
        if snapshot is not None and snapshot.hash in lists:
            # As this server speaks: the list at hand may be another's, or of an earlier look.
            version = snapshot.protocol_version
            lists[snapshot.hash] = replace(lists[snapshot.hash], protocol_version=version)
        if look is not None:
            lists[look.tools.hash] = look.tools
        return cls(server, seen, look, fault, lists)

    def diff_between(self, before: str | None, after: str | None) -> Diff | None:
        """The difference of two lists by hash, as the drift policy judges it.

        `None` when one of them is not at hand.
        """
        if before is None or after is None:
            return None
        if before == after:
            return NO_DIFF
        if before not in self.lists or after not in self.lists:
            return None
        diff = self.seen.compare(self.lists[before], self.lists[after])
        overrides = overrides_of(self.server.spec.drift_policy)
        return with_overrides(diff, overrides, self.seen.now)

    @property
    def missing_pin(self) -> SnapshotError | None:
        """Why the pinned list cannot be used; `None` when it can, or there is no pin."""
        pinned = self.server.spec.pinned_hash
        if pinned is None or pinned in self.lists:
            return None
        found = self.seen.stored.get(pinned)
        if isinstance(found, SnapshotError):
            return found
        return SnapshotError(
            "PinnedSnapshotMissing",
            f"spec.pinnedHash {pinned}: no snapshot of that hash is stored; pin a hash of "
            "status.history (proxar status), or wait until the server reports that list",
        )

    @property
    def lost(self) -> bool:
        """Whether the list at hand was looked for in the store and is gone or damaged."""
        if self.look is None or self.look.tools.hash not in self.seen.stored:
            return False
        return not isinstance(self.seen.stored[self.look.tools.hash], ToolList)
