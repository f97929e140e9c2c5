"""What is read out of one HTTP response, whatever was asked and whoever waits for it."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from proxar.errors import FetchError
from proxar.fetch import faults
from proxar.fetch.exchange.body import Budget, inflated
from proxar.fetch.exchange.messages import RPCFault, find_answer, read_json
from proxar.fetch.pool import Response

__all__ = ["media_type", "pieces", "read_body", "read_refusal"]

ERROR_BODY = 64 << 10
"""Bytes of a refusal that are read in search of a JSON-RPC error."""

STATUS_SAYS_ALL = frozenset({401, 403, 407, 421, 425, 429})
"""Refusals by something in front of the server: their body is not read."""


def media_type(response: Response) -> str:
    """In lower case and without parameters; empty where the server names none."""
    return response.headers.get("content-type", "").partition(";")[0].strip().lower()


def pieces(response: Response, budget: Budget, what: str) -> AsyncGenerator[bytes, None]:
    """The body as it comes, decompressed and counted.

    Raises:
        FetchError: `TooLarge`; it is announced as such.
    """
    encoding = response.headers.get("content-encoding", "").strip().lower()
    length = response.headers.get("content-length", "")
    if length.isdecimal() and response.status == 200:
        budget.expect(int(length))
    return inflated(response, encoding, budget, what)


async def read_body(
    response: Response, budget: Budget, what: str, size_bytes: int | None = None
) -> bytes:
    """The body, or its first `size_bytes` and a little more."""
    body = bytearray()
    async with aclosing(pieces(response, budget, what)) as read:
        async for piece in read:
            body += piece
            if size_bytes is not None and len(body) > size_bytes:
                break
    return bytes(body)


async def read_refusal(
    response: Response, request_id: int, budget: Budget, what: str
) -> RPCFault | None:
    """The JSON-RPC error in a refusal, if there is one to be had."""
    status = response.status
    if not 400 <= status < 500 or status in STATUS_SAYS_ALL:
        return None
    if media_type(response) != "application/json":
        return None
    try:
        body = await read_body(response, budget, what, ERROR_BODY)
        found = find_answer(read_json(body, what), request_id, what)
    except (FetchError, *faults.NETWORK_ERRORS):
        return None
    return found if isinstance(found, RPCFault) else None
