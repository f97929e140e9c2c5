"""The tokens that are kept, and the requests for new ones: one at a time for each identity."""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass

from proxar.errors import FetchError
from proxar.fetch import faults
from proxar.fetch.address import read_address
from proxar.fetch.auth.answer import Granted, granted, refused
from proxar.fetch.auth.credentials import ClientCredentials
from proxar.fetch.dial import DIALLING, Dial
from proxar.fetch.lanes import Lanes
from proxar.fetch.pool import Pool, Response
from proxar.fetch.reasons import Reason, failure

__all__ = ["Tokens"]

KEPT = 4096
"""Tokens at a time, each a few KiB; the least used go first."""

REQUEST_SECONDS = 10.0
"""For one request to a token endpoint. It goes on when the fetch that wanted the token ends."""

MARGIN = 30.0
"""Seconds before its end at which a token is no longer used: a fetch with many pages takes a while.
A quarter of the lifetime where that is less."""

BODY = 64 << 10
"""Bytes of an answer. Real ones have two."""

WHAT = "the request for a token"


@dataclass(slots=True)
class _Kept:
    granted: Granted
    until: float
    """The event loop's time."""


class Tokens:
    """Gets tokens, and keeps them until shortly before they expire."""

    def __init__(self, lanes: Lanes, user_agent: str) -> None:
        self._lanes = lanes
        self._user_agent = user_agent
        self._kept: OrderedDict[bytes, _Kept] = OrderedDict()
        self._requests: dict[bytes, asyncio.Task[Granted]] = {}

    async def token(self, credentials: ClientCredentials, *, instead_of: str | None = None) -> str:
        """A token for these credentials.

        Args:
            instead_of: A token that the MCP server refused; another one is given.

        Raises:
            FetchError: `TokenFailed`, or `EgressDenied` when the token endpoint is out of bounds.
        """
        key = credentials.identity.digest
        kept = self._kept.get(key)
        if kept is not None:
            is_good = kept.until > asyncio.get_running_loop().time()
            if is_good and kept.granted.token != instead_of:
                self._kept.move_to_end(key)
                return kept.granted.token
            del self._kept[key]
        request = self._requests.get(key)
        if request is None:
            request = asyncio.create_task(self._request(credentials))
            self._requests[key] = request
            request.add_done_callback(lambda done: self._took(key, done))
        # One fetch that is cut short does not take the token from the others that wait for it.
        return (await asyncio.shield(request)).token

    async def aclose(self) -> None:
        """Give up the requests on their way, and forget all tokens."""
        requests = list(self._requests.values())
        for request in requests:
            request.cancel()
        await asyncio.gather(*requests, return_exceptions=True)
        self._kept.clear()

    def _took(self, key: bytes, request: asyncio.Task[Granted]) -> None:
        self._requests.pop(key, None)
        # Asking for the exception also tells asyncio that it is known, should nobody wait any more.
        if request.cancelled() or request.exception() is not None:
            return
        new = request.result()
        margin = min(MARGIN, new.lifetime / 4)
        until = asyncio.get_running_loop().time() + new.lifetime - margin
        self._kept[key] = _Kept(new, until)
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)

    async def _request(self, credentials: ClientCredentials) -> Granted:
        try:
            with self._lanes.lend(credentials.identity) as lane:
                async with asyncio.timeout(REQUEST_SECONDS):
                    return await self._ask(lane.pool, credentials)
        except TimeoutError:
            raise failure(
                Reason.TOKEN_FAILED,
                f"{credentials.label} took longer than {REQUEST_SECONDS:g} s to give a token",
            ) from None

    async def _ask(self, pool: Pool, credentials: ClientCredentials) -> Granted:
        label = credentials.label
        try:
            address = read_address(credentials.token_url)
        except ValueError:
            raise failure(Reason.TOKEN_FAILED, "tokenURL is no url; correct it") from None
        asked = credentials.request()
        headers = {
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            # Requests are rare, and one over a connection that the server had just closed fails.
            "Connection": "close",
            "Content-Type": "application/x-www-form-urlencoded",
            "User-Agent": self._user_agent,
            **asked.headers,
        }
        dial = Dial(address.host)
        token = DIALLING.set(dial)
        try:
            response = await pool.send("POST", address, headers.items(), asked.content)
            try:
                body = await _body(response, label)
            finally:
                response.close()
        except faults.NETWORK_ERRORS as error:
            fault = faults.from_exception(error, label, WHAT, dial)
            if fault.reason == Reason.EGRESS_DENIED:
                raise fault from None
            raise failure(Reason.TOKEN_FAILED, f"no token: {fault.message}") from None
        finally:
            DIALLING.reset(token)
        if response.status == 200:
            return granted(body, label)
        raise _refusal(response, body, label)


async def _body(response: Response, label: str) -> bytes:
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding != "identity":
        raise failure(
            Reason.TOKEN_FAILED, f"{label} compresses its answer, which was not asked for"
        )
    body = bytearray()
    async for piece in response:
        body += piece
        if len(body) > BODY:
            raise failure(
                Reason.TOKEN_FAILED,
                f"{label} answered the request for a token with more than {BODY >> 10} KiB; "
                "is tokenURL the token endpoint?",
            )
    return bytes(body)


def _refusal(response: Response, body: bytes, label: str) -> FetchError:
    status = response.status
    if 300 <= status < 400:
        return failure(
            Reason.TOKEN_FAILED,
            f"{label} redirects the request for a token (HTTP {status}), and a secret is not "
            "carried along; use the url that it redirects to as tokenURL",
        )
    fault = refused(status, body, label)
    wait = faults.retry_after(response.headers.get("retry-after"))
    return FetchError(fault.reason, fault.message, retry_after=wait)
