"""What is read from Secrets, for whom, and what their faults say: never a value."""

import base64
import re
import shlex

import pytest

from proxar.errors import FetchError, KubernetesError
from proxar.kube.client import path_of
from proxar.kube.secrets import SecretReader, allows
from tests.support.fakecluster import FakeCluster

CANARY = "canary-4711"


def stored(cluster: FakeCluster, hosts: str | None = None, /, **values: bytes) -> None:
    """Store a Secret of the namespace `team`."""
    annotations = {} if hosts is None else {"proxar.dev/allowed-hosts": hosts}
    cluster.put(
        path_of("v1", "secrets", "team", "creds"),
        {
            "metadata": {"name": "creds", "annotations": annotations},
            "data": {
                key.replace("_", "."): base64.b64encode(value).decode()
                for key, value in values.items()
            },
        },
    )


@pytest.fixture
def cluster() -> FakeCluster:
    """Holds nothing yet."""
    return FakeCluster()


@pytest.fixture
def reader(cluster: FakeCluster) -> SecretReader:
    """Reads in the namespace `team`."""
    return SecretReader(cluster, "team")


async def refusal(reader: SecretReader, *, hosts: tuple[str, ...] = ()) -> FetchError:
    with pytest.raises(FetchError) as caught:
        await reader.text("creds", "token", hosts=hosts)
    assert CANARY not in f"{caught.value} {caught.value.__cause__} {caught.value.__context__}"
    return caught.value


@pytest.mark.parametrize("value", [b"t0k3n", b"t0k3n\n", b"t0k3n\r\n"])
async def test_one_line_break_at_the_end_is_not_part_of_a_value(
    cluster: FakeCluster, reader: SecretReader, value: bytes
) -> None:
    stored(cluster, token=value)

    assert await reader.text("creds", "token") == "t0k3n"


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (b"", "is empty"),
        (b"\n", "is empty"),
        (CANARY.encode() + b"\n\n", "on one line"),
        (CANARY.encode() + b"\r\nX: y", "on one line"),
        (b" " + CANARY.encode(), "without spaces at its ends"),
        (CANARY.encode() + b" ", "without spaces at its ends"),
        (f"{CANARY}é".encode(), "printable ASCII"),
        (CANARY.encode() + b"\x00", "printable ASCII"),
        (CANARY.encode() + b"\xff", "is not text"),
        (CANARY.encode() * 2000, "longer than 16 KiB"),
    ],
)
async def test_a_value_that_cannot_be_sent_is_not_repeated(
    cluster: FakeCluster, reader: SecretReader, value: bytes, says: str
) -> None:
    stored(cluster, token=value)

    error = await refusal(reader)

    assert error.reason == "SecretNotFound"
    assert "key token in Secret team/creds" in error.message
    assert says in error.message


async def test_a_missing_secret(reader: SecretReader) -> None:
    error = await refusal(reader)

    assert error.reason == "SecretNotFound"
    assert "Secret team/creds does not exist" in error.message


async def test_a_missing_key(cluster: FakeCluster, reader: SecretReader) -> None:
    """The keys that are there are not told: not everybody who reads this may read the Secret."""
    stored(cluster, other=CANARY.encode())

    error = await refusal(reader)

    assert error.reason == "SecretNotFound"
    assert "Secret team/creds has no key token" in error.message
    assert "other" not in error.message


FORBIDDEN = KubernetesError("Forbidden", "GET: 403 secrets is forbidden", status=403)


@pytest.mark.parametrize(
    ("user", "flag"),
    [
        ("system:serviceaccount:proxar-system:proxar", "--serviceaccount=proxar-system:proxar"),
        ("jane@example.com", "--user=jane@example.com"),
        ("it's $(me)", "--user=it's $(me)"),
    ],
)
async def test_a_forbidden_secret_tells_the_command(
    cluster: FakeCluster, reader: SecretReader, user: str, flag: str
) -> None:
    """Fit for a shell, whatever the operator is called."""
    cluster.refuse("GET", "/secrets/", FORBIDDEN)
    cluster.user = user

    error = await refusal(reader)

    assert error.reason == "SecretForbidden"
    assert "Secret team/creds" in error.message
    command = error.message.partition("run: ")[2]
    assert shlex.split(command) == [
        *("kubectl", "create", "rolebinding", "proxar-secret-reader", "-n", "team"),
        *("--clusterrole=proxar-secret-reader", flag),
    ]


