"""Secrets as an operator with the chart's rights reads them: granted, fresh, and never told."""

import json
import secrets
import shlex
from base64 import b64encode
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests.kubernetes.cluster import Cluster
from tests.kubernetes.controlplane import ControlPlane
from tests.support.certificates import Authority
from tests.support.mcpservers import Handle
from tests.support.operatorprocess import OperatorProcess
from tests.support.secureserver import Asked, ProtectedServer
from tests.support.tokenserver import TOKEN_FAULTS, TokenServer, refusal
from tests.support.toolserver import Answer, html, status, tool

OPERATOR = "system:serviceaccount:proxar-system:proxar"
TOOLS = [tool("search_issues", ("query",), query="string")]
KEY = {"name": "creds", "key": "token"}
BEARER = {"bearerTokenSecretRef": KEY}
CA = {"caBundleRef": {"kind": "ConfigMap", "name": "ca", "key": "ca.crt"}}


@pytest.fixture(scope="module")
def authority() -> Authority:
    """Trusted by those who name its ConfigMap."""
    return Authority("Company")


@pytest.fixture
def protected(authority: Authority) -> Iterator[ProtectedServer]:
    """Lets in whoever says `first`."""
    with ProtectedServer(authority.serve("127.0.0.1"), tools=TOOLS) as protected:
        protected.admits = bearer("first")
        yield protected


@pytest.fixture
def own(server: Handle, authority: Authority) -> Handle:
    """The test's MCPServer, in a namespace with the authority."""
    server.kubectl("create", "configmap", "ca", f"--from-literal=ca.crt={authority.pem}")
    return server


@pytest.fixture
def granted(own: Handle) -> Handle:
    """The same, where the operator may read Secrets."""
    own.kubectl(
        *("create", "rolebinding", "proxar-secret-reader"),
        *("--clusterrole=proxar-secret-reader", "--serviceaccount=proxar-system:proxar"),
    )
    return own


def bearer(token: str) -> Any:
    """Whether a request carries this token."""

    def admits(asked: Asked) -> bool:
        return asked.headers.get("authorization") == f"Bearer {token}"

    return admits


def secret(server: Handle, name: str = "creds", hosts: str | None = None, **values: str) -> None:
    """Store a Secret, over what is there."""
    annotations = {} if hosts is None else {"proxar.dev/allowed-hosts": hosts}
    item = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": server.namespace, "annotations": annotations},
        "stringData": {key.replace("_", "."): value for key, value in values.items()},
    }
    server.cluster.apply(json.dumps(item))


def url_of(server: ProtectedServer | TokenServer, path: str = "/mcp") -> str:
    """By address, so that no other one of its name stands in the way."""
    return server.url_of(path, "127.0.0.1")


def message(server: Handle) -> str:
    """What is said about the endpoint."""
    return str(server.status["endpoints"][0]["message"])


def test_no_secret_of_any_namespace_can_be_read(cluster: Cluster, namespace: str) -> None:
    """Until a namespace grants it, and then one by name only."""

    def may(verb: str, *scope: str) -> str:
        asked = ("auth", "can-i", verb, "secrets", f"--as={OPERATOR}", *scope)
        return cluster.kubectl(*asked, check=False).stdout.strip()

    assert {may(verb, "-A") for verb in ("get", "list", "watch", "create", "update")} == {"no"}
    cluster.kubectl(
        *("create", "rolebinding", "proxar-secret-reader", "-n", namespace),
        *("--clusterrole=proxar-secret-reader", "--serviceaccount=proxar-system:proxar"),
    )
    answers = {verb: may(verb, "-n", namespace) for verb in ("get", "list", "watch", "update")}
    assert answers == {"get": "yes", "list": "no", "watch": "no", "update": "no"}
    assert may("get", "-A") == "no"


def test_the_printed_command_grants_the_right(
    operator: OperatorProcess, own: Handle, protected: ProtectedServer
) -> None:
    """As it stands: typed into a shell by whoever reads the condition."""
    secret(own, token="first")
    own.apply(url_of(protected), auth=BEARER, tls=CA)
    own.until(lambda: own.condition("Ready") == ("False", "SecretForbidden"), "it is forbidden")
    assert own.condition("Stalled") == ("True", "SecretForbidden")
    assert f"Secret {own.namespace}/creds" in message(own)

    command = shlex.split(message(own).partition("run: ")[2])
    assert command[0] == "kubectl"
    own.cluster.kubectl(*command[1:])
    own.look()

    assert own.condition("Reachable") == ("True", "Fetched")
    assert own.condition("Ready") == ("True", "Tracking")
    assert own.condition("Stalled") == ("", "")


