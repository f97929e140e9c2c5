"""Whether a value has a format: yes, no, or not for us to say.

Formats count as assertions, as they do for the clients that break. Validators disagree about the
fringes (leap seconds, quoted local parts, internationalised names), so each format here is sure of
what every validator accepts and of what none does, and `None` in between. An unknown format says
nothing at all.
"""

import re
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from ipaddress import AddressValueError, IPv4Address, IPv6Address

from proxar.contract.validation.expression import parse
from proxar.contract.value import JSON
from proxar.contract.vocabulary import WHOLE_FORMATS, is_whole

__all__ = ["has_format"]

LONGEST = 2_000
"""Characters of a string that we judge."""

Judge = Callable[[str], bool | None]


def has_format(name: str, value: JSON) -> bool | None:
    """Whether a value has a format; true for a value of a type that the format is not about."""
    if isinstance(value, str):
        judge = JUDGES.get(name)
        if judge is None:
            return True
        return judge(value) if len(value) <= LONGEST else None
    if isinstance(value, int | Decimal) and not isinstance(value, bool) and name in WHOLE_FORMATS:
        least, most = WHOLE_FORMATS[name]
        return None if not is_whole(value) else least <= value <= most
    return True


# Expressions are compiled when they are first needed, and kept by `re`: all of them together would
# cost a program ten milliseconds whenever it starts.


def _exactly(pattern: str, flags: int = 0) -> Judge:
    """A format that is a regular language, without dispute."""
    return lambda text: re.fullmatch(pattern, text, flags | re.ASCII) is not None


def _between(surely: str, possibly: str) -> Judge:
    """A format that holds all of one language, and nothing beyond another."""

    def judge(text: str) -> bool | None:
        if re.fullmatch(surely, text, re.ASCII):
            return True
        return None if re.fullmatch(possibly, text, re.ASCII) else False

    return judge


DATE = r"(\d{4})-(\d\d)-(\d\d)"
TIME = (
    r"(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)(?:\.\d+)?"
    r"(?P<zone>[Zz]|[+-](?P<zone_hour>\d\d):(?P<zone_minute>\d\d))?"
)


def _is_date(text: str) -> bool:
    found = re.fullmatch(DATE, text, re.ASCII)
    if not found:
        return False
    year, month, day = map(int, found.groups())
    try:
        # Year 0 is one of the standard's and not of Python's; it has the days of any leap year.
        date(year or 2000, month, day)
    except ValueError:
        return False
    return True


def _is_time(text: str) -> bool | None:
    found = re.fullmatch(TIME, text, re.ASCII)
    if not found:
        return False
    hour, minute, second, zone_hour, zone_minute = (
        int(found[name] or 0) for name in ("hour", "minute", "second", "zone_hour", "zone_minute")
    )
    if hour > 23 or minute > 59 or second > 60 or zone_hour > 23 or zone_minute > 59:
        return False
    if second == 60 or not found["zone"] or found["zone"] == "z":
        return None  # a leap second; no zone, which some forgive
    return True


def _is_date_time(text: str) -> bool | None:
    if not _is_date(text[:10]):
        return False
    if text[10:11] == "T":
        return _is_time(text[11:])
    return None if text[10:11] in {"t", " ", "_"} and _is_time(text[11:]) is not False else False


DURATION_TIME = r"T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S)"
DURATION = (
    rf"P(?:\d+W|(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)(?:{DURATION_TIME})?|{DURATION_TIME})"
)

LABEL = r"(?!..--)[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
"""A label; with two hyphens after two letters it may be an encoded one, whose code counts too."""
HOST = rf"(?:{LABEL}\.)*{LABEL}"


def _is_sure_host(text: str) -> bool:
    return len(text) < 254 and re.fullmatch(HOST, text, re.ASCII) is not None


def _is_hostname(text: str) -> bool | None:
    if (
        not text
        or len(text) > 254
        or not text.isascii()
        or re.search(r"[\x00-,/:-@\[-^`{-\x7f]", text)
    ):
        return None if text and not text.isascii() else False
    if _is_sure_host(text):
        return True
    parts = text.split(".")
    is_wrong = any(part.startswith("-") or part.endswith("-") or len(part) > 63 for part in parts)
    return False if is_wrong else None


def _is_ipv4(text: str) -> bool:
    if not re.fullmatch(r"(?:(?:0|[1-9]\d{0,2})\.){3}(?:0|[1-9]\d{0,2})", text, re.ASCII):
        return False
    try:
        IPv4Address(text)
    except AddressValueError:
        return False
    return True


def _is_ipv6(text: str) -> bool:
    if not re.fullmatch(r"[0-9A-Fa-f:.]+", text):
        return False
    try:
        IPv6Address(text)
    except AddressValueError:
        return False
    return True


def _is_regex(text: str) -> bool | None:
    """One that we read is one. We refuse more than we must, so of others little is sure."""
    if parse(text) is not None:
        return True
    return False if text in {"(", ")", "[", "*", "+", "?", "\\"} else None


EMAIL = _between(
    rf"[A-Za-z0-9_+-]+(?:\.[A-Za-z0-9_+-]+)*@(?:{LABEL}\.)+[A-Za-z]{{2,}}",
    r"(?s:[^@].*@.*[^@.])",
)
ENCODED = r"%[0-9A-Fa-f]{2}"
PATH = rf"(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|{ENCODED})"
REST = rf"(?:/{PATH}*)*(?:\?(?:{PATH}|[/?])*)?(?:#(?:{PATH}|[/?])*)?"
NOT_IN_URI = r'\x00-\x20"<>\\^`{|}\x7f-\U0010ffff'
NOT_IN_IRI = r'\x00-\x20"<>\\^`{|}\x7f'
SCHEME = r"[A-Za-z][A-Za-z0-9+.-]*:"
SURE_URI = rf"[a-z][a-z0-9]+://{HOST}(?::\d{{1,4}})?{REST}"
SURE_REFERENCE = rf"(?:{SURE_URI}|(?:/{PATH}+)+(?:\?(?:{PATH}|[/?])*)?|[A-Za-z0-9_-]+(?:/{PATH}+)*)"

JUDGES: dict[str, Judge] = {
    "date": _is_date,
    "date-time": _is_date_time,
    "duration": _exactly(DURATION),
    "email": EMAIL,
    "hostname": _is_hostname,
    "idn-email": EMAIL,
    "idn-hostname": lambda text: _is_sure_host(text) or None,
    "ipv4": _is_ipv4,
    "ipv6": _is_ipv6,
    "iri": _between(SURE_URI, rf"{SCHEME}[^{NOT_IN_IRI}]*"),
    "iri-reference": _between(SURE_REFERENCE, rf"[^{NOT_IN_IRI}]*"),
    "json-pointer": _exactly(r"(?:/(?:[^~/]|~[01])*)*", re.DOTALL),
    "regex": _is_regex,
    "relative-json-pointer": _exactly(r"(?:0|[1-9][0-9]*)(?:#|(?:/(?:[^~/]|~[01])*)*)", re.DOTALL),
    "time": _is_time,
    "uri": _between(SURE_URI, rf"{SCHEME}[^{NOT_IN_URI}]*"),
    "uri-reference": _between(SURE_REFERENCE, rf"[^{NOT_IN_URI}]*"),
    "uri-template": _between(r"(?:[A-Za-z0-9/._:~-]|\{[A-Za-z0-9_]+\})*", r"(?s:.*)"),
    "uuid": _exactly(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"),
}
