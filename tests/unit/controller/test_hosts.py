"""Whom a look asks."""

from typing import Any

import pytest

from proxar.controller.hosts import hosts_of


def raw(*endpoints: Any) -> dict[str, Any]:
    """An object with these endpoints."""
    return {"metadata": {"namespace": "team"}, "spec": {"endpoints": list(endpoints)}}


@pytest.mark.parametrize(
    ("endpoint", "host"),
    [
        ({"url": "https://MCP.example.com:8443/mcp?key=x"}, "mcp.example.com"),
        ({"url": "http://mcp.example.com./mcp"}, "mcp.example.com"),
        ({"url": "http://[2001:DB8::1]:80/"}, "2001:db8::1"),
        ({"serviceRef": {"name": "issues", "port": 80}}, "issues.team.svc"),
        ({"urlSecretRef": {"name": "vendor", "key": "url"}}, "team/vendor/url"),
    ],
)
def test_each_kind_of_endpoint_has_a_host(endpoint: dict[str, Any], host: str) -> None:
    """Without the port: it is the machine that is asked."""
    assert hosts_of(raw({"name": "primary"} | endpoint)) == {host}


def test_endpoints_of_one_host_are_one() -> None:
    """And those of several are several."""
    urls = ["https://a.example.com/1", "https://a.example.com/2", "https://b.example.com/"]

    assert hosts_of(raw(*({"url": url} for url in urls))) == {"a.example.com", "b.example.com"}


@pytest.mark.parametrize(
    "bad", [{}, raw(None), raw({}), raw({"url": 7}), raw({"url": "http://["}), {"spec": None}]
)
def test_an_object_that_cannot_be_read_asks_nobody(bad: dict[str, Any]) -> None:
    """It was stored before the CRD had today's rules, say."""
    assert hosts_of(bad) == frozenset()
