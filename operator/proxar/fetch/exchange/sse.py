"""Server-sent events, read from chunks cut anywhere. Pure: bytes in, events out.

The grammar is that of the HTML standard, section 9.2.6. Data stays bytes: whether it is UTF-8 is
for the JSON reader to say. Memory is what the caller feeds and no more, so the caller's byte limit
bounds it.
"""

import re
from dataclasses import dataclass

__all__ = ["Event", "EventParser"]

LONGEST_RETRY = 10
"""Digits of a `retry` that is taken seriously."""

_LINE_END = re.compile(rb"\r\n|\n|\r")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a stream."""

    kind: str
    """``message`` where the server named none."""
    data: bytes
    id: str | None = None
    """The last one seen on the stream."""


class EventParser:
    """Turns chunks into events; an event that the stream's end cut off never appears."""

    def __init__(self) -> None:
        self.last_id: str | None = None
        """Of the last complete event: where a stream that broke off can be taken up again."""
        self.retry: float | None = None
        """Seconds that the server asks for before that."""
        self._line: list[bytes] = []
        self._after_cr = False
        self._is_first_line = True
        self._kind = ""
        self._data: list[bytes] = []
        self._id: str | None = None

    def feed(self, chunk: bytes) -> list[Event]:
        """Take the next chunk and return the events that it completes."""
        if self._after_cr and chunk:
            # The CR ended the line at once, so that an event is not held back; its LF belongs to
            # it.
            chunk = chunk.removeprefix(b"\n")
            self._after_cr = False
        if not chunk:
            return []
        self._after_cr = chunk.endswith(b"\r")
        head, *rest = _LINE_END.split(chunk)
        self._line.append(head)
        events = []
        for piece in rest:
            if (event := self._end_line(b"".join(self._line))) is not None:
                events.append(event)
            self._line = [piece]
        return events

    def _end_line(self, line: bytes) -> Event | None:
        if self._is_first_line:
            line = line.removeprefix(_BYTE_ORDER_MARK)
            self._is_first_line = False
        if not line:
            return self._dispatch()
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        match name:
            case b"data":
                self._data.append(value)
            case b"event":
                self._kind = value.decode("utf-8", "replace")
            case b"id" if b"\0" not in value:
                self._id = value.decode("utf-8", "replace")
            case b"retry" if value.isdigit() and len(value) < LONGEST_RETRY:
                self.retry = int(value) / 1000
            case _:
                pass  # a comment (no name), or a field of the future
        return None

    def _dispatch(self) -> Event | None:
        kind, data = self._kind or "message", self._data
        self._kind, self._data = "", []
        self.last_id = self._id
        return Event(kind, b"\n".join(data), self._id) if data else None
