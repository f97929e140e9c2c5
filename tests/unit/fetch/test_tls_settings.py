"""Own authorities, client certificates, server names: what they open, what their faults say."""

import ssl
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from proxar.fetch import Era, Fetcher, FetchError, Reason, Target
from proxar.fetch.tls import CONTEXTS, ClientCertificate, Contexts, TLSSettings
from tests.support.certificates import Authority
from tests.support.secureserver import ProtectedServer
from tests.support.toolserver import tool

TOOLS = [tool("search_issues", ("query",), query="string")]
ORIGIN = "ConfigMap team/ca (key ca.crt)"


@pytest.fixture(scope="module")
def company() -> Authority:
    """An authority that the fetcher does not trust by default."""
    return Authority("Company")


@pytest.fixture
def secure(company: Authority) -> Iterator[ProtectedServer]:
    """Wants a certificate of the company."""
    with ProtectedServer(company.serve("localhost", client_certificates=True), tools=TOOLS) as it:
        yield it


@pytest_asyncio.fixture
async def plain() -> AsyncIterator[Fetcher]:
    """Trusts the system's authorities."""
    async with Fetcher(egress=None) as fetcher:
        yield fetcher


def shown(company: Authority, name: str = "proxar") -> ClientCertificate:
    return ClientCertificate(*company.issue(name), origin="Secret team/client")


async def refusal(fetcher: Fetcher, url: str, settings: TLSSettings | None) -> FetchError:
    with pytest.raises(FetchError) as caught:
        await fetcher.fetch(Target(url, tls=settings), era=Era.MODERN)
    return caught.value


async def test_a_bundle_is_trusted_and_a_certificate_shown(
    plain: Fetcher, company: Authority, secure: ProtectedServer
) -> None:
    settings = TLSSettings(company.pem, ORIGIN, certificate=shown(company))

    fetched = await plain.fetch(Target(secure.url, tls=settings))

    assert [tool.name for tool in fetched.tools.tools] == ["search_issues"]
    assert {asked.certificate for asked in secure.asked} == {"proxar"}


async def test_a_bundle_may_hold_several_authorities_and_comments(
    plain: Fetcher, company: Authority
) -> None:
    bundle = f"# Főtanúsítvány\n{Authority('Other').pem}\n# ours\n{company.pem}"

    with ProtectedServer(company.serve("localhost"), tools=TOOLS) as server:
        await plain.fetch(Target(server.url, tls=TLSSettings(bundle, ORIGIN)))


async def test_a_bundle_stands_instead_of_the_default(
    fetcher: Fetcher, authority: Authority, company: Authority
) -> None:
    """Unless it is said to be trusted besides."""
    with ProtectedServer(authority.serve("localhost"), tools=TOOLS) as server:
        error = await refusal(fetcher, server.url, TLSSettings(company.pem, ORIGIN))

    assert error.reason == Reason.TLS_FAILED
    assert "unknown authority" in error.message


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
async def test_a_server_that_misses_a_certificate(
    plain: Fetcher, company: Authority, secure: ProtectedServer, version: ssl.TLSVersion
) -> None:
    assert secure.tls is not None
    secure.tls.maximum_version = version

    error = await refusal(plain, secure.url, TLSSettings(company.pem, ORIGIN))

    assert error.reason == Reason.TLS_FAILED
    assert "client certificate" in error.message
    assert "spec.tls.clientCertificateSecretRef" in error.message


async def test_a_server_that_does_not_know_the_certificates_authority(
    plain: Fetcher, company: Authority, secure: ProtectedServer
) -> None:
    stranger = shown(Authority("Stranger"))

    error = await refusal(plain, secure.url, TLSSettings(company.pem, ORIGIN, certificate=stranger))

    assert error.reason == Reason.TLS_FAILED
    assert "authority of the client certificate" in error.message


async def test_a_server_name_is_asked_for_and_looked_for(
    plain: Fetcher, company: Authority
) -> None:
    settings = TLSSettings(company.pem, ORIGIN, server_name="mcp.example.com")

    with ProtectedServer(company.serve("mcp.example.com"), tools=TOOLS) as server:
        await plain.fetch(Target(server.url, tls=settings))
        wrong = await refusal(plain, server.url, TLSSettings(company.pem, ORIGIN))

    assert {asked.server_name for asked in server.asked} == {"mcp.example.com"}
    assert {asked.headers["host"] for asked in server.asked} == {f"localhost:{server.port}"}
    assert "another host name" in wrong.message


