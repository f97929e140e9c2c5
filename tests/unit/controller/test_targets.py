"""What an endpoint means: address, headers, credentials and TLS settings, gathered fresh."""

import base64
from typing import Any

import pytest

from proxar.api import parse_mcpserver
from proxar.controller.targets import target_of
from proxar.errors import FetchError
from proxar.fetch import Target
from proxar.fetch.auth.assertion import PrivateKeyJWT
from proxar.fetch.auth.credentials import ClientCredentials, ClientSecret
from proxar.fetch.tls import ClientCertificate, TLSSettings
from proxar.kube.client import path_of
from tests.support.fakecluster import FakeCluster
from tests.support.mcpservers import mcpserver

URL = "https://mcp.example.com/mcp"
TOKEN_URL = "https://login.example.com/token"
TOKEN = {"name": "creds", "key": "token"}
CA = {"kind": "ConfigMap", "name": "ca", "key": "ca.crt"}


@pytest.fixture
def cluster() -> FakeCluster:
    """Holds a Secret of each kind, and an authority."""
    cluster = FakeCluster()
    put(cluster, "creds", token=b"t0k3n\n", url=b"https://mcp.example.com/s/t0k3n", key=b"pem")
    put(cluster, "client", tls_crt=b"chain", tls_key=b"key")
    cluster.put(
        path_of("v1", "configmaps", "team", "ca"),
        {"metadata": {"name": "ca"}, "data": {"ca.crt": "authority"}},
    )
    return cluster


def put(cluster: FakeCluster, name: str, hosts: str | None = None, /, **values: bytes) -> None:
    """Store a Secret."""
    annotations = {} if hosts is None else {"proxar.dev/allowed-hosts": hosts}
    cluster.put(
        path_of("v1", "secrets", "team", name),
        {
            "metadata": {"name": name, "annotations": annotations},
            "data": {
                key.replace("_", "."): base64.b64encode(value).decode()
                for key, value in values.items()
            },
        },
    )


async def gathered(cluster: FakeCluster, url: str | None = URL, **spec: Any) -> Target:
    """The target of the first endpoint."""
    raw = mcpserver("issues-mcp", url or "", **spec)
    raw["metadata"] |= {"namespace": "team", "uid": "1"}
    server = parse_mcpserver(raw)
    return await target_of(cluster, server, server.spec.endpoint)


async def refusal(cluster: FakeCluster, url: str | None = URL, **spec: Any) -> FetchError:
    with pytest.raises(FetchError) as caught:
        await gathered(cluster, url, **spec)
    assert "t0k3n" not in str(caught.value)
    return caught.value


def secret_url(key: str = "url") -> dict[str, Any]:
    return {"endpoints": [{"name": "a", "urlSecretRef": {"name": "creds", "key": key}}]}


def oauth(**fields: Any) -> dict[str, Any]:
    least = {"tokenURL": TOKEN_URL, "clientID": "proxar", "clientSecretRef": TOKEN}
    return {"auth": {"oauth2ClientCredentials": least | fields}}


async def test_without_credentials_no_secret_is_read(cluster: FakeCluster) -> None:
    target = await gathered(cluster, headers=[{"name": "X-A", "value": "1"}])

    assert target == Target(URL, headers=(("X-A", "1"),), timeout=5.0, namespace="team")
    assert cluster.calls == []


async def test_a_secret_header_and_a_bearer_token(cluster: FakeCluster) -> None:
    headers = [{"name": "X-API-Key", "secretKeyRef": TOKEN}]

    target = await gathered(cluster, headers=headers, auth={"bearerTokenSecretRef": TOKEN})

    assert target.headers == (("X-API-Key", "t0k3n"), ("Authorization", "Bearer t0k3n"))
    assert len(cluster.calls) == 1


async def test_a_secret_url(cluster: FakeCluster) -> None:
    target = await gathered(cluster, None, **secret_url())

    assert target.url == "https://mcp.example.com/s/t0k3n"
    assert target.has_private_url
    assert "t0k3n" not in repr(target)


@pytest.mark.parametrize(
    ("method", "proof"),
    [
        ({}, ClientSecret("proxar", "t0k3n")),
        ({"authMethod": "ClientSecretPost"}, ClientSecret("proxar", "t0k3n", in_form=True)),
        (
            {
                "authMethod": "PrivateKeyJWT",
                "privateKeySecretRef": {"name": "creds", "key": "key"},
                "keyID": "k",
                "assertionAudience": "a",
            },
            PrivateKeyJWT("proxar", "pem", "Secret team/creds (key key)", "k", "a"),
        ),
    ],
)
async def test_client_credentials(
    cluster: FakeCluster, method: dict[str, Any], proof: ClientSecret | PrivateKeyJWT
) -> None:
    target = await gathered(
        cluster, **oauth(scopes=["a", "b"], audience="c", resource="d:e", **method)
    )

    assert target.client == ClientCredentials(TOKEN_URL, proof, ("a", "b"), "c", "d:e")
    assert target.headers == ()


