"""What the API server takes as an MCPServer, and what it says about the rest."""

import json
from typing import Any

import pytest

from proxar.api import parse_mcpserver
from tests.kubernetes.cluster import Cluster
from tests.support.install import ROOT
from tests.support.mcpserver_reference import Schema, schema

HASH = "sha256:" + "0123456789abcdef" * 4
URL = "https://mcp.example.com/mcp"

Spec = dict[str, Any]


def at(url: str) -> Spec:
    """Return a spec with this url."""
    return {"endpoints": [{"name": "primary", "url": url}]}


def service(**reference: Any) -> Spec:
    """Return a spec with this serviceRef."""
    return {"endpoints": [{"name": "primary", "serviceRef": {"name": "weather", **reference}}]}


def also(**fields: Any) -> Spec:
    """Return a valid spec with these fields besides."""
    return at(URL) | fields


def header(name: str, value: str = "x") -> Spec:
    """Return a spec with one header."""
    return also(headers=[{"name": name, "value": value}])


TOKEN_URL = "https://login.example.com/oauth2/token"
KEY_REF = {"name": "creds", "key": "token"}
BEARER: Spec = {"bearerTokenSecretRef": KEY_REF}


def secret_header(name: str = "X-API-Key", **also_set: object) -> Spec:
    """Return a spec with one header out of a Secret."""
    return also(headers=[{"name": name, "secretKeyRef": KEY_REF, **also_set}])


def oauth(**fields: object) -> Spec:
    """Return a spec with client credentials; a field that is ``None`` is left out."""
    least = {"tokenURL": TOKEN_URL, "clientID": "proxar", "clientSecretRef": KEY_REF}
    given = {name: value for name, value in (least | fields).items() if value is not None}
    return also(auth={"oauth2ClientCredentials": given})


def signing(**fields: object) -> Spec:
    """Return a spec with client credentials that are proved by a signature."""
    method = {"authMethod": "PrivateKeyJWT", "privateKeySecretRef": KEY_REF}
    return oauth(**({"clientSecretRef": None} | method | fields))


def tls(**fields: object) -> Spec:
    """Return a spec with these TLS settings."""
    return also(tls=fields)


def endpoints(number: int) -> Spec:
    """Return a spec with so many endpoints."""
    return {"endpoints": [{"name": f"e{each}", "url": f"{URL}/{each}"} for each in range(number)]}


def service_beside(name: str) -> list[dict[str, Any]]:
    """Return an endpoint of this name that is a Service."""
    return [{"name": name, "serviceRef": {"name": "weather"}}]


def settle(text: str) -> Spec:
    """Return a spec with this driftPolicy.settleAfter."""
    return also(driftPolicy={"settleAfter": text})


def overruled(**rule: object) -> Spec:
    """Return a spec with one drift rule."""
    least = {"name": "known", "rule": "description-changed", "verdict": "Advisory", "reason": "x"}
    return also(driftPolicy={"rules": [least | rule]})


