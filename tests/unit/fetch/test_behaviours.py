"""Every behaviour of the fault server, over real sockets: the list it must give, or the reason."""

import ssl

import pytest

from proxar.fetch import Era, Fetcher, FetchError, Reason, Target
from tests.support.faultserver import BEHAVIOURS, Behaviour, FaultServer

SECRETS = (("Authorization", "Bearer secret-token"), ("X-API-Key", "secret-key"))


@pytest.mark.parametrize("behaviour", BEHAVIOURS.values(), ids=BEHAVIOURS)
async def test_behaviour(server: FaultServer, trust: ssl.SSLContext, behaviour: Behaviour) -> None:
    """A list comes back whole, or the error has the right reason, useful words and no secret."""
    url = f"{server.url(behaviour.name)}?key=secret-query"
    target = Target(url, headers=SECRETS, timeout=behaviour.timeout, transport=behaviour.transport)

    async with Fetcher(egress=None, limits=behaviour.limits, ssl_context=trust) as fetcher:
        if isinstance(behaviour.expects, Reason):
            with pytest.raises(FetchError) as caught:
                await fetcher.fetch(target, era=behaviour.era)
            error = caught.value
            assert error.reason == behaviour.expects, error.message
            assert behaviour.says in error.message
            assert "secret" not in str(error)
            assert error.message.isprintable()
            assert error.retry_after == behaviour.retry_after
        else:
            fetched = await fetcher.fetch(target, era=behaviour.era)
            assert len(fetched.tools.tools) == behaviour.expects
            assert behaviour.ends_as in (None, fetched.era)
            assert (fetched.transport == "SSE") == (fetched.era is Era.SSE)


def test_every_behaviour_says_what_it_does() -> None:
    """The table in the documentation is made of these lines."""
    assert [name for name, behaviour in BEHAVIOURS.items() if not behaviour.summary] == []
