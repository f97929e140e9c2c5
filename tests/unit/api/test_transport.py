"""spec.transport: the same words everywhere, and what a change of it means."""

from proxar.api import Spec, Transport
from proxar.fetch import Transport as FetchTransport
from tests.support.mcpserver_reference import fields, schema

ENDPOINTS = [{"name": "primary", "url": "https://mcp.example.com/mcp"}]


def spec(**more: str) -> Spec:
    return Spec.model_validate({"endpoints": ENDPOINTS, **more})


def test_the_crd_the_models_and_the_fetcher_know_the_same_transports() -> None:
    declared = {path: field for path, field, _ in fields(schema(), "")}[".spec.transport"]

    assert declared["enum"] == [*map(str, Transport)] == [*map(str, FetchTransport)]


def test_a_transport_that_is_left_out_is_auto_and_changes_no_target() -> None:
    """The digest is kept in status: one of an earlier version, which knew none, must stay."""
    assert spec().transport is Transport.AUTO
    assert spec().target_digest == spec(transport="Auto").target_digest == "67cf0fe856962d6e"


def test_a_transport_that_is_set_is_another_target() -> None:
    """A server may list other tools over another transport."""
    digests = {spec(transport=transport).target_digest for transport in Transport}

    assert len(digests) == 3
