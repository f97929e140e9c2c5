"""What an endpoint of a spec means just now: the address behind it, and all that is sent to it."""

import re
from dataclasses import replace

from proxar.api import (
    AuthMethod,
    Endpoint,
    MCPServer,
    OAuth2ClientCredentials,
    SecretKeyRef,
    ServiceRef,
    Spec,
)
from proxar.errors import FetchError
from proxar.fetch import Target, Transport
from proxar.fetch.auth.assertion import PrivateKeyJWT
from proxar.fetch.auth.credentials import ClientCredentials, ClientSecret, Proof
from proxar.fetch.tls import ClientCertificate, TLSSettings
from proxar.kube.client import KubeClient
from proxar.kube.secrets import SecretReader
from proxar.kube.services import service_url

__all__ = ["target_of"]

CERTIFICATE, KEY = "tls.crt", "tls.key"
"""The keys of a Secret of type kubernetes.io/tls."""

URL = re.compile("https?://[^/?#@]+([/?][!-~]*)?", re.IGNORECASE)
"""What the CRD wants of a url, for one that it cannot see."""

TOKEN = re.compile("[!-~]+")
"""Wider than RFC 6750 has it: tokens that are not OAuth's are sent as bearers too."""


async def target_of(client: KubeClient, server: MCPServer, endpoint: Endpoint) -> Target:
    """Gather what a look at one endpoint needs, fresh each time.

    Raises:
        FetchError: It leads nowhere, or to where it must not; a Secret is missing, out of reach,
            not usable, or not meant for this host.
        KubernetesError: Could not look.
    """
    gathering = _Gathering(client, server)
    bare = await gathering.address(endpoint)
    return await gathering.target(bare)


