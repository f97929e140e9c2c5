"""Proof by a signature (`private_key_jwt`, RFC 7523): the key itself is never sent.

Needs the package of the extra `operator`, so nothing that the base install imports imports this.
"""

import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import jwt
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from proxar.errors import FetchError
from proxar.fetch.auth.credentials import Proof, Request
from proxar.fetch.reasons import Reason, failure

__all__ = ["PrivateKeyJWT"]

LIFETIME = 120
"""Seconds an assertion is good for. It is used at once; the rest is for clocks that differ."""

LEAST_RSA_BITS = 2048

ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

SigningKey: TypeAlias = ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey | rsa.RSAPrivateKey

_CURVES = {"secp256r1": "ES256", "secp384r1": "ES384", "secp521r1": "ES512"}


@dataclass(frozen=True, slots=True)
class PrivateKeyJWT(Proof):
    """A key whose public half the authorization server knows."""

    client_id: str
    key: str = field(repr=False)
    """PEM, without a passphrase: RSA, an elliptic curve of NIST, or Ed25519."""
    origin: str
    """Where the key comes from, as messages name it."""
    key_id: str | None = None
    """Which of the client's keys it is, for servers that know several."""
    audience: str | None = None
    """Whom the assertion is for; the token endpoint by default."""

    @property
    def secrets(self) -> tuple[str | None, ...]:
        """Identifier, key, and what goes with it."""
        return self.client_id, self.key, self.key_id, self.audience

    def added_to(self, form: Mapping[str, str], token_url: str) -> Request:
        """A new assertion each time: servers refuse one that they have seen."""
        now = int(time.time())
        claims = {
            "iss": self.client_id,
            "sub": self.client_id,
            "aud": self.audience or token_url,
            "jti": str(uuid.uuid4()),
            "iat": now,
            "exp": now + LIFETIME,
        }
        key = self._read_key()
        headers = {"kid": self.key_id} if self.key_id else None
        assertion = jwt.encode(claims, key, algorithm=self._algorithm(key), headers=headers)
        return Request(
            {
                **form,
                "client_id": self.client_id,
                "client_assertion_type": ASSERTION_TYPE,
                "client_assertion": assertion,
            }
        )

    def _read_key(self) -> SigningKey:
        try:
            key: PrivateKeyTypes = load_pem_private_key(self.key.encode(), password=None)
        except TypeError:
            raise self._unusable("it has a passphrase; store it without one") from None
        except (ValueError, UnsupportedAlgorithm):
            raise self._unusable("it is no private key in PEM") from None
        match key:
            case rsa.RSAPrivateKey() if key.key_size < LEAST_RSA_BITS:
                raise self._unusable(f"it has {key.key_size} bits; use {LEAST_RSA_BITS} or more")
            case rsa.RSAPrivateKey() | ed25519.Ed25519PrivateKey():
                return key
            case ec.EllipticCurvePrivateKey() if key.curve.name in _CURVES:
                return key
        raise self._unusable("use RSA, P-256, P-384, P-521 or Ed25519")

    @staticmethod
    def _algorithm(key: SigningKey) -> str:
        match key:
            case rsa.RSAPrivateKey():
                return "RS256"
            case ed25519.Ed25519PrivateKey():
                return "EdDSA"
            case _:
                return _CURVES[key.curve.name]

    def _unusable(self, why: str) -> FetchError:
        return failure(
            Reason.TOKEN_FAILED, f"the private key of {self.origin} cannot sign a request: {why}"
        )
