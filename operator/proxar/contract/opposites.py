"""Words of which a server has one beside the other: the start of something and its end.

Two names that differ in such a pair are alike in all else, letters, description and schema, and
still neither is the new name of the other.
"""

from functools import lru_cache
from typing import Final

__all__ = ["opposites_of"]

SIDES: Final = (
    ("accept allow approve", "decline reject deny disallow"),
    ("activate", "deactivate"),
    ("add", "remove delete"),
    ("after since", "before until"),
    ("ancestor", "descendant"),
    ("asc ascending", "desc descending"),
    ("attach", "detach"),
    ("back backward", "forward"),
    ("base", "head"),
    ("allow", "block"),
    ("buy", "sell"),
    ("collapse", "expand"),
    ("compress", "decompress"),
    ("connect", "disconnect"),
    ("create", "delete destroy remove"),
    ("decode", "encode"),
    ("decrease decrement", "increase increment"),
    ("decrypt", "encrypt"),
    ("deserialize", "serialize"),
    ("disable", "enable"),
    ("disabled", "enabled"),
    ("download", "upload"),
    ("end finish stop", "begin start"),
    ("enter", "exit"),
    ("exclude", "include"),
    ("excluded", "included"),
    ("export", "import"),
    ("external", "internal"),
    ("first", "last"),
    ("from", "to"),
    ("get", "set"),
    ("grant", "revoke"),
    ("height", "width"),
    ("hidden", "visible"),
    ("hide", "show"),
    ("high", "low"),
    ("in", "out"),
    ("input", "output"),
    ("issue", "pull"),
    ("join", "leave"),
    ("lat latitude", "lng lon long longitude"),
    ("left", "right"),
    ("login", "logout"),
    ("lower", "upper"),
    ("max maximum", "min minimum"),
    ("new", "old"),
    ("next", "prev previous"),
    ("off", "on"),
    ("open opened", "close closed"),
    ("parent", "child children"),
    ("pause", "resume"),
    ("private", "public"),
    ("pull", "push"),
    ("read", "write"),
    ("receive", "send"),
    ("request", "response"),
    ("row", "column"),
    ("sender", "recipient receiver"),
    ("source src", "destination dest dst target"),
    ("top", "bottom"),
    ("up", "down"),
    ("x", "y z"),
    ("y", "z"),
)
"""Words of the one side and of the other, in the singular."""


def _by_word() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for pair in SIDES:
        one, other = (side.split() for side in pair)
        for words, others in ((one, other), (other, one)):
            for word in words:
                found.setdefault(word, set()).update(others)
    return {word: frozenset(others) for word, others in found.items()}


OPPOSITES: Final = _by_word()


@lru_cache(maxsize=4_096)  # names of one server have many words in common
def opposites_of(word: str) -> frozenset[str]:
    """Return the words that mean the opposite, `unlock` for `lock` too."""
    found = OPPOSITES.get(word, frozenset()) | {f"un{word}"}
    return found | {word[2:]} if word.startswith("un") else found