class _Gathering:
    """One look's references, resolved."""

    def __init__(self, client: KubeClient, server: MCPServer) -> None:
        self._client = client
        self._spec: Spec = server.spec
        self._namespace = server.metadata.namespace
        self._secrets = SecretReader(client, self._namespace)

    async def address(self, endpoint: Endpoint) -> Target:
        """Where it is, without anything that is sent there."""
        if endpoint.service_ref is not None:
            url = await self._service_url(endpoint.service_ref)
            return self._bare(url, in_cluster=True)
        reference = endpoint.url_secret_ref
        if reference is None:
            return self._bare(endpoint.url or "")
        url = await self._secrets.text(reference.name, reference.key)
        target = self._bare(url, has_private_url=True)
        if not (URL.fullmatch(url) and target.host):
            raise self._unusable(
                reference, "must be an absolute http or https URL with a host and without user"
            )
        await self._secrets.check_hosts(reference.name, (target.host,))
        return target

    def _bare(self, url: str, *, in_cluster: bool = False, has_private_url: bool = False) -> Target:
        return Target(
            url,
            timeout=self._spec.effective_timeout.total_seconds(),
            in_cluster=in_cluster,
            namespace=self._namespace,
            transport=Transport(self._spec.transport),
            has_private_url=has_private_url,
        )

    async def _service_url(self, reference: ServiceRef) -> str:
        return await service_url(
            self._client,
            self._namespace,
            reference.name,
            port=reference.port,
            path=reference.path,
            scheme=reference.scheme,
        )

    async def target(self, bare: Target) -> Target:
        """The address with headers, credentials and TLS settings."""
        auth = self._spec.auth
        if auth is None and self._spec.tls is None and not self._spec.headers:
            return bare  # nearly always
        if auth is not None and not _is_encrypted(bare):
            # The CRD refuses this where it can see the url.
            raise FetchError(
                "EgressDenied",
                f"{bare.label} is plain http, and auth is never sent in clear; use https, "
                "or remove auth",
            )
        headers = await self._headers(bare.host)
        if auth is not None and auth.bearer_token_secret_ref is not None:
            token = await self._bearer(auth.bearer_token_secret_ref, bare.host)
            headers.append(("Authorization", f"Bearer {token}"))
        oauth = auth.oauth2_client_credentials if auth is not None else None
        return replace(
            bare,
            headers=tuple(headers),
            tls=await self._tls(bare.host),
            client=await self._client_credentials(oauth, bare.host) if oauth else None,
        )

    async def _headers(self, host: str) -> list[tuple[str, str]]:
        headers = []
        for header in self._spec.headers:
            value = header.value or ""
            if (reference := header.secret_key_ref) is not None:
                value = await self._secrets.text(reference.name, reference.key, hosts=(host,))
            headers.append((header.name, value))
        return headers

    async def _bearer(self, reference: SecretKeyRef, host: str) -> str:
        token = await self._secrets.text(reference.name, reference.key, hosts=(host,))
        if not TOKEN.fullmatch(token):
            raise self._unusable(
                reference, "must be the token alone, without the word Bearer and without spaces"
            )
        return token

    def _unusable(self, reference: SecretKeyRef, problem: str) -> FetchError:
        where = f"key {reference.key} in Secret {self._namespace}/{reference.name}"
        return FetchError("SecretNotFound", f"the value of {where} {problem}; store it anew")

    async def _client_credentials(
        self, oauth: OAuth2ClientCredentials, host: str
    ) -> ClientCredentials:
        # The token comes of the secret, so the Secret has to allow where the token goes, too.
        hosts = (Target(oauth.token_url).host, host)
        return ClientCredentials(
            token_url=oauth.token_url,
            proof=await self._proof(oauth, hosts),
            scopes=oauth.scopes,
            audience=oauth.audience,
            resource=oauth.resource,
            tls=await self._tls_of_token_endpoint(hosts[0]),
        )

    async def _proof(self, oauth: OAuth2ClientCredentials, hosts: tuple[str, ...]) -> Proof:
        reference = oauth.secret_ref
        assert reference is not None  # noqa: S101 - the model refuses an object without it
        if oauth.signs:
            return PrivateKeyJWT(
                oauth.client_id,
                await self._secrets.pem("Secret", reference.name, reference.key, hosts=hosts),
                origin=f"Secret {self._namespace}/{reference.name} (key {reference.key})",
                key_id=oauth.key_id,
                audience=oauth.assertion_audience,
            )
        return ClientSecret(
            oauth.client_id,
            await self._secrets.text(reference.name, reference.key, hosts=hosts),
            in_form=oauth.auth_method is AuthMethod.CLIENT_SECRET_POST,
        )

    async def _tls(self, host: str) -> TLSSettings | None:
        tls = self._spec.tls
        if tls is None:
            return None
        certificate = tls.client_certificate_secret_ref
        settings = replace(
            await self._authorities(host),
            certificate=await self._certificate(certificate.name, host) if certificate else None,
            server_name=tls.server_name,
        )
        return settings if settings != TLSSettings() else None

    async def _tls_of_token_endpoint(self, host: str) -> TLSSettings | None:
        """It may be the company's own or a public one, so both kinds of authorities will do."""
        settings = await self._authorities(host)
        return replace(settings, with_default=True) if settings.authorities else None

    async def _authorities(self, host: str) -> TLSSettings:
        reference = self._spec.tls.ca_bundle_ref if self._spec.tls is not None else None
        if reference is None:
            return TLSSettings()
        return TLSSettings(
            authorities=await self._secrets.pem(
                reference.kind, reference.name, reference.key, hosts=(host,)
            ),
            authorities_origin=(
                f"{reference.kind} {self._namespace}/{reference.name} (key {reference.key})"
            ),
        )

    async def _certificate(self, name: str, host: str) -> ClientCertificate:
        return ClientCertificate(
            chain=await self._secrets.pem("Secret", name, CERTIFICATE, hosts=(host,)),
            key=await self._secrets.pem("Secret", name, KEY, hosts=(host,)),
            origin=f"Secret {self._namespace}/{name}",
        )


def _is_encrypted(target: Target) -> bool:
    return target.url.lower().startswith("https:")
