"""The stored lists that a reconcile needs: those in memory at once, the others from their
ConfigMaps."""

import logging
import re
from datetime import datetime

from proxar.api import ACCEPTED_HASH, MCPServer
from proxar.contract import ToolList
from proxar.controller.evidence import Stored
from proxar.controller.lists import ListCache
from proxar.controller.observation import Known
from proxar.controller.plan import next_heartbeat
from proxar.errors import SnapshotError
from proxar.kube.snapshots import SnapshotStore

__all__ = ["Shelf"]

log = logging.getLogger(__name__)

HASH = re.compile("sha256:[0-9a-f]{64}")


class Shelf:
    """Reads stored lists, and remembers what it read."""

    def __init__(self, store: SnapshotStore, lists: ListCache) -> None:
        self._store = store
        self.lists = lists

    async def gather(self, server: MCPServer, at_hand: str | None, now: datetime) -> Stored:
        """Read the stored lists that a plan may need and that are not at hand.

        Args:
            at_hand: The hash of the list that the look gave.

        Raises:
            KubernetesError: Could not look.
        """
        status = server.status
        wanted = {server.spec.pinned_hash, server.metadata.annotations.get(ACCEPTED_HASH)}
        wanted |= {section.hash for section in (status.snapshot, status.baseline) if section}
        stored: dict[str, ToolList | SnapshotError | None] = {}
        # Only what can be a hash: an annotation holds whatever its author typed.
        for hash_ in sorted(hash_ for hash_ in wanted if hash_ and HASH.fullmatch(hash_)):
            if _is_stale(server, hash_, now):
                stored[hash_] = await self._read(server, hash_)
            elif hash_ != at_hand:
                stored[hash_] = self.lists.get(hash_) or await self._read(server, hash_)
        return stored

    async def known(self, server: MCPServer, found: ToolList) -> Known:
        """The last list of the reference endpoint that counted; another target's is not compared
        with.

        Args:
            found: What the look gave; most often it is that list.

        Raises:
            KubernetesError: Could not look.
        """
        snapshot, baseline = server.status.snapshot, server.status.baseline
        if snapshot is None or not snapshot.hash:
            return Known()
        if baseline is not None and baseline.target not in (None, server.spec.target_digest):
            return Known()
        tools: ToolList | SnapshotError | None = found
        if snapshot.hash != found.hash:
            tools = self.lists.get(snapshot.hash) or await self._read(server, snapshot.hash)
        if not isinstance(tools, ToolList):
            return Known(snapshot.hash)
        return Known(snapshot.hash, tuple(tool.name for tool in tools.tools))

    async def _read(self, server: MCPServer, hash_: str) -> ToolList | SnapshotError | None:
        try:
            tools = await self._store.read(*server.key, hash_, at_hand=self.lists.get(hash_))
        except SnapshotError as error:
            log.warning("%s/%s: %s", *server.key, error)
            return error
        # What the fetcher made of an answer stays: by it the answer is known when it comes again.
        if tools is not None and self.lists.get(hash_) is None:
            self.lists.put(tools)
        return tools


def _is_stale(server: MCPServer, hash_: str, now: datetime) -> bool:
    """Whether it is time to look whether the current snapshot's ConfigMap is still there: with each
    heartbeat."""
    snapshot, due = server.status.snapshot, next_heartbeat(server)
    return snapshot is not None and snapshot.hash == hash_ and due is not None and now >= due
