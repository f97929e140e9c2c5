"""Reading stored objects."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from proxar.api import InvalidObject, MCPServer, Scheme, Status, parse_mcpserver

URL = "https://mcp.example.com/mcp"


def stored(spec: dict[str, Any] | None = None, **parts: Any) -> dict[str, Any]:
    """Return a valid object as the API server delivers it, its spec changed."""
    return {
        "apiVersion": "proxar.dev/v1alpha1",
        "kind": "MCPServer",
        "metadata": {
            "name": "weather",
            "namespace": "default",
            "uid": "0b6e",
            "generation": 3,
            "resourceVersion": "41",
            "managedFields": [{"manager": "kubectl"}],
        },
        "spec": {"endpoints": [{"name": "primary", "url": URL}], **(spec or {})},
        **parts,
    }


def with_endpoint(**endpoint: Any) -> MCPServer:
    """Return an object with this endpoint."""
    return parse_mcpserver(stored({"endpoints": [{"name": "primary", **endpoint}]}))


def test_defaults_hold_for_objects_that_lack_them() -> None:
    """An object stored before a default was in the schema behaves as if it had it."""
    spec = parse_mcpserver(stored()).spec

    assert spec.endpoint.url == URL
    assert spec.interval == timedelta(seconds=60)
    assert spec.drift_policy.settle_after == timedelta(days=7)
    assert spec.history_limit == 10
    assert not spec.suspend


def test_a_service_ref_has_its_defaults() -> None:
    """When omitted: the only port, /mcp, HTTP."""
    service = with_endpoint(serviceRef={"name": "weather"}).spec.endpoint.service_ref

    assert service is not None
    assert (service.port, service.path, service.scheme) == (None, "/mcp", Scheme.HTTP)


def test_unknown_fields_are_ignored() -> None:
    """A newer CRD may know more; what this version knows still works."""
    server = parse_mcpserver(
        stored({"transport": "SSE"}, status={"route": {"target": "Live"}, "transitions": 2})
    )

    assert server.status.transitions == 2


@pytest.mark.parametrize(
    ("spec", "timeout"),
    [
        ({}, timedelta(seconds=10)),
        ({"interval": "5s"}, timedelta(seconds=2.5)),
        ({"interval": "1h"}, timedelta(seconds=10)),
        ({"timeout": "1m"}, timedelta(minutes=1)),
    ],
)
def test_the_timeout_when_unset_is_10s_or_half_the_interval(
    spec: dict[str, Any], timeout: timedelta
) -> None:
    """The smaller of the two; when set, it is what was set."""
    assert parse_mcpserver(stored(spec)).spec.effective_timeout == timeout


@pytest.mark.parametrize(
    ("spec", "field", "says"),
    [
        ({"interval": "7d"}, "spec.interval", "units h, m, s or ms"),
        ({"interval": 60}, "spec.interval", "90s"),
        ({"interval": "1s"}, "spec.interval", "between 5s and 24h"),
        ({"timeout": "10m"}, "spec.timeout", "between 1s and 5m"),
        ({"historyLimit": 0}, "spec.historyLimit", "greater than or equal to 1"),
        ({"pinnedHash": "sha256:AB"}, "spec.pinnedHash", "sha256"),
        ({"driftPolicy": {"baseline": "Sometimes"}}, "spec.driftPolicy.baseline", "Settle"),
        ({"endpoints": []}, "spec.endpoints", "at least 1"),
        ({"endpoints": [{"name": "a"}]}, "spec.endpoints[0]", "exactly one of url"),
        (
            {"endpoints": [{"name": "a", "url": "ftp://x/"}]},
            "spec.endpoints[0].url",
            "http or https",
        ),
        (
            {"endpoints": [{"name": "a", "url": "https://me:secret@x/"}]},
            "spec.endpoints[0].url",
            "credentials",
        ),
        ({"headers": [{"name": "Host", "value": "x"}]}, "spec.headers[0].name", "itself"),
        ({"headers": [{"name": "A", "value": "x\r\nB: y"}]}, "spec.headers[0].value", "match"),
    ],
)
def test_a_bad_value_is_named(spec: dict[str, Any], field: str, says: str) -> None:
    """An object from before a rule existed gives one error that names the field."""
    with pytest.raises(InvalidObject) as caught:
        parse_mcpserver(stored(spec))

    assert caught.value.field == field
    assert says in caught.value.message
    assert "secret" not in f"{caught.value} {caught.value.__cause__}"
    assert caught.value.metadata is not None
    assert caught.value.metadata.name == "weather"


@pytest.mark.parametrize("raw", [{}, {"metadata": None}, {"metadata": {"name": 1}}])
def test_an_object_without_metadata_is_an_invalid_object_too(raw: dict[str, Any]) -> None:
    """Nothing but InvalidObject comes out, whatever goes in."""
    with pytest.raises(InvalidObject) as caught:
        parse_mcpserver(raw)

    assert caught.value.metadata is None


def test_status_survives_a_round_trip() -> None:
    """What was written is read back the same, times in whole seconds of UTC."""
    status = {
        "observedGeneration": 3,
        "lastHandledReconcileAt": "t1",
        "lastHandledAcceptedHash": "sha256:a",
        "snapshot": {
            "hash": "sha256:a",
            "configMapRef": {"name": "weather-tools-a"},
            "toolCount": 2,
            "serverInfo": {"name": "weather", "version": "1"},
            "firstSeenTime": "2026-01-02T03:04:05Z",
        },
        "baseline": {"hash": "sha256:a", "source": "FirstSeen", "target": "0123456789abcdef"},
        "drift": {
            "verdict": "Breaking",
            "breaking": 1,
            "changes": [
                {"tool": "t", "path": "t.p", "rule": "tool-removed", "verdict": "Breaking"}
            ],
        },
        "endpoints": [{"name": "primary", "reachable": "True"}],
        "transitions": 4,
        "history": [{"hash": "sha256:a"}],
        "conditions": [
            {
                "type": "Ready",
                "status": "True",
                "lastTransitionTime": "2026-01-02T03:04:05Z",
                "reason": "Tracking",
                "message": "",
            }
        ],
    }

    read = parse_mcpserver(stored(status=status)).status

    assert read.to_json() == status
    assert read.snapshot is not None
    assert read.snapshot.first_seen_time == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    ready = read.condition("Ready")
    assert ready is not None
    assert ready.reason == "Tracking"
    assert read.condition("Stalled") is None


def test_a_new_object_was_never_observed() -> None:
    """Without a status it counts as not seen in any generation."""
    assert parse_mcpserver(stored()).status == Status(observed_generation=-1)


def test_the_target_digest_is_the_address_and_the_headers() -> None:
    """The name of the endpoint, the interval and the order of headers are not what is looked at."""
    one, two = {"name": "X-A", "value": "1"}, {"name": "x-b", "value": "2"}
    base = parse_mcpserver(stored({"headers": [one, two]})).spec.target_digest

    same = stored({"headers": [two, {"name": "x-a", "value": "1"}], "interval": "5m"})
    same["spec"]["endpoints"][0]["name"] = "renamed"

    assert parse_mcpserver(same).spec.target_digest == base
    assert parse_mcpserver(stored()).spec.target_digest != base
    assert parse_mcpserver(stored({"headers": [one]})).spec.target_digest != base
    assert (
        with_endpoint(url=f"{URL}?x").spec.target_digest
        != with_endpoint(url=URL).spec.target_digest
    )


def test_a_spelt_out_default_is_the_same_target() -> None:
    """Writing down /mcp and HTTP starts no new baseline; another port does."""
    short = with_endpoint(serviceRef={"name": "weather"})
    long = with_endpoint(serviceRef={"name": "weather", "path": "/mcp", "scheme": "HTTP"})
    other = with_endpoint(serviceRef={"name": "weather", "port": 80})

    assert short.spec.target_digest == long.spec.target_digest != other.spec.target_digest


@pytest.mark.parametrize(
    ("spec", "digest"),
    [
        ({}, "67cf0fe856962d6e"),
        (
            {
                "endpoints": [{"name": "primary", "serviceRef": {"name": "weather", "port": 80}}],
                "headers": [{"name": "X-A", "value": "1"}],
            },
            "21c0a465c6d04a71",
        ),
    ],
)
def test_the_target_digest_never_changes_between_versions(
    spec: dict[str, Any], digest: str
) -> None:
    """An upgrade of Proxar must not start a new baseline for every server."""
    assert parse_mcpserver(stored(spec)).spec.target_digest == digest
