"""What an era's reader gives back: a listing, or the news that it is another era's server."""

from dataclasses import dataclass

from proxar.contract import JSON
from proxar.errors import FetchError
from proxar.fetch.exchange.protocol import ServerInfo

__all__ = ["Listing", "OtherEra", "SessionLost"]


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
