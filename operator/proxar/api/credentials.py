"""The parts of a spec that name Secrets: who Proxar is towards a server, and whom it trusts there.

References only: no value of a Secret is ever part of an object.
"""

from typing import Self
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from proxar.api.value import Value
from proxar.api.words import AuthMethod, CABundleKind

__all__ = [
    "TLS",
    "Auth",
    "CABundleRef",
    "OAuth2ClientCredentials",
    "SecretKeyRef",
    "SecretRef",
]


class SecretKeyRef(Value):
    """One key of a Secret in the namespace of the object."""

    name: str
    key: str


class SecretRef(Value):
    """A Secret in the namespace of the object."""

    name: str


class CABundleRef(Value):
    """One key of a ConfigMap or Secret in the namespace of the object."""

    kind: CABundleKind
    name: str
    key: str


class OAuth2ClientCredentials(Value):
    """How tokens are fetched."""

    token_url: str = Field(alias="tokenURL")
    client_id: str = Field(alias="clientID")
    auth_method: AuthMethod = AuthMethod.CLIENT_SECRET_BASIC
    client_secret_ref: SecretKeyRef | None = None
    private_key_secret_ref: SecretKeyRef | None = None
    key_id: str | None = Field(default=None, alias="keyID")
    assertion_audience: str | None = None
    scopes: tuple[str, ...] = ()
    audience: str | None = None
    resource: str | None = None

    @field_validator("token_url")
    @classmethod
    def _is_https(cls, url: str) -> str:
        parts = urlsplit(url)
        if parts.scheme != "https" or not parts.hostname or "@" in parts.netloc:
            raise ValueError("must be an absolute https URL with a host and without credentials")
        return url

    @model_validator(mode="after")
    def _has_its_proof(self) -> Self:
        if self.secret_ref is None:
            wanted = "privateKeySecretRef" if self.signs else "clientSecretRef"
            raise ValueError(f"authMethod {self.auth_method} needs {wanted}: set it")
        return self

    @property
    def signs(self) -> bool:
        """Whether the proof is a signature rather than a shared secret."""
        return self.auth_method is AuthMethod.PRIVATE_KEY_JWT

    @property
    def secret_ref(self) -> SecretKeyRef | None:
        """What the proof is made of; never ``None`` in an object that was read."""
        return self.private_key_secret_ref if self.signs else self.client_secret_ref


class Auth(Value):
    """Exactly one of a token and a way to get tokens."""

    bearer_token_secret_ref: SecretKeyRef | None = None
    oauth2_client_credentials: OAuth2ClientCredentials | None = Field(
        default=None, alias="oauth2ClientCredentials"
    )

    @model_validator(mode="after")
    def _is_one_thing(self) -> Self:
        if (self.bearer_token_secret_ref is None) == (self.oauth2_client_credentials is None):
            raise ValueError("set exactly one of bearerTokenSecretRef and oauth2ClientCredentials")
        return self


class TLS(Value):
    """What differs from the defaults in TLS."""

    ca_bundle_ref: CABundleRef | None = None
    client_certificate_secret_ref: SecretRef | None = None
    server_name: str | None = None
