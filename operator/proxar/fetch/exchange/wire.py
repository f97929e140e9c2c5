"""One fetch's wire to one server over streamable HTTP: requests out, answers in.

An answer comes back as a value whatever its status, since the era is read from refusals. What never
was an answer (DNS, TLS, a cut body, a limit) is raised.
"""

import asyncio
import re
from collections.abc import Mapping
from contextlib import aclosing, suppress
from dataclasses import replace

from proxar.contract import JSON
from proxar.errors import FetchError
from proxar.fetch import faults
from proxar.fetch.exchange.body import Budget
from proxar.fetch.exchange.channel import Answer, rpc_fault
from proxar.fetch.exchange.http import LINGER, Line, close, linger
from proxar.fetch.exchange.messages import RPCFault, encode, find_answer
from proxar.fetch.exchange.responses import media_type, pieces, read_body, read_refusal
from proxar.fetch.exchange.sse import EventParser
from proxar.fetch.pool import Response
from proxar.fetch.reasons import Reason, clean, failure
from proxar.fetch.target import Limits

__all__ = ["Wire"]

GOODBYE = 2.0
"""Seconds for a DELETE. Nothing depends on its answer."""

RESUMPTIONS = 10
"""How often one answer's stream is taken up again. Servers that close it to be polled need a few.
"""

RECONNECT = 0.5
"""Seconds before that, where the server names none."""

NOT_RESUMABLE = frozenset({400, 404, 405, 406, 410, 501})
"""Refusals of a GET by servers that keep no events."""

EVENT_ID = re.compile(r"[\x21-\x7e][\x20-\x7e]{0,1023}")
"""What can be sent back in a header."""


class _Ended(Exception):  # noqa: N818 - news, not an error
    """A body ended before the answer.

    `fault` stands unless the rest can be had, or all of it anew.
    """

    def __init__(
        self,
        fault: FetchError,
        *,
        is_broken: bool,
        stream: EventParser | None = None,
        session: str | None = None,
    ) -> None:
        super().__init__(fault.message)
        self.fault = fault
        self.is_broken = is_broken
        """It was the connection that broke."""
        self.last_id = stream.last_id if stream is not None else None
        self.retry = stream.retry if stream is not None else None
        self.session = session


