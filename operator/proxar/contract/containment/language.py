"""Whether any string meets a set of expressions and lengths: a walk over their automata at once.

Deterministic states are made as the walk meets them, so a bomb costs its budget and no more.
"""

from collections import deque
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from proxar.contract.containment.expression import LAST, MAX_LENGTH, Automaton, parse
from proxar.contract.containment.steps import Steps, Unprovable

__all__ = ["find_string", "is_match"]

MAX_MOVES = 3_000
"""Transitions that one search may try."""

MAX_TRACKED_LENGTH = 300

MAX_MATCH_WORK = 200_000
"""Characters times states that one match may look at."""

MAX_CLASS_WORK = 100_000
"""Code points times ranges that may be looked at to find the letters that are told apart."""

RANGES_A_MOVE = 50
"""Ranges of classes that are looked at in the time of one move of a search."""

CHARACTERS_A_STEP = 4
STATES_A_STEP = 8
MOVES_A_STEP = 3
MATCHED_A_STEP = 512
"""What is done in the time of one step: characters of an expression parsed, states made, moves of a
search, characters times states of a match.
"""

States: TypeAlias = frozenset[int]
MATCHED: States = frozenset({-1})
"""A match was found, so what follows does not matter: search is unanchored."""


@lru_cache(maxsize=2_000)
def _automaton(pattern: str) -> "_Search | Unprovable":
    try:
        return _Search(parse(pattern))
    except Unprovable as refusal:
        return refusal


