"""One fetch's wire to one server: requests out, answers in, every fault turned into an error or a
value.

An answer comes back as a value whatever its status, since the era is read from refusals. What never
was an answer (DNS, TLS, a cut body, a limit) is raised.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from urllib.parse import urljoin

import httpx

from proxar.contract import JSON
from proxar.errors import FetchError
from proxar.fetch import faults
from proxar.fetch.dial import DIALLING, Dial
from proxar.fetch.exchange.body import Budget, inflated
from proxar.fetch.exchange.messages import (
    METHOD_NOT_FOUND,
    RPCFault,
    encode,
    find_answer,
    read_json,
)
from proxar.fetch.exchange.sse import EventParser
from proxar.fetch.reasons import Reason, clean, failure
from proxar.fetch.target import Limits, Target, label

__all__ = ["Answer", "Wire"]

REDIRECTS = 5
"""Followed in a row. Real servers need one, between /mcp and /mcp/."""

ERROR_BODY = 64 << 10
"""Bytes of a refusal that are read in search of a JSON-RPC error."""

LINGER = 0.05
"""Seconds that an event stream gets to end after the answer:

if it does, the connection can be kept. Some never end.
"""

GOODBYE = 2.0
"""Seconds for a DELETE. Nothing depends on its answer."""

RETRIES = 5
"""Connections that may turn out to be closed by the server before a new one is made;

