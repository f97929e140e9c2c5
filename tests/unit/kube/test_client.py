"""The one connection to the API server, against a real socket."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import yaml
from aiohttp import web
from kubernetes.aio.client import Configuration

from proxar.errors import Conflict, KubernetesError, UsageError
from proxar.kube import mcpservers
from proxar.kube.client import Connection, KubeClient, is_refusal, is_terminating, path_of

SECRET = "token-7f3a"  # what no message may hold


class Server:
    """Answers every request with `answers`, one after the other, and remembers the requests."""

    def __init__(self) -> None:
        self.answers: list[web.Response] = []
        self.requests: list[web.Request] = []
        self.bodies: list[Any] = []
        self.url = ""

    async def handle(self, request: web.Request) -> web.Response:
        """Answer one request."""
        self.requests.append(request)
        text = await request.text()
        self.bodies.append(json.loads(text) if text else None)
        return self.answers.pop(0)


@pytest_asyncio.fixture
async def server() -> AsyncIterator[Server]:
    """A server on a free port."""
    server, application = Server(), web.Application()
    application.router.add_route("*", "/{path:.*}", server.handle)
    runner = web.AppRunner(application)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    server.url = site.name
    port = runner.addresses[0][1]
    server.url = f"http://127.0.0.1:{port}"
    yield server
    await runner.cleanup()


@pytest.fixture
def told() -> list[tuple[str, int]]:
    """What `on_response` was told."""
    return []


@pytest_asyncio.fixture
async def client(server: Server, told: list[tuple[str, int]]) -> AsyncIterator[KubeClient]:
    """A client of it."""
    configuration = Configuration(host=server.url)
    configuration.api_key = {"BearerToken": f"Bearer {SECRET}"}
    connection = Connection(configuration, "default")

    def on_response(method: str, status: int) -> None:
        told.append((method, status))

    async with KubeClient(connection, on_response=on_response) as client:
        yield client


def status_object(code: int, reason: str, message: str) -> web.Response:
    """A refusal as the API server words it."""
    body = {"kind": "Status", "reason": reason, "message": message, "code": code}
    return web.json_response(body, status=code)


async def test_an_answer_is_its_json(client: KubeClient, server: Server, told: Any) -> None:
    """With credentials and our name sent along."""
    server.answers = [web.json_response({"kind": "ConfigMap"})]

    answer = await client.request("GET", "/api/v1/x", query={"limit": "1"})

    assert answer == {"kind": "ConfigMap"}
    assert server.requests[0].path_qs == "/api/v1/x?limit=1"
    assert server.requests[0].headers["Authorization"] == f"Bearer {SECRET}"
    assert server.requests[0].headers["User-Agent"].startswith("proxar/")
    assert told == [("GET", 200)]


async def asked(host: str) -> None:
    """Ask an API server of that name, of which there is none."""
    async with KubeClient(Connection(Configuration(host=host), "default")) as client:
        await client.request("GET", "/api/v1/x")


async def test_a_proxy_of_the_environment_is_used(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As kubectl does; but not for hosts that it leaves out."""
    monkeypatch.setenv("http_proxy", server.url)
    monkeypatch.setenv("no_proxy", "direct.invalid")
    server.answers = [web.json_response({"kind": "ConfigMap"})]

    await asked("http://kubernetes.invalid")
    with pytest.raises(KubernetesError):
        await asked("http://direct.invalid")

    assert [request.host for request in server.requests] == ["kubernetes.invalid"]


