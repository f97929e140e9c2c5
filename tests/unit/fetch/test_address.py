"""What a url leads to, and what of it may be shown."""

import pytest

from proxar.fetch.address import read_address


@pytest.mark.parametrize(
    ("text", "label", "host", "port", "path"),
    [
        ("http://a.example/mcp", "http://a.example", "a.example", 80, "/mcp"),
        ("https://A.Example:443", "https://a.example", "a.example", 443, "/"),
        ("https://a:8443/x?key=1#part", "https://a:8443", "a", 8443, "/x?key=1"),
        ("http://[::1]:8080/", "http://[::1]:8080", "::1", 8080, "/"),
        ("http://bücher.example/ä b", "http://xn--bcher-kva.example", None, 80, "/%C3%A4%20b"),
        ("http://user:pass@a/", "http://a", "a", 80, "/"),
    ],
)
def test_a_url_in_its_parts(text: str, label: str, host: str | None, port: int, path: str) -> None:
    """As they are dialled and sent; no path, query or password is in what is shown."""
    address = read_address(text)

    assert (address.label, address.port, address.path) == (label, port, path)
    assert address.host == (host or "xn--bcher-kva.example")
    assert address.is_http
    assert address.has_user == ("@" in text)
    for secret in ("key=1", "pass"):
        assert secret not in repr(address)


@pytest.mark.parametrize("text", ["ftp://a/", "/mcp", "http://", "http:///x", "", "http://a:0/"])
def test_what_cannot_be_asked(text: str) -> None:
    """It is a url all the same."""
    assert not read_address(text).is_http


@pytest.mark.parametrize("text", ["http://a:x/", "http://a:65536/", "http://[::1", "http://a\nb/"])
def test_what_is_no_url(text: str) -> None:
    """One error, whoever finds it out."""
    with pytest.raises(ValueError):  # noqa: PT011 - there is nothing to match: it is never shown
        read_address(text)
