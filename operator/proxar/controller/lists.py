"""Tool lists and their differences, remembered by hash.

A hash stands for its content, so nothing here can go stale; the bounds only keep memory flat with
thousands of servers.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable
from threading import Lock
from typing import TypeVar

from proxar.contract import Diff, ToolList, compare

__all__ = ["LARGE_BYTES", "ListCache", "apart", "size_of"]

LISTS_BYTES = 32 << 20
"""Canonical bytes kept: some 240 lists of the largest public servers (137 KB).

A list takes five times as much memory (measured), so this is a third of what the chart allows.
"""

DIFFS = 1024

CHANGES = 100_000
"""Of all remembered differences together: a server that renames thousands of tools at each look
must not fill the memory."""


LARGE_BYTES = 256 << 10
"""Canonical bytes of lists whose comparison may take longer than the event loop should stand still.

The hardest schemas of the size that is usual take 200 ms.
"""

Result = TypeVar("Result")


def size_of(tools: ToolList) -> int:
    """Bytes of the canonical text, without making it."""
    return sum(len(tool.canonical) + 1 for tool in tools.tools) + 1 if tools.tools else 2


async def apart(
    lists: Iterable[ToolList], function: Callable[..., Result], *arguments: object
) -> Result:
    """Call a function that compares some of these lists: in a thread if they are large."""
    if sum(map(size_of, lists)) > LARGE_BYTES:
        return await asyncio.to_thread(function, *arguments)
    return function(*arguments)


class ListCache:
    """Least recently used lists and differences. Threads may share it."""

    def __init__(self, size_bytes: int = LISTS_BYTES) -> None:
        self._limit = size_bytes
        self._size = 0
        self._changes = 0
        self._lock = Lock()
        self._lists: OrderedDict[str, ToolList] = OrderedDict()
        self._diffs: OrderedDict[tuple[str | None, ...], Diff] = OrderedDict()

    def get(self, hash_: str) -> ToolList | None:
        """Return the list if it is remembered."""
        with self._lock:
            tools = self._lists.get(hash_)
            if tools is not None:
                self._lists.move_to_end(hash_)
            return tools

    def put(self, tools: ToolList) -> None:
        """Remember a list; one larger than the whole cache is not.

        Of two that are the same the newer one stays: by it the fetcher knows the answer that it was
        made of, which is the one that comes again. The first answer of a server often differs, if
        only in its id.
        """
        with self._lock:
            if tools.hash in self._lists:
                self._lists[tools.hash] = tools
                self._lists.move_to_end(tools.hash)
                return
        size = size_of(tools)
        if size > self._limit:
            return
        with self._lock:
            self._lists[tools.hash] = tools
            self._size += size
            while self._size > self._limit:
                hash_, dropped = self._lists.popitem(last=False)
                self._size -= size_of(dropped)
                # A change holds on to parts of its lists.
                for pair in [pair for pair in self._diffs if hash_ in pair]:
                    self._changes -= len(self._diffs.pop(pair).changes)

    def compare(self, before: ToolList, after: ToolList) -> Diff:
        """`proxar.contract.compare`, each pair once."""
        # The protocol version is not hashed, and tells a field that a later version dropped.
        pair = (before.hash, before.protocol_version, after.hash, after.protocol_version)
        with self._lock:
            if pair in self._diffs:
                self._diffs.move_to_end(pair)
                return self._diffs[pair]
        diff = compare(before, after)
        with self._lock:
            if pair not in self._diffs:  # another thread may have been at it too
                self._diffs[pair] = diff
                self._changes += len(diff.changes)
            while len(self._diffs) > DIFFS or self._changes > CHANGES:
                _, dropped = self._diffs.popitem(last=False)
                self._changes -= len(dropped.changes)
        return diff
