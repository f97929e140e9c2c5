"""Where redirects led the last time, so that they are paid once and not with each look.

Only paths change: redirects to another origin are refused. What is remembered is a short cut and
no more: when it fails, the target's own url is asked again.
"""

from collections import OrderedDict
from collections.abc import Awaitable, Callable

from proxar.errors import FetchError
from proxar.fetch.address import Address
from proxar.fetch.exchange.http import Line
from proxar.fetch.reasons import Reason
from proxar.fetch.target import Fetched, Target

__all__ = ["STALE", "Redirects"]

REMEMBERED = 4096
"""Targets; the least recently used go first. Each takes about 1 kB."""

STALE = frozenset({Reason.NOT_FOUND, Reason.HTTP_ERROR, Reason.NOT_MCP, Reason.REDIRECT_REFUSED})
"""Faults that may mean no more than that the server has moved again."""


class Redirects:
    """By target: its url, and who asks, since a server may send each caller another way."""

    def __init__(self) -> None:
        # The hash stands for headers and credentials, so that none of them is kept.
        self._ends: OrderedDict[tuple[str, int], Address] = OrderedDict()

    def __len__(self) -> int:
        return len(self._ends)

    async def read(
        self, target: Target, line: Line, read: Callable[[], Awaitable[Fetched]]
    ) -> Fetched:
        """Read over a line that begins where the last fetch ended."""
        key = _key(target)
        end = self._ends.pop(key, None)
        if end is not None:
            line.address = end
        try:
            fetched = await read()
        except FetchError as error:
            if end is None or error.reason not in STALE:
                raise
            line.address = line.start
            fetched = await read()
        if line.address != line.start:
            self._remember(key, line.address)
        return fetched

    def _remember(self, key: tuple[str, int], address: Address) -> None:
        self._ends[key] = address
        while len(self._ends) > REMEMBERED:
            self._ends.popitem(last=False)


def _key(target: Target) -> tuple[str, int]:
    return target.url, hash(target)
