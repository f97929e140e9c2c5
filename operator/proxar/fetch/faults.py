"""What went wrong, from what the libraries raise and from the server's status line.

aiohttp raises one class for connections refused, reset and not to be resolved; only the chain of
causes tells them apart.
"""

import email.utils
import errno
import re
import socket
import ssl
import time
from collections.abc import Iterator, Mapping

import aiohttp
from aiohttp import http_exceptions

from proxar.errors import FetchError
from proxar.fetch.dial import Dial
from proxar.fetch.reasons import Reason, failure

__all__ = [
    "NETWORK_ERRORS",
    "from_exception",
    "from_status",
    "in_body",
    "is_disconnect",
    "retry_after",
]

NETWORK_ERRORS = (aiohttp.ClientError, OSError, ValueError)
"""All that an exchange may raise. ValueError: aiohttp refuses header values and urls that way."""

LONGEST_RETRY_AFTER = 3600.0
"""Seconds. A server that wishes for more, by mistake or malice, is asked again after an hour."""

_UNKNOWN_AUTHORITY = (
    "comes from an unknown authority; let Proxar trust it (spec.tls.caBundleRef), or use one that "
    "is known"
)
_CERTIFICATE_FAULTS = {
    9: "is not valid yet; check the clocks",
    10: "has expired; renew it",
    18: f"is self-signed, so it {_UNKNOWN_AUTHORITY}",
    19: _UNKNOWN_AUTHORITY,
    20: f"{_UNKNOWN_AUTHORITY} (or let the server send its intermediate certificates)",
    21: f"{_UNKNOWN_AUTHORITY} (or let the server send its intermediate certificates)",
    23: "has been revoked; replace it",
    62: "is for another host name; use a name that is in the certificate, or reissue it",
    64: "does not name this IP address; use a host name that is in the certificate",
}
"""By the verification codes of OpenSSL (x509_vfy.h)."""

_NO_TLS = "the server does not speak TLS on this port; is the url meant to begin with http://?"
_SHOW_ONE = "name its Secret in spec.tls.clientCertificateSecretRef"
_TLS_FAULTS = {
    "WRONG_VERSION_NUMBER": _NO_TLS,
    "RECORD_LAYER_FAILURE": _NO_TLS,
    "HTTP_REQUEST": _NO_TLS,
    "TLSV13_ALERT_CERTIFICATE_REQUIRED": f"the server asks for a client certificate; {_SHOW_ONE}",
    # What TLS 1.2 says of a missing one, and of little else.
    "SSLV3_ALERT_HANDSHAKE_FAILURE": (
        f"the server broke the TLS handshake off; if it asks for a client certificate, {_SHOW_ONE}"
    ),
    "TLSV1_ALERT_UNKNOWN_CA": "the server does not know the authority of the client certificate",
    "SSLV3_ALERT_BAD_CERTIFICATE": "the server refuses the client certificate; look at its log",
    "SSLV3_ALERT_CERTIFICATE_UNKNOWN": "the server refuses the client certificate; look at its log",
    "SSLV3_ALERT_CERTIFICATE_EXPIRED": "the client certificate has expired; renew it",
    "SSLV3_ALERT_CERTIFICATE_REVOKED": "the client certificate has been revoked; replace it",
    "TLSV1_UNRECOGNIZED_NAME": "the server does not serve this host name; correct the url or "
    "spec.tls.serverName",
    "UNSUPPORTED_PROTOCOL": "the server speaks only TLS versions before 1.2; update it",
    "TLSV1_ALERT_PROTOCOL_VERSION": "the server and Proxar share no TLS version; it needs 1.2",
}
"""By the reasons of OpenSSL."""

_CONNECT_FAULTS = {
    errno.ECONNREFUSED: "refused the connection; is the server running, and is the port right?",
    errno.EHOSTUNREACH: "cannot be reached (no route); check routing and NetworkPolicies",
    errno.ENETUNREACH: "cannot be reached (no network); check routing and NetworkPolicies",
    errno.ETIMEDOUT: "did not take the connection in time; check firewalls and NetworkPolicies",
}


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """The error and its causes, outermost first."""
    while error is not None:
        yield error
        error = error.__cause__


