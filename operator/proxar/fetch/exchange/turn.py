"""What an era's reader gives back: a listing, or the news that it has to be asked otherwise."""

from dataclasses import dataclass

from proxar.contract import JSON
from proxar.errors import FetchError
from proxar.fetch.exchange.protocol import ServerInfo

__all__ = ["TAKES_NO_POST", "Listing", "OtherEra", "OtherTransport", "SessionLost"]

TAKES_NO_POST = frozenset({400, 404, 405})
"""What a server that offers only HTTP+SSE answers to a POST, by the specification."""


@dataclass(frozen=True, slots=True)
class Listing:
    """All tools of a server as raw JSON, and what it said of itself."""

    tools: list[JSON]
    protocol_version: str
    server: ServerInfo


class OtherEra(Exception):  # noqa: N818 - news, not an error
    """The server answered as only one of the other era does.

    `fault` stands if that turns out to be wrong.
    """

    def __init__(self, fault: FetchError, status: int = 200) -> None:
        super().__init__(fault.message)
        self.fault = fault
        self.takes_no_post = status in TAKES_NO_POST
        """It may speak HTTP+SSE, if it does not take initialize either."""


class OtherTransport(Exception):  # noqa: N818 - news, not an error
    """The server does not take requests in the way that they were sent.

    `fault` stands if it takes them in no other way.
    """

    def __init__(self, fault: FetchError) -> None:
        super().__init__(fault.message)
        self.fault = fault


class SessionLost(Exception):  # noqa: N818 - news, not an error
    """The server does not know the session that it has just given.

    `fault` stands if a new one fares no better.
    """

    def __init__(self, fault: FetchError) -> None:
        super().__init__(fault.message)
        self.fault = fault
