"""Text that a model reads and a person does not see: what is in it, and by which rule that is a
finding.

Legitimate uses are left alone: joiners in emoji and between letters of scripts that need them,
selectors behind emoji and ideographs, the flags of England, Scotland and Wales, line breaks.
Letters that only look like others are not looked for: that takes a table of confusables, and most
of its hits are honest words.

Sources: Unicode Technical Standards 36, 39 and 51; reports of tag and zero-width characters in
descriptions of tools.
"""

import re
import unicodedata
from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

__all__ = ["MAX_HIDDEN", "Hidden", "hidden", "may_hide"]

SUSPECT: Final = re.compile(
    "[^\t\n\r\x20-\x7e\u00a0-\u00ac\u00ae-\u034e\u0350-\u05ff\u0606-\u061b\u061d-\u06dc"
    "\u06de-\u070e\u0710-\u088f\u0892-\u08e1\u08e3-\u115e\u1161-\u17b3\u17b6-\u180a"
    "\u1810-\u200a\u2010-\u2027\u2030-\u205f\u2070-\u27ff\u2801-\u3163\u3165-\ud7ff"
    "\uf900-\ufdff\ufe10-\ufefe\uff00-\uff9f\uffa1-\uffef"
    "\U0001f000-\U0001fbff\U00020000-\U0003ffff]"
)
"""What is looked at one by one; letters, signs and emoji of all scripts are passed over quickly."""

ESCAPED: Final = re.compile(rb"\\[ubf]")
"""How control characters and lone surrogates are written in JSON; a backslash before a letter, too.
"""

MAX_HIDDEN: Final = 1_000
"""Characters that are told of one text; one that is full of them is not read to its end."""

BIDI: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
ZERO_WIDTH: Final = frozenset(
    "\u00ad\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\ufeff"
)
JOINERS: Final = frozenset("\u200c\u200d")
MARKS: Final = frozenset("\u061c\u200e\u200f")
"""Marks of direction, as they are written beside Arabic and Hebrew words."""

FILLERS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\u2028\u2029")
"""Letters, marks and symbols without a shape, and the separators that are no line breaks in JSON.
"""

PREPENDED: Final = frozenset(
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
)
"""Signs around numbers, which Unicode files under format controls although they are drawn."""

SELECTOR: Final = re.compile("[\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
TAG: Final = re.compile("[\U000e0000-\U000e007f]")
FLAG: Final = re.compile(
    "\U0001f3f4\U000e0067\U000e0062(?:\U000e0065\U000e006e\U000e0067|\U000e0073\U000e0063\U000e0074"
    "|\U000e0077\U000e006c\U000e0073)\U000e007f"
)
"""The three flags that are spelt in tags: England, Scotland, Wales."""


SYMBOLS: Final = frozenset({"So", "Sm", "Sk", "Po", "Cn"})
"""Categories of what an emoji selector may follow; newer emoji are not assigned in an older table.
"""

KEYCAPS: Final = frozenset("0123456789#*")
MAX_SHOWN: Final = 5


class Hidden(NamedTuple):
    """All characters of a text that one rule is about."""

    rule: str
    amount: int
    shown: str
    """The first few different ones, `U+200B, U+2060`."""


def may_hide(document: bytes) -> bool:
    """Whether a text of a canonical document may hold any; nearly always there is none."""
    return bool(SUSPECT.search(document.decode()) or ESCAPED.search(document))


def hidden(text: str) -> list[Hidden]:
    """Return what nobody sees in a text, one entry for each rule, in the order of the text."""
    if not SUSPECT.search(text):
        return []
    found: dict[str, list[str]] = {}
    for rule, character in islice(_found(text), MAX_HIDDEN):
        found.setdefault(rule, []).append(character)
    return [
        Hidden(rule, len(characters), _shown(dict.fromkeys(characters)))
        for rule, characters in found.items()
    ]


def _shown(characters: dict[str, None]) -> str:
    codes = [f"U+{ord(character):04X}" for character in characters]
    more = len(codes) - MAX_SHOWN
    return ", ".join(codes[:MAX_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _found(text: str) -> Iterator[tuple[str, str]]:
    """Yield each hidden character with the rule that it breaks."""
    flags = FLAG.finditer(text)
    flag = next(flags, None)
    for match in SUSPECT.finditer(text):
        at, character = match.start(), match.group()
        while flag is not None and flag.end() <= at:
            flag = next(flags, None)
        if flag is not None and flag.start() < at:
            continue
        rule = _rule(text, at, character)
        if rule is not None:
            yield rule, character


def _rule(text: str, at: int, character: str) -> str | None:
    """The rule that a character breaks where it stands."""
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if character in BIDI:
        return "lint-text-bidi"
    if TAG.match(character):
        return "lint-text-tag"
    if SELECTOR.match(character):
        return None if _selects(before, character) else "lint-text-selector"
    if character in ZERO_WIDTH:
        return None if _is_needed(character, before, after) else "lint-text-zero-width"
    category = unicodedata.category(character)
    if category in {"Cc", "Cs"}:
        return "lint-text-control"
    if character in FILLERS or (category in {"Cf", "Co"} and character not in PREPENDED):
        return "lint-text-invisible"
    return None


def _selects(before: str, selector: str) -> bool:
    """Whether a variation selector stands behind something that has variants."""
    if not before or SELECTOR.match(before):
        return False
    if before in KEYCAPS:
        return selector in "\ufe0e\ufe0f"
    category = unicodedata.category(before)
    if selector in "\ufe0e\ufe0f":
        return ord(before) > 0x7F and category in SYMBOLS
    if "\u180b" <= selector <= "\u180f":
        return "\u1820" <= before <= "\u18aa"
    is_ideograph = category == "Lo" and ord(before) >= 0x3400
    return is_ideograph or (selector < "\ufe0e" and (category == "Sm" or _is_joining(before)))


def _is_needed(character: str, before: str, after: str) -> bool:
    """Whether a character without width does what it is for."""
    if character in MARKS:
        return any(_reads_from_the_right(each) for each in (before, after))
    if character not in JOINERS or not before or not after:
        return False
    if character == "\u200d" and _is_part_of_emoji(before) and _is_part_of_emoji(after):
        return True
    return _is_joining(before) and (_is_joining(after) or not after.isalnum())


def _reads_from_the_right(character: str) -> bool:
    return character != "" and unicodedata.bidirectional(character) in {"R", "AL", "AN"}


def _is_part_of_emoji(character: str) -> bool:
    return (
        character == "\ufe0f"
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or (ord(character) > 0xFF and unicodedata.category(character) in SYMBOLS)
    )


def _is_joining(character: str) -> bool:
    """Whether it is of a script whose letters change shape: Arabic, the Indic ones, Mongolian."""
    code = ord(character)
    return (
        0x0600 <= code <= 0x08FF
        or 0x0900 <= code <= 0x0DFF
        or 0x1780 <= code <= 0x18AF
        or 0xFB50 <= code <= 0xFDFF
        or 0xFE70 <= code <= 0xFEFC
        or 0x1000 <= code <= 0x109F
    )