class Wire:
    """A `Channel` over one line, within the limits of one fetch."""

    def __init__(self, line: Line, budget: Budget, *, deadline: float) -> None:
        """`deadline` is the event loop's time at which the whole fetch will be cancelled."""
        self.line = line
        self.budget = budget
        self.deadline = deadline
        self.activity = ""
        """What a timeout would interrupt once there is a connection."""
        self._last_id = 0

    @property
    def limits(self) -> Limits:
        """The bounds of this fetch."""
        return self.budget.limits

    @property
    def label(self) -> str:
        """The server, as messages name it."""
        return self.line.label

    @property
    def phase(self) -> str:
        """What a timeout would interrupt just now."""
        return "connecting" if self.line.is_connecting else self.activity

    async def call(
        self,
        method: str,
        params: Mapping[str, JSON] | None,
        headers: Mapping[str, str],
        *,
        what: str | None = None,
        repeat: bool = False,
        resume: bool = False,
    ) -> Answer:
        """Send a request and wait for its answer."""
        what = what or method
        try:
            return await self._call(method, params, headers, what, repeat=repeat)
        except _Ended as end:
            if resume and end.last_id:
                return await self._resumed(end, headers, what)
            if not (repeat and end.is_broken):
                raise end.fault from None
        try:
            return await self._call(method, params, headers, what, repeat=False)
        except _Ended as end:
            raise end.fault from None

    async def _call(
        self,
        method: str,
        params: Mapping[str, JSON] | None,
        headers: Mapping[str, str],
        what: str,
        *,
        repeat: bool,
    ) -> Answer:
        self._last_id += 1
        content = encode(method, params, self._last_id)
        return await self._exchange("POST", headers, content, what, repeat=repeat)

    async def notify(self, method: str, headers: Mapping[str, str]) -> Answer:
        """Send a notification. A status below 300 is an empty result, whatever the body."""
        self.activity = f"waiting for the answer to {method}"
        response = await self.line.send("POST", headers, encode(method, None, None), method)
        await close(response)
        status, received = response.status, response.headers
        if status < 300:
            return Answer(status, received, result={})
        fault = faults.from_status(status, received, self.label, method)
        return Answer(status, received, fault=fault)

    async def goodbye(self, headers: Mapping[str, str], *, in_time: bool = False) -> None:
        """End a session with DELETE."""
        until = asyncio.get_running_loop().time() + GOODBYE
        if in_time:
            until = min(until, self.deadline - LINGER)
        with suppress(FetchError, TimeoutError):
            async with asyncio.timeout_at(until):
                await close(await self.line.send("DELETE", headers, None, "DELETE"))

    async def _exchange(
        self,
        verb: str,
        headers: Mapping[str, str],
        content: bytes | None,
        what: str,
        *,
        repeat: bool = False,
    ) -> Answer:
        self.activity = f"waiting for the answer to {what}"
        response = await self.line.send(verb, headers, content, what, repeat=repeat)
        try:
            self.activity = f"reading the answer to {what}"
            return await self._answer(response, what)
        except faults.NETWORK_ERRORS as error:
            fault = faults.in_body(error, self.label, what)
            is_broken = fault.reason == Reason.TRUNCATED_RESPONSE
            raise _Ended(fault, is_broken=is_broken) from None
        finally:
            await close(response)

    async def _resumed(self, end: _Ended, headers: Mapping[str, str], what: str) -> Answer:
        """Ask for what the server would have sent had its stream not ended (2025-11-25)."""
        session = end.session
        if session and "Mcp-Session-Id" not in headers:
            headers = {**headers, "Mcp-Session-Id": session}
        last_id = end.last_id
        for _ in range(RESUMPTIONS):
            if last_id is None or not EVENT_ID.fullmatch(last_id):
                break
            await self._wait(RECONNECT if end.retry is None else end.retry, what)
            try:
                answer = await self._exchange(
                    "GET", {**headers, "Last-Event-ID": last_id}, None, what
                )
            except _Ended as again:
                end, last_id = again, again.last_id or last_id
                continue
            except FetchError as error:
                if error.reason == Reason.NOT_MCP:
                    break
                raise
            if answer.status in NOT_RESUMABLE:
                break
            # initialize gave it with the stream that ended.
            return replace(answer, headers={"mcp-session-id": session or "", **answer.headers})
        raise end.fault from None

    async def _wait(self, seconds: float, what: str) -> None:
        if asyncio.get_running_loop().time() + seconds >= self.deadline:
            raise failure(
                Reason.TIMEOUT,
                f"{self.label} wants to be asked for the rest of its answer to {what} in "
                f"{seconds:g} s, when the time is over; raise the timeout",
            )
        self.activity = f"waiting to take up the answer to {what} again"
        await asyncio.sleep(seconds)

    async def _answer(self, response: Response, what: str) -> Answer:
        status, headers = response.status, response.headers
        found: dict[str, JSON] | RPCFault | None
        if status == 200:
            found = await self._found(response, what)
        else:
            found = await read_refusal(response, self._last_id, self.budget, what)
        if isinstance(found, dict):
            return Answer(status, headers, result=found)
        if found is not None:
            fault = rpc_fault(self.label, found, what, status)
            return Answer(status, headers, rpc=found, fault=fault)
        return Answer(status, headers, fault=faults.from_status(status, headers, self.label, what))

    async def _found(self, response: Response, what: str) -> dict[str, JSON] | RPCFault:
        """The answer in a response of 200, by its media type."""
        kind = media_type(response)
        if kind == "text/event-stream":
            return await self._from_events(response, what)
        if kind != "application/json":
            kind = clean(kind, 60) if kind else "a body without a media type"
            raise failure(
                Reason.NOT_MCP,
                f"{self.label} answered {what} with {kind} instead of JSON; "
                "is the url that of an MCP endpoint, or is a login page in front of it?",
            )
        body = await read_body(response, self.budget, what)
        if not body:
            raise failure(
                Reason.TRUNCATED_RESPONSE,
                f"{self.label} answered {what} with an empty body; look at its log",
            )
        answer = find_answer(await self.budget.read(body, what), self._last_id, what)
        if answer is None:
            raise failure(
                Reason.PROTOCOL_ERROR, f"{self.label} answered {what} with a notification only"
            )
        return answer

    async def _from_events(self, response: Response, what: str) -> dict[str, JSON] | RPCFault:
        """The answer in an event stream, as soon as it is there: some streams never end."""
        parser = EventParser()
        is_broken = False
        try:
            async with aclosing(pieces(response, self.budget, what)) as read:
                async for piece in read:
                    for event in parser.feed(piece):
                        # 2025-11-25 begins with an event without data: its id is known early.
                        if event.kind != "message" or not event.data.strip():
                            continue
                        document = await self.budget.read(event.data, what)
                        answer = find_answer(document, self._last_id, what)
                        if answer is not None:
                            await linger(read)
                            return answer
            fault = failure(
                Reason.TRUNCATED_RESPONSE,
                f"{self.label} ended the event stream without the answer to {what}; "
                "look for a crash, or a proxy's timeout",
            )
        except faults.NETWORK_ERRORS as error:
            fault, is_broken = faults.in_body(error, self.label, what), True
        session = response.headers.get("mcp-session-id")
        raise _Ended(fault, is_broken=is_broken, stream=parser, session=session) from None
