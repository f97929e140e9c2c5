"""What a schema says without asserting it: texts, defaults, marks, unknown keywords, and the header
of MCP.
"""

from proxar.contract.branches import pair_branches
from proxar.contract.canonical import is_same
from proxar.contract.keywords import ANNOTATIONS
from proxar.contract.path import Place
from proxar.contract.shape import Shape
from proxar.contract.value import JSON, MISSING, Missing
from proxar.contract.vocabulary import HEADER
from proxar.contract.walk import Walk
from proxar.contract.wording import shown, text_change

__all__ = ["compare_notes", "compare_words", "text_rule"]

RULE_OF = {
    "$comment": "comment-changed",
    "$id": "identifier-changed",
    "contentSchema": "content-note-changed",
    "default": "default-changed",
    "deprecated": "deprecated-changed",
    "examples": "examples-changed",
    "format": "format-note-changed",
    "readOnly": "access-changed",
    "title": "title-changed",
    "writeOnly": "access-changed",
}

MARKS = frozenset({"deprecated", "readOnly", "writeOnly"})
"""Keywords whose `false` says the same as nothing."""


def compare_notes(
    walk: Walk, before: Shape, after: Shape, place: Place, sources: tuple[JSON, JSON]
) -> None:
    """Compare what two schemas say; `sources` are both as they are written, before references."""
    _compare(walk, before.notes, after.notes, place, place)
    if walk.is_input:
        _compare_header(walk, before, after, place, sources)
    if before.branches or after.branches:
        _compare_branches(walk, before, after, place)


def _compare_branches(walk: Walk, before: Shape, after: Shape, place: Place) -> None:
    for old, new, is_whole in pair_branches(walk.budget, before, after):
        start = len(walk.found)
        _compare(
            walk,
            old.notes if old else {},
            new.notes if new else {},
            place.at(*old.steps) if old else place,
            place.at(*new.steps) if new else place,
        )
        if is_whole:
            walk.of_branches += [(text, place, new is not None) for text in walk.found[start:]]


def compare_words(
    walk: Walk, before: dict[str, JSON], after: dict[str, JSON], place: Place
) -> None:
    """Compare the annotations of two schemas as they are written."""
    old, new = (
        {name: value for name, value in schema.items() if name in ANNOTATIONS}
        for schema in (before, after)
    )
    _compare(walk, old, new, place, place)


def _compare(
    walk: Walk, before: dict[str, JSON], after: dict[str, JSON], old: Place, new: Place
) -> None:
    for keyword in sorted(before.keys() | after.keys()):
        one: JSON | Missing = before.get(keyword, MISSING)
        other: JSON | Missing = after.get(keyword, MISSING)
        if keyword in MARKS:
            one, other = (MISSING if value is False else value for value in (one, other))
        if keyword == HEADER and walk.is_input:
            continue
        if one is MISSING and other is MISSING:
            continue
        if one is not MISSING and other is not MISSING and is_same(one, other):
            continue
        place = (old if other is MISSING else new).at(keyword)
        if keyword == "description":
            walk.report(
                text_rule(one, other), place, text_change("description", one, other), one, other
            )
        else:
            rule = RULE_OF.get(keyword, "unknown-keyword-changed")
            walk.report(rule, place, text_change(keyword, one, other), one, other)


def text_rule(before: JSON | Missing, after: JSON | Missing) -> str:
    """Return the rule for a description that differs."""
    if before is MISSING:
        return "description-added"
    return "description-removed" if after is MISSING else "description-changed"


def _compare_header(
    walk: Walk, before: Shape, after: Shape, place: Place, sources: tuple[JSON, JSON]
) -> None:
    """A client must repeat the value in the header, the server must reject a call without it."""
    old, new = before.notes.get(HEADER, MISSING), after.notes.get(HEADER, MISSING)
    at = place.at(HEADER)
    if old is MISSING and new is MISSING:
        return
    if old is MISSING:
        walk.report(
            "header-added", at, f"must now be sent in the header {_shown(new)} too", old, new
        )
    elif new is MISSING:
        walk.report(
            "header-removed", at, f"is no longer sent in the header {_shown(old)}", old, new
        )
    elif not is_same(old, new):
        said = f"header changed from {_shown(old)} to {_shown(new)}"
        walk.report("header-changed", at, said, old, new)
    elif _is_written_in(sources[0]) and not _is_written_in(sources[1]):
        said = f"{HEADER} moved behind a reference, where it is illegal: clients must drop the tool"
        walk.report("header-misplaced", at, said, old, new)


def _is_written_in(source: JSON) -> bool:
    return isinstance(source, dict) and HEADER in source


def _shown(value: JSON | Missing) -> str:
    return "nothing" if value is MISSING else shown(value)
