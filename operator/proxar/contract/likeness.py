"""How alike two names, two texts and two schemas are, from 0 to 1.

The parts that `proxar.contract.renames` weighs. All of it is symmetric, deterministic and bounded:
what servers send is cut before it is split, and a comparison is a few set operations.
"""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import chain
from typing import Final

from proxar.contract.canonical import canonical_text
from proxar.contract.keywords import ANNOTATIONS, MEMBER_ROLES, Role
from proxar.contract.opposites import opposites_of
from proxar.contract.value import JSON

__all__ = ["COMMON_WORDS", "SAME_NAME", "Name", "Rarity", "asserted", "text_likeness", "words"]

SAME_NAME: Final = 0.95
"""The score of names with the same tokens, `per_page` and `perPage`, whatever else differs."""

UNTOLD: Final = 0.3
"""How alike two things are that both have no description."""

LONGEST_NAME: Final = 256
"""Characters of a name that are split; MCP asks for 128 at most."""

MAX_TOKENS: Final = 12
"""Tokens of a name that are compared one by one."""

LONGEST_TEXT: Final = 2_000
"""Characters of a description that are looked at; what a tool does is said at the beginning."""

MAX_WORDS: Final = 300

MAX_LEVELS: Final = 30
"""Levels of a schema whose annotations are taken out; what is deeper is compared as it stands."""

TOKEN = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W_A-Za-z0-9]+")
"""A piece of `camelCase`, `kebab-case`, `snake_case` or `HTTPServer`."""

WORD = re.compile(r"\w+")

COMMON_WORDS: Final = frozenset(
    {
        "a", "an", "and", "any", "are", "as", "at", "be", "by", "can", "e", "for",
        "from", "g", "i", "if", "in", "into", "is", "it", "its", "may", "no", "not",
        "of", "on", "only", "or", "should", "that", "the", "their", "then", "these",
        "this", "those", "to", "use", "used", "using", "was", "when", "where", "which",
        "will", "with", "you", "your",
    }
)  # fmt: skip
"""Words that two English sentences share whatever they speak of."""

LEAST_WEIGHT: Final = 0.1
TELLING: Final = 0.5
"""The weight from which a token counts as one that few names have."""

ABBREVIATION: Final = 0.85
"""What `docs` for `documentation` counts, or `q` for `query`."""

SUBSET: Final = 0.75
"""What a name counts at least whose tokens are all in the other one."""


class Name:
    """A name and its tokens; `getTinyImage`, `get-tiny-image`, `get_tiny_image` have the same."""

    __slots__ = ("_opposites", "singular", "text", "token_set", "tokens")

    def __init__(self, text: str) -> None:
        self.text = text
        self._opposites: frozenset[str] | None = None
        pieces = _pieces(text[:LONGEST_NAME])
        self.tokens, self.singular, self.token_set = pieces
        """The pieces in lower case, in order; without the s of a plural; and the first of these."""
        rest = text[LONGEST_NAME:]
        if rest:  # what is beyond all reason is one piece
            self.tokens = (*self.tokens, rest)
            self.singular = (*self.singular, _singular(rest))
            self.token_set = frozenset(self.singular[:MAX_TOKENS])

    @property
    def key(self) -> tuple[str, ...]:
        """What two spellings of one name have in common; a name without tokens is like no other."""
        return self.tokens or ("", self.text)

    def is_opposite(self, other: "Name") -> bool:
        """Whether the names differ in a word and its opposite, and hardly in anything else."""
        if self._opposites is None:
            self._opposites = frozenset().union(*map(opposites_of, self.token_set))
        theirs = other.token_set
        if self._opposites.isdisjoint(theirs):
            return False  # as nearly all pairs
        here, there = self.token_set - theirs, theirs - self.token_set
        more = {token for token in here if there.isdisjoint(opposites_of(token))}
        if len(more) == len(here):
            return False
        others = {token for token in there if here.isdisjoint(opposites_of(token))}
        same = len(self.token_set & theirs)
        if max(len(more), len(others)) <= same:
            return True
        return max(_without_like(more, others), _without_like(others, more)) <= same


