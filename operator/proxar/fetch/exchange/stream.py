"""Requests one way, answers on one stream: what HTTP+SSE and stdio have in common.

There is one request at a time. Whatever else comes on the stream meanwhile is passed over.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from decimal import Decimal

from proxar.contract import JSON
from proxar.fetch.exchange.body import Budget
from proxar.fetch.exchange.channel import Answer, rpc_fault
from proxar.fetch.exchange.messages import RPCFault, encode, find_answer
from proxar.fetch.target import Limits

__all__ = ["StreamChannel"]


class StreamChannel(ABC):
    """A `Channel` whose answers come on one stream."""

    def __init__(self, label: str, budget: Budget) -> None:
        self.label = label
        self.budget = budget
        self.activity = "connecting"
        """What a timeout would interrupt just now."""
        self._last_id = 0
        self._notified = 0
        """Notifications that the server may still complain of."""

    @property
    def limits(self) -> Limits:
        """The bounds of this fetch."""
        return self.budget.limits

    async def call(
        self,
        method: str,
        params: Mapping[str, JSON] | None,
        headers: Mapping[str, str],  # noqa: ARG002 - of streamable HTTP
        *,
        what: str | None = None,
        repeat: bool = False,  # noqa: ARG002 - the answer to the first may still come
        resume: bool = False,  # noqa: ARG002 - of streamable HTTP
    ) -> Answer:
        """Send a request and wait for its answer."""
        what = what or method
        self._last_id += 1
        self.activity = f"waiting for the answer to {what}"
        answer = await self._send(encode(method, params, self._last_id), what)
        while answer is None:
            answer = self._find(await self._receive(what), what)
        return answer

    async def notify(
        self,
        method: str,
        headers: Mapping[str, str],  # noqa: ARG002 - of streamable HTTP
    ) -> Answer:
        """Send a notification."""
        self._notified += 1
        self.activity = f"sending {method}"
        answer = await self._send(encode(method, None, None), method)
        if answer is not None and answer.status >= 300:
            return answer
        return Answer(200, {}, result={})

    async def goodbye(  # noqa: B027 - that is all
        self, headers: Mapping[str, str], *, in_time: bool = False
    ) -> None:
        """Nothing to say: the session ends with the stream."""

    @abstractmethod
    async def _send(self, content: bytes, what: str) -> Answer | None:
        """Send one message. ``None``: its answer, if it has one, comes on the stream."""

    @abstractmethod
    async def _receive(self, what: str) -> JSON:
        """The next message; `FetchError` when none comes any more."""

    def _find(self, document: JSON, what: str) -> Answer | None:
        if self._notified and _is_unaddressed_error(document):
            # Some servers complain of a notification that they do not know, against the rules.
            self._notified -= 1
            return None
        found = find_answer(document, self._last_id, what)
        return None if found is None else self._answered(found, what)

    def _answered(self, found: dict[str, JSON] | RPCFault, what: str) -> Answer:
        if isinstance(found, RPCFault):
            return Answer(200, {}, rpc=found, fault=rpc_fault(self.label, found, what))
        return Answer(200, {}, result=found)


def _is_unaddressed_error(document: JSON) -> bool:
    return (
        isinstance(document, dict)
        and "error" in document
        and not isinstance(document.get("id"), int | Decimal)
    )
