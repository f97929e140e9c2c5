"""What is surely wrong with a regular expression by the grammar of ECMA-262, which JSON Schema asks
for.

Only what no reader accepts, or what every reader in Unicode mode refuses and the others take for
something else. A pattern of which nothing is said here may still be wrong.
"""

import re
from typing import Final

__all__ = ["fault"]

LONGEST: Final = 10_000
"""Characters of a pattern that are read."""

QUANTIFIER: Final = re.compile(r"[*+?]|\{(\d{1,9})(?:(,)(\d{1,9})?)?\}")
GROUP: Final = re.compile(r"\(\?(?:[:=!]|<[=!]|<[\w$]+>|[ims]*-?[ims]*:)")
FOREIGN_ESCAPES: Final = frozenset("AEGHKNQRXZhz")
"""Escapes of Perl, Python or .NET that ECMA-262 does not have: `\\A`, `\\Z`."""


def fault(pattern: str) -> str | None:
    """Return what is wrong, with the position counted from zero; `None` when nothing is surely
    wrong.
    """
    if len(pattern) > LONGEST:
        return None
    return _Reading(pattern).fault()


class _Reading:
    """One pass over a pattern."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.opened: list[int] = []
        self.may_repeat = False
        """Whether a quantifier may stand here."""

    def fault(self) -> str | None:
        while self.at < len(self.pattern):
            wrong = self._step()
            if wrong is not None:
                return wrong
        if self.opened:
            return f"the group that is opened at {self.opened[-1]} is not closed"
        return None

    def _step(self) -> str | None:
        match self.pattern[self.at]:
            case "\\":
                return self._escape()
            case "[":
                return self._class()
            case "(":
                return self._open()
            case ")":
                return self._close()
            case "|" | "^":
                self._pass(may_repeat=False)
            case "*" | "+" | "?" | "{":
                return self._repeat()
            case _:
                self._pass(may_repeat=True)
        return None

    def _pass(self, length: int = 1, *, may_repeat: bool) -> None:
        self.at += length
        self.may_repeat = may_repeat

    def _escape(self) -> str | None:
        escaped = self.pattern[self.at + 1 : self.at + 2]
        if not escaped:
            return "it ends in a backslash that escapes nothing"
        if escaped in FOREIGN_ESCAPES:
            return f"\\{escaped} at {self.at} is no escape of ECMA-262"
        self._pass(2, may_repeat=True)
        return None

    def _class(self) -> str | None:
        start = self.at
        self.at += 2 if self.pattern[self.at + 1 : self.at + 2] == "^" else 1
        last: str | None = None
        while self.at < len(self.pattern):
            here = self.pattern[self.at]
            if here == "]":
                self._pass(may_repeat=True)
                return None
            if here == "-" and last is not None:
                first, last = last, None
                high = self._plain(self.at + 1)
                if high is not None:
                    if high < first:
                        return f"the range {first}-{high} at {self.at - 1} is the wrong way round"
                    self.at += 2
                    continue
            else:
                last = self._plain(self.at)
            self.at += 2 if here == "\\" else 1
        return f"the class that is opened at {start} is not closed"

    def _plain(self, at: int) -> str | None:
        """A character of a class that stands for itself, and may begin or end a range."""
        here = self.pattern[at : at + 1]
        return None if here in {"", "\\", "]", "-", "["} else here

    def _open(self) -> str | None:
        group = GROUP.match(self.pattern, self.at)
        if group is None and self.pattern.startswith("(?", self.at):
            what = self.pattern[self.at : self.at + 4]
            return f"{what} at {self.at} begins no group of ECMA-262"
        self.opened.append(self.at)
        self._pass(len(group.group()) if group else 1, may_repeat=False)
        return None

    def _close(self) -> str | None:
        if not self.opened:
            return f"the group that is closed at {self.at} was not opened"
        self.opened.pop()
        self._pass(may_repeat=True)
        return None

    def _repeat(self) -> str | None:
        quantifier = QUANTIFIER.match(self.pattern, self.at)
        if quantifier is None:  # a brace that stands for itself, which old readers allow
            self._pass(may_repeat=True)
            return None
        text = quantifier.group()
        if not self.may_repeat:
            return f"{text} at {self.at} repeats nothing"
        low, _, high = quantifier.groups()
        if low and high and int(low) > int(high):
            return f"{text} at {self.at} asks for more than it allows"
        lazy = self.pattern.startswith("?", self.at + len(text))
        self._pass(len(text) + lazy, may_repeat=False)
        return None
