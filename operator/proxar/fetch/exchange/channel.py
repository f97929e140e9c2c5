"""What the readers of both eras need of a connection to a server, whatever carries it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from proxar.contract import JSON
from proxar.errors import FetchError
from proxar.fetch.exchange.body import Budget
from proxar.fetch.exchange.messages import METHOD_NOT_FOUND, RPCFault
from proxar.fetch.reasons import Reason, failure
from proxar.fetch.target import Limits

__all__ = ["Answer", "Channel", "rpc_fault"]


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back for one request: a result, or what its absence means."""

    status: int
    """Of HTTP; 200 where the answer did not come as a response of its own."""
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


class Channel(Protocol):
    """Speaks JSON-RPC with one server, within the limits of one fetch."""

    @property
    def limits(self) -> Limits:
        """The bounds of this fetch."""

    @property
    def budget(self) -> Budget:
        """What may still be read."""

    @property
    def label(self) -> str:
        """The server, as messages name it."""

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
        """Send a request and wait for its answer. Messages call it `what`, or by its method.

        With `repeat` it is sent once more when the connection breaks: only for what leaves nothing
        behind at the server. With `resume` a stream that ends before the answer may be taken up
        again.
        """

    async def notify(self, method: str, headers: Mapping[str, str]) -> Answer:
        """Send a notification."""

    async def goodbye(self, headers: Mapping[str, str], *, in_time: bool = False) -> None:
        """End a session. A courtesy: it cannot fail, and takes two seconds at most.

        With `in_time` it takes no more than the fetch has left, so that it never costs a list.
        """


def rpc_fault(label: str, rpc: RPCFault, what: str, status: int | None = None) -> FetchError:
    """What an error object means for the server at `label`."""
    if rpc.code == METHOD_NOT_FOUND:
        return failure(
            Reason.TOOLS_UNSUPPORTED, f"{label} does not know {what}; it offers no tools"
        )
    carried = f" (HTTP {status})" if status is not None else ""
    asked = f"{label} answered {what} with JSON-RPC error {rpc.code}{carried}"
    if status in (404, 410):
        return failure(Reason.NOT_FOUND, f"{asked}; check the path of the url")
    return failure(Reason.RPC_ERROR, f"{asked}; look at the server's log")
