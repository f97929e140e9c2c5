"""Whom a look at an MCPServer asks: the hosts of its endpoints, as far as the object tells them."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

__all__ = ["hosts_of"]


def hosts_of(raw: Mapping[str, Any]) -> frozenset[str]:
    """One word for each host, equal for two objects that ask the same one.

    A url that is kept in a Secret is not read for this: its key stands for it. Of an object that
    cannot be read nothing is asked.
    """
    try:
        namespace = raw["metadata"]["namespace"]
        found = {_host_of(endpoint, namespace) for endpoint in raw["spec"]["endpoints"]}
    except (AttributeError, KeyError, TypeError, ValueError):
        return frozenset()
    return frozenset(filter(None, found))


def _host_of(endpoint: Mapping[str, Any], namespace: str) -> str:
    if "serviceRef" in endpoint:
        return f"{endpoint['serviceRef']['name']}.{namespace}.svc"
    if "urlSecretRef" in endpoint:
        reference = endpoint["urlSecretRef"]
        return f"{namespace}/{reference['name']}/{reference['key']}"
    return (urlsplit(endpoint["url"]).hostname or "").rstrip(".")