def is_disconnect(error: BaseException) -> bool:
    """Whether the peer had closed the connection, which says little of one kept alive."""
    return any(
        isinstance(cause, aiohttp.ServerDisconnectedError | ConnectionResetError | BrokenPipeError)
        for cause in chain(error)
    )


def from_exception(error: BaseException, label: str, what: str, dial: Dial | None) -> FetchError:
    """The error that says what `error` means for the server at `label`.

    Args:
        what: What was asked for, such as ``tools/list`` or ``page 3 of tools/list``.
        dial: The request's own record; its refusal outranks what the libraries made of it.
    """
    if dial is not None and dial.denied is not None:
        return dial.denied
    if dial is not None and is_disconnect(error):
        return _from_disconnect(label, what)
    # From the inside: aiohttp's TLS errors are OpenSSL's by inheritance, without the code.
    for cause in reversed(list(chain(error))):
        if (fault := _known(cause, label, what)) is not None:
            return fault
    return failure(Reason.CONNECT_FAILED, f"{label}: no answer to {what} ({type(error).__name__})")


def in_body(error: BaseException, label: str, what: str) -> FetchError:
    """A fault in the middle of a body: there was a connection, so it did not fail to be."""
    fault = from_exception(error, label, what, None)
    if fault.reason != Reason.CONNECT_FAILED:
        return fault
    return failure(
        Reason.TRUNCATED_RESPONSE,
        f"{label} broke the connection in the middle of its answer to {what}; "
        "look for a crash, or a proxy with a limit",
    )


def _known(cause: BaseException, label: str, what: str) -> FetchError | None:
    match cause:
        case socket.gaierror():
            return _from_dns(cause, label)
        case ssl.SSLCertVerificationError():
            problem = _CERTIFICATE_FAULTS.get(
                cause.verify_code, f"is not valid ({cause.verify_message})"
            )
            return failure(Reason.TLS_FAILED, f"{label}: the server's certificate {problem}")
        case ssl.SSLError():
            problem = _TLS_FAULTS.get(
                cause.reason or "", f"the TLS handshake failed ({cause.reason})"
            )
            return failure(Reason.TLS_FAILED, f"{label}: {problem}")
        case aiohttp.ClientPayloadError():
            return _from_payload(cause, label, what)
        case aiohttp.ClientResponseError():
            return _from_broken_http(cause, label, what)
        case aiohttp.InvalidURL():
            return failure(
                Reason.CONNECT_FAILED,
                "the url cannot be used; it must be http:// or https:// with a host",
            )
        case OSError() if cause.errno in _CONNECT_FAULTS:
            return failure(Reason.CONNECT_FAILED, f"{label} {_CONNECT_FAULTS[cause.errno]}")
        case UnicodeError():
            return failure(
                Reason.DNS_FAILED, "the url's host is not a name that can be looked up; correct it"
            )
        case ValueError():
            # aiohttp's text quotes the value, which may be a secret.
            return failure(
                Reason.CONNECT_FAILED,
                f"{label}: the request cannot be sent; a header name or value holds a character "
                "that HTTP forbids",
            )
    return None


def _from_disconnect(label: str, what: str) -> FetchError:
    # A server that misses a client certificate says so in an alert, which asyncio loses.
    is_tls = label.startswith("https:")
    hint = f"; if it asks for a client certificate, {_SHOW_ONE}" if is_tls else ""
    return failure(
        Reason.CONNECT_FAILED,
        f"{label} closed the connection without an answer to {what}; "
        f"look at the server's log{hint}",
    )


def _from_dns(error: socket.gaierror, label: str) -> FetchError:
    if error.errno == socket.EAI_AGAIN:
        return failure(
            Reason.DNS_FAILED,
            f"{label}: the host name could not be looked up just now; check the cluster's DNS",
        )
    return failure(
        Reason.DNS_FAILED, f"{label}: the host name is unknown; check its spelling and namespace"
    )


