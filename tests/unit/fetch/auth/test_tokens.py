"""Tokens by client credentials: what is asked, how often, and what becomes of them."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from dataclasses import replace

import jwt
import pytest
import pytest_asyncio
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from proxar.fetch import EgressPolicy, Era, Fetcher, FetchError, Reason, Target
from proxar.fetch.auth import tokens
from proxar.fetch.auth.assertion import PrivateKeyJWT, SigningKey
from proxar.fetch.auth.credentials import ClientCredentials, ClientSecret
from proxar.fetch.tls import TLSSettings
from tests.support.certificates import Authority
from tests.support.secureserver import ProtectedServer
from tests.support.tokenserver import TOKEN_FAULTS, TokenServer
from tests.support.toolserver import Answer, status

SECRET = ClientSecret("proxar", "s3cret")


@pytest.fixture
def credentials(issuer: TokenServer) -> ClientCredentials:
    """Those that the issuer knows."""
    return ClientCredentials(issuer.url, SECRET)


@pytest.fixture
def target(protected: ProtectedServer, credentials: ClientCredentials) -> Target:
    """The server that wants a token."""
    return Target(protected.url, client=credentials)


def held_by(event: threading.Event) -> Callable[[], None]:
    """Something that waits for the event."""

    def wait() -> None:
        event.wait(5)

    return wait


async def refusal(fetcher: Fetcher, target: Target) -> FetchError:
    with pytest.raises(FetchError) as caught:
        await fetcher.fetch(target, era=Era.MODERN)
    return caught.value


async def test_the_secret_goes_into_the_header_and_the_wishes_into_the_form(
    fetcher: Fetcher, issuer: TokenServer, target: Target, credentials: ClientCredentials
) -> None:
    asked = replace(
        credentials, scopes=("tools:list", "x"), audience="mcp", resource="https://mcp.example/mcp"
    )

    await fetcher.fetch(replace(target, client=asked), era=Era.MODERN)

    assert issuer.forms == [
        {
            "grant_type": "client_credentials",
            "scope": "tools:list x",
            "audience": "mcp",
            "resource": "https://mcp.example/mcp",
        }
    ]
    assert issuer.asked[0].headers["content-type"] == "application/x-www-form-urlencoded"


@pytest.mark.parametrize("in_form", [False, True])
async def test_any_character_of_a_secret_arrives(
    fetcher: Fetcher, issuer: TokenServer, target: Target, in_form: bool
) -> None:
    issuer.client_id, issuer.secret = "a:b c", 'p%+&=:/ \\~"'
    proof = ClientSecret(issuer.client_id, issuer.secret, in_form=in_form)

    await fetcher.fetch(replace(target, client=ClientCredentials(issuer.url, proof)))

    assert issuer.given == ["token-1"]
    assert ("authorization" in issuer.asked[0].headers) is not in_form


def pem(key: SigningKey, form: serialization.PrivateFormat) -> str:
    encryption = serialization.NoEncryption()
    return key.private_bytes(serialization.Encoding.PEM, form, encryption).decode()


TRADITIONAL = serialization.PrivateFormat.TraditionalOpenSSL
PKCS8 = serialization.PrivateFormat.PKCS8

KEYS: dict[str, tuple[SigningKey, serialization.PrivateFormat]] = {
    "RS256": (rsa.generate_private_key(65537, 2048), TRADITIONAL),
    "ES256": (ec.generate_private_key(ec.SECP256R1()), TRADITIONAL),
    "ES384": (ec.generate_private_key(ec.SECP384R1()), PKCS8),
    "ES512": (ec.generate_private_key(ec.SECP521R1()), PKCS8),
    "EdDSA": (ed25519.Ed25519PrivateKey.generate(), PKCS8),
}


@pytest.mark.parametrize("algorithm", KEYS)
async def test_a_signature_proves_the_client(
    fetcher: Fetcher, issuer: TokenServer, target: Target, algorithm: str
) -> None:
    """Each assertion is new, short-lived, and for this token endpoint."""
    key, form = KEYS[algorithm]
    text = pem(key, form)
    proof = PrivateKeyJWT("proxar", text, "Secret team/key", key_id="k1")
    seen = []

    def proves(form: dict[str, str]) -> bool:
        assertion = form["client_assertion"]
        claims = jwt.decode(
            assertion, key.public_key(), algorithms=[algorithm], audience=issuer.url
        )
        seen.append((claims, jwt.get_unverified_header(assertion)))
        return {claims["iss"], claims["sub"], form["client_id"]} == {"proxar"}

    issuer.proves, issuer.expires_in = proves, 0
    asked = replace(target, client=ClientCredentials(issuer.url, proof))

    for _ in range(2):
        await fetcher.fetch(asked, era=Era.MODERN)

    assert [header["kid"] for _, header in seen] == ["k1", "k1"]
    assert len({claims["jti"] for claims, _ in seen}) == 2
    assert all(0 < claims["exp"] - claims["iat"] <= 300 for claims, _ in seen)
    assert text not in str(issuer.asked)


async def test_an_assertion_can_be_for_the_issuer(
    fetcher: Fetcher, issuer: TokenServer, target: Target
) -> None:
    key, _ = KEYS["ES256"]
    text = pem(key, PKCS8)
    proof = PrivateKeyJWT("proxar", text, "Secret team/key", audience="https://login.example")
    issuer.proves = lambda form: bool(
        jwt.decode(
            form["client_assertion"],
            key.public_key(),
            algorithms=["ES256"],
            audience="https://login.example",
        )
    )

    await fetcher.fetch(replace(target, client=ClientCredentials(issuer.url, proof)))

    assert issuer.given == ["token-1"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("canary", "no private key in PEM"),
        (
            KEYS["ES256"][0]
            .private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.BestAvailableEncryption(b"canary"),
            )
            .decode(),
            "passphrase",
        ),
        (pem(rsa.generate_private_key(65537, 1024), PKCS8), "1024"),
        (pem(ec.generate_private_key(ec.SECP256K1()), PKCS8), "P-256"),
    ],
)
async def test_a_key_that_cannot_sign_is_named(
    fetcher: Fetcher, issuer: TokenServer, target: Target, text: str, says: str
) -> None:
    proof = PrivateKeyJWT("proxar", text, "Secret team/key (key tls.key)")

    error = await refusal(fetcher, replace(target, client=ClientCredentials(issuer.url, proof)))

    assert error.reason == Reason.TOKEN_FAILED
    assert "Secret team/key (key tls.key)" in error.message
    assert says in error.message
    assert "canary" not in error.message
    assert issuer.asked == []


async def test_a_token_is_kept(fetcher: Fetcher, issuer: TokenServer, target: Target) -> None:
    for _ in range(3):
        await fetcher.fetch(target)

    assert issuer.given == ["token-1"]


@pytest.mark.parametrize("expires_in", [0, -1, "0"])
async def test_a_token_that_ends_at_once_is_used_once(
    fetcher: Fetcher, issuer: TokenServer, target: Target, expires_in: object
) -> None:
    issuer.expires_in = expires_in

    for _ in range(2):
        await fetcher.fetch(target, era=Era.MODERN)

    assert issuer.given == ["token-1", "token-2"]


@pytest.mark.parametrize("expires_in", [None, "3600", 3599.5, 1e300, True, {}, "soon"])
async def test_whatever_a_lifetime_looks_like_the_token_is_kept_for_a_while(
    fetcher: Fetcher, issuer: TokenServer, target: Target, expires_in: object
) -> None:
    issuer.expires_in = expires_in

    for _ in range(2):
        await fetcher.fetch(target, era=Era.MODERN)

    assert issuer.given == ["token-1"]


async def test_each_request_for_a_token_has_a_connection_of_its_own(
    fetcher: Fetcher, issuer: TokenServer, target: Target
) -> None:
    """One that was kept may have been closed by the server meanwhile."""
    issuer.expires_in = 0

    for _ in range(2):
        await fetcher.fetch(target, era=Era.MODERN)

    assert [asked.connection for asked in issuer.asked] == [1, 2]


async def test_other_wishes_are_another_token(
    fetcher: Fetcher, issuer: TokenServer, target: Target, credentials: ClientCredentials
) -> None:
    await fetcher.fetch(target, era=Era.MODERN)
    await fetcher.fetch(
        replace(target, client=replace(credentials, scopes=("all",))), era=Era.MODERN
    )

    assert issuer.given == ["token-1", "token-2"]


async def test_fetches_at_once_ask_for_one_token(
    fetcher: Fetcher, issuer: TokenServer, target: Target
) -> None:
    await asyncio.gather(*(fetcher.fetch(target) for _ in range(8)))

    assert issuer.given == ["token-1"]


async def test_a_fetch_that_is_cut_short_does_not_take_the_token_from_others(
    fetcher: Fetcher, issuer: TokenServer, target: Target
) -> None:
    """It also tells what it was waiting for."""
    may_go_on = threading.Event()
    issuer.hold = held_by(may_go_on)

    patient = asyncio.create_task(fetcher.fetch(target))
    error = await refusal(fetcher, replace(target, timeout=0.3))
    may_go_on.set()
    await patient

    assert error.reason == Reason.TIMEOUT
    assert "while waiting for a token" in error.message
    assert issuer.given == ["token-1"]


async def test_a_token_that_is_refused_is_renewed(
    fetcher: Fetcher, issuer: TokenServer, protected: ProtectedServer, target: Target
) -> None:
    await fetcher.fetch(target)
    issuer.given.append("token-2")  # the server wants another one now

    await fetcher.fetch(target)

    assert issuer.given == ["token-1", "token-2", "token-3"]


async def test_it_is_renewed_once_only(
    fetcher: Fetcher, issuer: TokenServer, protected: ProtectedServer, target: Target
) -> None:
    protected.admits = lambda _: False

    error = await refusal(fetcher, target)

    assert error.reason == Reason.UNAUTHORIZED
    assert len(issuer.given) == 2
    assert len(protected.asked) == 2


async def test_a_challenge_changes_nothing_that_is_asked_for(
    fetcher: Fetcher, issuer: TokenServer, protected: ProtectedServer, target: Target
) -> None:
    """Neither its scope nor the host that it names."""
    protected.admits = lambda _: False
    protected.headers = {
        "WWW-Authenticate": 'Bearer error="invalid_token", scope="admin", '
        f'resource_metadata="https://localhost:{issuer.port}/metadata"'
    }

    await refusal(fetcher, target)

    assert issuer.forms == [{"grant_type": "client_credentials"}] * 2


@pytest.mark.parametrize("case", TOKEN_FAULTS)
async def test_no_token(
    fetcher: Fetcher, issuer: TokenServer, protected: ProtectedServer, target: Target, case: str
) -> None:
    """The reason is TokenFailed, the server is not asked, and the next look asks anew."""
    answer, says = TOKEN_FAULTS[case]
    issuer.answers, issuer.further = [answer], {"Location": issuer.url}

    error = await refusal(fetcher, target)

    assert error.reason == Reason.TOKEN_FAILED
    assert says in error.message
    assert f"https://localhost:{issuer.port}" in error.message
    assert "/oauth2" not in error.message
    assert protected.asked == []
    assert len(issuer.asked) == 1
    await fetcher.fetch(target, era=Era.MODERN)


async def test_what_a_refusal_repeats_is_not_told(
    fetcher: Fetcher, issuer: TokenServer, target: Target
) -> None:
    """Neither the description nor a code that is not one of OAuth's."""
    body = b'{"error": "s3cret", "error_description": "s3cret", "error_uri": "https://s3cret"}'
    issuer.answers = [Answer(body, 400)]

    error = await refusal(fetcher, target)

    assert "s3cret" not in f"{error} {error.message}"


