"""Regular expressions of ECMA-262, parsed into a tree; what is not sure to mean the same everywhere
is refused.

A string is a sequence of code points, as with the flag `u` that JSON Schema asks for. Refused are
back-references, flags, `\\p{…}`, braces and brackets that stand for themselves, and letters that
are escaped without a meaning.
"""

from functools import lru_cache
from typing import TypeAlias

__all__ = [
    "Choice",
    "Expression",
    "Letters",
    "Look",
    "Refused",
    "Repeat",
    "Sequence",
    "Spot",
    "parse",
]

LONGEST = 2_000
"""Characters of an expression that we read."""

DEEPEST = 24
"""Groups inside groups; each costs the matcher a few levels of Python's stack."""

MOST_REPETITIONS = 10_000_000


class Refused(Exception):  # noqa: N818 - a signal between our own functions
    """The expression is not one that we read."""


Ranges: TypeAlias = tuple[tuple[int, int], ...]
"""Code points, as pairs of first and last."""


class Letters:
    """One code point: inside the ranges, or outside of them."""

    __slots__ = __match_args__ = ("ranges", "is_inverse")

    def __init__(self, ranges: Ranges, is_inverse: bool = False) -> None:
        self.ranges = ranges
        self.is_inverse = is_inverse

    def has(self, code: int) -> bool:
        """Whether it is one of them."""
        return any(first <= code <= last for first, last in self.ranges) is not self.is_inverse


class Sequence:
    """One after the other."""

    __slots__ = __match_args__ = ("parts",)

    def __init__(self, parts: tuple["Expression", ...]) -> None:
        self.parts = parts


class Choice:
    """One of them."""

    __slots__ = __match_args__ = ("parts",)

    def __init__(self, parts: tuple["Expression", ...]) -> None:
        self.parts = parts


class Repeat:
    """So many times; without end if `most` is `None`."""

    __slots__ = __match_args__ = ("part", "least", "most")

    def __init__(self, part: "Expression", least: int, most: int | None) -> None:
        self.part = part
        self.least = least
        self.most = most


class Look:
    """Something that does, or does not, follow here or end here; nothing is read."""

    __slots__ = __match_args__ = ("part", "is_behind", "is_negative")

    def __init__(self, part: "Expression", is_behind: bool, is_negative: bool) -> None:
        self.part = part
        self.is_behind = is_behind
        self.is_negative = is_negative


class Spot:
    """A place between two characters: `^`, `$`, `b` or `B`."""

    __slots__ = __match_args__ = ("sign",)

    def __init__(self, sign: str) -> None:
        self.sign = sign


Expression: TypeAlias = Letters | Sequence | Choice | Repeat | Look | Spot

DIGITS: Ranges = ((48, 57),)
WORD: Ranges = ((48, 57), (65, 90), (95, 95), (97, 122))
SPACE: Ranges = (
    (9, 13), (32, 32), (160, 160), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029),
    (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF),
)  # fmt: skip
LINE_ENDS: Ranges = ((10, 10), (13, 13), (0x2028, 0x2029))
CLASSES = {
    sign: Letters(ranges, is_inverse=sign.isupper())
    for letter, ranges in (("d", DIGITS), ("w", WORD), ("s", SPACE))
    for sign in (letter, letter.upper())
}
CONTROLS = {"t": 9, "n": 10, "v": 11, "f": 12, "r": 13}
LOOKS = {"?=": (False, False), "?!": (False, True), "?<=": (True, False), "?<!": (True, True)}
COUNTS: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
HEXADECIMAL = frozenset("0123456789abcdefABCDEF")


@lru_cache(maxsize=500)
def parse(pattern: str) -> Expression | None:
    """Return the tree of an expression; `None` for one that we do not read."""
    try:
        return _Parser(pattern).whole() if len(pattern) <= LONGEST else None
    except Refused:
        return None