ACCEPTED: dict[str, Spec] = {
    "the least": at(URL),
    "plain http": at("http://mcp.example.com:8080/mcp"),
    "a literal address": at("http://[2001:db8::1]:8080/"),
    "a query": at(f"{URL}?toolset=all"),
    "an at sign in the path": at("https://mcp.example.com/@team/mcp"),
    "an upper-case scheme": at("HTTPS://mcp.example.com/mcp"),
    "the longest url": at(f"https://mcp.example.com/{'x' * 2024}"),
    "a service": service(),
    "a service spelt out": service(port=8080, path="/v1/mcp", scheme="HTTPS"),
    "the shortest interval": also(interval="5s"),
    "the longest interval": also(interval="24h"),
    "units mixed": also(interval="1h30m"),
    "milliseconds": also(interval="5500ms", timeout="1500ms"),
    "the shortest timeout": also(timeout="1s"),
    "the longest timeout": also(interval="10m", timeout="5m"),
    "suspended": also(suspend=True),
    "a rule overruled": overruled(),
    "all rules of some tools, for a while": overruled(
        rule="*", tools=["search_*"], verdict="Ignored", expirationTime="2027-01-01T00:00:00Z"
    ),
    "headers": also(
        headers=[{"name": "X-MCP-Toolsets", "value": "a, b"}, {"name": "b", "value": "1"}]
    ),
    "a header with a credential": header("Authorization", "Bearer x"),
    "a header of one character": header("X", "1"),
    "a tab inside a header": header("X", "1\t2"),
    "a secret url": {"endpoints": [{"name": "primary", "urlSecretRef": KEY_REF}]},
    "a secret header": secret_header(),
    "a bearer token": also(auth=BEARER),
    "a bearer token for a secret url": {
        "endpoints": [{"name": "primary", "urlSecretRef": KEY_REF}],
        "auth": BEARER,
    },
    "a bearer token for a Service with TLS": service(scheme="HTTPS") | {"auth": BEARER},
    "a bearer token for an upper-case scheme": at("HTTPS://mcp.example.com/mcp") | {"auth": BEARER},
    "a bearer token beside a header": secret_header() | {"auth": BEARER},
    "client credentials": oauth(),
    "client credentials spelt out": oauth(
        authMethod="ClientSecretPost",
        scopes=["mcp:read", "https://mcp.example.com/.default"],
        audience="mcp",
        resource=URL,
    ),
    "a signature": signing(),
    "a signature spelt out": signing(keyID="2026", assertionAudience="https://login.example.com"),
    "an authority of one's own": tls(
        caBundleRef={"kind": "ConfigMap", "name": "ca.example.com", "key": "ca.crt"}
    ),
    "all of TLS": tls(
        caBundleRef={"kind": "Secret", "name": "ca", "key": "ca.crt"},
        clientCertificateSecretRef={"name": "client"},
        serverName="mcp.example.com",
    ),
    "TLS for a Service": service(scheme="HTTPS") | {"tls": {"serverName": "mcp.example.com"}},
    "a pin": also(pinnedHash=HASH),
    "hold": also(driftPolicy={"baseline": "Hold"}),
    "two endpoints": endpoints(2),
    "as many endpoints as there may be": endpoints(16),
    "a url beside a service": {"endpoints": [*at(URL)["endpoints"], *service_beside("b")]},
    "changes ignored": also(changeNotifications="Ignore"),
    "changes listened to": also(changeNotifications="Listen"),
    "the least confirmations": also(driftPolicy={"confirmations": 1}),
    "the most confirmations": also(driftPolicy={"confirmations": 10}),
    "the shortest settle time": settle("1m"),
    "the longest settle time": settle("8760h"),
    "the least history": also(historyLimit=1),
    "the most history": also(historyLimit=50),
}

UNITS = "whole numbers with the units h, m, s or ms"
PROXARS = "Proxar sets this header itself: remove it"

