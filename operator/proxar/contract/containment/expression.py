"""ECMA-262 expressions, parsed into automata with alternatives; what is not regular is refused.

Refused, hence never misread: look-around, back-references, word boundaries, `\\p{…}`, named or
inline flags, and letters escaped without a meaning. A string is a sequence of code points, as with
the flag `u` that JSON Schema Core section 6.4 recommends. `$` is the very end; `.` stops at line
terminators.
"""

from typing import TypeAlias

from proxar.contract.containment.steps import Unprovable

__all__ = ["LAST", "MAX_LENGTH", "Automaton", "Ranges", "parse"]

Ranges: TypeAlias = tuple[tuple[int, int], ...]
"""Code points, as sorted pairs of first and last."""

LAST = 0x10FFFF

MAX_STATES = 1_500
"""A counted repetition is written out, so a short expression can be a large automaton."""

MAX_LENGTH = 1_000

DIGITS: Ranges = ((48, 57),)
WORD: Ranges = ((48, 57), (65, 90), (95, 95), (97, 122))
SPACE: Ranges = (
    (9, 13), (32, 32), (160, 160), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029),
    (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF),
)  # fmt: skip
LINE_ENDS: Ranges = ((10, 10), (13, 13), (0x2028, 0x2029))
CONTROLS = {"t": 9, "n": 10, "v": 11, "f": 12, "r": 13}


def _inverse(ranges: Ranges) -> Ranges:
    result, start = [], 0
    for first, last in ranges:
        if start < first:
            result.append((start, first - 1))
        start = last + 1
    return (*result, (start, LAST)) if start <= LAST else tuple(result)


def _union(parts: list[tuple[int, int]]) -> Ranges:
    result: list[tuple[int, int]] = []
    for first, last in sorted(parts):
        if result and first <= result[-1][1] + 1:
            result[-1] = (result[-1][0], max(last, result[-1][1]))
        else:
            result.append((first, last))
    return tuple(result)


CLASSES: dict[str, Ranges] = {
    "d": DIGITS, "D": _inverse(DIGITS), "w": WORD, "W": _inverse(WORD), "s": SPACE,
    "S": _inverse(SPACE),
}  # fmt: skip


class Automaton:
    """States with edges; a match is a way from `first` to `last`.

    Attributes:
        moves: For each state, what may be read and where that leads.
        free: For each state, where one may go without reading; `^` and `$` say when.
    """

    def __init__(self) -> None:
        self.moves: list[list[tuple[Ranges, int]]] = []
        self.free: list[list[tuple[str, int]]] = []
        self.first = self.last = 0

    def add(self) -> int:
        """Add a state."""
        if len(self.moves) >= MAX_STATES:
            raise Unprovable("pattern: the expression is too large")
        self.moves.append([])
        self.free.append([])
        return len(self.moves) - 1


def parse(pattern: str) -> Automaton:
    """Return the automaton of an expression.

    Raises:
        Unprovable: It is not an expression that we read.
    """
    if len(pattern) > MAX_LENGTH:
        raise Unprovable("pattern: the expression is too long")
    return _Parser(pattern).parse()


_Node: TypeAlias = tuple[object, ...]
"""("set", ranges) | ("join", nodes) | ("or", nodes) | ("repeat", node, least, most) | ("at", sign)
"""


