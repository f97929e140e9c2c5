"""The client under test: `python -m tests.conformance.client URL` fetches the tool list once.

Exit code 0: a list, or the news that the server offers none.
"""

import asyncio
import json
import os
import sys
import urllib.request
from typing import Any
from urllib.parse import urlsplit

from proxar.fetch import Fetcher, FetchError, Reason, Target
from proxar.fetch.auth.assertion import PrivateKeyJWT
from proxar.fetch.auth.credentials import ClientCredentials, ClientSecret, Proof


async def main(url: str, context: dict[str, str]) -> int:
    """Print the tools, or the reason why there are none."""
    client = as_configured(url, context) if "client_id" in context else None
    async with Fetcher(egress=None) as fetcher:
        try:
            fetched = await fetcher.fetch(Target(url, client=client))
        except FetchError as error:
            print(f"{error.reason}: {error.message}", file=sys.stderr)
            return 0 if error.reason == Reason.TOOLS_UNSUPPORTED else 1
    print(fetched.era, fetched.protocol_version, [tool.name for tool in fetched.tools.tools])
    return 0


def as_configured(url: str, context: dict[str, str]) -> ClientCredentials | None:
    """What a person writes into an MCPServer who read the authorization server's documents.

    Proxar itself reads none of them: its token URL is fixed.
    """
    name, secret, key = (
        context.get(word, "") for word in ("client_id", "client_secret", "private_key_pem")
    )
    if not secret and not key:
        return None
    parts = urlsplit(url)
    origin = f"{parts.scheme}://{parts.netloc}"
    resource = document(f"{origin}/.well-known/oauth-protected-resource{parts.path}")
    issuer = str(resource["authorization_servers"][0]).rstrip("/")
    endpoints = document(f"{issuer}/.well-known/oauth-authorization-server")
    proof: Proof = (
        PrivateKeyJWT(name, key, "the scenario's context", audience=issuer)
        if key
        else ClientSecret(name, secret)
    )
    return ClientCredentials(endpoints["token_endpoint"], proof, resource=resource["resource"])


def document(url: str) -> dict[str, Any]:
    """Read a JSON document of the scenario's own server."""
    with urllib.request.urlopen(url, timeout=10) as response:
        found: dict[str, Any] = json.load(response)
    return found


if __name__ == "__main__":
    sys.exit(
        asyncio.run(main(sys.argv[1], json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT", "{}"))))
    )
