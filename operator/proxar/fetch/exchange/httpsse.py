"""HTTP+SSE, the transport of 2024-11-05.

A GET opens a stream. Its first event names an address, to which requests are sent by POST; their
answers come on the stream.
"""

import asyncio
from contextlib import aclosing
from typing import Self

from proxar.contract import JSON
from proxar.errors import FetchError
from proxar.fetch import faults
from proxar.fetch.exchange.body import Budget
from proxar.fetch.exchange.channel import Answer, rpc_fault
from proxar.fetch.exchange.http import Line, close
from proxar.fetch.exchange.messages import find_answer, read_json
from proxar.fetch.exchange.responses import media_type, pieces, read_body, read_refusal
from proxar.fetch.exchange.sse import Event, EventParser
from proxar.fetch.exchange.stream import StreamChannel
from proxar.fetch.exchange.turn import OtherTransport, SessionLost
from proxar.fetch.pool import Response
from proxar.fetch.reasons import Reason, clean, failure

__all__ = ["EventStream"]

STREAM = "the request for an event stream"

UNREAD = 256
"""Events that may wait to be looked at: the server sends answers even before the POST is over."""

NO_STREAM = frozenset({400, 404, 405, 406, 410})
"""Statuses with which a server that does not offer HTTP+SSE answers the GET."""


class EventStream(StreamChannel):
    """An open stream; close it."""

    def __init__(self, line: Line, response: Response, budget: Budget) -> None:
        super().__init__(line.label, budget)
        self._line = line
        self._response = response
        self._posts: Line | None = None
        self._events: asyncio.Queue[Event | FetchError | None] = asyncio.Queue(UNREAD)
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def open(cls, line: Line, budget: Budget) -> Self:
        """Open the stream and read the address for requests.

        Raises:
            OtherTransport: There is no such stream here.
            FetchError: Anything else.
        """
        response = await line.send("GET", {}, None, STREAM, repeat=True)
        refusal = _refusal(response, line.label)
        if refusal is not None:
            await close(response)
            raise refusal
        stream = cls(line, response, budget)
        try:
            stream._posts = line.to(await stream._address(), "requests")
        except BaseException:
            await stream.aclose()
            raise
        return stream

    async def aclose(self) -> None:
        """End the stream, and the session with it."""
        self._reading.cancel()
        try:
            await asyncio.gather(self._reading, return_exceptions=True)
        finally:  # also for who is cancelled here, as the time may be over
            await close(self._response)

    @property
    def phase(self) -> str:
        """What a timeout would interrupt just now."""
        posting = self._posts is not None and self._posts.is_connecting
        return "connecting" if posting else self.activity

    async def _read(self) -> None:
        """Take events as they come: a server may not answer a POST before it got rid of one."""
        parser = EventParser()
        end: FetchError | None = None
        try:
            async with aclosing(pieces(self._response, self.budget, STREAM)) as read:
                async for piece in read:
                    for event in parser.feed(piece):
                        if event.data.strip():
                            await self._events.put(event)
        except FetchError as error:
            end = error
        except faults.NETWORK_ERRORS as error:
            end = faults.in_body(error, self.label, STREAM)
        await self._events.put(end)

    async def _next(self, awaited: str) -> Event:
        event = await self._events.get()
        if isinstance(event, Event):
            return event
        self._events.put_nowait(event)
        raise event or failure(
            Reason.TRUNCATED_RESPONSE,
            f"{self.label} ended the event stream without {awaited}; "
            "look for a crash, or a proxy's timeout",
        )

    async def _address(self) -> str:
        self.activity = "waiting for the endpoint event"
        while True:
            event = await self._next("an endpoint event, with which HTTP+SSE begins")
            if event.kind == "endpoint":
                return event.data.decode("utf-8", "replace").strip()

    async def _receive(self, what: str) -> JSON:
        self.activity = f"waiting for the answer to {what}"
        while True:
            event = await self._next(f"the answer to {what}")
            if event.kind == "message":
                return await self.budget.read(event.data, what)

    async def _send(self, content: bytes, what: str) -> Answer | None:
        assert self._posts is not None  # noqa: S101 - `open` set it
        response = await self._posts.send("POST", {}, content, what)
        try:
            if response.status < 300:
                return await self._early(response, what)
            rpc = await read_refusal(response, self._last_id, self.budget, what)
        except faults.NETWORK_ERRORS as error:
            raise faults.in_body(error, self.label, what) from None
        finally:
            await close(response)
        status, headers = response.status, response.headers
        if rpc is None:
            fault = faults.from_status(status, headers, self.label, what)
        else:
            fault = rpc_fault(self.label, rpc, what, status)
        if status in (400, 404):
            # The stream is open, so its session is: another replica got the POST.
            raise SessionLost(fault)
        return Answer(status, headers, rpc=rpc, fault=fault)

    async def _early(self, response: Response, what: str) -> Answer | None:
        """The answer, where it is in the body instead of "accepted"."""
        if media_type(response) != "application/json":
            return None
        body = await read_body(response, self.budget, what)
        try:
            found = find_answer(read_json(body, what), self._last_id, what)
        except FetchError:
            return None  # words of the server's own, such as {"status": "accepted"}
        return None if found is None else self._answered(found, what)


def _refusal(response: Response, label: str) -> FetchError | OtherTransport | None:
    """Why a response is no event stream, if it is none."""
    status = response.status
    if status in NO_STREAM:
        reason = Reason.NOT_FOUND if status in (404, 410) else Reason.HTTP_ERROR
        return OtherTransport(
            failure(
                reason,
                f"{label} answered {status} to {STREAM}; check the path, often it is /sse",
            )
        )
    if status != 200:
        return faults.from_status(status, response.headers, label, STREAM)
    kind = media_type(response)
    if kind == "text/event-stream":
        return None
    kind = clean(kind, 60) if kind else "a body without a media type"
    return OtherTransport(
        failure(
            Reason.NOT_MCP,
            f"{label} answered {STREAM} with {kind}; is the url that of an MCP server that speaks "
            "HTTP+SSE?",
        )
    )
