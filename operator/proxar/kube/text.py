"""The one function through which every server-supplied string enters the Kubernetes API.

One value that is too long, or one lone surrogate, makes the API server refuse the whole status
(422, 400), so nothing a server says may reach a body by another way.
"""

import unicodedata

__all__ = ["clean"]

ELLIPSIS = "…"

INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
"""Control, format (zero-width, bidi, tags), surrogate, private use, line and paragraph separators:
shown as escapes.

Two texts that look alike must not read alike in a condition or an Event.
"""


def clean(text: str, *, characters: int, octets: int | None = None) -> str:
    """Return `text` fit for an API field: visible, valid Unicode, and not longer than the field.

    Args:
        characters: what the CRD's maxLength counts (code points).
        octets: a bound in UTF-8 bytes, as Event notes have it.
    """
    # Only as much as can survive is looked at: a server may send megabytes here.
    shown = text[: characters + 1]
    if not (shown.isascii() and shown.isprintable()):
        shown = "".join(_visible(character) for character in shown)
    if len(shown) > characters:
        shown = shown[: characters - 1] + ELLIPSIS
    if octets is not None and len(shown.encode()) > octets:
        shown = shown.encode()[: octets - len(ELLIPSIS.encode())].decode(errors="ignore") + ELLIPSIS
    return shown


def _visible(character: str) -> str:
    if unicodedata.category(character) not in INVISIBLE:
        return character
    return f"\\u{ord(character):04x}" if ord(character) <= 0xFFFF else f"\\U{ord(character):08x}"
