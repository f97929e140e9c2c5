"""How values are shown in one line of text: bounded, and with nothing in it that a reader cannot
see.
"""

import re

from proxar.contract.canonical import canonical_text
from proxar.contract.value import JSON, MISSING, Missing

__all__ = [
    "MAYBE_DECLARED",
    "UNREADABLE",
    "quoted",
    "shown",
    "shown_list",
    "text_change",
    "visible",
]

SHOWN_CHARACTERS = 80
"""Characters of a value that a message shows; a message names several."""

SHOWN_VALUES = 5

UNREADABLE = ", so nothing is proved"
"""What is said of a keyword that is invalid, or that cannot be followed."""

MAYBE_DECLARED = " was added and may have been declared elsewhere in the schema before"
"""What is said of a new parameter as long as it is not proved that it takes nothing away."""

INVISIBLE = re.compile(
    "[\u0300-\u036f\u115f\u1160\u17b4\u17b5\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Printable by Unicode's classes, yet nothing to see: fillers, selectors, and accents that hide in
their letter.
"""


def visible(text: str) -> str:
    """Return the text with every control, format, private, unassigned and invisible character
    escaped.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escape(character) for character in text)


def quoted(text: str) -> str:
    """Return the text as a JSON string with nothing invisible in it."""
    return visible(canonical_text(text))


def shown(value: JSON, limit: int = SHOWN_CHARACTERS) -> str:
    """Return the value's JSON, visible and cut to about so many characters."""
    text = visible(canonical_text(_beginning(value, limit + 1))[: 2 * limit])
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _beginning(value: JSON, limit: int) -> JSON:
    """As much of a value as can be seen in so many characters, since there may be very much more;
    each part has one at least.
    """
    if isinstance(value, dict):
        return {name: value[name] for name in sorted(value)[:limit]}
    return value[:limit] if isinstance(value, str | list) else value


def shown_list(values: list[JSON]) -> str:
    """Return the first few values and how many more there are."""
    first = ", ".join(shown(value, 40) for value in values[:SHOWN_VALUES])
    more = len(values) - SHOWN_VALUES
    return f"{first} and {more} more" if more > 0 else first


def _escape(character: str) -> str:
    if character.isprintable() and not INVISIBLE.match(character):
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\u{{{code:x}}}"


def text_change(subject: str, before: JSON | Missing, after: JSON | Missing) -> str:
    """Say that a value came, went or changed; of two long texts, what is shown begins where they
    differ.
    """
    if before is MISSING:
        return (
            f"{subject} added: {shown(after)}" if after is not MISSING else f"{subject} is absent"
        )
    if after is MISSING:
        return f"{subject} removed: {shown(before)}"
    if isinstance(before, str) and isinstance(after, str):
        start = _start_of_difference(before, after)
        cut = "…" if start else ""
        old, new = (cut + shown(text[start:]) for text in (before, after))
        return f"{subject} changed from {old} to {new}"
    return f"{subject} changed from {shown(before)} to {shown(after)}"


def _start_of_difference(before: str, after: str) -> int:
    """Where to begin to show two texts that are too long to show whole: a few characters before
    they part.
    """
    if max(len(before), len(after)) <= SHOWN_CHARACTERS - 20:
        return 0
    same, parted = 0, min(len(before), len(after))
    while same < parted:  # by halves: a text may have millions of characters
        middle = (same + parted + 1) // 2
        if before[same:middle] == after[same:middle]:
            same = middle
        else:
            parted = middle - 1
    return max(0, parted - 20)
