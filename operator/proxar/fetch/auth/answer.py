"""What a token endpoint answered: a token, or why there is none. Pure.

Of a refusal only the error code is told, and only one that the standards define: everything else is
free text, and may repeat what was sent.
"""

import re
from dataclasses import dataclass, field
from decimal import Decimal

from proxar.contract import JSON, ContractError, read
from proxar.errors import FetchError
from proxar.fetch.reasons import Reason, failure

__all__ = ["Granted", "granted", "refused"]

TOKEN_LENGTH = 16 << 10
"""Characters. Most servers take headers of 8 KiB in all."""

LONGEST = 3600.0
"""Seconds that a token is kept, whatever its server says: rights that were taken away end."""

UNSAID = 60.0
"""Seconds that a token is kept whose server says nothing."""

_TOKEN = re.compile(r"[A-Za-z0-9\-._~+/]+=*")
"""RFC 6750, section 2.1."""

_ADVICE = {
    # RFC 6749, section 5.2
    "invalid_request": "it misses something in the request; look at its log",
    "invalid_client": "it does not know the client or its secret; check clientID and the Secret",
    "invalid_grant": "it refuses the proof; check clientID, the Secret and the clocks",
    "unauthorized_client": "let it allow this client the grant client_credentials",
    "unsupported_grant_type": "it offers no grant client_credentials; use another one",
    "invalid_scope": "correct scopes, or let it allow them to this client",
    # RFC 8707
    "invalid_target": "correct resource (or audience), or let it allow that to this client",
    # Section 4.1.2.1; some servers use them here too
    "access_denied": "it denies this client access; ask whoever runs it",
    "server_error": "look at its log",
    "temporarily_unavailable": "it is overloaded or being maintained",
    # RFC 9449
    "invalid_dpop_proof": "it wants DPoP, which Proxar does not speak",
    "use_dpop_nonce": "it wants DPoP, which Proxar does not speak",
}


@dataclass(frozen=True, slots=True)
class Granted:
    """A bearer token."""

    token: str = field(repr=False)
    lifetime: float
    """Seconds, from now on, that it is worth keeping; bounded."""


def granted(body: bytes, label: str) -> Granted:
    """Read the body of a 200.

    Raises:
        FetchError: `TokenFailed`; it holds no bearer token that could be sent.
    """
    answer = _object(body)
    if answer is None:
        raise _odd(label, "something that is not a JSON object; is tokenURL the token endpoint?")
    if "error" in answer:
        raise refused(200, body, label)
    token = answer.get("access_token")
    if not isinstance(token, str) or not token:
        raise _odd(label, "no access_token; is tokenURL the token endpoint?")
    if len(token) > TOKEN_LENGTH or not _TOKEN.fullmatch(token):
        raise _odd(label, "an access_token that no header can carry")
    kind = answer.get("token_type")
    if not isinstance(kind, str) or kind.lower() != "bearer":
        raise _odd(label, "a token that is not of token_type Bearer")
    return Granted(token, _lifetime(answer.get("expires_in")))


def refused(status: int, body: bytes, label: str) -> FetchError:
    """The error of any other answer."""
    answer = _object(body) or {}
    code = answer.get("error")
    if isinstance(code, str) and code in _ADVICE:
        return failure(
            Reason.TOKEN_FAILED,
            f"{label} gave no token: {code} (HTTP {status}): {_ADVICE[code]}",
        )
    return failure(
        Reason.TOKEN_FAILED,
        f"{label} gave no token (HTTP {status}, without an error code that OAuth defines); "
        "check tokenURL, and look at its log",
    )


def _odd(label: str, what: str) -> FetchError:
    return failure(Reason.TOKEN_FAILED, f"{label} answered the request for a token with {what}")


def _object(body: bytes) -> dict[str, JSON] | None:
    try:
        value = read(body)
    except ContractError:
        return None
    return value if isinstance(value, dict) else None


def _lifetime(value: JSON) -> float:
    # Some servers send the number as text.
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,9}", value, re.ASCII):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return UNSAID
    # Compared before converted: 1e999999999 would take all memory.
    return LONGEST if value >= LONGEST else max(float(value), 0.0)
