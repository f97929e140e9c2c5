"""Why a tool list could not be read: the closed set of words, and how such an error is made."""

from enum import StrEnum

from proxar.errors import FetchError

__all__ = ["MESSAGE_LENGTH", "Reason", "clean", "failure"]

MESSAGE_LENGTH = 512
"""Characters a message may have.

It goes into a condition and an Event note, whose limit is 1,024 bytes.
"""


class Reason(StrEnum):
    """The same words in conditions, Events, metric labels and `-o json`.

    People alert on them: add, never rename.
    """

    DNS_FAILED = "DNSFailed"
    CONNECT_FAILED = "ConnectFailed"
    TLS_FAILED = "TLSFailed"
    TIMEOUT = "Timeout"
    UNAUTHORIZED = "Unauthorized"
    FORBIDDEN = "Forbidden"
    NOT_FOUND = "NotFound"
    HOST_REJECTED = "HostRejected"
    RATE_LIMITED = "RateLimited"
    SERVER_ERROR = "ServerError"
    HTTP_ERROR = "HTTPError"
    REDIRECT_REFUSED = "RedirectRefused"
    NOT_MCP = "NotMCP"
    TRUNCATED_RESPONSE = "TruncatedResponse"
    MALFORMED_RESPONSE = "MalformedResponse"
    PROTOCOL_ERROR = "ProtocolError"
    RPC_ERROR = "RPCError"
    TOOLS_UNSUPPORTED = "ToolsUnsupported"
    PAGINATION_LOOP = "PaginationLoop"
    TOO_LARGE = "TooLarge"
    # Decided by the controller, which knows what was there before.
    EMPTY_LIST = "EmptyList"
    SECRET_NOT_FOUND = "SecretNotFound"  # noqa: S105 - a word, not a secret
    SECRET_FORBIDDEN = "SecretForbidden"  # noqa: S105
    TOKEN_FAILED = "TokenFailed"  # noqa: S105
    EGRESS_DENIED = "EgressDenied"


def failure(reason: Reason, message: str, *, retry_after: float | None = None) -> FetchError:
    """Make the error. The message is cleaned here, so that no caller has to remember."""
    return FetchError(reason, clean(message, MESSAGE_LENGTH), retry_after=retry_after)


def clean(text: str, length: int) -> str:
    """Cut to `length` characters, with `?` for what neither a terminal nor the API should get."""
    if len(text) > length:
        text = text[: length - 1] + "…"
    return "".join(character if character.isprintable() else "?" for character in text)