REFUSED: dict[str, tuple[Spec, str, str]] = {
    # endpoints
    "no endpoints": ({}, "spec.endpoints", "Required value"),
    "zero endpoints": ({"endpoints": []}, "spec.endpoints", "at least 1 items"),
    "seventeen endpoints": (
        endpoints(17),
        "spec.endpoints",
        "must have at most 16 items",
    ),
    "two endpoints of one name": (
        {"endpoints": [{"name": "a", "url": url} for url in (URL, f"{URL}/2")]},
        "spec.endpoints[1]",
        "Duplicate value",
    ),
    "an endpoint without a name": (
        {"endpoints": [{"url": URL}]},
        "spec.endpoints[0].name",
        "Required value",
    ),
    "an endpoint's name in capitals": (
        {"endpoints": [{"name": "Primary", "url": URL}]},
        "spec.endpoints[0].name",
        "must be lower-case letters, digits and dashes",
    ),
    "neither url nor serviceRef": (
        {"endpoints": [{"name": "a"}]},
        "spec.endpoints[0]",
        "set exactly one of url (a server outside the cluster), urlSecretRef",
    ),
    "both url and serviceRef": (
        {"endpoints": [{"name": "a", "url": URL, "serviceRef": {"name": "x"}}]},
        "spec.endpoints[0]",
        "set exactly one of url (a server outside the cluster), urlSecretRef",
    ),
    "both url and urlSecretRef": (
        {"endpoints": [{"name": "a", "url": URL, "urlSecretRef": KEY_REF}]},
        "spec.endpoints[0]",
        "and serviceRef (a Service of this namespace)",
    ),
    "a secret url without key": (
        {"endpoints": [{"name": "a", "urlSecretRef": {"name": "x"}}]},
        "spec.endpoints[0].urlSecretRef.key",
        "Required value",
    ),
    "a Secret of another namespace": (
        {"endpoints": [{"name": "a", "urlSecretRef": {"name": "other/x", "key": "url"}}]},
        "spec.endpoints[0].urlSecretRef.name",
        "a Secret of this namespace",
    ),
    "a key that no Secret can have": (
        {"endpoints": [{"name": "a", "urlSecretRef": {"name": "x", "key": "a b"}}]},
        "spec.endpoints[0].urlSecretRef.key",
        "must be a key of the Secret",
    ),
    # url
    "an empty url": (at(""), "spec.endpoints[0].url", "at least 1 chars long"),
    "a url without a scheme": (
        at("mcp.example.com/mcp"),
        "spec.endpoints[0].url",
        "absolute http or https URL",
    ),
    "another scheme": (at("ftp://mcp.example.com/"), "spec.endpoints[0].url", "absolute http or"),
    "a url without a host": (at("https:///mcp"), "spec.endpoints[0].url", "with a host"),
    "a user in the url": (
        at("https://me@mcp.example.com/mcp"),
        "spec.endpoints[0].url",
        "remove the part before @",
    ),
    "a password in the url": (
        at("https://me:secret@mcp.example.com/mcp"),
        "spec.endpoints[0].url",
        "remove the part before @",
    ),
    "a fragment": (at(f"{URL}#tools"), "spec.endpoints[0].url", "remove # and what follows"),
    "a space in the url": (at(f"{URL} x"), "spec.endpoints[0].url", "percent-encode the rest"),
    "a letter beyond ASCII in the url": (
        at(f"{URL}/é"),
        "spec.endpoints[0].url",
        "percent-encode the rest",
    ),
    "a url that is too long": (
        at(f"https://mcp.example.com/{'x' * 2025}"),
        "spec.endpoints[0].url",
        "may not be more than 2048",
    ),
    # serviceRef
    "a Service of another namespace": (
        service(name="weather.other"),
        "spec.endpoints[0].serviceRef.name",
        "a Service of this namespace",
    ),
    "port zero": (service(port=0), "spec.endpoints[0].serviceRef.port", "to 1"),
    "a port that is too high": (service(port=65536), "spec.endpoints[0].serviceRef.port", "65535"),
    "a port by name": (service(port="http"), "spec.endpoints[0].serviceRef.port", "integer"),
    "a relative path": (service(path="mcp"), "spec.endpoints[0].serviceRef.path", "begin with /"),
    "a query in the path": (
        service(path="/mcp?a"),
        "spec.endpoints[0].serviceRef.path",
        "no query, fragment or space",
    ),
    "a scheme in lower case": (
        service(scheme="https"),
        "spec.endpoints[0].serviceRef.scheme",
        '"HTTP", "HTTPS"',
    ),
    # times
    "an interval in days": (also(interval="7d"), "spec.interval", f"{UNITS}, as in 90s or 1h30m"),
    "an interval without unit": (also(interval="60"), "spec.interval", UNITS),
    "an interval as a number": (also(interval=60), "spec.interval", "must be of type string"),
    "a fraction": (also(interval="1.5h"), "spec.interval", UNITS),
    "a negative interval": (also(interval="-5s"), "spec.interval", UNITS),
    "an interval that is too short": (also(interval="4999ms"), "spec.interval", "5s and 24h"),
    "an interval that is too long": (also(interval="24h1ms"), "spec.interval", "5s and 24h"),
    "a timeout in days": (also(timeout="1d"), "spec.timeout", UNITS),
    "a timeout that is too short": (also(timeout="999ms"), "spec.timeout", "1s and 5m"),
    "a timeout that is too long": (
        also(interval="1h", timeout="301s"),
        "spec.timeout",
        "1s and 5m",
    ),
    "a timeout as long as the interval": (
        also(interval="30s", timeout="30s"),
        "spec.timeout",
        "timeout must be shorter than interval",
    ),
    "a timeout as long as the default interval": (
        also(timeout="1m"),
        "spec.timeout",
        "shorter than interval (60s when unset)",
    ),
    # headers
    "a header without value": (
        also(headers=[{"name": "X"}]),
        "spec.headers[0]",
        "set exactly one of value (in clear) and secretKeyRef",
    ),
    "a header with two values": (
        secret_header(value="x"),
        "spec.headers[0]",
        "set exactly one of value (in clear) and secretKeyRef",
    ),
    "a secret header that Proxar sets": (
        secret_header("Mcp-Session-Id"),
        "spec.headers[0].name",
        PROXARS,
    ),
    "an empty header": (header("X", ""), "spec.headers[0].value", "at least 1 chars long"),
    "a header twice": (
        also(headers=[{"name": "X-A", "value": "1"}] * 2),
        "spec.headers[1]",
        "Duplicate value",
    ),
    "a header twice but for case": (
        also(headers=[{"name": "X-A", "value": "1"}, {"name": "x-a", "value": "1"}]),
        "spec.headers",
        "keep one of those that differ only in case",
    ),
    "a colon in a header's name": (header("X-A:"), "spec.headers[0].name", "without a colon"),
    "a line break in a header": (
        header("X-A", "1\r\nX-B: 2"),
        "spec.headers[0].value",
        "printable ASCII on one line",
    ),
    "a space around a header": (header("X-A", " 1"), "spec.headers[0].value", "spaces at its ends"),
    "Host": (header("Host"), "spec.headers[0].name", PROXARS),
    "the session of MCP": (header("Mcp-Session-Id"), "spec.headers[0].name", PROXARS),
    "an argument of MCP": (header("MCP-Param-City"), "spec.headers[0].name", PROXARS),
    "too many headers": (
        also(headers=[{"name": f"X-{n}", "value": "1"} for n in range(17)]),
        "spec.headers",
        "must have at most 16 items",
    ),
    # auth
    "no kind of auth": (also(auth={}), "spec.auth", "set exactly one of bearerTokenSecretRef"),
    "two kinds of auth": (
        also(auth=BEARER | oauth()["auth"]),
        "spec.auth",
        "set exactly one of bearerTokenSecretRef",
    ),
    "a token in clear": (
        also(auth={"bearerToken": "x"}),
        "spec.auth.bearerToken",
        "unknown field",
    ),
    "auth over plain http": (
        at("http://mcp.example.com/mcp") | {"auth": BEARER},
        "spec.auth",
        "never sent in clear: give every endpoint an https url",
    ),
    "auth over upper-case plain http": (
        at("HTTP://mcp.example.com/mcp") | {"auth": BEARER},
        "spec.auth",
        "never sent in clear",
    ),
    "auth for a Service without TLS": (
        service() | {"auth": BEARER},
        "spec.auth",
        "or a serviceRef with scheme HTTPS",
    ),
    "auth for a Service with HTTP": (
        service(scheme="HTTP") | {"auth": BEARER},
        "spec.auth",
        "or a serviceRef with scheme HTTPS",
    ),
    "auth beside its header": (
        secret_header("authorization") | {"auth": BEARER},
        "spec.headers",
        "auth sets the header Authorization: remove it here",
    ),
    "a token endpoint without TLS": (
        oauth(tokenURL="http://login.example.com/token"),
        "spec.auth.oauth2ClientCredentials.tokenURL",
        "absolute https URL",
    ),
    "a token endpoint with a password": (
        oauth(tokenURL="https://a:b@login.example.com/token"),
        "spec.auth.oauth2ClientCredentials.tokenURL",
        "remove the part before @",
    ),
    "a token endpoint with a fragment": (
        oauth(tokenURL=f"{TOKEN_URL}#x"),
        "spec.auth.oauth2ClientCredentials.tokenURL",
        "remove # and what follows",
    ),
    "client credentials without client": (
        oauth(clientID=None),
        "spec.auth.oauth2ClientCredentials.clientID",
        "Required value",
    ),
    "client credentials without secret": (
        oauth(clientSecretRef=None),
        "spec.auth.oauth2ClientCredentials",
        "set clientSecretRef, and no privateKeySecretRef",
    ),
    "a secret and a key": (
        oauth(privateKeySecretRef=KEY_REF),
        "spec.auth.oauth2ClientCredentials",
        "to sign instead, set authMethod to PrivateKeyJWT",
    ),
    "another method": (
        oauth(authMethod="client_secret_basic"),
        "spec.auth.oauth2ClientCredentials.authMethod",
        '"ClientSecretBasic", "ClientSecretPost", "PrivateKeyJWT"',
    ),
    "a signature without key": (
        signing(privateKeySecretRef=None),
        "spec.auth.oauth2ClientCredentials",
        "authMethod PrivateKeyJWT signs: set privateKeySecretRef",
    ),
    "a signature and a secret": (
        signing(clientSecretRef=KEY_REF),
        "spec.auth.oauth2ClientCredentials",
        "set privateKeySecretRef, and no clientSecretRef",
    ),
    "the name of a key without signature": (
        oauth(keyID="x"),
        "spec.auth.oauth2ClientCredentials",
        "belong to authMethod PrivateKeyJWT: remove them",
    ),
    "two scopes in one": (
        oauth(scopes=["a b"]),
        "spec.auth.oauth2ClientCredentials.scopes[0]",
        "write further ones as further items",
    ),
    "a backslash in a scope": (
        oauth(scopes=["a\\b"]),
        "spec.auth.oauth2ClientCredentials.scopes[0]",
        "without spaces, quotes or backslashes",
    ),
    "a relative resource": (
        oauth(resource="/mcp"),
        "spec.auth.oauth2ClientCredentials.resource",
        "must be an absolute URI",
    ),
    # tls
    "TLS over plain http": (
        at("http://mcp.example.com/mcp") | {"tls": {"serverName": "x"}},
        "spec.tls",
        "tls has no effect on plain http",
    ),
    "TLS for a Service without TLS": (
        service() | {"tls": {"serverName": "x"}},
        "spec.tls",
        "or a serviceRef with scheme HTTPS",
    ),
    "an authority in clear": (tls(caBundle="x"), "spec.tls.caBundle", "unknown field"),
    "an authority of another kind": (
        tls(caBundleRef={"kind": "Pod", "name": "ca", "key": "ca.crt"}),
        "spec.tls.caBundleRef.kind",
        '"ConfigMap", "Secret"',
    ),
    "an authority without kind": (
        tls(caBundleRef={"name": "ca", "key": "ca.crt"}),
        "spec.tls.caBundleRef.kind",
        "Required value",
    ),
    "a client certificate of another namespace": (
        tls(clientCertificateSecretRef={"name": "a/b"}),
        "spec.tls.clientCertificateSecretRef.name",
        "a Secret of this namespace",
    ),
    "a server name with a port": (
        tls(serverName="mcp.example.com:443"),
        "spec.tls.serverName",
        "without scheme, port or path",
    ),
    # pin
    "a pin in capitals": (also(pinnedHash=HASH.upper()), "spec.pinnedHash", "64 lower-case hex"),
    "a pin without its prefix": (
        also(pinnedHash=HASH.removeprefix("sha256:")),
        "spec.pinnedHash",
        "copied from status.snapshot.hash or printed by `proxar pin`",
    ),
    "a pin cut short": (also(pinnedHash=HASH[:-1]), "spec.pinnedHash", "64 lower-case hex digits"),
    "a pin too long": (also(pinnedHash=f"{HASH}0"), "spec.pinnedHash", "64 lower-case hex digits"),
    "an empty pin": (also(pinnedHash=""), "spec.pinnedHash", "at least 1 chars long"),
    # the rest
    "no confirmations": (
        also(driftPolicy={"confirmations": 0}),
        "spec.driftPolicy.confirmations",
        "greater than or equal to 1",
    ),
    "too many confirmations": (
        also(driftPolicy={"confirmations": 11}),
        "spec.driftPolicy.confirmations",
        "less than or equal to 10",
    ),
    "another way with changes": (
        also(changeNotifications="Poll"),
        "spec.changeNotifications",
        'supported values: "Ignore", "Listen"',
    ),
    "another baseline": (
        also(driftPolicy={"baseline": "Never"}),
        "spec.driftPolicy.baseline",
        '"Settle", "Hold"',
    ),
    "settling in days": (
        settle("7d"),
        "spec.driftPolicy.settleAfter",
        f"{UNITS}, as in 30m or 168h",
    ),
    "a rule made compatible": (
        overruled(verdict="Compatible"),
        "spec.driftPolicy.rules[0].verdict",
        '"Breaking", "Advisory", "Ignored"',
    ),
    "a rule overruled without a reason": (
        overruled(reason=""),
        "spec.driftPolicy.rules[0].reason",
        "at least 1 chars long",
    ),
    "settling too soon": (settle("59s"), "spec.driftPolicy.settleAfter", "1m and 8760h"),
    "settling too late": (settle("8761h"), "spec.driftPolicy.settleAfter", "1m and 8760h"),
    "no history": (also(historyLimit=0), "spec.historyLimit", "greater than or equal to 1"),
    "too much history": (also(historyLimit=51), "spec.historyLimit", "less than or equal to 50"),
    "an unknown field": (also(pinedHash=HASH), "spec.pinedHash", "unknown field"),
    "a field of a later release": (
        also(service={"name": "issues-mcp"}),
        "spec.service",
        "unknown field",
    ),
}


