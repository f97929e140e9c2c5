"""One fetch's wire to one server: requests and notifications out, answers in.

An answer comes back as a value whatever its status, since the era is read from refusals. What never
was an answer (DNS, TLS, a cut body, a limit) is raised.
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass, field

import httpx

from proxar.contract import JSON
from proxar.errors import FetchError
from proxar.fetch import faults
from proxar.fetch.exchange.body import Budget, inflated
from proxar.fetch.exchange.http import LINGER, Line, close, linger
from proxar.fetch.exchange.messages import (
    METHOD_NOT_FOUND,
    RPCFault,
    encode,
    find_answer,
    read_json,
)
from proxar.fetch.exchange.sse import EventParser
from proxar.fetch.reasons import Reason, clean, failure
from proxar.fetch.target import Limits

__all__ = ["Answer", "Wire"]

GOODBYE = 2.0
"""Seconds for a DELETE. Nothing depends on its answer."""

ERROR_BODY = 64 << 10
"""Bytes of a refusal that are read in search of a JSON-RPC error."""

STATUS_SAYS_ALL = frozenset({401, 403, 407, 421, 425, 429})
"""Refusals by something in front of the server: their body is not read."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back for one request: a result, or what its absence means."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    result: dict[str, JSON] | None = field(default=None, repr=False)
    rpc: RPCFault | None = None
    fault: FetchError | None = None
    """Set whenever `result` is not."""

    def value(self) -> dict[str, JSON]:
        """The result, or the fault as an exception."""
        if self.result is None:
            raise self.failed()
        return self.result

    def failed(self) -> FetchError:
        """The fault, where there is no result."""
        assert self.fault is not None  # noqa: S101 - one of the two is always there
        return self.fault