def _from_payload(error: aiohttp.ClientPayloadError, label: str, what: str) -> FetchError:
    text = " ".join(str(cause) for cause in chain(error))
    if "Not enough data" in text or any(
        isinstance(
            cause,
            http_exceptions.ContentLengthError | ConnectionError | aiohttp.ClientConnectionError,
        )
        for cause in chain(error)
    ):
        return failure(
            Reason.TRUNCATED_RESPONSE,
            f"{label} closed the connection in the middle of its answer to {what}; "
            "look for a crash, or a proxy with a limit",
        )
    return _broken_rules(label, what)


def _broken_rules(label: str, what: str) -> FetchError:
    return failure(
        Reason.MALFORMED_RESPONSE,
        f"{label}: the answer to {what} breaks the rules of HTTP; look for a faulty proxy",
    )


def _from_broken_http(error: aiohttp.ClientResponseError, label: str, what: str) -> FetchError:
    if any(isinstance(cause, http_exceptions.LineTooLong) for cause in chain(error)):
        return failure(Reason.TOO_LARGE, f"{label} sent a header of more than 8,190 bytes")
    if not any(isinstance(cause, http_exceptions.BadStatusLine) for cause in chain(error)):
        return _broken_rules(label, what)
    return failure(
        Reason.NOT_MCP,
        f"{label} does not answer in HTTP; check the port, and whether it wants https://",
    )


def from_status(status: int, headers: Mapping[str, str], label: str, what: str) -> FetchError:
    """What a status other than 200 means when the body says nothing better."""
    asked = f"{label} answered {status} to {what}"
    wait = retry_after(headers.get("retry-after"))
    match status:
        case 401:
            return failure(
                Reason.UNAUTHORIZED,
                f"{asked}{_challenge(headers)}; check the credentials, they may have expired",
            )
        case 403:
            return failure(
                Reason.FORBIDDEN,
                f"{asked}{_challenge(headers)}; these credentials lack the right to list tools",
            )
        case 404 | 410:
            return failure(Reason.NOT_FOUND, f"{asked}; check the path, often it is /mcp")
        case 421:
            return failure(
                Reason.HOST_REJECTED,
                f"{asked}: it does not serve this host name; add the name to the server's "
                "allowed hosts",
            )
        case 429:
            return failure(Reason.RATE_LIMITED, f"{asked}; poll less often", retry_after=wait)
        case 202 | 204:
            return failure(
                Reason.NOT_MCP,
                f"{asked}, which is no answer to a request; is this an MCP endpoint?",
            )
        case _ if status >= 500:
            return failure(
                Reason.SERVER_ERROR, f"{asked}; look at the server's log", retry_after=wait
            )
        case 405:
            return failure(
                Reason.HTTP_ERROR,
                f"{asked}: no POST here; check the path (a server of 2024 that offers only "
                "HTTP+SSE answers so too)",
            )
        case 406:
            return failure(
                Reason.HTTP_ERROR,
                f"{asked}: it offers neither JSON nor an event stream; is this an MCP endpoint?",
            )
    return failure(Reason.HTTP_ERROR, f"{asked}; look at the server's log", retry_after=wait)


def _challenge(headers: Mapping[str, str]) -> str:
    """The error word of a `WWW-Authenticate`, if RFC 6750 defines it: the rest is free text."""
    words = re.search(
        r"\berror=\"?(invalid_request|invalid_token|insufficient_scope)\b",
        headers.get("www-authenticate", ""),
    )
    return f" ({words[1]})" if words else ""


def retry_after(value: str | None, now: float | None = None) -> float | None:
    """Seconds to wait, from a number or a date, at most an hour; ``None`` when it says nothing."""
    if value is None:
        return None
    value = value.strip()
    if re.fullmatch(r"\d{1,9}", value, re.ASCII):
        return min(float(value), LONGEST_RETRY_AFTER)
    try:
        moment = email.utils.parsedate_to_datetime(value).timestamp()
    except (ValueError, OverflowError):
        return None
    return min(max(moment - (time.time() if now is None else now), 0.0), LONGEST_RETRY_AFTER)