def create(cluster: Cluster, spec: Spec, name: str = "weather") -> tuple[int, str, Spec]:
    """Try to create an object, without trace: exit code, what kubectl says, the object."""
    answer = cluster.kubectl(
        "create",
        "--dry-run=server",
        "--filename=-",
        "--output=json",
        input=json.dumps(
            {
                "apiVersion": "proxar.dev/v1alpha1",
                "kind": "MCPServer",
                "metadata": {"name": name, "namespace": "default"},
                "spec": spec,
            }
        ),
        check=False,
    )
    return answer.returncode, answer.stderr, json.loads(answer.stdout or "{}")


@pytest.mark.parametrize("case", ACCEPTED)
def test_accepted(cluster: Cluster, case: str) -> None:
    """It goes in as it stands."""
    code, said, created = create(cluster, ACCEPTED[case])

    assert (code, said) == (0, "")
    # what defaults added aside, nothing was changed or dropped
    for name, value in ACCEPTED[case].items():
        assert value == created["spec"][name] or value.items() <= created["spec"][name].items()


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_a_message_that_helps(cluster: Cluster, case: str) -> None:
    """It stays out, and the one who wrote it is told which field and what to write."""
    spec, field, message = REFUSED[case]

    code, said, _ = create(cluster, spec)

    assert code == 1, said
    assert field in said
    assert message in said
    assert "failed rule" not in said, "a rule without a message"
    assert "rule evaluation error" not in said, "a rule that fails on what another rule refuses"


