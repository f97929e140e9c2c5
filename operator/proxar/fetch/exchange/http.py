"""Requests out, responses in: redirects, connections that went stale, headers that are ours alone.

Redirects are followed here, since where they may lead is a question of whose credentials go along.
"""

import asyncio
import copy
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from urllib.parse import urljoin

from proxar.errors import FetchError
from proxar.fetch import faults
from proxar.fetch.address import Address, parse_address, read_address
from proxar.fetch.dial import DIALLING, Dial
from proxar.fetch.pool import Pool, Response
from proxar.fetch.reasons import Reason, clean, failure
from proxar.fetch.target import Target

__all__ = ["LINGER", "Line", "close", "linger"]

REDIRECTS = 5
"""Followed in a row. Real servers need one, between /mcp and /mcp/."""

RETRIES = 5
"""Stale connections that are tried before giving up; each is then out of the pool."""

LINGER = 0.05
"""Seconds that the rest of a body gets to arrive once nobody needs it.

If it does, the connection can be kept. Some event streams never end.
"""

REMAINDER = 64 << 10
"""Bytes that such a rest may have."""

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

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"[\t\x20-\x7e]*")


class Line:
    """Sends requests to one target over one pool, which may be exchanged under way."""

    def __init__(self, pool: Pool, target: Target, user_agent: str) -> None:
        self.pool = pool
        self._dial: Dial | None = None
        self.address = self.start = _address_of(target)
        """Where requests go: the target's url at first, then where redirects led."""
        self.label = self.start.label
        self._headers = [
            *(_checked(*pair) for pair in target.headers if pair[0].lower() not in OWN_HEADERS),
            ("Accept", "application/json, text/event-stream"),
            # Compressors that wait for a full block hold events back.
            ("Accept-Encoding", "identity"),
            ("User-Agent", user_agent),
        ]
        self._server_name = target.tls.server_name if target.tls is not None else None

    @property
    def is_connecting(self) -> bool:
        """A connection is being made at this moment: name lookup, TCP or TLS."""
        return self._dial is not None and self._dial.connecting

    def authorize(self, token: str) -> None:
        """Send this bearer token from now on."""
        others = (pair for pair in self._headers if pair[0].lower() != "authorization")
        self._headers = [*others, _checked("Authorization", f"Bearer {token}")]

    def to(self, reference: str, what: str) -> "Line":
        """A line to another address of the same server, which the server names itself."""
        address = _resolved(self.address, reference)
        if address is None:
            raise failure(Reason.PROTOCOL_ERROR, f"{self.label} names no usable address for {what}")
        if address.origin != self.address.origin:
            raise failure(
                Reason.REDIRECT_REFUSED,
                f"{self.label} names {clean(address.label, 120)} for {what}; credentials are not "
                "carried to another origin, so let the server name its own",
            )
        other = copy.copy(self)
        other.__dict__.update(address=address, _dial=None)
        return other

    async def send(
        self,
        verb: str,
        headers: Mapping[str, str],
        content: bytes | None,
        what: str,
        *,
        repeat: bool = False,
    ) -> Response:
        """Send, following redirects that change nothing but the path. Close the response.

        With `repeat` a request whose connection breaks without an answer is sent once more: only
        for what leaves nothing behind at the server.
        """
        sent = [*self._headers, *headers.items()]
        if content is not None:
            sent.append(("Content-Type", "application/json"))
        for _ in range(REDIRECTS + 1):
            response = await self._send_once(verb, sent, content, what, repeat=repeat)
            if response.status not in (301, 302, 303, 307, 308):
                return response
            try:
                # Later requests of this fetch go to the new path at once.
                self.address = self._redirected(response, verb, what)
            finally:
                await close(response)
        raise failure(
            Reason.REDIRECT_REFUSED,
            f"{self.label} redirects in circles; correct the url or the server's routes",
        )

    async def _send_once(
        self,
        verb: str,
        headers: list[tuple[str, str]],
        content: bytes | None,
        what: str,
        *,
        repeat: bool,
    ) -> Response:
        """Send once, and again over a kept-alive connection that the server had closed.

        Such a connection was closed before the request came, or nearly always.
        """
        for attempt in range(RETRIES):
            dial = self._dial = Dial(self.address.host)
            token = DIALLING.set(dial)
            try:
                return await self.pool.send(
                    verb, self.address, headers, content, server_name=self._server_name
                )
            except faults.NETWORK_ERRORS as error:
                is_broken = faults.is_disconnect(error)
                again = is_broken and (dial.reused or repeat)
                repeat = repeat and dial.reused
                if not again or attempt == RETRIES - 1:
                    raise faults.from_exception(error, self.label, what, dial) from None
            finally:
                DIALLING.reset(token)
        raise AssertionError("the last attempt returns or raises")

    def _redirected(self, response: Response, verb: str, what: str) -> Address:
        asked = f"{self.label} answered {response.status} to {what}"
        address = _resolved(self.address, response.headers.get("location", ""))
        if address is None:
            raise failure(
                Reason.REDIRECT_REFUSED,
                f"{asked} without a usable Location; correct the server's routes",
            )
        if address.origin != self.address.origin:
            raise failure(
                Reason.REDIRECT_REFUSED,
                f"{asked} and points to {clean(address.label, 120)}; credentials are not carried "
                "to another origin, so if that is the server use its url",
            )
        if verb != "GET" and response.status not in (307, 308):
            raise failure(
                Reason.REDIRECT_REFUSED,
                f"{asked}, which turns POST into GET; use the url that it points to, "
                "or let the server answer 307 or 308",
            )
        return address


def _address_of(target: Target) -> Address:
    try:
        address = read_address(target.url)
    except ValueError:
        raise _bad_url() from None
    if not address.is_http:
        raise _bad_url()
    if address.has_user:
        raise failure(
            Reason.CONNECT_FAILED,
            "the url holds a user name or password; give credentials as a header instead",
        )
    return address


def _bad_url() -> FetchError:
    return failure(
        Reason.CONNECT_FAILED, "the url cannot be used; it must be http:// or https:// with a host"
    )


def _checked(name: str, value: str) -> tuple[str, str]:
    if _NAME.fullmatch(name) and _VALUE.fullmatch(value):
        return name, value
    raise failure(
        Reason.CONNECT_FAILED,
        f"header {clean(name, 60)} cannot be sent: its name or value holds a line break "
        "or another character that HTTP forbids",
    )


def _resolved(base: Address, location: str) -> Address | None:
    try:
        address = parse_address(urljoin(str(base.url), location))
    except ValueError:
        return None
    # A user name in it would be sent as credentials.
    return address if location and address.is_http and not address.has_user else None


async def linger(pieces: AsyncIterator[bytes]) -> None:
    """Let the rest of a body arrive, but do not wait for it, nor mind how it ends."""
    left = REMAINDER
    with suppress(TimeoutError, FetchError, *faults.NETWORK_ERRORS):
        async with asyncio.timeout(LINGER):
            async for piece in pieces:
                left -= len(piece)
                if left < 0:
                    return


async def close(response: Response) -> None:
    """Give the connection back, or close it if the body has not come to its end. Cannot fail."""
    try:
        if not (response.was_read or response.has_ended):
            await linger(response)
    finally:  # whoever is cancelled while it lingers holds the connection no longer
        response.close()
