"""Tool lists and their differences, remembered by hash.

A hash stands for its content, so nothing here can go stale; the bounds only keep memory flat with
thousands of servers.
"""

from collections import OrderedDict

from proxar.contract import Diff, ToolList, compare

__all__ = ["ListCache"]

LISTS_BYTES = 32 << 20
"""Canonical bytes kept: some 240 lists of the largest public servers (137 KB).

A list takes five times as much memory (measured), so this is a third of what the chart allows.
"""

DIFFS = 1024

CHANGES = 100_000
"""Of all remembered differences together: a server that renames thousands of tools at each look
must not fill the memory."""


class ListCache:
    """Least recently used lists and differences."""

    def __init__(self, size_bytes: int = LISTS_BYTES) -> None:
        self._limit = size_bytes
        self._size = 0
        self._changes = 0
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
        if self.get(tools.hash) is not None:
            return
        size = len(tools.canonical())
        if size > self._limit:
            return
        self._lists[tools.hash] = tools
        self._size += size
        while self._size > self._limit:
            hash_, dropped = self._lists.popitem(last=False)
            self._size -= len(dropped.canonical())
            # A change holds on to parts of its lists.
            for pair in [pair for pair in self._diffs if hash_ in pair]:
                self._changes -= len(self._diffs.pop(pair).changes)

    def compare(self, before: ToolList, after: ToolList) -> Diff:
        """`proxar.contract.compare`, each pair once."""
        # The protocol version is not hashed, and tells a field that a later version dropped.
        pair = (before.hash, before.protocol_version, after.hash, after.protocol_version)
        if pair in self._diffs:
            self._diffs.move_to_end(pair)
            return self._diffs[pair]
        diff = self._diffs[pair] = compare(before, after)
        self._changes += len(diff.changes)
        while len(self._diffs) > DIFFS or self._changes > CHANGES:
            _, dropped = self._diffs.popitem(last=False)
            self._changes -= len(dropped.changes)
        return diff
