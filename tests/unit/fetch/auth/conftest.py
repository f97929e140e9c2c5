"""An authorization server and a server that takes its tokens, both with the private authority."""

from collections.abc import Iterator

import pytest

from tests.support.certificates import Authority
from tests.support.secureserver import ProtectedServer
from tests.support.tokenserver import TokenServer
from tests.support.toolserver import tool

TOOLS = [tool("search_issues", ("query",), query="string")]


@pytest.fixture
def issuer(authority: Authority) -> Iterator[TokenServer]:
    """Gives tokens."""
    with TokenServer(authority.serve("localhost")) as server:
        yield server


@pytest.fixture
def protected(authority: Authority, issuer: TokenServer) -> Iterator[ProtectedServer]:
    """Lets in whoever has the newest token."""
    with ProtectedServer(authority.serve("localhost"), tools=TOOLS) as server:
        server.admits = lambda asked: (
            bool(issuer.given)
            and asked.headers.get("authorization") == f"Bearer {issuer.given[-1]}"
        )
        yield server
