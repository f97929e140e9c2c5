"""The event parser gives the same events however the bytes arrive."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxar.fetch.exchange.sse import Event, EventParser

PIECES = st.sampled_from(
    (
        *(b"data:", b"data: ", b"event: x", b"id: 7", b":", b"\n", b"\r", b"\r\n", b"\n\n", b"{}"),
        *("ü".encode(), b"\xef\xbb\xbf", b"retry: 5", b"unknown: y", b"id: \0", b" "),
    )
)
STREAMS = st.lists(PIECES, max_size=40).map(b"".join)


def parse(*chunks: bytes) -> list[Event]:
    parser = EventParser()
    return [event for chunk in chunks for event in parser.feed(chunk)]


@given(STREAMS, st.lists(st.integers(0, 200), max_size=12))
def test_any_chunking_gives_the_same_events(stream: bytes, cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(stream)]
    chunks = [stream[start:end] for start, end in pairwise(places)]

    assert parse(*chunks) == parse(stream)


@given(STREAMS)
def test_line_ends_do_not_matter(stream: bytes) -> None:
    lines = stream.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    assert parse(lines) == parse(lines.replace(b"\n", b"\r\n"))
    assert parse(lines) == parse(lines.replace(b"\n", b"\r"))


@pytest.mark.parametrize(
    ("stream", "events"),
    [
        (b"data: a\n\n", [Event("message", b"a")]),
        (b"data:a\ndata:  b\n\n", [Event("message", b"a\n b")]),
        (b"data\n\n", [Event("message", b"")]),
        (b"event: ping\n\ndata: a\n\n", [Event("message", b"a")]),
        (b"event: ping\ndata: a\n\n", [Event("ping", b"a")]),
        (b": comment\nretry: 3\n\n", []),
        (b"id: 1\n\ndata: a\n\n", [Event("message", b"a", "1")]),
        (b"id: 1\ndata:\n\ndata: a\n\n", [Event("message", b"", "1"), Event("message", b"a", "1")]),
        (b"data: a", []),
        (b"data: a\n", []),
        (b"\xef\xbb\xbfdata: a\n\n", [Event("message", b"a")]),
        (b"data: a\r\rdata: b\r\n\r\n", [Event("message", b"a"), Event("message", b"b")]),
    ],
)
def test_events(stream: bytes, events: list[Event]) -> None:
    assert parse(stream) == events


def test_an_event_is_not_held_back_until_the_line_feed_comes() -> None:
    """A CR ends a line; whether an LF follows may become known only with the next event."""
    assert parse(b"data: a\r\n\r") == [Event("message", b"a")]


def test_the_place_to_go_on_from_is_that_of_the_last_whole_event() -> None:
    """An event that the stream's end cut off was not received."""
    parser = EventParser()

    parser.feed(b"id: 1\ndata:\n\nid: 2\n\nid: 3\ndata: {")

    assert parser.last_id == "2"


def test_an_empty_id_takes_the_place_away() -> None:
    parser = EventParser()

    parser.feed(b"id: 1\ndata: x\n\nid:\ndata: y\n\n")

    assert not parser.last_id


@pytest.mark.parametrize(
    ("line", "seconds"),
    [
        (b"retry: 1500", 1.5),
        (b"retry:0", 0.0),
        (b"retry: -1", None),
        (b"retry: 1e3", None),
        (b"retry: " + b"9" * 40, None),
    ],
)
def test_retry_is_a_whole_number_of_milliseconds(line: bytes, seconds: float | None) -> None:
    parser = EventParser()

    parser.feed(line + b"\n\n")

    assert parser.retry == seconds
