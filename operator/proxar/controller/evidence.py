"""Everything that a plan is made from: the object, what this look gave, and the lists at hand."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from proxar.api import MCPServer
from proxar.contract import Diff, ToolList, compare
from proxar.contract.overrides import with_overrides
from proxar.controller.observation import Fault, Held, Look
from proxar.controller.overrides import overrides_of
from proxar.errors import SnapshotError
from proxar.fetch import Fetched

__all__ = ["Evidence", "Other", "Seen", "Stored"]

Stored = Mapping[str, ToolList | SnapshotError | None]
"""Tool lists by hash as read from the store; `None` is one that was looked for and is missing."""

NO_DIFF = compare(ToolList.of(()), ToolList.of(()))


@dataclass(frozen=True, slots=True)
class Other:
    """What a look at an endpoint besides the reference gave."""

    found: Look | Fault | Held | None
    """`None` when it was not asked, as while its Service cannot be read."""
    tools: ToolList | None
    """Its last list that counted, this look included; `None` when that is not at hand."""


@dataclass(frozen=True, slots=True)
class Seen:
    """Everything gathered for one plan besides the object itself."""

    found: Look | Fault | Held | None
    """What the look at the reference endpoint gave; `None` when there was none (suspended)."""
    stored: Stored
    now: datetime
    """Whole seconds, as the API keeps them."""
    requested: str | None = None
    """The reconcile annotation as it stood before the look began: what this look answers."""
    store_error: SnapshotError | None = None
    """Storing this look's list was refused: nothing may move to it."""
    compare: Callable[[ToolList, ToolList], Diff] = compare
    others: Mapping[str, Other] = field(default_factory=dict)
    """The endpoints besides the reference, by name."""
    flapping: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Endpoints whose lists do not stand still, and the hashes of some of these lists."""


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
        evidence = cls(server, seen, look, fault, lists)
        return evidence._steadied() if evidence.is_flapping else evidence

    @property
    def is_flapping(self) -> bool:
        """Whether the list of the reference endpoint does not stand still."""
        return self.server.spec.endpoint.name in self.seen.flapping

    def _steadied(self) -> "Evidence":
        """While a list flaps, the worst of those seen counts, and stays.

        So its changes are not told one by one, and breaking drift is not hidden behind a better
        list: a worse one counts at once, which can happen four times at most, and none that is
        not worse does.
        """
        snapshot, found = self.server.status.snapshot, self.seen.found
        steady = self.lists.get(snapshot.hash) if snapshot and snapshot.hash else None
        if self.look is None or not isinstance(found, Look):
            return self
        if steady is None:
            return self if found.may_count else replace(self, look=None)
        if found.may_count and self._is_worse(self.look.tools.hash, steady.hash):
            return self
        # Only what is stored: nobody can make the baseline what was seen in passing.
        stored = {
            hash_: tools
            for hash_, tools in self.lists.items()
            if isinstance(self.seen.stored.get(hash_), ToolList)
        }
        return replace(self, look=replace(self.look, tools=steady), lists=stored)

    def _is_worse(self, hash_: str, than: str) -> bool:
        """Whether a list breaks more of the baseline than another one does."""
        pinned, baseline = self.server.spec.pinned_hash, self.server.status.baseline
        against = pinned if pinned in self.lists else baseline.hash if baseline else None
        this, other = self.diff_between(against, hash_), self.diff_between(against, than)
        return this is not None and other is not None and this.verdict > other.verdict

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
        return self.judged(self.lists[before], self.lists[after])

    def judged(self, before: ToolList, after: ToolList) -> Diff:
        """The difference of two lists, as the drift policy judges it."""
        if before.hash == after.hash:
            return NO_DIFF
        overrides = overrides_of(self.server.spec.drift_policy)
        return with_overrides(self.seen.compare(before, after), overrides, self.seen.now)

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
