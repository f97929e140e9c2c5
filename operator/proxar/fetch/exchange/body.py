"""Bodies of bounded size: what is counted is what comes out of the decompressor, and the values in
it."""

import zlib
from collections.abc import AsyncGenerator, AsyncIterable
from functools import partial

from proxar.contract import JSON, ToolList
from proxar.fetch.exchange.messages import read_json
from proxar.fetch.reasons import Reason, failure
from proxar.fetch.recall import Recall, digest_of
from proxar.fetch.room import Berth
from proxar.fetch.target import Limits

__all__ = ["Budget", "inflated"]

PIECE = 64 << 10
"""Bytes inflated at a time: no bomb takes more memory than this before it is counted."""


UNCOUNTED = 64 << 10
"""Bytes of a fetch whose values are not worth the counting; nearly all lists are smaller."""


class Budget:
    """What a whole fetch may still read, and the place that it has in the `Room` meanwhile."""

    def __init__(self, limits: Limits, berth: Berth, recall: Recall | None = None) -> None:
        self.limits = limits
        self.berth = berth
        self.left = limits.size_bytes
        self._recall = Recall() if recall is None else recall
        self._documents: dict[bytes, JSON] = {}
        self._values = 0

    @property
    def spent(self) -> int:
        """Bytes read so far."""
        return self.limits.size_bytes - self.left

    def spend(self, size_bytes: int) -> None:
        """Count bytes; raise `TooLarge` when there are too many."""
        self.left -= size_bytes
        if self.left < 0:
            raise failure(
                Reason.TOO_LARGE,
                f"the tool list is larger than {_size(self.limits.size_bytes)} in all; ask the "
                "server for fewer or shorter tools, or raise the operator's --max-list-bytes",
            )

    async def admit(self) -> None:
        """Wait until there is room for what was spent; few fetches at a time may be large."""
        if self.berth.needs_place(self.spent):
            await self.berth.take_place()

    async def read(self, body: bytes, what: str) -> JSON:
        """Read a body strictly, in a thread if it is large.

        Raises:
            FetchError: `TooLarge`, `MalformedResponse` or `TruncatedResponse`.
        """
        return await self.berth.run(len(body), self._read, body, what)

    def _read(self, body: bytes, what: str) -> JSON:
        digest = digest_of(body)
        document = self._recall.document(digest)
        if document is None:
            self.count(body, what)
            document = read_json(body, what, self.limits.depth)
        self._documents[digest] = document
        return document

    async def hash(self, tools: list[JSON], protocol_version: str) -> ToolList:
        """All that was read as one list, canonicalised and hashed; in a thread if it is large."""
        known = self._recall.tools(self._documents, protocol_version)
        if known is not None:
            return known
        made = await self.berth.run(
            self.spent, partial(ToolList.of, tools, protocol_version=protocol_version)
        )
        self._recall.remember(self._documents, protocol_version, made)
        return made

    def count(self, body: bytes, what: str) -> None:
        """Count the values of a body before it becomes values; `TooLarge` when there are too many.

        Punctuation inside of strings counts too: this is a bound, not a census.
        """
        if self.spent <= UNCOUNTED:
            return
        self._values += sum(map(body.count, (b",", b":", b"[", b"{")))
        if self._values > self.limits.values:
            raise failure(
                Reason.TOO_LARGE,
                f"the answer to {what} makes it more than {self.limits.values} JSON values in "
                "all; ask the server for fewer or simpler tools, or raise the operator's "
                "--max-values",
            )

    def expect(self, size_bytes: int) -> None:
        """Refuse a body announced as too large before any of it is read."""
        if size_bytes > self.left:
            self.spend(size_bytes)


def _size(size_bytes: int) -> str:
    return f"{size_bytes >> 20} MiB" if size_bytes >= 1 << 20 else f"{size_bytes} bytes"


async def inflated(
    chunks: AsyncIterable[bytes], encoding: str, budget: Budget, what: str
) -> AsyncGenerator[bytes, None]:
    """The body in pieces, decompressed and counted.

    We ask for `identity`, since buffering compressors hold events back; some servers compress all
    the same.
    """
    if encoding in ("", "identity"):
        async for chunk in chunks:
            budget.spend(len(chunk))
            await budget.admit()
            yield chunk
        return
    if encoding not in ("gzip", "x-gzip", "deflate"):
        raise failure(
            Reason.MALFORMED_RESPONSE,
            f"the answer to {what} is compressed with {encoding!r}, which was not asked for; "
            "let the server honour Accept-Encoding",
        )
    # 32 + 15 reads gzip and zlib alike.
    inflater = zlib.decompressobj(47)
    async for chunk in chunks:
        data = chunk
        while data:
            try:
                piece = inflater.decompress(data, PIECE)
            except zlib.error:
                raise failure(
                    Reason.MALFORMED_RESPONSE,
                    f"the answer to {what} says that it is compressed with {encoding} but is not",
                ) from None
            budget.spend(len(piece))
            await budget.admit()
            yield piece
            if inflater.eof:
                # What follows can only be another gzip member.
                data = inflater.unused_data
                inflater = zlib.decompressobj(47) if data else inflater
            else:
                data = inflater.unconsumed_tail
    if not inflater.eof:
        raise failure(
            Reason.TRUNCATED_RESPONSE, f"the compressed answer to {what} ends before its end"
        )
