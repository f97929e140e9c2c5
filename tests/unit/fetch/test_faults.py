"""Small translations: how long to wait, and what a message may hold."""

import pytest

from proxar.fetch.faults import from_status, retry_after
from proxar.fetch.reasons import MESSAGE_LENGTH, Reason, failure
from proxar.fetch.target import Target

NOON = 1_767_268_800.0  # Thu, 01 Jan 2026 12:00:00 GMT


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7.0),
        (" 0 ", 0.0),
        ("999999999", 3600.0),
        ("9" * 400, None),
        ("-1", None),
        ("1.5", None),
        ("soon", None),
        ("", None),
        (None, None),
        ("Thu, 01 Jan 2026 12:00:30 GMT", 30.0),
        ("Thu, 01 Jan 2026 11:00:00 GMT", 0.0),
        ("Fri, 01 Jan 2027 12:00:00 GMT", 3600.0),
        ("Thu, 99 Jan 2026 12:00:30 GMT", None),
    ],
)
def test_retry_after(value: str | None, seconds: float | None) -> None:
    assert retry_after(value, now=NOON) == seconds


def test_a_challenge_gives_no_more_than_a_word_that_is_defined() -> None:
    headers = {"www-authenticate": 'Bearer realm="r", error="insufficient_scope", scope="admin"'}
    free = {"www-authenticate": 'Bearer error="my own words"'}

    assert "(insufficient_scope)" in from_status(403, headers, "x", "y").message
    assert "admin" not in from_status(403, headers, "x", "y").message
    assert "words" not in from_status(403, free, "x", "y").message


def test_messages_are_bounded_and_clean() -> None:
    error = failure(Reason.NOT_MCP, "a\x1b[31m\n\ud800\u202e" + "x" * 5000)

    assert error.message.startswith("a?[31m???xx")
    assert len(error.message) == MESSAGE_LENGTH


@pytest.mark.parametrize(
    ("url", "label"),
    [
        ("https://user:secret@mcp.example/path/secret?key=secret#secret", "https://mcp.example"),
        ("http://[::1]:8080/mcp", "http://[::1]:8080"),
        ("http://[::1", "the url"),
    ],
)
def test_a_label_shows_no_more_than_scheme_host_and_port(url: str, label: str) -> None:
    assert Target(url).label == label
    assert "secret" not in repr(Target(url, headers=(("Authorization", "secret"),)))
