"""Whether a string holds a match of an expression, in polynomial time.

No backtracking: a set of positions in the string is one integer, bit by bit, and an expression maps
the set where it may begin to the set where it may end. So no expression is catastrophic, and
look-around comes for free. `\\d`, `\\w` and `\\b` are about ASCII, as ECMA-262 says.
"""

from proxar.contract.validation.budget import Budget
from proxar.contract.validation.expression import (
    CLASSES,
    Choice,
    Expression,
    Letters,
    Look,
    Repeat,
    Sequence,
    Spot,
)

__all__ = ["has_match"]

BITS_PER_STEP = 512
"""Positions that a step can handle: integers are cheap."""

LETTERS_PER_STEP = 16


def has_match(expression: Expression, text: str, budget: Budget) -> bool:
    """Whether there is a match anywhere in the text.

    Raises:
        BudgetSpent: The text and the expression are too large.
    """
    search = _Search(text, budget)
    return search.ends(expression, search.everywhere) != 0


class _Search:
    def __init__(self, text: str, budget: Budget) -> None:
        self.text = text
        self.budget = budget
        self.cost = 1 + len(text) // BITS_PER_STEP
        self.everywhere = (1 << (len(text) + 1)) - 1
        self._masks: dict[Letters, int] = {}

    def ends(self, expression: Expression, starts: int) -> int:
        """Where a match may end that begins at one of the positions."""
        self.budget.spend(self.cost)
        match expression:
            case Letters():
                return (starts & self._mask(expression)) << 1
            case Sequence(parts):
                for part in parts:
                    if not starts:
                        break
                    starts = self.ends(part, starts)
                return starts
            case Choice(parts):
                found = 0
                for part in parts:
                    found |= self.ends(part, starts)
                return found
            case Repeat():
                return self._repeat(expression, starts)
            case Look():
                return self._look(expression, starts)
            case Spot(sign):
                return starts & self._spots(sign)

    def _mask(self, letters: Letters) -> int:
        """The positions of the characters that are meant."""
        mask = self._masks.get(letters)
        if mask is None:
            self.budget.spend(len(self.text) // LETTERS_PER_STEP)
            has = {character: letters.has(ord(character)) for character in set(self.text)}
            bits = "".join("1" if has[character] else "0" for character in reversed(self.text))
            mask = int(bits or "0", 2)
            self._masks[letters] = mask
        return mask

    def _repeat(self, repeat: Repeat, starts: int) -> int:
        for _ in range(repeat.least):
            before, starts = starts, self.ends(repeat.part, starts)
            if starts in {0, before}:
                break
        if isinstance(repeat.part, Letters) and repeat.most is None:
            mask = self._mask(repeat.part)  # the carry of an addition runs through each run of ones
            return (((starts & mask) + mask) ^ mask) | starts
        found = fresh = starts
        rounds = 0
        while fresh and (repeat.most is None or rounds < repeat.most - repeat.least):
            fresh = self.ends(repeat.part, fresh) & ~found
            found |= fresh
            rounds += 1
        return found

    def _look(self, look: Look, starts: int) -> int:
        if look.is_behind:
            found = starts & self.ends(look.part, self.everywhere)
        else:
            found, rest = 0, starts
            while rest:
                start = rest & -rest
                rest ^= start
                if self.ends(look.part, start):
                    found |= start
        return starts & ~found if look.is_negative else found

    def _spots(self, sign: str) -> int:
        last = 1 << len(self.text)
        if sign in "^$":
            return 1 if sign == "^" else last
        words = self._mask(CLASSES["w"])
        borders = words ^ (words << 1)
        return borders if sign == "b" else self.everywhere & ~borders
