"""Which types and which listed values a schema accepts."""

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
        _compare_listed(
            walk,
            before.values,
            after.values,
            place.at(*before.values_at),
            place.at(*after.values_at),
        )
    elif before.is_enumeration and after.kinds:
        _compare_freed(walk, before, after, place)
    elif after.is_enumeration and before.kinds:
        _compare_limited(walk, before, after, place)
    else:
        _compare_types(walk, before, after, place)
        for name in before.kinds.keys() & after.kinds.keys():
            _compare_kind(walk, before.kinds[name], after.kinds[name], place)


def _compare_listed(walk: Walk, before: Values, after: Values, old: Place, new: Place) -> None:
    _report_values(walk, "removed", [before[text] for text in before if text not in after], old)
    _report_values(walk, "added", [after[text] for text in after if text not in before], new)


def _report_values(walk: Walk, what: str, values: list[JSON], place: Place) -> None:
    rule = f"enum-value-{what}"
    for value in values[:MAX_SINGLE]:
        if what == "removed":
            walk.report(rule, place, f"value {shown(value)} removed", before=value)
        else:
            walk.report(rule, place, f"value {shown(value)} added", after=value)
    rest = values[MAX_SINGLE:]
    if rest and what == "removed":
        walk.report(
            rule, place, f"{len(rest)} more values removed: {shown_list(rest)}", before=rest
        )
    elif rest:
        walk.report(rule, place, f"{len(rest)} more values added: {shown_list(rest)}", after=rest)


def _compare_freed(walk: Walk, before: Shape, after: Shape, place: Place) -> None:
    """Values were listed, now they are described."""
    walk.budget.spend(len(before.values) // VALUES_PER_STEP)
    listed = place.at(*before.values_at)
    refused = []
    for value in before.values.values():
        kind = after.kinds.get(kind_of(value))
        is_ok = kind.accepts(value) if kind else False
        if is_ok is False:
            refused.append(value)
        elif is_ok is None:
            said = (
                f"{shown(value)} was listed and may not pass the assertions that replace the list"
            )
            walk.report("not-provable", listed, said, before=value)
    _report_values(walk, "removed", refused, listed)
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


def _compare_kind(walk: Walk, before: Kind, after: Kind, place: Place) -> None:
    """Compare the listed values of a type that both accept, others being described."""
    old, new = before.natural_values, after.natural_values
    if old is not None and new is not None:
        _compare_listed(walk, old, new, place.at(*_listed_at(before)), place.at(*_listed_at(after)))
    elif old is not None:
        alone = Shape({before.name: before}), Shape({after.name: after})
        _compare_freed(walk, *alone, place)
    elif new is not None:
        alone = Shape({before.name: before}), Shape({after.name: after})
        _compare_limited(walk, *alone, place)


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