each is taken out of the pool.
"""

OWN_HEADERS = frozenset(
    {
        "accept",
        "accept-encoding",
        "connection",
        "content-length",
        "content-type",
        "last-event-id",
        "mcp-method",
        "mcp-name",
        "mcp-protocol-version",
        "mcp-session-id",
        "transfer-encoding",
        "user-agent",
    }
)
"""Set by Proxar alone."""

NO_BODY_WANTED = frozenset({401, 403, 407, 421, 425, 429})
"""Refusals by something in front of the server: the status says it all."""


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
    """Asks one target over one transport, within the limits of one fetch.

    `activity` says what is going on, for the message of a timeout that strikes from outside.
    """

    def __init__(
        self, transport: httpx.AsyncBaseTransport, target: Target, limits: Limits, user_agent: str
    ) -> None:
        self.transport = transport
        self._deadline = asyncio.get_running_loop().time() + target.timeout
        self.label = target.label
        self.limits = limits
        self.budget = Budget(limits.size_bytes)
        self.activity = ""
        self._dial: Dial | None = None
        self._last_id = 0
        try:
            self._url = httpx.URL(target.url)
        except httpx.InvalidURL as error:
            raise faults.from_exception(error, self.label, "the request", None) from None
        if self._url.userinfo:
            raise failure(
                Reason.CONNECT_FAILED,
                "the url holds a user name or password; give credentials as a header instead",
            )
        self._headers = [
            *((name, value) for name, value in target.headers if name.lower() not in OWN_HEADERS),
            ("Accept", "application/json, text/event-stream"),
            ("Accept-Encoding", "identity"),
            ("User-Agent", user_agent),
        ]

    @property
    def phase(self) -> str:
        """What a timeout would interrupt just now."""
        if self._dial is not None and self._dial.connecting:
            return "connecting"
        return self.activity

    async def call(
        self,
        method: str,
        params: Mapping[str, JSON] | None,
        headers: Mapping[str, str],
        *,
        what: str | None = None,
    ) -> Answer:
        """Send a request and wait for its answer;

        `what` names it in messages, by default the method does.
        """
        what = what or method
        self.activity = f"waiting for the answer to {what}"
        self._last_id += 1
        content = encode(method, params, self._last_id)
        response = await self._send("POST", headers, content, what)
        try:
            return await self._answer(response, self._last_id, what)
        except faults.NETWORK_ERRORS as error:
            raise self._read_fault(error, what) from error
        finally:
            await _close(response)

    async def notify(self, method: str, headers: Mapping[str, str]) -> Answer:
        """Send a notification. Any status below 300 is an empty result, and the body is nobody's
        business.
        """
        self.activity = f"waiting for the answer to {method}"
        response = await self._send("POST", headers, encode(method, None, None), method)
        status = response.status_code
        await _close(response)
        if status < 300:
            return Answer(status, response.headers, result={})
        return Answer(
            status,
            response.headers,
            fault=faults.from_status(status, response.headers, self.label, method),
        )

    async def goodbye(self, headers: Mapping[str, str], *, in_time: bool = False) -> None:
        """End a session with DELETE. A courtesy: it cannot fail and takes no longer than two
        seconds.

        With `in_time` it takes no longer than the fetch has left, either: a list that was read is
        not lost by it.
        """
        until = asyncio.get_running_loop().time() + GOODBYE
        with suppress(FetchError, TimeoutError):
            async with asyncio.timeout_at(
                min(until, self._deadline - LINGER) if in_time else until
            ):
                await _close(await self._send("DELETE", headers, None, "DELETE"))

    async def _send(
        self, verb: str, headers: Mapping[str, str], content: bytes | None, what: str
    ) -> httpx.Response:
        """Send, following redirects that change nothing but the path."""
        sent = [*self._headers, *headers.items()]
        if content is not None:
            sent.append(("Content-Type", "application/json"))
        for _ in range(REDIRECTS + 1):
            response = await self._send_once(
                httpx.Request(verb, self._url, headers=sent, content=content), what
            )
            if response.status_code not in (301, 302, 303, 307, 308):
                return response
            try:
                self._url = self._redirected(response, what)
            finally:
                await _close(response)
        raise failure(
            Reason.REDIRECT_REFUSED,
            f"{self.label} redirects in circles; correct the url or the server's routes",
        )

    async def _send_once(self, request: httpx.Request, what: str) -> httpx.Response:
        """Send once, and again only if the connection was an old one that the server had closed
        meanwhile.

        Nothing that is asked here changes anything at the server, so asking twice does no harm.
        """
        for attempt in range(RETRIES):
            dial = self._dial = Dial(
                request.url.host, request.url.port or _default_port(request.url)
            )
            token = DIALLING.set(dial)
            try:
                return await self.transport.handle_async_request(request)
            except faults.NETWORK_ERRORS as error:
                if not (dial.reused and faults.is_disconnect(error) and attempt < RETRIES - 1):
                    raise faults.from_exception(error, self.label, what, dial) from error
            finally:
                dial.connecting = False
                DIALLING.reset(token)
        raise AssertionError("the last attempt returns or raises")

    def _redirected(self, response: httpx.Response, what: str) -> httpx.URL:
        location = response.headers.get("location", "")
        try:
            url = httpx.URL(urljoin(str(self._url), location))
        except (httpx.InvalidURL, ValueError):
            url = None
        asked = f"{self.label} answered {response.status_code} to {what}"
        if url is None or not location or not url.host:
            raise failure(
                Reason.REDIRECT_REFUSED,
                f"{asked} without a usable Location; correct the server's routes",
            )
        if _origin(url) != _origin(self._url):
            raise failure(
                Reason.REDIRECT_REFUSED,
                f"{asked} and points to {clean(label(url), 120)}; credentials are not carried "
                "to another origin, "
                "so if that is the server use its url",
            )
        if response.status_code not in (307, 308):
            raise failure(
                Reason.REDIRECT_REFUSED,
                f"{asked}, which turns POST into GET; use the url that it points to, or let the "
                "server answer 307 or 308",
            )
        return url

    async def _answer(self, response: httpx.Response, request_id: int, what: str) -> Answer:
        status, headers = response.status_code, response.headers
        found = await (self._found if status == 200 else self._refusal)(response, request_id, what)
        if isinstance(found, dict):
            return Answer(status, headers, result=found)
        if found is not None:
            return Answer(status, headers, rpc=found, fault=self._rpc_fault(found, status, what))
        return Answer(status, headers, fault=faults.from_status(status, headers, self.label, what))

    async def _found(
        self, response: httpx.Response, request_id: int, what: str
    ) -> dict[str, JSON] | RPCFault:
        """The answer in a response of 200, by its media type."""
        media_type = _media_type(response)
        if media_type == "text/event-stream":
            return await self._from_events(response, request_id, what)
        if media_type != "application/json":
            kind = f"{clean(media_type, 60)}" if media_type else "a body without a media type"
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
        answer = find_answer(read_json(body, what), request_id, what)
        if answer is None:
            raise failure(
                Reason.PROTOCOL_ERROR, f"{self.label} answered {what} with a notification only"
            )
        return answer

    async def _read(self, response: httpx.Response, what: str) -> bytes:
        body = bytearray()
        async with aclosing(self._pieces(response, what)) as pieces:
            async for piece in pieces:
                body += piece
        return bytes(body)

    async def _pieces(self, response: httpx.Response, what: str) -> AsyncGenerator[bytes, None]:
        encoding = response.headers.get("content-encoding", "").strip().lower()
        length = response.headers.get("content-length", "")
        if length.isdecimal():
            self.budget.expect(int(length))
        async for piece in inflated(response.aiter_raw(), encoding, self.budget, what):
            yield piece

    async def _from_events(
        self, response: httpx.Response, request_id: int, what: str
    ) -> dict[str, JSON] | RPCFault:
        """The answer in an event stream, returned as soon as it is there:

        some servers never end the stream.
        """
        parser = EventParser()
        async with aclosing(self._pieces(response, what)) as pieces:
            async for piece in pieces:
                for event in parser.feed(piece):
                    # 2025-11-25 begins with an event without data, so that its id is known early.
                    if event.kind != "message" or not event.data.strip():
                        continue
                    answer = find_answer(read_json(event.data, what), request_id, what)
                    if answer is not None:
                        await _linger(pieces)
                        return answer
        raise failure(
            Reason.TRUNCATED_RESPONSE,
            f"{self.label} ended the event stream without the answer to {what}; look for a "
            "crash, or a proxy's timeout",
        )

    async def _refusal(
        self, response: httpx.Response, request_id: int, what: str
    ) -> RPCFault | None:
        """The JSON-RPC error in a refusal, if there is one to be had."""
        status = response.status_code
        if not 400 <= status < 500 or status in NO_BODY_WANTED:
            return None
        if _media_type(response) != "application/json":
            return None
        body = bytearray()
        try:
            async with aclosing(self._pieces(response, what)) as pieces:
                async for piece in pieces:
                    body += piece
                    if len(body) > ERROR_BODY:
                        return None
            found = find_answer(read_json(bytes(body), what), request_id, what)
        except (FetchError, *faults.NETWORK_ERRORS):
            return None
        return found if isinstance(found, RPCFault) else None

    def _rpc_fault(self, rpc: RPCFault, status: int, what: str) -> FetchError:
        if rpc.code == METHOD_NOT_FOUND:
            return failure(
                Reason.TOOLS_UNSUPPORTED, f"{self.label} does not know {what}; it offers no tools"
            )
        if status in (404, 410):
            return failure(
                Reason.NOT_FOUND,
                f"{self.label} answered {status} to {what} (JSON-RPC error {rpc.code}); check "
                "the path",
            )
        return failure(
            Reason.RPC_ERROR,
            f"{self.label} answered {what} with JSON-RPC error {rpc.code} (HTTP {status}); look "
            "at the server's log",
        )

    def _read_fault(self, error: BaseException, what: str) -> FetchError:
        """A fault while the body was read:

        then there was a connection and a status, so it is no failure to connect.
        """
        fault = faults.from_exception(error, self.label, what, None)
        if fault.reason != Reason.CONNECT_FAILED:
            return fault
        return failure(
            Reason.TRUNCATED_RESPONSE,
            f"{self.label} broke the connection in the middle of its answer to {what}; "
            "look for a crash, or a proxy with a limit",
        )


async def _linger(pieces: AsyncIterator[bytes]) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(LINGER):
            async for _ in pieces:
                pass


async def _close(response: httpx.Response) -> None:
    """Give the connection back, or close it if the body was not read to its end. Cannot fail."""
    with suppress(*faults.NETWORK_ERRORS):
        await response.aclose()


def _media_type(response: httpx.Response) -> str:
    value: str = response.headers.get("content-type", "")
    return value.partition(";")[0].strip().lower()


def _default_port(url: httpx.URL) -> int:
    return 443 if url.scheme == "https" else 80


def _origin(url: httpx.URL) -> tuple[str, str, int]:
    return url.scheme, url.host, url.port or _default_port(url)