async def test_a_forbidden_secret_is_told_even_if_nobody_says_who_the_operator_is(
    cluster: FakeCluster, reader: SecretReader
) -> None:
    cluster.refuse("GET", "/secrets/", FORBIDDEN)
    cluster.refuse("POST", "selfsubjectreviews", KubernetesError("X", "no", status=500))

    error = await refusal(reader)

    assert error.reason == "SecretForbidden"
    assert "--serviceaccount=NAMESPACE:NAME" in error.message


async def test_could_not_look_is_not_missing(cluster: FakeCluster, reader: SecretReader) -> None:
    cluster.refuse("GET", "/secrets/", KubernetesError("X", "no answer", status=0))

    with pytest.raises(KubernetesError):
        await reader.text("creds", "token")


async def test_a_secret_is_read_once_a_look_and_anew_for_the_next(cluster: FakeCluster) -> None:
    stored(cluster, token=b"old", user=b"me")
    reader = SecretReader(cluster, "team")
    assert (await reader.text("creds", "token"), await reader.text("creds", "user")) == (
        "old",
        "me",
    )
    reads = len(cluster.calls)
    stored(cluster, token=b"new")

    assert await reader.text("creds", "token") == "old"
    assert await SecretReader(cluster, "team").text("creds", "token") == "new"
    assert (reads, len(cluster.calls)) == (1, 2)


async def test_a_secret_is_used_for_the_hosts_that_it_names_only(
    cluster: FakeCluster, reader: SecretReader
) -> None:
    stored(cluster, "mcp.example.com, login.example.com", token=CANARY.encode())
    allowed = ("mcp.example.com", "login.example.com")

    assert await reader.text("creds", "token", hosts=allowed) == CANARY
    error = await refusal(reader, hosts=("mcp.example.com", "evil.example.com"))

    assert error.reason == "EgressDenied"
    assert "Secret team/creds may not be used for evil.example.com" in error.message


async def test_the_annotation_holds_for_certificates_too(
    cluster: FakeCluster, reader: SecretReader
) -> None:
    stored(cluster, "mcp.example.com", tls_key=b"pem")

    with pytest.raises(FetchError) as caught:
        await reader.pem("Secret", "creds", "tls.key", hosts=("evil.example.com",))

    assert caught.value.reason == "EgressDenied"


@pytest.mark.parametrize(
    ("annotation", "host", "allowed"),
    [
        ("mcp.example.com", "mcp.example.com", True),
        ("MCP.example.com.", "mcp.example.com", True),
        ("a.example, mcp.example.com ,b.example", "mcp.example.com", True),
        ("*.example.com", "mcp.example.com", True),
        ("*.example.com", "a.b.example.com", True),
        ("*.example.com", "example.com", False),
        ("*.example.com", "evilexample.com", False),
        ("*.example.com", ".example.com", False),
        ("example.com", "mcp.example.com", False),
        ("mcp.example.com", "mcp.example.com.evil.example", False),
        ("issues.team.svc", "issues.team.svc", True),
        ("[2001:db8::1]", "2001:db8::1", True),
        ("*", "mcp.example.com", False),
        ("*.", "mcp.example.com", False),
        ("", "mcp.example.com", False),
        (" , ", "", False),
    ],
)
def test_which_hosts_an_annotation_allows(annotation: str, host: str, allowed: bool) -> None:
    assert allows(annotation, host) is allowed


async def test_an_authority_may_stand_in_a_config_map(
    cluster: FakeCluster, reader: SecretReader
) -> None:
    """As text or as bytes."""
    cluster.put(
        path_of("v1", "configmaps", "team", "ca"),
        {
            "metadata": {"name": "ca"},
            "data": {"ca.crt": "pem\n"},
            "binaryData": {"raw": base64.b64encode(b"bytes").decode()},
        },
    )

    assert await reader.pem("ConfigMap", "ca", "ca.crt") == "pem\n"
    assert await reader.pem("ConfigMap", "ca", "raw") == "bytes"
    with pytest.raises(FetchError, match=re.escape("ConfigMap team/ca has no key other")):
        await reader.pem("ConfigMap", "ca", "other")
    with pytest.raises(FetchError, match="ConfigMap team/none does not exist"):
        await reader.pem("ConfigMap", "none", "ca.crt")