def test_a_rotated_secret_counts_from_the_next_look_on(
    operator: OperatorProcess, granted: Handle, protected: ProtectedServer
) -> None:
    """It is no other target: baseline and era stay."""
    secret(granted, token="first\n")
    granted.apply(url_of(protected), auth=BEARER, tls=CA)
    before = granted.until_observed()
    protected.admits = bearer("second")
    granted.look()
    assert granted.condition("Reachable") == ("False", "Unauthorized")
    assert granted.condition("Ready") == ("False", "Unauthorized")

    secret(granted, token="second")
    after = granted.look()

    assert granted.condition("Reachable") == ("True", "Fetched")
    assert after["baseline"] == before["baseline"]
    assert granted.event_reasons() == ["BaselineEstablished", "Unreachable", "Recovered"]
    methods = [json.loads(asked.body)["method"] for asked in protected.asked]
    assert methods.count("server/discover") == 1


def test_another_reference_is_another_target(
    operator: OperatorProcess, granted: Handle, protected: ProtectedServer
) -> None:
    """It may lead to another account, which sees other tools."""
    secret(granted, token="first", other="first")
    granted.apply(url_of(protected), auth=BEARER, tls=CA)
    granted.until_observed()

    granted.apply(url_of(protected), auth={"bearerTokenSecretRef": KEY | {"key": "other"}}, tls=CA)
    granted.until(lambda: "TargetChanged" in granted.event_reasons(), "a new baseline begins")


def test_what_is_missing_is_told_and_mended(
    operator: OperatorProcess, granted: Handle, protected: ProtectedServer
) -> None:
    """First the Secret, then the key in it."""
    granted.apply(url_of(protected), auth=BEARER, tls=CA)
    granted.until(lambda: granted.condition("Ready") == ("False", "SecretNotFound"), "it misses")
    assert "creds does not exist" in message(granted)

    secret(granted, other="x")
    granted.look()
    assert granted.condition("Ready") == ("False", "SecretNotFound")
    assert "creds has no key token" in message(granted)
    secret(granted, token="first")
    granted.look()

    assert granted.condition("Ready") == ("True", "Tracking")


def test_a_secret_is_sent_to_its_hosts_only(
    operator: OperatorProcess, granted: Handle, protected: ProtectedServer
) -> None:
    """The one who may create MCPServers does not choose them."""
    secret(granted, hosts="mcp.example.com", token="first")
    granted.apply(url_of(protected), auth=BEARER, tls=CA)
    granted.until(lambda: granted.condition("Ready") == ("False", "EgressDenied"), "it is refused")
    assert "creds may not be used for 127.0.0.1" in message(granted)
    assert protected.asked == []

    secret(granted, hosts="mcp.example.com, 127.0.0.1", token="first")
    granted.look()

    assert granted.condition("Reachable") == ("True", "Fetched")


def test_a_secret_url_a_client_certificate_and_a_name(
    operator: OperatorProcess, granted: Handle, authority: Authority
) -> None:
    """All of it at once, with the authority in a Secret."""
    chain, key = authority.issue("proxar")
    context = authority.serve("mcp.example.com", client_certificates=True)
    with ProtectedServer(context, tools=TOOLS) as protected:
        secret(granted, "mcp", url=url_of(protected, "/s/hidden"), ca=authority.pem)
        secret(granted, "client", tls_crt=chain, tls_key=key)
        granted.apply(
            "",
            endpoints=[{"name": "primary", "urlSecretRef": {"name": "mcp", "key": "url"}}],
            tls={
                "caBundleRef": {"kind": "Secret", "name": "mcp", "key": "ca"},
                "clientCertificateSecretRef": {"name": "client"},
                "serverName": "mcp.example.com",
            },
        )
        granted.until_observed()

        assert {(asked.certificate, asked.server_name) for asked in protected.asked} == {
            ("proxar", "mcp.example.com")
        }
        assert "hidden" not in f"{granted.get()}{granted.events()}{operator.log.read_text()}"


def test_client_credentials(
    operator: OperatorProcess, granted: Handle, protected: ProtectedServer, authority: Authority
) -> None:
    """One token for many looks, another one once it is refused."""
    with TokenServer(authority.serve("127.0.0.1")) as issuer:
        protected.admits = lambda asked: (
            asked.headers["authorization"] == f"Bearer {issuer.given[-1]}"
        )
        secret(granted, token=issuer.secret)
        oauth = {
            "tokenURL": url_of(issuer, "/oauth2/token"),
            "clientID": issuer.client_id,
            "clientSecretRef": KEY,
            "scopes": ["tools:list"],
        }
        granted.apply(url_of(protected), auth={"oauth2ClientCredentials": oauth}, tls=CA)
        granted.until_observed()
        granted.look()
        assert issuer.given == ["token-1"]

        issuer.given.append("token-2")
        granted.look()

        assert granted.condition("Reachable") == ("True", "Fetched")
        assert issuer.given == ["token-1", "token-2", "token-3"]
        assert {form["scope"] for form in issuer.forms} == {"tools:list"}
        issuer.secret = "another"
        issuer.given.append("token-4")
        granted.look()
        assert granted.condition("Reachable") == ("False", "TokenFailed")
        assert "invalid_client" in message(granted)


CANARY = f"canary-{secrets.token_hex(8)}"


