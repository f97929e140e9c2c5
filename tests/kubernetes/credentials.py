"""Keys, tokens and kubeconfigs of one control plane: all new, none a constant."""

import base64
import json
import secrets
import textwrap
from pathlib import Path
from typing import Any

__all__ = ["kubeconfig", "new_signing_key", "new_token", "write_secret"]

P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
"""Private keys of the curve are below it."""


def new_token() -> str:
    """Return a bearer token that nobody can guess."""
    return secrets.token_urlsafe(32)


def new_signing_key() -> str:
    """Return a new private key in PEM, with which the API server signs ServiceAccount tokens.

    A P-256 key is a random number, and the public half that RFC 5915 allows beside it is optional.
    So this needs neither openssl nor a library: the DER around the number is always the same.
    """
    number = 1 + secrets.randbelow(P256_ORDER - 1)
    der = (
        bytes.fromhex("3031 020101 0420")  # SEQUENCE of 49 bytes: version 1, OCTET STRING of 32
        + number.to_bytes(32, "big")
        + bytes.fromhex("a00a 0608 2a8648ce3d030107")  # parameters: the name prime256v1
    )
    body = "\n".join(textwrap.wrap(base64.b64encode(der).decode(), 64))
    return f"-----BEGIN EC PRIVATE KEY-----\n{body}\n-----END EC PRIVATE KEY-----\n"


def write_secret(path: Path, text: str) -> None:
    """Write a file that is never, not even for a moment, readable by others."""
    path.unlink(missing_ok=True)  # an existing file would keep its mode
    path.touch(mode=0o600, exist_ok=False)
    path.write_text(text, encoding="utf-8")


def kubeconfig(cluster: dict[str, Any], token: str, namespace: str = "default") -> str:
    """Return a kubeconfig, in JSON, which is YAML, with one context.

    Args:
        cluster: As in a kubeconfig: ``server`` and how to trust it.
    """
    name = "proxar"
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": name, "cluster": cluster}],
            "users": [{"name": name, "user": {"token": token}}],
            "contexts": [
                {"name": name, "context": {"cluster": name, "user": name, "namespace": namespace}}
            ],
            "current-context": name,
        },
        indent=2,
    )
