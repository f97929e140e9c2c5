"""What the connector's hooks need to know about the request they serve.

aiohttp calls a resolver and a socket factory with an address and nothing else. The request that
they work for is in a context variable: it follows the request into the tasks that happy eyeballs
starts, and no other request can see it.
"""

from contextvars import ContextVar
from dataclasses import dataclass

from proxar.errors import FetchError

__all__ = ["DIALLING", "Dial"]


@dataclass(slots=True)
class Dial:
    """One request on its way to a server."""

    host: str
    connecting: bool = False
    """A connection is being made at this moment."""
    reused: bool = False
    """It went out on a connection kept alive, which the server may have closed meanwhile."""
    denied: FetchError | None = None
    """The egress guard's refusal; the error that aiohttp makes of it loses the text."""


DIALLING: ContextVar[Dial] = ContextVar("DIALLING")