def _search(pattern: str, steps: Steps) -> "_Search":
    """Return the search for an expression, which costs its steps even if it was made before: how
    far a question gets does not depend on what was asked earlier.
    """
    is_paid = pattern in steps.paid
    if not is_paid:
        steps.paid.add(pattern)
        steps.spend(min(len(pattern), MAX_LENGTH) // CHARACTERS_A_STEP)
    found = _automaton(pattern)
    if isinstance(found, Unprovable):
        raise Unprovable(str(found))
    if not is_paid:
        steps.spend(len(found.automaton.moves) // STATES_A_STEP)
    return found


TOO_LARGE = "pattern: the expressions are too large to compare"
TOO_LONG = "pattern: the length is too large to be tried beside it"


class _Search:
    """One expression, to be found anywhere in a string."""

    def __init__(self, automaton: Automaton) -> None:
        self.automaton = automaton
        self._known: dict[tuple[States, int], States] = {}
        self.start = self._close({automaton.first}, at_start=True)
        self.classes = {ranges for moves in automaton.moves for ranges, _ in moves}
        self.borders = {
            border
            for moves in automaton.moves
            for ranges, _ in moves
            for first, last in ranges
            for border in (first, last + 1)
        }

    def _close(
        self, states: Iterable[int], *, at_start: bool = False, at_end: bool = False
    ) -> States:
        automaton = self.automaton
        stack, seen = list(states), set(states)
        while stack:
            for sign, target in automaton.free[stack.pop()]:
                is_way = not sign or (sign == "^" and at_start) or (sign == "$" and at_end)
                if is_way and target not in seen:
                    seen.add(target)
                    stack.append(target)
        return MATCHED if automaton.last in seen else frozenset(seen)

    def step(self, states: States, code: int) -> States:
        """Return the states after reading one code point."""
        if states is MATCHED:
            return MATCHED
        known = self._known.get((states, code))
        if known is None:
            moves = self.automaton.moves
            reached = {
                target
                for state in states
                for ranges, target in moves[state]
                if any(first <= code <= last for first, last in ranges)
            }
            reached.add(self.automaton.first)  # a match may begin here as well
            known = self._close(reached)
            if len(self._known) < 20_000:
                self._known[states, code] = known
        return known

    def ends(self, states: States, *, is_empty: bool) -> bool:
        """Whether a string that ends here holds a match."""
        if states is MATCHED:
            return True
        return self._close(states, at_start=is_empty, at_end=True) is MATCHED


def is_match(pattern: str, text: str, steps: Steps) -> bool | None:
    """Whether the text holds a match; `None` for an expression that we do not read.

    Raises:
        OutOfSteps: There were none left.
    """
    try:
        search = _search(pattern, steps)
    except Unprovable:
        return None
    work = len(text) * len(search.automaton.moves)
    if work > MAX_MATCH_WORK:
        return None
    steps.spend(work // MATCHED_A_STEP)
    states = search.start
    for character in text:
        states = search.step(states, ord(character))
        if states is MATCHED:
            return True
    return search.ends(states, is_empty=not text)


class _Found(NamedTuple):
    """What a search came to."""

    text: str | None
    refusal: str
    """Why it was given up, if it was."""
    moves: int
    """That it took, or would have taken in the time that the letters took."""


def find_string(
    patterns: frozenset[tuple[str, bool]],
    least: int,
    most: int | None,
    excluded: frozenset[str],
    steps: Steps,
) -> str | None:
    """Return a shortest string that holds a match of each (or none, if `False`); `None`: there is
    none.

    Raises:
        Unprovable: An expression is not read, or the search became too long.
        OutOfSteps: There were none left.
    """
    for pattern, _ in sorted(patterns):
        _search(pattern, steps)
    found = _find(patterns, least, most, excluded)
    steps.spend(1 + found.moves // MOVES_A_STEP)
    if found.refusal:
        raise Unprovable(found.refusal)
    return found.text


@lru_cache(maxsize=4_000)
def _find(
    patterns: frozenset[tuple[str, bool]], least: int, most: int | None, excluded: frozenset[str]
) -> _Found:
    """Search through automata that can all be made."""
    searches = [
        (search, wanted)
        for pattern, wanted in sorted(patterns)
        if isinstance(search := _automaton(pattern), _Search)
    ]
    bound = most if most is not None else least
    if bound > MAX_TRACKED_LENGTH:
        if least > MAX_TRACKED_LENGTH or most is None:
            return _Found(None, TOO_LONG, 0)
        bound = MAX_TRACKED_LENGTH + 1  # longer ones are not looked at, so nothing is proved
    try:
        letters, looked_at = _letters([search for search, _ in searches], excluded)
    except Unprovable as refusal:
        return _Found(None, str(refusal), 0)
    prefixes = {text[:end] for text in excluded for end in range(len(text) + 1)}
    queue = deque([("", tuple(search.start for search, _ in searches), 0)])
    seen = {(queue[0][1], 0, "" if excluded else None)}
    moves, is_cut = 0, False
    first_moves = looked_at // RANGES_A_MOVE
    while queue:
        text, states, length = queue.popleft()
        if length >= least and text not in excluded and all(
            search.ends(state, is_empty=not text) is wanted
            for (search, wanted), state in zip(searches, states, strict=True)
        ):  # fmt: skip
            return _Found(text, "", first_moves + moves)
        if most is not None and length >= bound:
            is_cut = is_cut or length < most
            continue
        for letter in letters:
            moves += 1 + sum(map(len, states)) // 8
            if moves > MAX_MOVES:
                return _Found(None, TOO_LARGE, first_moves + moves)
            after = tuple(
                search.step(state, letter)
                for (search, _), state in zip(searches, states, strict=True)
            )
            if any(
                state is MATCHED and not wanted
                for (_, wanted), state in zip(searches, after, strict=True)
            ):
                continue
            said = text + chr(letter)
            longer = min(length + 1, bound)
            place = (after, longer, said if said in prefixes else None)
            if place not in seen:
                seen.add(place)
                queue.append((said, after, longer))
    return _Found(None, TOO_LONG if is_cut else "", first_moves + moves)


def _letters(searches: list[_Search], excluded: frozenset[str]) -> tuple[list[int], int]:
    """One code point of each kind that the expressions tell apart, plain ones where possible; and
    how often a range was looked at for it.
    """
    borders = {0, 0xD800, 0xE000}.union(*(search.borders for search in searches))
    named = {ord(character) for text in excluded for character in text}
    for code in named:
        borders |= {code, code + 1}
    classes = list({ranges for search in searches for ranges in search.classes})
    looked_at = len(borders) * sum(map(len, classes))
    if looked_at > MAX_CLASS_WORK:
        raise Unprovable(TOO_LARGE)
    sorted_borders = sorted(border for border in borders if border <= LAST)
    letters: dict[object, int] = {}
    for first, after in zip(sorted_borders, [*sorted_borders[1:], LAST + 1], strict=True):
        if 0xD800 <= first < 0xE000:
            continue  # lone surrogates are no characters
        plain = next((code for code in (97, 48, 65, 95, 45, 32) if first <= code < after), first)
        kind = tuple(any(low <= plain <= high for low, high in ranges) for ranges in classes)
        place = (kind, plain if plain in named else None)
        if _plainness(plain) < _plainness(letters.get(place, -1)):
            letters[place] = plain
    return sorted(letters.values(), key=_plainness), looked_at


def _plainness(code: int) -> tuple[bool, bool, int]:
    return code < 0, not 32 < code < 127, code
