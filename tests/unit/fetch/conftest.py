"""A fault server and a trust store for each test that asks."""

import ssl
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from proxar.fetch import Fetcher
from tests.support.certificates import Authority
from tests.support.faultserver import FaultServer


@pytest.fixture(scope="session")
def authority() -> Authority:
    """A private certificate authority that nobody else knows."""
    return Authority()


@pytest.fixture(scope="session")
def trust(authority: Authority) -> ssl.SSLContext:
    """Trusts the private authority and no other."""
    return authority.trust()


@pytest_asyncio.fixture
async def server() -> AsyncIterator[FaultServer]:
    """Serves every behaviour."""
    async with FaultServer() as server:
        yield server


@pytest_asyncio.fixture
async def fetcher(trust: ssl.SSLContext) -> AsyncIterator[Fetcher]:
    """Fetches from anywhere."""
    async with Fetcher(egress=None, ssl_context=trust) as fetcher:
        yield fetcher