@pytest.mark.parametrize("name", ["a" * 53, "weather.europe"])
def test_a_name_that_cannot_prefix_others_is_refused(cluster: Cluster, name: str) -> None:
    """53 characters or a dot would make names of ConfigMaps impossible."""
    code, said, _ = create(cluster, at(URL), name)

    assert code == 1
    assert "metadata.name must have at most 52 characters and no dots" in said


def test_the_longest_name_is_accepted(cluster: Cluster) -> None:
    """52 characters are within the bounds."""
    assert create(cluster, at(URL), "a" * 52)[0] == 0


def test_defaults_appear_in_the_object(cluster: Cluster) -> None:
    """`kubectl get -o yaml` shows what holds; inside an endpoint nothing is added."""
    created = create(cluster, service())[2]

    assert created["spec"] == service() | {
        "changeNotifications": "Ignore",
        "driftPolicy": {"baseline": "Settle", "confirmations": 1, "settleAfter": "168h"},
        "historyLimit": 10,
        "interval": "60s",
        "transport": "Auto",
    }
    assert created["status"] == {"observedGeneration": -1}


def test_kubectl_explains_every_level(cluster: Cluster) -> None:
    """The short name works and the descriptions are there."""
    for field in ("", ".spec.interval", ".spec.endpoints.serviceRef.port", ".status.drift.changes"):
        said = cluster.kubectl("explain", f"pmcp{field}").stdout

        assert "DESCRIPTION:" in said
        assert "<empty>" not in said