async def test_a_token_endpoint_that_is_overloaded_is_left_alone_for_as_long_as_it_wishes(
    fetcher: Fetcher, issuer: TokenServer, target: Target
) -> None:
    issuer.answers, issuer.further = [status(429)], {"Retry-After": "77"}

    assert (await refusal(fetcher, target)).retry_after == 77


async def test_a_token_endpoint_of_an_unknown_authority(
    fetcher: Fetcher, target: Target, credentials: ClientCredentials
) -> None:
    with TokenServer(Authority("Stranger").serve("localhost")) as stranger:
        asked = replace(credentials, token_url=stranger.url)
        error = await refusal(fetcher, replace(target, client=asked))

    assert error.reason == Reason.TOKEN_FAILED
    assert "unknown authority" in error.message


async def test_a_bundle_is_trusted_besides_the_default_for_the_token_endpoint(
    fetcher: Fetcher, protected: ProtectedServer, target: Target
) -> None:
    """The default here is the system's own, so this server needs the bundle."""
    company = Authority("Company")
    with TokenServer(company.serve("localhost")) as issuer:
        protected.admits = lambda asked: asked.headers["authorization"] == "Bearer token-1"
        tls = TLSSettings(company.pem, "ConfigMap team/ca (key ca.crt)", with_default=True)

        await fetcher.fetch(
            replace(target, client=ClientCredentials(issuer.url, SECRET, tls=tls)), era=Era.MODERN
        )

        assert issuer.given == ["token-1"]