class Rarity:
    """How much a token of a name tells: what every name of a server begins with tells nothing.

    The weight is the share of the *other* names that do without the token.
    """

    def __init__(self, names: Sequence[Collection[str]]) -> None:
        """Count the tokens of all names, of each name once."""
        self._counts = Counter(chain.from_iterable(names))
        self._others = max(len(names) - 2, 1)
        self._letters_of: dict[str, frozenset[str]] = {}

    def weight(self, token: str, users: int) -> float:
        """Return the weight of a token that `users` of the two names at hand have."""
        others = self._counts[token] - users
        return max(LEAST_WEIGHT, 1 - others / self._others)

    def likeness(self, one: Name, other: Name) -> float:
        """Return how alike two names are.

        The largest of three: the share of common tokens, the share of common pairs of letters, and
        a constant when all tokens of the one are in the other.
        """
        mine, theirs = one.token_set, other.token_set
        if not mine or not theirs:
            return 0.0
        shared = mine & theirs
        letters = 0.9 * self._letters(one, other)
        common = {token: self.weight(token, 2) for token in shared}
        is_inside = len(shared) == min(len(mine), len(theirs))
        if is_inside and any(weight > TELLING for weight in common.values()):
            letters = max(letters, SUBSET)
        return max(letters, self._overlap(sum(common.values()), mine - shared, theirs - shared))

    def _overlap(self, common: float, here: frozenset[str], there: frozenset[str]) -> float:
        """The share of common tokens, where one may abbreviate another."""
        rest = {token: self.weight(token, 1) for token in here | there}
        found, total = common, common + sum(rest.values())
        left = sorted(there)
        first_letters = {token[0] for token in left}
        for token in sorted(token for token in here if token[0] in first_letters):
            short = next((each for each in left if _abbreviates(token, each)), None)
            if short is not None:
                left.remove(short)
                pair = max(rest[token], rest[short])
                found += ABBREVIATION * pair
                total += pair - rest[token] - rest[short]
        return found / total

    def _letters(self, one: Name, other: Name) -> float:
        """How many pairs of letters two names share (Dice), without the tokens of most names."""
        mine, theirs = self._pairs(one), self._pairs(other)
        return 2 * len(mine & theirs) / (len(mine) + len(theirs))

    def _pairs(self, name: Name) -> frozenset[str]:
        found = self._letters_of.get(name.text)
        if found is None:
            tokens = name.singular[:MAX_TOKENS]
            telling = [token for token in tokens if self.weight(token, 1) > TELLING]
            text = f" {''.join(telling or tokens)[:LONGEST_NAME]} "
            found = frozenset(text[at : at + 2] for at in range(len(text) - 1))
            self._letters_of[name.text] = found
        return found


def words(text: JSON) -> frozenset[str]:
    """Return the telling words of a description, of its first few hundred."""
    if not isinstance(text, str):
        return frozenset()
    found = WORD.findall(text[:LONGEST_TEXT].lower())[:MAX_WORDS]
    return frozenset(map(_singular, set(found))) - COMMON_WORDS


def text_likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of words that both texts have (Jaccard)."""
    if not one and not other:
        return UNTOLD
    return len(one & other) / len(one | other)


def asserted(schema: JSON) -> str:
    """Return the text of a schema without what it says to readers only."""
    return canonical_text(_without_annotations(schema, Role.SCHEMA, MAX_LEVELS), Role.SCHEMA)


def _without_annotations(value: JSON, role: Role, levels: int) -> JSON:
    if levels == 0 or role is Role.DATA:
        return value
    if isinstance(value, list):
        return [_without_annotations(item, role, levels - 1) for item in value]
    if not isinstance(value, dict):
        return value
    known, other = MEMBER_ROLES[role]
    hidden = ANNOTATIONS if role is Role.SCHEMA else frozenset[str]()
    return {
        name: _without_annotations(member, known.get(name, other), levels - 1)
        for name, member in value.items()
        if name not in hidden
    }


@lru_cache(maxsize=4_096)  # tools of one server have many names in common
def _pieces(text: str) -> tuple[tuple[str, ...], tuple[str, ...], frozenset[str]]:
    tokens = tuple([piece.lower() for piece in TOKEN.findall(text)])
    singular = tuple(map(_singular, tokens))
    return tokens, singular, frozenset(singular[:MAX_TOKENS])


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _without_like(tokens: set[str], others: set[str]) -> int:
    """How many tokens neither abbreviate one of the others nor are abbreviated by it."""
    first_letters = {other[0] for other in others}
    return sum(
        token[0] not in first_letters or not any(_abbreviates(token, other) for other in others)
        for token in tokens
    )


def _abbreviates(one: str, other: str) -> bool:
    if len(one) > len(other):
        one, other = other, one
    return other.startswith(one) and one.isalpha()
