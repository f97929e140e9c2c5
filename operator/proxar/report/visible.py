"""Server text made safe to print: whatever a reader could not see is shown as its escape.

An escape sequence could rewrite the terminal, a bidi override could turn a line around, and a
zero-width character could make two different descriptions look equal. All of them become
`\\u200b`-like text; everything else stays as it is.
"""

import unicodedata

__all__ = ["escape", "is_visible", "look_alike", "shorten", "spelt_out", "visible"]

INVISIBLE = frozenset(
    [
        0x034F,  # combining grapheme joiner
        0x115F,  # Hangul fillers: letters without a shape
        0x1160,
        0x17B4,  # Khmer inherent vowels
        0x17B5,
        0x2800,  # blank Braille pattern
        0x3164,
        0xFFA0,
        *range(0x180B, 0x1810),  # Mongolian variation selectors
        *range(0xFE00, 0xFE10),  # variation selectors
        *range(0xE0100, 0xE01F0),
    ]
)
"""Code points that Unicode calls letters, marks or symbols although nothing is drawn."""

SHORT_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def is_visible(character: str) -> bool:
    """Whether a reader sees this character for what it is.

    Python calls controls, formats (bidi, zero width, tags), unassigned and private code points,
    surrogates and every space but U+0020 not printable.
    """
    return character.isprintable() and ord(character) not in INVISIBLE


def escape(character: str) -> str:
    """The escape of one character as JSON writes it; beyond U+FFFF a surrogate pair."""
    code = ord(character)
    if code <= 0xFFFF:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


def visible(text: str) -> str:
    """The text on one line, with every hidden character escaped, line breaks included."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        character if is_visible(character) else SHORT_ESCAPES.get(character) or escape(character)
        for character in text
    )


def shorten(text: str, limit: int) -> str:
    """At most `limit` characters, the cut marked by an ellipsis."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def look_alike(before: str, after: str) -> bool:
    """Whether two different texts would look the same once they are visible.

    A combining accent against a composed letter does, and an escape that the server spelt out.
    """
    return before != after and _look(before) == _look(after)


def _look(text: str) -> str:
    return unicodedata.normalize("NFKC", visible(text))


def spelt_out(text: str) -> str:
    """The text with everything escaped that is not ASCII, and the backslash."""
    return "".join(map(_spell, text))


def _spell(character: str) -> str:
    if character == "\\":
        return "\\\\"
    if character.isascii() and character.isprintable():
        return character
    return SHORT_ESCAPES.get(character) or escape(character)
