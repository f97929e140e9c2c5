"""References to Secrets: read as written, part of the target as references, refused with a name."""

from typing import Any

import pytest

from proxar.api import AuthMethod, InvalidObject, Spec, parse_mcpserver
from tests.support.mcpservers import mcpserver

URL = "https://mcp.example.com/mcp"
KEY = {"name": "creds", "key": "token"}
OTHER = {"name": "other", "key": "token"}
BEARER = {"bearerTokenSecretRef": KEY}
OAUTH = {"tokenURL": "https://login.example.com/token", "clientID": "proxar"}


def spec(**fields: Any) -> Spec:
    """The spec of a valid object with these fields."""
    raw = mcpserver("weather", URL, **fields)
    raw["metadata"] |= {"namespace": "team", "uid": "1"}
    return parse_mcpserver(raw).spec


def oauth(**fields: Any) -> dict[str, Any]:
    return {"auth": {"oauth2ClientCredentials": OAUTH | {"clientSecretRef": KEY} | fields}}


def test_client_credentials_are_read() -> None:
    read = spec(**oauth(scopes=["a"], audience="b", resource="c:d")).auth

    assert read is not None
    credentials = read.oauth2_client_credentials
    assert credentials is not None
    assert credentials.token_url == OAUTH["tokenURL"]
    assert credentials.client_id == "proxar"
    assert credentials.auth_method is AuthMethod.CLIENT_SECRET_BASIC
    assert credentials.secret_ref is not None
    assert credentials.secret_ref.key == "token"
    assert read.to_json()["oauth2ClientCredentials"]["scopes"] == ["a"]


TARGETS: dict[str, dict[str, Any]] = {
    "nothing": {},
    "a secret url": {"endpoints": [{"name": "primary", "urlSecretRef": KEY}]},
    "another secret url": {"endpoints": [{"name": "primary", "urlSecretRef": OTHER}]},
    "a value": {"headers": [{"name": "X", "value": "1"}]},
    "a secret header": {"headers": [{"name": "X", "secretKeyRef": KEY}]},
    "another secret header": {"headers": [{"name": "X", "secretKeyRef": OTHER}]},
    "a bearer": {"auth": BEARER},
    "another bearer": {"auth": {"bearerTokenSecretRef": OTHER}},
    "a client": oauth(),
    "other scopes": oauth(scopes=["x"]),
    "a certificate": {"tls": {"clientCertificateSecretRef": {"name": "client"}}},
    "a server name": {"tls": {"serverName": "x"}},
}


def test_every_reference_is_a_target_of_its_own() -> None:
    """What another account, or another server behind the same address, sees may differ."""
    digests = {name: spec(**fields).target_digest for name, fields in TARGETS.items()}

    assert len(set(digests.values())) == len(TARGETS)


def test_whom_one_trusts_changes_no_target() -> None:
    """Nor does spelling out a default."""
    bundle = {"caBundleRef": {"kind": "ConfigMap", "name": "ca", "key": "ca.crt"}}

    assert spec(tls=bundle).target_digest == spec().target_digest == spec(tls={}).target_digest
    spelt_out = spec(**oauth(authMethod="ClientSecretBasic"))
    assert spelt_out.target_digest == spec(**oauth()).target_digest


@pytest.mark.parametrize(
    ("fields", "digest"),
    [
        (TARGETS["a secret header"], "8975cda21eb12914"),
        (TARGETS["a bearer"], "570057122bc941eb"),
        (TARGETS["a client"], "37ce70cd8614dfdf"),
        (TARGETS["a certificate"], "72f1bcea309681d6"),
    ],
)
def test_the_digest_never_changes_between_versions(fields: dict[str, Any], digest: str) -> None:
    """An upgrade of Proxar must not start a new baseline for every server."""
    assert spec(**fields).target_digest == digest


@pytest.mark.parametrize(
    ("fields", "field", "says"),
    [
        (
            {"endpoints": [{"name": "a", "url": URL, "urlSecretRef": KEY}]},
            "spec.endpoints[0]",
            "exactly one of url, urlSecretRef and serviceRef",
        ),
        (
            {"headers": [{"name": "X", "value": "1", "secretKeyRef": KEY}]},
            "spec.headers[0]",
            "exactly one of value and secretKeyRef",
        ),
        ({"auth": {}}, "spec.auth", "exactly one of bearerTokenSecretRef"),
        ({"auth": BEARER | oauth()["auth"]}, "spec.auth", "exactly one of bearerTokenSecretRef"),
        (
            oauth(tokenURL="http://login.example.com"),
            "spec.auth.oauth2ClientCredentials.tokenURL",
            "absolute https URL",
        ),
        (
            oauth(tokenURL="https://me:canary@login.example.com"),
            "spec.auth.oauth2ClientCredentials.tokenURL",
            "without credentials",
        ),
        (
            oauth(authMethod="PrivateKeyJWT"),
            "spec.auth.oauth2ClientCredentials",
            "needs privateKeySecretRef",
        ),
        (
            {"auth": {"oauth2ClientCredentials": OAUTH}},
            "spec.auth.oauth2ClientCredentials",
            "needs clientSecretRef",
        ),
    ],
)
def test_a_stored_object_that_no_rule_checked_is_refused(
    fields: dict[str, Any], field: str, says: str
) -> None:
    with pytest.raises(InvalidObject) as caught:
        spec(**fields)

    assert caught.value.field == field
    assert says in caught.value.message
    assert "canary" not in f"{caught.value} {caught.value.__cause__}"
