"""Tool lists and their differences, remembered by hash.

A hash stands for its content, so nothing here can go stale; the bounds only keep memory flat with
thousands of servers.
"""

from collections import OrderedDict

from proxar.contract import Diff, ToolList, compare

__all__ = ["ListCache"]

LISTS_BYTES = 64 << 20
"""Canonical bytes kept: some 500 lists of the largest public servers (137 KB)."""

DIFFS = 1024


class ListCache:
    """Least recently used lists and differences."""

    def __init__(self, size_bytes: int = LISTS_BYTES) -> None:
        self._limit = size_bytes
        self._size = 0
        self._lists: OrderedDict[str, ToolList] = OrderedDict()
        self._diffs: OrderedDict[tuple[str | None, ...], Diff] = OrderedDict()

    def get(self, hash_: str) -> ToolList | None:
        """Return the list if it is remembered."""
        tools = self._lists.get(hash_)
        if tools is not None:
            self._lists.move_to_end(hash_)
        return tools

    def put(self, tools: ToolList) -> None:
        """Remember a list; one larger than the whole cache is not."""
        size = len(tools.canonical())
        if tools.hash in self._lists or size > self._limit:
            return
        self._lists[tools.hash] = tools
        self._size += size
        while self._size > self._limit:
            _, dropped = self._lists.popitem(last=False)
            self._size -= len(dropped.canonical())

    def compare(self, before: ToolList, after: ToolList) -> Diff:
        """`proxar.contract.compare`, each pair once."""
        # The protocol version is not hashed, and tells a field that a later version dropped.
        pair = (before.hash, before.protocol_version, after.hash, after.protocol_version)
        if pair not in self._diffs:
            self._diffs[pair] = compare(before, after)
            if len(self._diffs) > DIFFS:
                self._diffs.popitem(last=False)
        self._diffs.move_to_end(pair)
        return self._diffs[pair]
