"""Bodies of bounded size: what is counted is what comes out of the decompressor."""

import zlib
from collections.abc import AsyncIterable, AsyncIterator

from proxar.fetch.reasons import Reason, failure

__all__ = ["Budget", "inflated"]

PIECE = 64 << 10
"""Bytes inflated at a time: no bomb takes more memory than this before it is counted."""


class Budget:
    """Bytes that a whole fetch may still read."""

    def __init__(self, size_bytes: int) -> None:
        self._limit = size_bytes
        self.left = size_bytes

    def spend(self, size_bytes: int) -> None:
        """Count bytes; raise `TooLarge` when there are too many."""
        self.left -= size_bytes
        if self.left < 0:
            raise failure(
                Reason.TOO_LARGE,
                f"the tool list is larger than {_size(self._limit)} in all; ask the server for "
                "fewer or shorter tools, "
                "or raise the limit",
            )

    def expect(self, size_bytes: int) -> None:
        """Refuse a body announced as too large before any of it is read."""
        if size_bytes > self.left:
            self.spend(size_bytes)


def _size(size_bytes: int) -> str:
    return f"{size_bytes >> 20} MiB" if size_bytes >= 1 << 20 else f"{size_bytes} bytes"


async def inflated(
    chunks: AsyncIterable[bytes], encoding: str, budget: Budget, what: str
) -> AsyncIterator[bytes]:
    """The body in pieces, decompressed and counted.

    We ask for `identity`, since buffering compressors hold events back; some servers compress all
    the same.
    """
    if encoding in ("", "identity"):
        async for chunk in chunks:
            budget.spend(len(chunk))
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