async def test_a_token_endpoint_that_nobody_serves(fetcher: Fetcher, target: Target) -> None:
    asked = ClientCredentials("https://localhost:1/token", SECRET)

    error = await refusal(fetcher, replace(target, client=asked))

    assert error.reason == Reason.TOKEN_FAILED
    assert "refused the connection" in error.message


@pytest.mark.parametrize("url", ["https://login.example:99999/token", "https://a..b/token"])
async def test_a_token_endpoint_that_is_no_url(fetcher: Fetcher, target: Target, url: str) -> None:
    error = await refusal(fetcher, replace(target, client=ClientCredentials(url, SECRET)))

    assert error.reason == Reason.TOKEN_FAILED


async def test_a_token_endpoint_that_is_silent(
    fetcher: Fetcher, issuer: TokenServer, target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokens, "REQUEST_SECONDS", 0.2)
    may_go_on = threading.Event()
    issuer.hold = held_by(may_go_on)

    error = await refusal(fetcher, target)
    may_go_on.set()

    assert error.reason == Reason.TOKEN_FAILED
    assert "took longer than 0.2 s" in error.message


@pytest_asyncio.fixture
async def guarded(authority: Authority) -> AsyncIterator[Fetcher]:
    """Fetches with the egress guard, which opens nothing."""
    async with Fetcher(egress=EgressPolicy(), ssl_context=authority.trust()) as fetcher:
        yield fetcher


