"""JSON-RPC over the pipes of a process: a message a line."""

import asyncio

from proxar.contract import JSON
from proxar.errors import FetchError
from proxar.fetch.exchange.body import Budget
from proxar.fetch.exchange.channel import Answer
from proxar.fetch.exchange.messages import encode
from proxar.fetch.exchange.protocol import LEGACY_VERSION, client_info
from proxar.fetch.exchange.stream import StreamChannel
from proxar.fetch.exchange.turn import OtherEra
from proxar.fetch.reasons import Reason, clean, failure
from proxar.fetch.stdio.process import ServerProcess

__all__ = ["Pipe"]

HANDSHAKE = 4711
"""The id of an initialize that is sent while another question is open."""

SHOWN = 60
"""Characters of a line that is no MCP, as a message quotes it."""


class Pipe(StreamChannel):
    """A `Channel` over a process.

    Servers that write something else to their standard output are common: such lines are passed
    over, as other clients do, and named if there is no list in the end.
    """

    def __init__(self, process: ServerProcess, budget: Budget) -> None:
        super().__init__(process.name, budget)
        self.is_spent = False
        """The process can be asked nothing more: it ended, or hangs over what it was asked."""
        self.patience: float | None = None
        """Seconds of silence after which it is asked in the earlier way as well.

        Then what it answers first tells a server that is slow to start from one that does not know
        what it was asked, and the process is spent.
        """
        self._process = process
        self._rest: list[bytes] = []
        self._lines: list[bytes] = []
        """Complete and not looked at yet, the next one last."""
        self._stray: bytes | None = None
        """The first line that was no MCP."""

    @property
    def stray(self) -> str:
        """What its standard output held beside MCP, for a message; empty where it was none."""
        if self._stray is None:
            return ""
        line = clean(self._stray[: 4 * SHOWN].decode("utf-8", "replace"), SHOWN)
        return (
            f"; its standard output holds lines that are no MCP, such as {line!r}: "
            "let it log to standard error"
        )

    async def _send(self, content: bytes, what: str) -> Answer | None:
        if not await self._process.write(content + b"\n"):
            raise await self._ended(what)
        return None

    async def _receive(self, what: str) -> JSON:
        while True:
            line = await self._line(what)
            if self._is_message(line):
                document = await self.budget.read(line, what)
                self._look_for_handshake(document)
                return document
            if self._stray is None and line.strip():
                self._stray = line

    @staticmethod
    def _is_message(line: bytes) -> bool:
        """Whether a line is meant as MCP; then it has to be sound.

        JSON alone does not say: many loggers write it.
        """
        return line.lstrip(b"\xef\xbb\xbf \t").startswith((b"{", b"[")) and b'"jsonrpc"' in line

    def _look_for_handshake(self, document: JSON) -> None:
        if self.is_spent and isinstance(document, dict) and document.get("id") == HANDSHAKE:
            fault = failure(Reason.TIMEOUT, f"{self.label} does not answer server/discover")
            raise OtherEra(fault)

    async def _read(self) -> bytes:
        if self.patience is not None:
            try:
                async with asyncio.timeout(self.patience):
                    return await self._process.read()
            except TimeoutError:
                self.patience, self.is_spent = None, True
            params: dict[str, JSON] = {
                "protocolVersion": LEGACY_VERSION,
                "capabilities": {},
                "clientInfo": client_info(),
            }
            await self._process.write(encode("initialize", params, HANDSHAKE) + b"\n")
        return await self._process.read()

    async def _line(self, what: str) -> bytes:
        while not self._lines:
            chunk = await self._read()
            if not chunk:
                raise await self._ended(what)
            self.budget.spend(len(chunk))
            await self.budget.admit()
            head, *rest = chunk.split(b"\n")
            self._rest.append(head)
            if rest:
                lines = [b"".join(self._rest), *rest[:-1]]
                self._rest = [rest[-1]]
                self._lines = lines[::-1]
        return self._lines.pop()

    async def _ended(self, what: str) -> FetchError:
        ending = await self._process.ending()
        return failure(
            Reason.TRUNCATED_RESPONSE,
            f"{self.label} did not answer {what}: it {ending}{self.stray}",
        )