def test_columns(cluster: Cluster, namespace: str) -> None:
    """The columns of `kubectl get pmcp`, and of -o wide, and what is in them."""
    cluster.apply(
        json.dumps(
            {
                "apiVersion": "proxar.dev/v1alpha1",
                "kind": "MCPServer",
                "metadata": {"name": "weather", "namespace": namespace},
                "spec": also(pinnedHash=HASH),
            }
        )
    )
    conditions = [
        {
            "type": type_,
            "status": status,
            "reason": "Reason",
            "message": f"{type_} says",
            "lastTransitionTime": "2026-01-02T03:04:05Z",
        }
        for type_, status in (("Ready", "True"), ("Reachable", "False"))
    ]
    status = {
        "conditions": conditions,
        "snapshot": {"hash": "sha256:now", "toolCount": 7, "firstSeenTime": "2026-01-02T03:04:05Z"},
        "drift": {"verdict": "Breaking"},
    }
    cluster.kubectl(
        *("patch", "pmcp", "weather", f"--namespace={namespace}", "--subresource=status"),
        *("--type=merge", f"--patch={json.dumps({'status': status})}"),
    )

    table = cluster.kubectl("get", "pmcp", f"--namespace={namespace}").stdout.splitlines()
    wide = cluster.kubectl("get", "proxar", "-o", "wide", f"--namespace={namespace}").stdout

    assert table[0].split() == ["NAME", "READY", "REACHABLE", "TOOLS", "DRIFT", "AGE"]
    assert table[1].split()[:5] == ["weather", "True", "False", "7", "Breaking"]
    assert wide.splitlines()[0].endswith(" MESSAGE")
    assert "HASH" in wide
    assert "LAST CHANGE" in wide
    assert "sha256:now" in wide
    assert HASH in wide
    assert "Ready says" in wide


