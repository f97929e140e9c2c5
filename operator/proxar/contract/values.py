"""Which types and which listed values a schema accepts."""

from itertools import islice

from proxar.contract.kind import Kind, Steps, Values
from proxar.contract.path import Place
from proxar.contract.shape import Shape
from proxar.contract.value import JSON
from proxar.contract.vocabulary import KINDS, kind_of
from proxar.contract.walk import Walk
from proxar.contract.wording import shown, shown_list

__all__ = ["compare_values"]

MAX_SINGLE = 100
"""Listed values that came or went which are reported one by one; the rest is one change."""


VALUES_PER_STEP = 8
"""Listed values that are held against assertions."""


def compare_values(walk: Walk, before: Shape, after: Shape, place: Place) -> None:
    """Compare types and listed values, whichever way they are spelt."""
    if before.is_enumeration and after.is_enumeration:
        _compare_listed(walk, (before, before.values_at), (after, after.values_at), place)
    elif before.is_enumeration and after.kinds:
        _compare_freed(walk, before, after, place)
    elif after.is_enumeration and before.kinds:
        _compare_limited(walk, before, after, place)
    else:
        _compare_types(walk, before, after, place)
        for name in before.kinds.keys() & after.kinds.keys():
            _compare_kind(walk, before, after, name, place)


def _compare_listed(
    walk: Walk, before: tuple[Shape, Steps], after: tuple[Shape, Steps], place: Place
) -> None:
    """Compare two enumerations, each with the place where its first values are listed."""
    old, new = before[0].values, after[0].values
    removed = {text: value for text, value in old.items() if text not in new}
    added = {text: value for text, value in new.items() if text not in old}
    _report_values(walk, "removed", removed, before, place)
    _report_values(walk, "added", added, after, place)


def _report_values(
    walk: Walk, what: str, changed: Values, listing: tuple[Shape, Steps], node: Place
) -> None:
    if not changed:
        return
    rule = f"enum-value-{what}"
    shape, at = listing
    places = _places(shape, changed) if shape.branches else {}
    for text in islice(changed, MAX_SINGLE):
        value, place = changed[text], node.at(*places.get(text, at))
        if what == "removed":
            walk.report(rule, place, f"value {shown(value)} removed", before=value)
        else:
            walk.report(rule, place, f"value {shown(value)} added", after=value)
    rest, place = list(changed.values())[MAX_SINGLE:], node.at(*at)
    if rest and what == "removed":
        walk.report(
            rule, place, f"{len(rest)} more values removed: {shown_list(rest)}", before=rest
        )
    elif rest:
        walk.report(rule, place, f"{len(rest)} more values added: {shown_list(rest)}", after=rest)


def _places(shape: Shape, values: Values) -> dict[str, Steps]:
    """Where each of the values is listed among alternatives; the innermost comes last."""
    return {
        text: _listed_at(kind)
        for branch in shape.branches.values()
        for kind in branch.kinds.values()
        for text in kind.natural_values or ()
        if text in values
    }


def _compare_freed(walk: Walk, before: Shape, after: Shape, place: Place) -> None:
    """Values were listed, now they are described."""
    walk.budget.spend(len(before.values) // VALUES_PER_STEP)
    listed = place.at(*before.values_at)
    refused: Values = {}
    for text, value in before.values.items():
        kind = after.kinds.get(kind_of(value))
        is_ok = kind.accepts(value) if kind else False
        if is_ok is False:
            refused[text] = value
        elif is_ok is None:
            said = (
                f"{shown(value)} was listed and may not pass the assertions that replace the list"
            )
            walk.report("not-provable", listed, said, before=value)
    _report_values(walk, "removed", refused, (before, before.values_at), place)
    values = list(before.values.values())
    said = f"widened from {_one_of(values)} to any {_words(after)}"
    walk.report("type-widened", listed, said, before=values, after=_types(after))


def _compare_limited(walk: Walk, before: Shape, after: Shape, place: Place) -> None:
    """Values were described, now they are listed."""
    walk.budget.spend(len(after.values) // VALUES_PER_STEP)
    values = list(after.values.values())
    was_accepted = [
        before.kinds[kind].accepts(value) if (kind := kind_of(value)) in before.kinds else False
        for value in values
    ]
    listed = place.at(*after.values_at)
    old, new = f"any {_words(before)}", _one_of(values)
    if all(was_accepted):
        walk.report(
            "type-narrowed", listed, f"narrowed from {old} to {new}", _types(before), values
        )
    else:
        walk.report("type-changed", listed, f"changed from {old} to {new}", _types(before), values)


def _compare_types(walk: Walk, before: Shape, after: Shape, place: Place) -> None:
    lost = {name for name, kind in before.kinds.items() if not _is_within(kind, after)}
    gained = {name for name, kind in after.kinds.items() if not _is_within(kind, before)}
    if not lost and not gained:
        return
    verb = "changed" if lost and gained else "narrowed" if lost else "widened"
    at = place.at(
        *(before if verb == "narrowed" and before.types_at != ("type",) else after).types_at
    )
    if not after.kinds:
        said = "no value is accepted any more"
    elif not before.kinds:
        said = f"widened from nothing to {_words(after)}"
    else:
        said = f"{verb} from {_words(before)} to {_words(after)}"
    walk.report(f"type-{verb}", at, said, _types(before), _types(after))


def _is_within(kind: Kind, other: Shape) -> bool:
    """Whether the other side accepts the type, apart from what else it says about it."""
    match = other.kinds.get(kind.name)
    return match is not None and (kind.is_integer or not match.is_integer)


def _compare_kind(walk: Walk, before: Shape, after: Shape, name: str, place: Place) -> None:
    """Compare the listed values of a type that both accept, others being described."""
    one, other = before.kinds[name], after.kinds[name]
    old, new = one.natural_values, other.natural_values
    if old is None and new is None:
        return
    before = Shape({name: one}, branches=before.branches)
    after = Shape({name: other}, branches=after.branches)
    if old is not None and new is not None:
        _compare_listed(walk, (before, _listed_at(one)), (after, _listed_at(other)), place)
    elif old is not None:
        _compare_freed(walk, before, after, place)
    else:
        _compare_limited(walk, before, after, place)


def _listed_at(kind: Kind) -> Steps:
    return kind.values_at or (*kind.where, "type")


def _types(shape: Shape) -> JSON:
    """The types as `type` would say them."""
    names: list[JSON] = [shape.kinds[name].type_name for name in KINDS if name in shape.kinds]
    return names[0] if len(names) == 1 else names


def _words(shape: Shape) -> str:
    if len(shape.kinds) == len(KINDS) and not shape.kinds["number"].is_integer:
        return "type"
    names = [shape.kinds[name].type_name for name in KINDS if name in shape.kinds]
    return " or ".join(names) or "nothing"


def _one_of(values: list[JSON]) -> str:
    return f"one of {shown_list(values)}" if len(values) > 1 else shown_list(values)
