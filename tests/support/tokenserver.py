"""An authorization server that gives tokens for client credentials, and misbehaves when told to."""

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote_plus

from tests.support.secureserver import Asked, SecureServer
from tests.support.toolserver import Answer

__all__ = ["TOKEN_FAULTS", "TokenServer", "refusal"]


def refusal(code: object, status: int = 400, **members: object) -> Answer:
    """An error of RFC 6749; `members` are further ones, such as a description."""
    return Answer(json.dumps({"error": code, **members}).encode(), status)


@dataclass
class TokenServer(SecureServer):
    """Gives `token-1`, `token-2` and so on to the one client that it knows."""

    client_id: str = "proxar"
    secret: str = "s3cret"
    expires_in: Any = 3600
    answers: list[Answer] = field(default_factory=list)
    """What the next requests are answered with; then tokens again."""
    further: dict[str, str] = field(default_factory=dict)
    """Headers added to each answer."""
    prefix: str = "token-"
    given: list[str] = field(default_factory=list)
    proves: Callable[[dict[str, str]], bool] | None = None
    """Whether a form with an assertion proves the client."""
    hold: Callable[[], None] = lambda: None
    """Called before an answer; may block."""

    @property
    def url(self) -> str:
        """Its token endpoint."""
        return self.url_of("/oauth2/token")

    @property
    def forms(self) -> list[dict[str, str]]:
        """What was asked for."""
        return [dict(parse_qsl(asked.body.decode())) for asked in self.asked]

    def answer(self, asked: Asked) -> tuple[Answer, dict[str, str]]:
        """The next of `answers`, a token, or a refusal."""
        self.hold()
        if self.answers:
            return self.answers.pop(0), self.further
        form = dict(parse_qsl(asked.body.decode()))
        if form.get("grant_type") != "client_credentials":
            return refusal("unsupported_grant_type"), self.further
        if not self._knows(asked, form):
            return refusal("invalid_client", 401), self.further
        token = f"{self.prefix}{len(self.given) + 1}"
        self.given.append(token)
        answer = {"access_token": token, "token_type": "Bearer"}
        if self.expires_in is not None:
            answer["expires_in"] = self.expires_in
        return Answer(json.dumps(answer).encode()), self.further

    def _knows(self, asked: Asked, form: dict[str, str]) -> bool:
        if "client_assertion" in form:
            return self.proves is not None and self.proves(form)
        if "client_secret" in form:
            return (form["client_id"], form["client_secret"]) == (self.client_id, self.secret)
        kind, _, encoded = asked.headers.get("authorization", "").partition(" ")
        name, _, secret = base64.b64decode(encoded).decode().partition(":")
        given = unquote_plus(name), unquote_plus(secret)
        return kind == "Basic" and given == (self.client_id, self.secret)


def _granted(**members: object) -> Answer:
    answer = {"access_token": "t", "token_type": "Bearer", **members}
    return Answer(json.dumps(answer).encode())


TOKEN_FAULTS: dict[str, tuple[Answer, str]] = {
    "a refused client": (refusal("invalid_client", 401), "invalid_client"),
    "a refused scope": (refusal("invalid_scope"), "invalid_scope"),
    "a refused resource": (refusal("invalid_target"), "invalid_target"),
    "an error with a 200": (refusal("unauthorized_client", 200), "unauthorized_client"),
    "an error of its own": (refusal("BANANA"), "without an error code that OAuth defines"),
    "an error that is a number": (refusal(7), "without an error code"),
    "an error without a body": (Answer(b"", 500, "text/plain"), "HTTP 500"),
    "a page": (Answer(b"<html>sign in", content_type="text/html"), "not a JSON object"),
    "a page with an error": (Answer(b"<html>no", 404, "text/html"), "HTTP 404"),
    "an empty body": (Answer(b""), "not a JSON object"),
    "a list": (Answer(b"[]"), "not a JSON object"),
    "no JSON": (Answer(b'{"access_token": NaN}'), "not a JSON object"),
    "a form": (Answer(b"access_token=t&token_type=bearer"), "not a JSON object"),
    "no token": (Answer(b'{"token_type": "Bearer"}'), "no access_token"),
    "an empty token": (_granted(access_token=""), "no access_token"),
    "a token that is no text": (_granted(access_token=7), "no access_token"),
    "a token with a line break": (_granted(access_token="a\r\nX: b"), "no header can carry"),
    "a token beyond ASCII": (_granted(access_token="tökén"), "no header can carry"),
    "a token without end": (_granted(access_token="t" * 20_000), "no header can carry"),
    "another kind of token": (_granted(token_type="DPoP"), "token_type Bearer"),
    "no kind of token": (_granted(token_type=None), "token_type Bearer"),
    "a body without end": (Answer(b" " * (65 << 10)), "more than 64 KiB"),
    "a redirect": (Answer(b"", 307, "text/plain"), "redirects the request for a token"),
}
"""What a token endpoint may answer instead of a token, and what the message says then."""