def largest(field: Schema) -> Any:
    """Return a value that fills every bound of a schema."""
    match field["type"]:
        case "object":
            return {name: largest(child) for name, child in field["properties"].items()}
        case "array":
            keys = field.get("x-kubernetes-list-map-keys", ())
            return [
                largest(field["items"]) | {key: f"K{chr(65 + number)}" for key in keys}
                for number in range(field["maxItems"])
            ]
        case "integer":
            return 2**31 - 1
    if "enum" in field:
        return field["enum"][-1]
    return "2026-01-02T03:04:05Z" if "format" in field else "A" * field["maxLength"]


def test_the_largest_status_is_taken_and_read_back(cluster: Cluster, namespace: str) -> None:
    """Every text at its longest and every list full, by server-side apply: far from any limit."""
    server = {
        "apiVersion": "proxar.dev/v1alpha1",
        "kind": "MCPServer",
        "metadata": {"name": "weather", "namespace": namespace},
    }
    status = largest(schema()["properties"]["status"])
    cluster.apply(json.dumps(server | {"spec": at(URL)}))

    cluster.kubectl(
        *("apply", "--server-side", "--subresource=status", "--field-manager=proxar"),
        "--filename=-",
        input=json.dumps(server | {"status": status}),
    )

    stored = cluster.kubectl(
        "get", "pmcp", "weather", f"--namespace={namespace}", "--output=json"
    ).stdout
    assert parse_mcpserver(json.loads(stored)).status.to_json() == status
    assert len(stored) < 400_000


def test_objects_can_be_selected_by_their_pin(cluster: Cluster, namespace: str) -> None:
    """`--field-selector` finds who has a hash pinned."""
    for name, spec in (("pinned", also(pinnedHash=HASH)), ("free", at(URL))):
        cluster.apply(
            json.dumps(
                {
                    "apiVersion": "proxar.dev/v1alpha1",
                    "kind": "MCPServer",
                    "metadata": {"name": name, "namespace": namespace},
                    "spec": spec,
                }
            )
        )

    found = cluster.kubectl(
        *("get", "pmcp", "-o", "name", f"--namespace={namespace}"),
        f"--field-selector=spec.pinnedHash={HASH}",
    )

    assert found.stdout.split() == ["mcpserver.proxar.dev/pinned"]


@pytest.mark.parametrize(
    "example", sorted(path.name for path in (ROOT / "examples").glob("mcpserver-*.yaml"))
)
def test_the_examples_work_as_they_stand(cluster: Cluster, example: str) -> None:
    """Each goes in unchanged, strictly validated."""
    cluster.kubectl(
        "apply", "--server-side", "--dry-run=server", f"--filename={ROOT / 'examples' / example}"
    )