async def test_no_credentials_of_the_home_folder_are_sent(
    server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """They are for other programs."""
    netrc = tmp_path / "netrc"
    netrc.write_text("default login somebody password secret\n")
    monkeypatch.setenv("NETRC", str(netrc))
    server.answers = [web.json_response({"kind": "ConfigMap"})]

    await asked(server.url)

    assert "Authorization" not in server.requests[0].headers


async def test_not_found_is_an_answer_to_get(client: KubeClient, server: Server) -> None:
    """`None`; every other refusal is an error of get too."""
    server.answers = [
        status_object(404, "NotFound", "no such thing"),
        status_object(403, "Forbidden", "no"),
    ]

    assert await client.get("/api/v1/x") is None
    with pytest.raises(KubernetesError):
        await client.get("/api/v1/x")


async def test_a_conflict_is_a_conflict(client: KubeClient, server: Server) -> None:
    """An error of its own, since it means to plan again."""
    server.answers = [status_object(409, "AlreadyExists", "it is there")]

    with pytest.raises(Conflict) as caught:
        await client.request("POST", "/api/v1/x", body={})

    assert caught.value.reason == "AlreadyExists"


async def test_a_refusal_keeps_reason_and_message(
    client: KubeClient, server: Server, told: Any
) -> None:
    """As the Status says them, cleaned."""
    server.answers = [status_object(422, "Invalid", "status.tools: Too long\x1b[31m")]

    with pytest.raises(KubernetesError) as caught:
        await client.request("PATCH", "/apis/x", body={"key": SECRET})

    error = caught.value
    assert (error.reason, error.status) == ("Invalid", 422)
    assert error.message == "PATCH /apis/x: 422 status.tools: Too long\\u001b[31m"
    assert SECRET not in str(error)
    assert told == [("PATCH", 422)]


@pytest.mark.parametrize("body", [f"<html>{SECRET}</html>", f'["{SECRET}"]', ""])
async def test_any_other_body_of_a_refusal_is_dropped(
    client: KubeClient, server: Server, body: str
) -> None:
    """A gateway's page may hold anything."""
    server.answers = [web.Response(status=502, text=body, content_type="text/html")]

    with pytest.raises(KubernetesError) as caught:
        await client.request("GET", "/api/v1/x")

    assert (caught.value.reason, caught.value.status) == ("Unknown", 502)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("body", [f"<html>{SECRET}</html>", f'["{SECRET}"]', "", "\udcff"])
async def test_a_success_that_is_no_json_object_is_an_error(
    client: KubeClient, server: Server, body: str
) -> None:
    """A login page in front of the API server answers 200; that is foreseen and no bug."""
    raw = body.encode(errors="surrogateescape")
    server.answers = [web.Response(body=raw, content_type="text/html")]

    with pytest.raises(KubernetesError) as caught:
        await client.request("GET", "/api/v1/x")

    assert caught.value.reason == "MalformedAnswer"
    assert SECRET not in str(caught.value)


async def test_no_answer_is_an_error_without_status(told: Any) -> None:
    """Nobody listens there."""
    connection = Connection(Configuration(host="http://127.0.0.1:1"), "default")
    async with KubeClient(
        connection, on_response=lambda method, status: told.append((method, status))
    ) as client:
        with pytest.raises(KubernetesError) as caught:
            await client.request("GET", "/api/v1/x?secret=1")

    assert (caught.value.reason, caught.value.status) == ("APIServerUnreachable", 0)
    assert told == [("GET", 0)]


async def test_a_long_message_is_cut(client: KubeClient, server: Server) -> None:
    """It goes into conditions."""
    server.answers = [status_object(422, "Invalid", "x" * 100_000)]

    with pytest.raises(KubernetesError) as caught:
        await client.request("GET", "/x")

    assert len(caught.value.message) == 1024


# Lists.


async def test_a_list_is_read_to_its_end(client: KubeClient, server: Server) -> None:
    """Page by page."""
    server.answers = [
        web.json_response({"items": [{"n": 1}], "metadata": {"continue": "a b"}}),
        web.json_response({"items": [{"n": 2}], "metadata": {}}),
    ]

    found = await mcpservers.list_all(client, "team", "app=x")

    assert found == [{"n": 1}, {"n": 2}]
    assert "continue" not in server.requests[0].query
    assert server.requests[1].query["continue"] == "a b"
    assert all(request.query["labelSelector"] == "app=x" for request in server.requests)
    assert server.requests[0].path == "/apis/proxar.dev/v1alpha1/namespaces/team/mcpservers"


async def test_half_a_list_is_none(client: KubeClient, server: Server) -> None:
    """410 on the second page: an error, so that the rest does not look deleted."""
    server.answers = [
        web.json_response({"items": [{"n": 1}], "metadata": {"continue": "a"}}),
        status_object(410, "Expired", "too old"),
    ]

    with pytest.raises(KubernetesError):
        await mcpservers.list_all(client)


# Writes of MCPServers.


async def test_a_status_is_applied_onto_the_object_it_was_planned_from(
    client: KubeClient, server: Server
) -> None:
    """With its resourceVersion, as our field manager, and nothing of spec or other metadata."""
    planned_from = {
        "metadata": {
            "name": "issues-mcp",
            "namespace": "team",
            "resourceVersion": "41",
            "uid": "6c1f",
            "managedFields": [],
        },
        "spec": {"endpoints": []},
    }
    server.answers = [web.json_response({})]

    await mcpservers.apply_status(client, planned_from, {"transitions": 1})

    (request,) = server.requests
    assert request.method == "PATCH"
    assert request.path.endswith("/namespaces/team/mcpservers/issues-mcp/status")
    assert request.content_type == "application/apply-patch+yaml"
    assert dict(request.query) == {"fieldManager": "proxar", "force": "true"}
    assert server.bodies == [
        {
            "apiVersion": "proxar.dev/v1alpha1",
            "kind": "MCPServer",
            "metadata": {"name": "issues-mcp", "namespace": "team", "resourceVersion": "41"},
            "status": {"transitions": 1},
        }
    ]


async def test_a_spec_is_never_forced(client: KubeClient, server: Server) -> None:
    """A field that Git owns is a conflict."""
    server.answers = [web.json_response({})]

    await mcpservers.apply_spec(client, "team", "issues-mcp", {"pinnedHash": "x"}, "kubectl-proxar")

    assert dict(server.requests[0].query) == {"fieldManager": "kubectl-proxar"}
    assert server.bodies[0]["spec"] == {"pinnedHash": "x"}


async def test_an_annotation_is_merged(client: KubeClient, server: Server) -> None:
    """`None` takes one away."""
    server.answers = [web.json_response({})]

    await mcpservers.annotate(client, "team", "issues-mcp", {"a": "1", "b": None})

    assert server.requests[0].content_type == "application/merge-patch+json"
    assert server.bodies == [{"metadata": {"annotations": {"a": "1", "b": None}}}]


# Refusals that say the same tomorrow, and paths.


@pytest.mark.parametrize(
    ("status", "message", "refusal", "terminating"),
    [
        (403, "exceeded quota", True, False),
        (403, "namespace team because it is being terminated", False, True),
        (404, "because it is being terminated", False, False),
        (422, "invalid", True, False),
        (409, "conflict", False, False),
        (429, "later", False, False),
        (500, "", False, False),
        (0, "", False, False),
    ],
)
def test_refusals_are_told_from_bad_hours(
    status: int, message: str, refusal: bool, terminating: bool
) -> None:
    """Only the former are said on the object; only the latter are tried again."""
    error = KubernetesError("Reason", message, status=status)

    assert (is_refusal(error), is_terminating(error)) == (refusal, terminating)


@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        (("v1", "configmaps", "team", "x"), "/api/v1/namespaces/team/configmaps/x"),
        (("v1", "namespaces", None), "/api/v1/namespaces"),
        (("a/v1", "things", None), "/apis/a/v1/things"),
        (("a/v1", "things", "n", "x", "status"), "/apis/a/v1/namespaces/n/things/x/status"),
        (("v1", "configmaps", "team", "../x?y"), "/api/v1/namespaces/team/configmaps/..%2Fx%3Fy"),
    ],
)
def test_paths(arguments: tuple[Any, ...], path: str) -> None:
    """No name leads anywhere else."""
    assert path_of(*arguments) == path