async def test_a_server_name_alone_keeps_the_default_trust(
    fetcher: Fetcher, authority: Authority
) -> None:
    with ProtectedServer(authority.serve("mcp.example.com"), tools=TOOLS) as server:
        await fetcher.fetch(Target(server.url, tls=TLSSettings(server_name="mcp.example.com")))


CHAIN, KEY = Authority("Company").issue("proxar")
OTHER_KEY = Authority("Company").issue("other")[1]
ENCRYPTED = (
    ec.generate_private_key(ec.SECP256R1())
    .private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.BestAvailableEncryption(b"canary"),
    )
    .decode()
)
LEGACY_ENCRYPTED = KEY.replace("KEY-----\n", "KEY-----\nProc-Type: 4,ENCRYPTED\n\n", 1)
BROKEN = KEY.replace("\nM", "\nX", 1)


@pytest.mark.parametrize(
    "pem",
    ["", "canary", "-----BEGIN CERTIFICATE-----\ncanary\n-----END CERTIFICATE-----\n", KEY],
)
async def test_a_bad_bundle_is_named(plain: Fetcher, pem: str) -> None:
    error = await refusal(plain, "https://localhost:1/mcp", TLSSettings(pem, ORIGIN))

    assert error.reason == Reason.TLS_FAILED
    assert ORIGIN in error.message
    assert "PEM" in error.message
    assert "canary" not in error.message


@pytest.mark.parametrize(
    ("chain", "key", "says"),
    [
        ("canary", KEY, "tls.crt is no certificate"),
        (CHAIN, "canary", "tls.key is no private key"),
        (KEY, CHAIN, "tls.crt is no certificate"),
        (CHAIN, OTHER_KEY, "do not belong together"),
        (CHAIN, ENCRYPTED, "passphrase"),
        (CHAIN, LEGACY_ENCRYPTED, "passphrase"),
        (CHAIN, BROKEN, "cannot be read"),
        (CHAIN[:200] + CHAIN[210:], KEY, "cannot be read"),
    ],
)
async def test_a_bad_client_certificate_is_named(
    plain: Fetcher, chain: str, key: str, says: str
) -> None:
    settings = TLSSettings(certificate=ClientCertificate(chain, key, "Secret team/client"))

    error = await refusal(plain, "https://localhost:1/mcp", settings)

    assert error.reason == Reason.TLS_FAILED
    assert "Secret team/client" in error.message
    assert says in error.message
    assert "canary" not in error.message


def test_a_context_is_made_once_a_setting(company: Authority) -> None:
    """Whatever server it is for; nothing set is the default one."""
    contexts = Contexts()
    certificate = shown(company)

    made = contexts.of(TLSSettings(company.pem, certificate=certificate))

    assert contexts.of(TLSSettings(company.pem, certificate=certificate)) is made
    assert contexts.of(TLSSettings(company.pem)) is not made
    assert contexts.of(TLSSettings(company.pem, certificate=shown(company))) is not made
    assert contexts.of(TLSSettings(server_name="x")) is contexts.of(None) is contexts.default


def test_contexts_are_bounded(company: Authority) -> None:
    contexts = Contexts()

    for number in range(CONTEXTS + 5):
        contexts.of(TLSSettings(f"# {number}\n{company.pem}"))

    assert len(contexts) == CONTEXTS


def test_every_context_verifies(company: Authority) -> None:
    contexts = Contexts()
    certificate = shown(company)

    for settings in (
        TLSSettings(company.pem),
        TLSSettings(company.pem, with_default=True),
        TLSSettings(certificate=certificate),
    ):
        context = contexts.of(settings)
        assert context.verify_mode is ssl.CERT_REQUIRED
        assert context.check_hostname
        assert context.minimum_version >= ssl.TLSVersion.TLSv1_2
        assert context.verify_flags == contexts.default.verify_flags


@pytest.mark.parametrize("in_memory", [True, False])
def test_no_file_is_left_behind(
    company: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_memory: bool
) -> None:
    """Nor readable by others as long as it exists, where there are no files in memory."""
    if not in_memory:
        monkeypatch.delattr("os.memfd_create", raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    Contexts().of(TLSSettings(certificate=shown(company)))

    assert list(tmp_path.iterdir()) == []


def test_nothing_secret_is_in_a_repr(company: Authority) -> None:
    text = repr(TLSSettings(company.pem, ORIGIN, certificate=shown(company)))

    assert "BEGIN" not in text
    assert ORIGIN in text