def repeating(answer: Answer) -> Answer:
    """The answer of a server that repeats the secret in its body."""
    return Answer(answer.body + CANARY.encode(), answer.status, answer.content_type)


SERVER_FAULTS = {
    "Unauthorized": status(401),
    "Forbidden": status(403),
    "ServerError": status(500),
    "NotMCP": html(),
    "MalformedResponse": Answer(b'{"jsonrpc": "2.0", '),
    "RPCError": Answer(
        json.dumps(
            {"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": CANARY}}
        ).encode()
    ),
}


def test_no_fault_tells_a_secret(
    operator: OperatorProcess, granted: Handle, protected: ProtectedServer, authority: Authority
) -> None:
    """Whatever goes wrong, with every kind of credential at once: not in status, Events, metrics or
    the log, neither as it stands nor encoded as it is sent."""
    chain, key = authority.issue("proxar")
    secret(granted, token=CANARY, broken=f"{CANARY}\n{CANARY}", key=key)
    secret(granted, "client", tls_crt=chain, tls_key=key)
    secret(granted, "bad", tls_crt=CANARY, tls_key=CANARY)
    told: list[str] = []

    def look(reason: str, **spec: Any) -> None:
        before = granted.get()["metadata"]["generation"]
        granted.apply(url_of(protected), **{"tls": CA, "auth": BEARER, **spec})
        if granted.get()["metadata"]["generation"] == before:
            granted.look()
        granted.until(lambda: granted.condition("Reachable")[1] == reason, reason)
        told.append(f"{granted.status}{granted.events()}{operator.get('/metrics')}")

    granted.apply(url_of(protected), suspend=True)
    protected.admits = lambda _: False
    for reason, answer in SERVER_FAULTS.items():
        protected.refusal = answer if reason == "RPCError" else repeating(answer)
        protected.headers = {"WWW-Authenticate": f'Bearer error="{CANARY}"'}
        look(reason, headers=[{"name": "X-Case", "value": reason}], suspend=False)
    look(
        "SecretNotFound",
        auth={"bearerTokenSecretRef": KEY | {"key": "broken"}},
    )
    look("TLSFailed", tls=CA | {"clientCertificateSecretRef": {"name": "bad"}})
    with ExitStack() as stack:
        issuer = stack.enter_context(TokenServer(authority.serve("127.0.0.1"), secret=CANARY))
        issuer.prefix = f"{CANARY}."
        oauth = {"tokenURL": url_of(issuer, f"/{CANARY}"), "clientID": "proxar"}
        faults = [answer for answer, _ in TOKEN_FAULTS.values()]
        faults.append(refusal(CANARY, error_description=CANARY, error_uri=CANARY))
        for number, answer in enumerate(faults):
            issuer.answers = [answer]
            issuer.further = {"Location": f"https://{CANARY}.example/"}
            scopes = [f"case-{number}"]
            granted.apply(
                url_of(protected),
                tls=CA,
                auth={
                    "oauth2ClientCredentials": oauth | {"clientSecretRef": KEY, "scopes": scopes}
                },
            )
            if number == 0:
                granted.until(lambda: granted.condition("Reachable")[1] == "TokenFailed", "failed")
            granted.until(lambda: not issuer.answers, "the token was asked for")
        granted.until(lambda: granted.condition("Reachable")[1] == "TokenFailed", "the last one")
        told.append(f"{granted.status}{granted.events()}{operator.get('/metrics')}")
        # and a token that is given, kept, and refused by the server
        look(
            "RPCError",
            auth={"oauth2ClientCredentials": oauth | {"clientSecretRef": KEY, "scopes": ["end"]}},
        )
        assert issuer.given

    assert [line for line in told if CANARY in line] == []
    assert CANARY not in operator.log.read_text()
    encoded = [b64encode(text.encode()).decode() for text in (CANARY, f"proxar:{CANARY}")]
    everything = "".join(told) + operator.log.read_text()
    assert [form for form in encoded if form in everything] == []


def test_secrets_are_read_by_name_and_one_look_reads_each_once(
    operator: OperatorProcess, granted: Handle, protected: ProtectedServer
) -> None:
    """The API server's audit log is the witness: no list, no watch, nothing kept between looks."""
    secret(granted, token="first", key="second")
    headers = [{"name": "X-API-Key", "secretKeyRef": KEY | {"key": "key"}}]
    granted.apply(url_of(protected), auth=BEARER, tls=CA, headers=headers)
    granted.until_observed()
    before = reads(granted)
    granted.look()

    assert set(before) == {("get", "creds")}
    assert len(reads(granted)) == len(before) + 1


def reads(server: Handle) -> list[tuple[str, str]]:
    """Verb and name of each request of the operator for Secrets of the namespace."""
    assert isinstance(server.cluster, ControlPlane)
    return [
        (event["verb"], event["objectRef"].get("name", ""))
        for event in server.cluster.audit_events()
        if event["user"]["username"] == OPERATOR
        and event.get("objectRef", {}).get("resource") == "secrets"
        and event["objectRef"].get("namespace") == server.namespace
    ]