# Kubeconfigs.


def kubeconfig(tmp_path: Path) -> Path:
    """A kubeconfig with two contexts."""
    path = tmp_path / "config"
    path.write_text(
        yaml.safe_dump(
            {
                "apiVersion": "v1",
                "kind": "Config",
                "current-context": "one",
                "clusters": [{"name": "c", "cluster": {"server": "https://c.example.com"}}],
                "users": [{"name": "u", "user": {"token": SECRET}}],
                "contexts": [
                    {"name": "one", "context": {"cluster": "c", "user": "u", "namespace": "team"}},
                    {"name": "two", "context": {"cluster": "c", "user": "u"}},
                ],
            }
        )
    )
    return path


async def test_a_kubeconfig_is_read_as_kubectl_does(tmp_path: Path) -> None:
    """The current context, or the one that is named."""
    path = kubeconfig(tmp_path)

    current = await Connection.from_kubeconfig(path)
    named = await Connection.from_kubeconfig(path, "two")

    assert (current.server, current.namespace) == ("https://c.example.com", "team")
    assert named.namespace == "default"


async def test_a_wrong_context_names_the_right_ones(tmp_path: Path) -> None:
    """And the flag."""
    with pytest.raises(UsageError, match=r"--context three: .* one, two"):
        await Connection.from_kubeconfig(kubeconfig(tmp_path), "three")


async def test_a_missing_kubeconfig_says_so(tmp_path: Path) -> None:
    """With the ways to name one."""
    with pytest.raises(UsageError, match="no such file; name one with --kubeconfig or KUBECONFIG"):
        await Connection.from_kubeconfig(tmp_path / "nowhere")


async def test_a_file_that_is_no_kubeconfig_says_so(tmp_path: Path) -> None:
    """Whatever it is."""
    path = tmp_path / "config"
    path.write_text("hello: 1")

    with pytest.raises(UsageError, match="kubeconfig"):
        await Connection.from_kubeconfig(path)


def test_outside_a_cluster_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the other way."""
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)

    with pytest.raises(UsageError, match="--kubeconfig"):
        Connection.in_cluster()