class _Parser:
    MAX_GROUPS = 40
    """Groups inside groups."""

    def __init__(self, pattern: str) -> None:
        self.text = pattern
        self.at = 0
        self.depth = 0
        self.automaton = Automaton()

    def parse(self) -> Automaton:
        node = self._alternatives()
        if self.at < len(self.text):
            raise self._refusal()
        automaton = self.automaton
        automaton.first = automaton.add()
        automaton.last = self._build(node, automaton.first)
        return automaton

    def _refusal(self) -> Unprovable:
        return Unprovable(f"pattern: not a plain regular expression at character {self.at + 1}")

    def _peek(self, text: str) -> bool:
        return self.text.startswith(text, self.at)

    def _take(self, text: str) -> bool:
        if self._peek(text):
            self.at += len(text)
            return True
        return False

    def _next(self) -> str:
        if self.at >= len(self.text):
            raise self._refusal()
        self.at += 1
        return self.text[self.at - 1]

    def _alternatives(self) -> _Node:
        self.depth += 1
        if self.depth > self.MAX_GROUPS:
            raise Unprovable("pattern: too many groups inside groups")
        branches = [self._sequence()]
        while self._take("|"):
            branches.append(self._sequence())
        self.depth -= 1
        return branches[0] if len(branches) == 1 else ("or", branches)

    def _sequence(self) -> _Node:
        nodes: list[_Node] = []
        while self.at < len(self.text) and self.text[self.at] not in "|)":
            nodes.append(self._repeated())
        return ("join", nodes)

    def _repeated(self) -> _Node:
        node = self._atom()
        bounds = self._bounds()
        if bounds is None:
            return node
        if node[0] == "at":
            raise self._refusal()
        self._take("?")  # lazy: finds another match, not more strings
        if self.at < len(self.text) and self.text[self.at] in "*+?{":
            raise self._refusal()
        return ("repeat", node, *bounds)

    def _bounds(self) -> tuple[int, int | None] | None:
        for sign, bounds in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
            if self._take(sign):
                return bounds
        if not self._take("{"):
            return None
        least = self._number()
        most: int | None = least
        if self._take(","):
            most = None if self._peek("}") else self._number()
        if not self._take("}") or (most is not None and most < least):
            raise self._refusal()
        return least, most

    def _number(self) -> int:
        start = self.at
        while self.at < len(self.text) and self.text[self.at] in "0123456789":
            self.at += 1
        if not 0 < self.at - start < 7:
            raise self._refusal()
        return int(self.text[start : self.at])

    def _atom(self) -> _Node:
        sign = self._next()
        if sign == "(":
            if self._peek("?") and not self._take("?:"):
                raise self._refusal()
            node = self._alternatives()
            if not self._take(")"):
                raise self._refusal()
            return node
        if sign in "^$":
            return ("at", sign)
        if sign == ".":
            return ("set", _inverse(LINE_ENDS))
        if sign == "[":
            return ("set", self._class())
        if sign == "\\":
            return ("set", self._escape(in_class=False))
        if sign in "*+?{}]":
            raise self._refusal()
        return ("set", ((ord(sign), ord(sign)),))

    def _escape(self, *, in_class: bool) -> Ranges:
        sign = self._next()
        if sign in CLASSES:
            return CLASSES[sign]
        if sign in CONTROLS:
            code = CONTROLS[sign]
        elif sign == "0" and not (self.at < len(self.text) and self.text[self.at].isdigit()):
            code = 0
        elif sign == "x":
            code = self._hex(2)
        elif sign == "u":
            code = self._unicode()
        elif sign == "b" and in_class:
            code = 8
        elif ord(sign) < 128 and not sign.isalnum() and sign != "_":
            code = ord(sign)
        else:
            raise self._refusal()
        return ((code, code),)

    def _hex(self, digits: int) -> int:
        text = self.text[self.at : self.at + digits]
        if len(text) < digits or any(sign not in "0123456789abcdefABCDEF" for sign in text):
            raise self._refusal()
        self.at += digits
        return int(text, 16)

    def _unicode(self) -> int:
        if self._peek("{"):
            raise self._refusal()
        code = self._hex(4)
        if 0xD800 <= code <= 0xDFFF:
            raise self._refusal()
        return code

    def _class(self) -> Ranges:
        is_inverse = self._take("^")
        parts: list[tuple[int, int]] = []
        while not self._take("]"):
            if self._peek("[") or self._peek("&&") or self._peek("--") or self._peek("~~"):
                raise self._refusal()  # other dialects read set operations here
            one = self._class_member()
            is_range = self._peek("-") and not self._peek("-]")
            if is_range:
                self._take("-")
                other = self._class_member()
                if (
                    len(one) > 1
                    or len(other) > 1
                    or one[0][0] != one[0][1]
                    or other[0][0] != other[0][1]
                ):
                    raise self._refusal()
                if other[0][0] < one[0][0]:
                    raise self._refusal()
                parts.append((one[0][0], other[0][0]))
            else:
                parts.extend(one)
        ranges = _union(parts)
        return _inverse(ranges) if is_inverse else ranges

    def _class_member(self) -> Ranges:
        sign = self._next()
        return self._escape(in_class=True) if sign == "\\" else ((ord(sign), ord(sign)),)

    def _build(self, node: _Node, start: int) -> int:
        """Add the states of a node behind a state; return the one where it ends."""
        automaton = self.automaton
        match node:
            case ("set", ranges):
                end = automaton.add()
                automaton.moves[start].append((ranges, end))  # type: ignore[arg-type]
            case ("at", sign):
                end = automaton.add()
                automaton.free[start].append((str(sign), end))
            case ("join", list() as nodes):
                end = start
                for part in nodes:
                    end = self._build(part, end)
            case ("or", list() as nodes):
                end = automaton.add()
                for part in nodes:
                    first = automaton.add()
                    automaton.free[start].append(("", first))
                    automaton.free[self._build(part, first)].append(("", end))
            case ("repeat", tuple() as part, int() as least, most):
                end = self._repeat(part, least, most if isinstance(most, int) else None, start)
            case _:
                raise self._refusal()
        return end

    def _repeat(self, part: _Node, least: int, most: int | None, start: int) -> int:
        automaton = self.automaton
        end = start
        for _ in range(least):
            end = self._build(part, end)
        if most is None:
            loop = automaton.add()
            automaton.free[end].append(("", loop))
            automaton.free[self._build(part, loop)].append(("", loop))
            end = automaton.add()
            automaton.free[loop].append(("", end))
            return end
        last = automaton.add() if most > least else end
        for _ in range(most - least):
            automaton.free[end].append(("", last))
            end = self._build(part, end)
        if most > least:
            automaton.free[end].append(("", last))
        return last
