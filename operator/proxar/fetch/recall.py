"""Answers that come again byte for byte, as nearly all do, are not read again.

Reading, canonicalising and hashing is most of the work of a look. What was made of the same bytes
stands for them, for as long as somebody else keeps that list: nothing here keeps one alive. The
operator keeps the lists it has seen lately.
"""

import weakref
from collections.abc import Mapping
from hashlib import sha256
from weakref import WeakValueDictionary

from proxar.contract import JSON, ToolList

__all__ = ["Recall", "digest_of"]


def digest_of(body: bytes) -> bytes:
    """What stands for the bytes of an answer."""
    return sha256(body).digest()


class Recall:
    """Shared by all fetches of one fetcher. Values are never changed, so threads may share it."""

    def __init__(self) -> None:
        self._documents: dict[bytes, JSON] = {}
        self._lists: WeakValueDictionary[bytes, ToolList] = WeakValueDictionary()

    def __len__(self) -> int:
        return len(self._documents)

    def document(self, digest: bytes) -> JSON:
        """What these bytes were read as; ``None`` when they are not known."""
        return self._documents.get(digest)

    def tools(self, digests: Mapping[bytes, JSON], protocol_version: str) -> ToolList | None:
        """The list that was made of these answers, if somebody still has it."""
        return self._lists.get(_key(digests, protocol_version))

    def remember(
        self, documents: Mapping[bytes, JSON], protocol_version: str, tools: ToolList
    ) -> None:
        """Remember a list and what it was made of, until nobody else has it."""
        self._lists[_key(documents, protocol_version)] = tools
        self._documents.update(documents)
        weakref.finalize(tools, _forget, self._documents, tuple(documents)).atexit = False


def _key(documents: Mapping[bytes, JSON], protocol_version: str) -> bytes:
    return b"".join((*documents, protocol_version.encode("utf-8", "replace")))


def _forget(documents: dict[bytes, JSON], digests: tuple[bytes, ...]) -> None:
    # Where another list was made of one of them too, it is only read once more.
    for digest in digests:
        documents.pop(digest, None)