async def test_tls_settings(cluster: FakeCluster) -> None:
    """The token endpoint gets the authorities, besides its default ones, and no more."""
    tls = {
        "caBundleRef": CA,
        "clientCertificateSecretRef": {"name": "client"},
        "serverName": "other.example.com",
    }
    origin = "ConfigMap team/ca (key ca.crt)"

    target = await gathered(cluster, tls=tls, **oauth())

    certificate = ClientCertificate("chain", "key", "Secret team/client")
    assert target.tls == TLSSettings(
        "authority", origin, certificate=certificate, server_name="other.example.com"
    )
    assert target.client is not None
    assert target.client.tls == TLSSettings("authority", origin, with_default=True)


async def test_empty_tls_settings_are_the_default(cluster: FakeCluster) -> None:
    assert (await gathered(cluster, tls={})).tls is None


@pytest.mark.parametrize(
    "spec",
    [
        {"headers": [{"name": "X-API-Key", "secretKeyRef": TOKEN}]},
        {"auth": {"bearerTokenSecretRef": TOKEN}},
        oauth(),
        secret_url(),
    ],
)
async def test_a_secret_is_not_sent_where_it_does_not_allow(
    cluster: FakeCluster, spec: dict[str, Any]
) -> None:
    put(
        cluster,
        "creds",
        "login.example.com, other.example.com",
        token=b"t0k3n",
        url=b"https://mcp.example.com/s/t0k3n",
    )

    error = await refusal(cluster, **spec)

    assert error.reason == "EgressDenied"
    assert "Secret team/creds" in error.message
    assert "mcp.example.com" in error.message


async def test_a_client_secret_must_allow_the_token_endpoint_too(cluster: FakeCluster) -> None:
    """And the server, since the token is as good as the secret: see above."""
    put(cluster, "creds", "mcp.example.com", token=b"t0k3n")

    error = await refusal(cluster, **oauth())

    assert error.reason == "EgressDenied"
    assert "login.example.com" in error.message


async def test_a_client_certificate_is_not_shown_where_it_is_not_allowed(
    cluster: FakeCluster,
) -> None:
    put(cluster, "client", "other.example.com", tls_crt=b"chain", tls_key=b"key")

    error = await refusal(cluster, tls={"clientCertificateSecretRef": {"name": "client"}})

    assert error.reason == "EgressDenied"


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://mcp.example.com:8443/mcp", "mcp.example.com"),
        ("https://MCP.Example.com./mcp", "mcp.example.com"),
        ("https://mcp.example.com?@evil.example.com/", "mcp.example.com"),
        ("https://b\u00fccher.example/mcp", "xn--bcher-kva.example"),
        ("https://[2001:db8::1]/mcp", "2001:db8::1"),
    ],
)
def test_the_host_of_a_target_is_the_one_that_is_dialled(url: str, host: str) -> None:
    assert Target(url).host == host


async def test_auth_is_not_sent_to_a_secret_url_in_clear(cluster: FakeCluster) -> None:
    """The CRD cannot see this url."""
    put(cluster, "creds", token=b"t0k3n", url=b"http://mcp.example.com/s/t0k3n")

    error = await refusal(cluster, **secret_url(), auth={"bearerTokenSecretRef": TOKEN})

    assert error.reason == "EgressDenied"
    assert "plain http" in error.message


@pytest.mark.parametrize(
    "value",
    [
        b"mcp.example.com/s/t0k3n",
        b"ftp://mcp.example.com/t0k3n",
        b"https://me:t0k3n@mcp.example.com/",
        b"https:///t0k3n",
        b"https://mcp.example.com/ t0k3n",
        b"https://mcp.example.com/#t0k3n\nx",
    ],
)
async def test_a_secret_that_is_no_url_is_told(cluster: FakeCluster, value: bytes) -> None:
    put(cluster, "creds", url=value)

    error = await refusal(cluster, **secret_url())

    assert error.reason == "SecretNotFound"
    assert "key url in Secret team/creds" in error.message


@pytest.mark.parametrize("value", [b"Bearer t0k3n", b"bearer t0k3n"])
async def test_a_token_with_the_word_bearer_is_told(cluster: FakeCluster, value: bytes) -> None:
    """Sent as it stands it would be refused, and nobody would see why."""
    put(cluster, "creds", token=value)

    error = await refusal(cluster, auth={"bearerTokenSecretRef": TOKEN})

    assert error.reason == "SecretNotFound"
    assert "without the word Bearer" in error.message


@pytest.mark.parametrize(
    "spec",
    [
        {"tls": {"clientCertificateSecretRef": {"name": "creds"}}},
        {"tls": {"caBundleRef": CA | {"key": "other"}}},
        {"tls": {"caBundleRef": CA | {"kind": "Secret"}}},
        {"auth": {"bearerTokenSecretRef": TOKEN | {"key": "other"}}},
        {"auth": {"bearerTokenSecretRef": TOKEN | {"name": "other"}}},
    ],
)
async def test_what_is_missing_is_told(cluster: FakeCluster, spec: dict[str, Any]) -> None:
    assert (await refusal(cluster, **spec)).reason == "SecretNotFound"