class Wire:
    """Speaks JSON-RPC over one line, within the limits of one fetch."""

    def __init__(self, line: Line, limits: Limits, *, deadline: float) -> None:
        """`deadline` is the event loop's time at which the whole fetch will be cancelled."""
        self.line = line
        self.limits = limits
        self._budget = Budget(limits.size_bytes)
        self._deadline = deadline
        self._activity = ""
        self._last_id = 0

    @property
    def label(self) -> str:
        """The server, as messages name it."""
        return self.line.label

    @property
    def phase(self) -> str:
        """What a timeout would interrupt just now."""
        return "connecting" if self.line.is_connecting else self._activity

    async def call(
        self,
        method: str,
        params: Mapping[str, JSON] | None,
        headers: Mapping[str, str],
        *,
        what: str | None = None,
    ) -> Answer:
        """Send a request and wait for its answer. Messages call it `what`, or by its method."""
        what = what or method
        self._activity = f"waiting for the answer to {what}"
        self._last_id += 1
        content = encode(method, params, self._last_id)
        response = await self.line.send("POST", headers, content, what)
        try:
            self._activity = f"reading the answer to {what}"
            return await self._answer(response, what)
        except faults.NETWORK_ERRORS as error:
            raise self._read_fault(error, what) from None
        finally:
            await close(response)

    async def notify(self, method: str, headers: Mapping[str, str]) -> Answer:
        """Send a notification. A status below 300 is an empty result, whatever the body."""
        self._activity = f"waiting for the answer to {method}"
        response = await self.line.send("POST", headers, encode(method, None, None), method)
        await close(response)
        status, received = response.status_code, response.headers
        if status < 300:
            return Answer(status, received, result={})
        fault = faults.from_status(status, received, self.label, method)
        return Answer(status, received, fault=fault)

    async def goodbye(self, headers: Mapping[str, str], *, in_time: bool = False) -> None:
        """End a session with DELETE. A courtesy: it cannot fail, and takes two seconds at most.

        With `in_time` it takes no more than the fetch has left, so that it never costs a list.
        """
        until = asyncio.get_running_loop().time() + GOODBYE
        if in_time:
            until = min(until, self._deadline - LINGER)
        with suppress(FetchError, TimeoutError):
            async with asyncio.timeout_at(until):
                await close(await self.line.send("DELETE", headers, None, "DELETE"))

    async def _answer(self, response: httpx.Response, what: str) -> Answer:
        status, headers = response.status_code, response.headers
        found = await (self._found if status == 200 else self._refusal)(response, what)
        if isinstance(found, dict):
            return Answer(status, headers, result=found)
        if found is not None:
            return Answer(status, headers, rpc=found, fault=self._rpc_fault(found, status, what))
        return Answer(status, headers, fault=faults.from_status(status, headers, self.label, what))

    async def _found(self, response: httpx.Response, what: str) -> dict[str, JSON] | RPCFault:
        """The answer in a response of 200, by its media type."""
        media_type = _media_type(response)
        if media_type == "text/event-stream":
            return await self._from_events(response, what)
        if media_type != "application/json":
            kind = clean(media_type, 60) if media_type else "a body without a media type"
            raise failure(
                Reason.NOT_MCP,
                f"{self.label} answered {what} with {kind} instead of JSON; "
                "is the url that of an MCP endpoint, or is a login page in front of it?",
            )
        body = await self._read(response, what)
        if not body:
            raise failure(
                Reason.TRUNCATED_RESPONSE,
                f"{self.label} answered {what} with an empty body; look at its log",
            )
        answer = find_answer(read_json(body, what), self._last_id, what)
        if answer is None:
            raise failure(
                Reason.PROTOCOL_ERROR, f"{self.label} answered {what} with a notification only"
            )
        return answer

    async def _from_events(self, response: httpx.Response, what: str) -> dict[str, JSON] | RPCFault:
        """The answer in an event stream, as soon as it is there: some streams never end."""
        parser = EventParser()
        async with aclosing(self._pieces(response, what)) as pieces:
            async for piece in pieces:
                for event in parser.feed(piece):
                    # 2025-11-25 begins with an event without data, so that its id is known early.
                    if event.kind != "message" or not event.data.strip():
                        continue
                    answer = find_answer(read_json(event.data, what), self._last_id, what)
                    if answer is not None:
                        await linger(pieces)
                        return answer
        raise failure(
            Reason.TRUNCATED_RESPONSE,
            f"{self.label} ended the event stream without the answer to {what}; "
            "look for a crash, or a proxy's timeout",
        )

    async def _refusal(self, response: httpx.Response, what: str) -> RPCFault | None:
        """The JSON-RPC error in a refusal, if there is one to be had."""
        status = response.status_code
        if not 400 <= status < 500 or status in STATUS_SAYS_ALL:
            return None
        if _media_type(response) != "application/json":
            return None
        try:
            body = await self._read(response, what, ERROR_BODY)
            found = find_answer(read_json(body, what), self._last_id, what)
        except (FetchError, *faults.NETWORK_ERRORS):
            return None
        return found if isinstance(found, RPCFault) else None

    async def _read(
        self, response: httpx.Response, what: str, size_bytes: int | None = None
    ) -> bytes:
        """The body, or its first `size_bytes` and a little more."""
        body = bytearray()
        async with aclosing(self._pieces(response, what)) as pieces:
            async for piece in pieces:
                body += piece
                if size_bytes is not None and len(body) > size_bytes:
                    break
        return bytes(body)

    async def _pieces(self, response: httpx.Response, what: str) -> AsyncGenerator[bytes, None]:
        encoding = response.headers.get("content-encoding", "").strip().lower()
        length = response.headers.get("content-length", "")
        if length.isdecimal() and response.status_code == 200:
            self._budget.expect(int(length))
        async for piece in inflated(response.aiter_raw(), encoding, self._budget, what):
            yield piece

    def _rpc_fault(self, rpc: RPCFault, status: int, what: str) -> FetchError:
        if rpc.code == METHOD_NOT_FOUND:
            return failure(
                Reason.TOOLS_UNSUPPORTED, f"{self.label} does not know {what}; it offers no tools"
            )
        asked = f"{self.label} answered {what} with JSON-RPC error {rpc.code} (HTTP {status})"
        if status in (404, 410):
            return failure(Reason.NOT_FOUND, f"{asked}; check the path of the url")
        return failure(Reason.RPC_ERROR, f"{asked}; look at the server's log")

    def _read_fault(self, error: BaseException, what: str) -> FetchError:
        """A fault in the middle of a body: there was a connection, so it did not fail to be."""
        fault = faults.from_exception(error, self.label, what, None)
        if fault.reason != Reason.CONNECT_FAILED:
            return fault
        return failure(
            Reason.TRUNCATED_RESPONSE,
            f"{self.label} broke the connection in the middle of its answer to {what}; "
            "look for a crash, or a proxy with a limit",
        )


def _media_type(response: httpx.Response) -> str:
    value: str = response.headers.get("content-type", "")
    return value.partition(";")[0].strip().lower()