class _Parser:
    def __init__(self, pattern: str) -> None:
        self.text = pattern
        self.at = 0
        self.depth = 0

    def whole(self) -> Expression:
        tree = self._choice()
        if self.at < len(self.text):
            raise Refused
        return tree

    def _peek(self, text: str) -> bool:
        return self.text.startswith(text, self.at)

    def _take(self, text: str) -> bool:
        is_there = self._peek(text)
        if is_there:
            self.at += len(text)
        return is_there

    def _next(self) -> str:
        if self.at >= len(self.text):
            raise Refused
        self.at += 1
        return self.text[self.at - 1]

    def _choice(self) -> Expression:
        self.depth += 1
        if self.depth > DEEPEST:
            raise Refused
        parts = [self._sequence()]
        while self._take("|"):
            parts.append(self._sequence())
        self.depth -= 1
        return parts[0] if len(parts) == 1 else Choice(tuple(parts))

    def _sequence(self) -> Expression:
        parts: list[Expression] = []
        while self.at < len(self.text) and self.text[self.at] not in "|)":
            parts.append(self._counted(self._atom()))
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def _counted(self, atom: Expression) -> Expression:
        counts = self._counts()
        if counts is None:
            return atom
        if isinstance(atom, Spot | Look):
            raise Refused
        self._take("?")  # a lazy one finds another match, not another answer
        if self.at < len(self.text) and self.text[self.at] in "*+?{":
            raise Refused
        return Repeat(atom, *counts)

    def _counts(self) -> tuple[int, int | None] | None:
        for sign, counts in COUNTS.items():
            if self._take(sign):
                return counts
        if not self._take("{"):
            return None
        least = self._number()
        most: int | None = least
        if self._take(","):
            most = None if self._peek("}") else self._number()
        if not self._take("}") or (most is not None and most < least):
            raise Refused
        return least, most

    def _number(self) -> int:
        start = self.at
        while self.at < len(self.text) and self.text[self.at] in "0123456789":
            self.at += 1
        if not 0 < self.at - start < len(str(MOST_REPETITIONS)):
            raise Refused
        return int(self.text[start : self.at])

    def _atom(self) -> Expression:
        sign = self._next()
        if sign == "(":
            return self._group()
        if sign in "^$":
            return Spot(sign)
        if sign == ".":
            return Letters(LINE_ENDS, is_inverse=True)
        if sign == "[":
            return self._class()
        if sign == "\\":
            if self.at < len(self.text) and self.text[self.at] in "bB":
                return Spot(self._next())
            return self._escape()
        if sign in "*+?{}]":
            raise Refused
        return _letter(ord(sign))

    def _group(self) -> Expression:
        look = next((look for sign, look in LOOKS.items() if self._take(sign)), None)
        if look is None and not self._take("?:"):
            self._name()
        part = self._choice()
        if not self._take(")"):
            raise Refused
        return part if look is None else Look(part, *look)

    def _name(self) -> None:
        """Skip the name of a group; no reference to it is read."""
        if not self._take("?"):
            return
        end = self.text.find(">", self.at)
        name = self.text[self.at + 1 : end]
        if not self._peek("<") or not (name.isascii() and name.isidentifier()):
            raise Refused
        self.at = end + 1

    def _escape(self, *, in_class: bool = False) -> Letters:
        sign = self._next()
        if sign in CLASSES:
            return CLASSES[sign]
        if sign in CONTROLS:
            return _letter(CONTROLS[sign])
        if sign == "0" and not (self.at < len(self.text) and self.text[self.at].isdigit()):
            return _letter(0)
        if sign == "x":
            return _letter(self._hexadecimal(2))
        if sign == "u":
            return _letter(self._unicode())
        if sign == "b" and in_class:
            return _letter(8)
        if ord(sign) < 128 and not sign.isalnum() and sign != "_":
            return _letter(ord(sign))
        raise Refused

    def _hexadecimal(self, digits: int) -> int:
        text = self.text[self.at : self.at + digits]
        if len(text) < digits or not HEXADECIMAL.issuperset(text):
            raise Refused
        self.at += digits
        return int(text, 16)

    def _unicode(self) -> int:
        code = self._hexadecimal(4)
        if 0xD800 <= code <= 0xDFFF:
            raise Refused  # half a character
        return code

    def _class(self) -> Expression:
        is_inverse = self._take("^")
        ranges: list[tuple[int, int]] = []
        while not self._take("]"):
            if any(map(self._peek, ("[", "&&", "--", "~~"))):
                raise Refused  # other dialects read set operations here
            member = self._class_member()
            if self._peek("-") and not self._peek("-]"):
                self._take("-")
                ranges.append(_range(member, self._class_member()))
            elif member.is_inverse:
                ranges.extend(_outside(member.ranges))
            else:
                ranges.extend(member.ranges)
        return Letters(tuple(ranges), is_inverse)

    def _class_member(self) -> Letters:
        sign = self._next()
        return self._escape(in_class=True) if sign == "\\" else _letter(ord(sign))


def _letter(code: int) -> Letters:
    return Letters(((code, code),))


def _range(first: Letters, last: Letters) -> tuple[int, int]:
    start, end = first.ranges[0], last.ranges[0]
    if first.is_inverse or last.is_inverse or start[0] != start[1] or end[0] != end[1]:
        raise Refused
    if len(first.ranges) > 1 or len(last.ranges) > 1 or end[0] < start[0]:
        raise Refused
    return start[0], end[0]


def _outside(ranges: Ranges) -> list[tuple[int, int]]:
    result, start = [], 0
    for first, last in ranges:
        if start < first:
            result.append((start, first - 1))
        start = last + 1
    return [*result, (start, 0x10FFFF)]
