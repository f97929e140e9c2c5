"""What a token is asked for with: values, and how they become a request. Pure."""

import base64
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import quote_plus, urlencode

from proxar.fetch.address import read_address
from proxar.fetch.identity import Identity, identity_of
from proxar.fetch.tls import TLSSettings

__all__ = ["ClientCredentials", "ClientSecret", "Proof", "Request"]


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent to the token endpoint."""

    form: Mapping[str, str] = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def content(self) -> bytes:
        """The body."""
        return urlencode(dict(self.form)).encode("ascii")


class Proof(ABC):
    """How a client proves who it is."""

    @property
    @abstractmethod
    def secrets(self) -> tuple[str | None, ...]:
        """All that tells this proof from another one."""

    @abstractmethod
    def added_to(self, form: Mapping[str, str], token_url: str) -> Request:
        """The request that carries the form and the proof.

        Raises:
            FetchError: `TokenFailed`; the proof cannot be made.
        """


@dataclass(frozen=True, slots=True)
class ClientSecret(Proof):
    """A shared secret, in the Authorization header (RFC 6749 prefers it) or in the form."""

    client_id: str
    secret: str = field(repr=False)
    in_form: bool = False

    @property
    def secrets(self) -> tuple[str | None, ...]:
        """Identifier, secret and place."""
        return self.client_id, self.secret, str(self.in_form)

    def added_to(self, form: Mapping[str, str], token_url: str) -> Request:  # noqa: ARG002
        """The same request whatever the token endpoint is."""
        if self.in_form:
            return Request({**form, "client_id": self.client_id, "client_secret": self.secret})
        # Both are form-encoded first (section 2.3.1), or a colon in the identifier would be lost.
        pair = f"{quote_plus(self.client_id)}:{quote_plus(self.secret)}"
        basic = base64.b64encode(pair.encode("ascii")).decode("ascii")
        return Request(form, {"Authorization": f"Basic {basic}"})


@dataclass(frozen=True, slots=True)
class ClientCredentials:
    """A client at one token endpoint, and what it asks for."""

    token_url: str
    """https."""
    proof: Proof
    scopes: tuple[str, ...] = ()
    audience: str | None = None
    resource: str | None = None
    """RFC 8707: what the token is for."""
    tls: TLSSettings | None = None
    """For the token endpoint."""
    in_cluster: bool = False
    """The cluster's Service ranges are open to it."""

    @property
    def identity(self) -> Identity:
        """The same for the same credentials that ask for the same."""
        asked = (self.token_url, self.scopes, self.audience, self.resource)
        secrets = ("token", *asked, *self.proof.secrets)
        return identity_of(*secrets, in_cluster=self.in_cluster, tls=self.tls)

    @property
    def label(self) -> str:
        """The token endpoint as messages name it: without path and query."""
        try:
            return read_address(self.token_url).label
        except ValueError:
            return "the token endpoint"

    def request(self) -> Request:
        """What to send now.

        Raises:
            FetchError: `TokenFailed`; the proof cannot be made.
        """
        form = {"grant_type": "client_credentials"}
        if self.scopes:
            form["scope"] = " ".join(self.scopes)
        if self.audience is not None:
            form["audience"] = self.audience
        if self.resource is not None:
            form["resource"] = self.resource
        return self.proof.added_to(form, self.token_url)