async def test_a_token_endpoint_is_behind_the_egress_guard(
    guarded: Fetcher, issuer: TokenServer, target: Target
) -> None:
    error = await refusal(guarded, target)

    assert error.reason == Reason.EGRESS_DENIED
    assert "loopback" in error.message
    assert issuer.asked == []


async def test_a_token_endpoint_may_be_where_the_urls_of_its_namespace_may_be(
    target: Target, credentials: ClientCredentials
) -> None:
    """In the range of Services too, where the operator opens it to that namespace."""
    policy = EgressPolicy(service_ranges=("10.96.0.0/16",), service_namespaces=frozenset({"team"}))

    async with Fetcher(egress=policy) as fetcher:
        opened = fetcher._client(replace(target, namespace="team"))
        closed = fetcher._client(replace(target, namespace="other", in_cluster=True))

    assert opened is not None
    assert opened.identity.in_cluster
    assert closed == credentials
    assert not credentials.identity.in_cluster
    assert credentials.identity.digest != opened.identity.digest


def test_nothing_secret_is_in_a_repr(issuer: TokenServer, target: Target) -> None:
    proof = PrivateKeyJWT("proxar", "canary", "Secret team/key")
    text = repr(
        [
            target,
            proof,
            target.client and target.client.request(),
            replace(target, headers=(("a", "canary"),)),
        ]
    )

    assert "s3cret" not in text
    assert "canary" not in text
