"""Whom to trust, and who to be, in TLS: one context a setting, built once and kept.

Key material never reaches a file that lasts: OpenSSL wants a path, so it gets one that exists in
memory only, or is gone before the function returns.
"""

import hashlib
import os
import ssl
import sys
import tempfile
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import certifi

from proxar.errors import FetchError
from proxar.fetch.reasons import Reason, failure

__all__ = ["ClientCertificate", "Contexts", "TLSSettings", "default_ssl_context"]

CONTEXTS = 64
"""Kept at a time, the least used go first. One with the system's authorities has about 1 MiB."""

_KEY_FAULTS = {
    "KEY_VALUES_MISMATCH": "do not belong together; store the key that the certificate was made of",
    "KEY_TYPE_MISMATCH": "do not belong together; store the key that the certificate was made of",
    "EE_KEY_TOO_SMALL": "are too weak; use RSA of 2,048 bits or more, or an elliptic curve",
    "CA_MD_TOO_WEAK": "are signed with a hash that is too weak; have them reissued",
}
"""By the reasons of OpenSSL."""


@dataclass(frozen=True, slots=True)
class ClientCertificate:
    """What to show a server that asks who is there."""

    chain: str = field(repr=False)
    """PEM: the certificate, then the intermediate ones."""
    key: str = field(repr=False)
    """PEM, without a passphrase."""
    origin: str
    """Where both come from, as messages name it."""


@dataclass(frozen=True, slots=True)
class TLSSettings:
    """What differs from the default; nothing set is the default."""

    authorities: str | None = field(default=None, repr=False)
    """PEM. They alone are trusted, unless `with_default`."""
    authorities_origin: str = ""
    """Where they come from, as messages name it."""
    with_default: bool = False
    """Trust the default authorities too."""
    certificate: ClientCertificate | None = None
    server_name: str | None = None
    """Asked for (SNI) and looked for in the server's certificate, instead of the url's host."""

    @property
    def digest(self) -> bytes:
        """The same for the same settings, and for no others."""
        certificate = self.certificate
        parts = (
            self.authorities,
            str(self.with_default),
            certificate and certificate.chain,
            certificate and certificate.key,
            self.server_name,
        )
        return hashlib.sha256(repr(parts).encode()).digest()


class Contexts:
    """TLS contexts by settings. The default one is shared by all who set nothing."""

    def __init__(self, default: ssl.SSLContext | None = None) -> None:
        self.default = default or default_ssl_context()
        self._made: OrderedDict[bytes, ssl.SSLContext] = OrderedDict()

    def __len__(self) -> int:
        return len(self._made)

    def of(self, settings: TLSSettings | None) -> ssl.SSLContext:
        """The context for these settings.

        Raises:
            FetchError: `TLSFailed`; the message names where the bad PEM comes from.
        """
        if settings is None or (settings.authorities is None and settings.certificate is None):
            return self.default
        key = settings.digest
        if key not in self._made:
            self._made[key] = self._make(settings)
        self._made.move_to_end(key)
        while len(self._made) > CONTEXTS:
            self._made.popitem(last=False)
        return self._made[key]

    @staticmethod
    def _make(settings: TLSSettings) -> ssl.SSLContext:
        if settings.authorities is None or settings.with_default:
            context = default_ssl_context()
        else:
            context = _bare_context()
        if settings.authorities is not None:
            _trust(context, settings.authorities, settings.authorities_origin)
        if settings.certificate is not None:
            _show(context, settings.certificate)
        return context


def _bare_context() -> ssl.SSLContext:
    """Trusts nobody yet. As strict as the default, which comes with the system's authorities."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if sys.version_info >= (3, 13):
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN | ssl.VERIFY_X509_STRICT
    context.set_alpn_protocols(["http/1.1"])
    return context


def _trust(context: ssl.SSLContext, pem: str, origin: str) -> None:
    try:
        # Bundles have comments, in all languages.
        context.load_verify_locations(cadata=pem.encode("ascii", "replace").decode())
    except (ssl.SSLError, ValueError):
        # OpenSSL's error quotes nothing, but says nothing to a reader either.
        raise failure(
            Reason.TLS_FAILED,
            f"{origin} holds no usable CA certificates; it must be PEM, each between "
            "-----BEGIN CERTIFICATE----- and -----END CERTIFICATE-----",
        ) from None


def _show(context: ssl.SSLContext, certificate: ClientCertificate) -> None:
    if "-----BEGIN CERTIFICATE-----" not in certificate.chain:
        raise _bad(certificate, "tls.crt is no certificate in PEM")
    if "PRIVATE KEY-----" not in certificate.key:
        raise _bad(certificate, "tls.key is no private key in PEM")
    if "ENCRYPTED" in certificate.key:
        raise _bad(certificate, "tls.key has a passphrase; store it without one")
    with _path_of(certificate.chain) as chain, _path_of(certificate.key) as key:
        try:
            # Without a password function OpenSSL would ask on the terminal.
            context.load_cert_chain(chain, key, password=lambda: b"")
        except ssl.SSLError as error:
            problem = _KEY_FAULTS.get(error.reason or "", "cannot be read; store both as PEM")
            raise _bad(certificate, f"tls.crt and tls.key {problem}") from None


def _bad(certificate: ClientCertificate, problem: str) -> FetchError:
    return failure(
        Reason.TLS_FAILED, f"{certificate.origin} gives no client certificate: {problem}"
    )


@contextmanager
def _path_of(text: str) -> Iterator[str]:
    """A path under which the text can be read, as long as the context lasts, by this process."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("proxar", os.MFD_CLOEXEC)
        with os.fdopen(descriptor, "wb", closefd=True) as file:
            file.write(text.encode())
            file.flush()
            yield f"/proc/self/fd/{descriptor}"
        return
    descriptor, path = tempfile.mkstemp(prefix="proxar-")  # 0600
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(text.encode())
        yield path
    finally:
        Path(path).unlink()


def default_ssl_context() -> ssl.SSLContext:
    """The system's authorities, or those of the package `certifi` where the system has none.

    Takes about 20 ms.
    """
    paths = ssl.get_default_verify_paths()
    has_own = any(path and Path(path).exists() for path in (paths.cafile, paths.capath))
    context = ssl.create_default_context(cafile=None if has_own else certifi.where())
    context.set_alpn_protocols(["http/1.1"])
    return context
