"""What is not told by type: alternatives, and applicators that are compared as they stand."""

from itertools import combinations
from typing import NamedTuple

from proxar.contract.change import Change
from proxar.contract.discriminators import are_disjoint, partners, tells_apart
from proxar.contract.inside import Part, is_elsewhere
from proxar.contract.path import Place
from proxar.contract.shape import Shape, Shaper
from proxar.contract.value import JSON, MISSING, Missing
from proxar.contract.verdict import Verdict
from proxar.contract.walk import Walk
from proxar.contract.wording import UNREADABLE, shown

__all__ = ["compare_opaque"]

MAX_PAIRS = 100
"""Alternatives before times alternatives after that are tried against each other."""

Side = tuple[Shape, JSON]
"""A shape and the schema that it was made of."""


class _Choice(NamedTuple):
    """Alternatives of which at least one must hold."""

    keyword: str | None
    branches: list[JSON]

    def place(self, place: Place, index: int) -> Place:
        return place if self.keyword is None else place.at(self.keyword, index)


def compare_opaque(walk: Walk, before: Side, after: Side, place: Place) -> bool:
    """Compare applicators; true when that was all there is to compare."""
    (one, _), (other, _) = before, after
    old, new = _choice(walk.old, one), _choice(walk.new, other)
    sides = ((one, old), (other, new))
    if any(choice and shape.is_union for shape, choice in sides) and all(
        not shape.opaque or (choice and shape.is_union) for shape, choice in sides
    ):
        _compare_choices(
            walk, old or _only_choice(before), new or _only_choice(after), (one, other), place
        )
        return True
    told = {"then", "else"}
    if old and new:
        _compare_choices(walk, old, new, (one, other), place)
        told |= {"anyOf", "oneOf"}
    for keyword in {**one.opaque, **other.opaque}:
        if keyword not in told:
            _compare_keyword(walk, keyword, before, after, place)
    return False


def _only_choice(side: Side) -> _Choice:
    """The alternatives of a schema that was told by type, or the schema itself as the only one."""
    shape, schema = side
    return _Choice(*shape.choice) if shape.choice else _Choice(None, [schema])


def _compare_keyword(walk: Walk, keyword: str, before: Side, after: Side, place: Place) -> None:
    if keyword == "if":
        values = _conditional(before[0]), _conditional(after[0])
        places = _place_of_if(before, place), _place_of_if(after, place)
        walk.compare_text(_changed_part(walk, *values), values, places)
        _compare_inner(walk, values, places[1])
        return
    old, new = (side[0].opaque.get(keyword, MISSING) for side in (before, after))
    is_sound = keyword in {"allOf", "anyOf", "oneOf", "not"} and all(
        value is MISSING or shaper.is_well_formed(keyword, value)
        for value, shaper in ((old, walk.old), (new, walk.new))
    )
    if not is_sound:
        _compare_unreadable(walk, keyword, old, new, place)
    elif keyword == "not":
        walk.compare_text(keyword, (old, new), (place, place))
        _compare_inner(walk, ({"not": old}, {"not": new}), place)
    elif isinstance(old, list) and isinstance(new, list):
        _compare_lists(walk, keyword, (old, before[1]), (new, after[1]), place)
    else:
        walk.compare_text(keyword, (old, new), (place, place))


def _conditional(shape: Shape) -> JSON | Missing:
    names = ("if", "then", "else")
    parts: dict[str, JSON] = {name: shape.opaque[name] for name in names if name in shape.opaque}
    return parts if "if" in parts else MISSING


def _changed_part(walk: Walk, before: JSON | Missing, after: JSON | Missing) -> str:
    """Which of `then`, `else` and `if` to name for a difference."""
    old = before if isinstance(before, dict) else {}
    new = after if isinstance(after, dict) else {}
    for keyword in ("then", "else"):
        if walk.old_text([old.get(keyword)]) != walk.new_text([new.get(keyword)]):
            return keyword
    return "if"


def _compare_inner(walk: Walk, values: tuple[object, object], place: Place) -> None:
    """Compare the texts in applicators that assert the same; the others were told already."""
    old, new = values
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return
    for keyword in ("not", "if", "then", "else"):
        one, other = old.get(keyword, MISSING), new.get(keyword, MISSING)
        if MISSING not in (one, other) and walk.old_text(one) == walk.new_text(other):
            walk.compare(one, other, place.at(keyword))


def _compare_unreadable(
    walk: Walk, keyword: str, before: JSON | Missing, after: JSON | Missing, place: Place
) -> None:
    """Compare references without a target, and what is not written as JSON Schema asks."""
    old, new = (
        "" if value is MISSING else text({keyword: value})
        for value, text in ((before, walk.old_text), (after, walk.new_text))
    )
    if old == new and old:
        return
    at = place.at(keyword) if keyword else place
    values = " and ".join(shown(value) for value in (before, after) if value is not MISSING)
    subject = f"{keyword} {values}" if keyword else values
    why = (
        "cannot be followed"
        if keyword.endswith("Ref") or keyword == "$ref"
        else "is not valid JSON Schema"
    )
    walk.report("not-provable", at, f"{subject} {why}{UNREADABLE}", before, after)


def _compare_lists(
    walk: Walk,
    keyword: str,
    before: tuple[list[JSON], JSON],
    after: tuple[list[JSON], JSON],
    place: Place,
) -> None:
    """Compare two lists of schemas of which no one knows more than their texts; each comes with the
    schema that it is written in.
    """
    (olds, _), (news, _) = before, after
    pairs, old, new = _pair(walk, olds, news)
    was_at, is_at = (_written_at(keyword, *side, place) for side in (before, after))
    for index, other in pairs:
        walk.compare(olds[index], news[other], is_at[other])
    if keyword == "allOf" and not (old and new):
        for index in new:
            walk.report("constraint-added", is_at[index], "a schema was added to allOf")
        for index in old:
            walk.report("constraint-removed", was_at[index], "a schema was removed from allOf")
    elif old or new:
        left = _pair_left(walk, (olds, old), (news, new))
        parts = [Part(olds[index], news[other], is_at[other]) for index, other in left]
        if not walk.compare_inside(parts) or len(left) < max(len(old), len(new)):
            said = f"{keyword} changed in a way that is not proved to be harmless"
            walk.report("not-provable", place.at(keyword), said)


def _written_at(keyword: str, schemas: list[JSON], source: JSON, place: Place) -> list[Place]:
    """Where each schema of a list is written: others of `allOf` were joined to its owner, and what
    a reference leads to may stand among them.
    """
    own: dict[str, JSON] = source if isinstance(source, dict) else {}
    listed, reference = own.get(keyword), own.get("$ref")
    known = {id(one): at for at, one in enumerate(listed if isinstance(listed, list) else [])}
    return [
        place
        if id(schema) not in known and reference is not None and schema == {"$ref": reference}
        else place.at(keyword, known.get(id(schema), index))
        for index, schema in enumerate(schemas)
    ]


def _place_of_if(side: Side, place: Place) -> Place:
    """Where a condition is written: one of `allOf` is joined to the owner if that has none."""
    shape, source = side
    members = source.get("allOf") if isinstance(source, dict) and "if" not in source else None
    condition = shape.opaque.get("if")
    for index, member in enumerate(members if isinstance(members, list) else []):
        if isinstance(member, dict) and "if" in member and member["if"] is condition:
            return place.at("allOf", index)
    return place


def _pair_left(
    walk: Walk, before: tuple[list[JSON], list[int]], after: tuple[list[JSON], list[int]]
) -> list[tuple[int, int]]:
    """Pair what is left of two lists: schemas with the same condition, or else, if the lists have
    one length and the same ones are left, those in one place.
    """
    (olds, old), (news, new) = before, after
    conditions: dict[str, list[int]] = {}
    for other in new:
        condition = _condition(news[other])
        if condition is not None:
            conditions.setdefault(walk.new_text(condition), []).append(other)
    found: list[tuple[int, int]] = []
    for index in old:
        condition = _condition(olds[index])
        same = None if condition is None else conditions.get(walk.old_text(condition))
        if same:
            found.append((index, same.pop(0)))
    if not found and old == new and len(olds) == len(news):
        return list(zip(old, new, strict=True))
    return found


def _condition(schema: JSON) -> JSON:
    """The `if` of a schema, if it has one."""
    return schema.get("if") if isinstance(schema, dict) else None


def _pair(
    walk: Walk, before: list[JSON], after: list[JSON]
) -> tuple[list[tuple[int, int]], list[int], list[int]]:
    """Pair the schemas that assert the same; return the pairs and who is left on each side."""
    waiting: dict[str, list[int]] = {}
    for index, schema in enumerate(after):
        waiting.setdefault(walk.new_text(schema), []).append(index)
    pairs: list[tuple[int, int]] = []
    old: list[int] = []
    for index, schema in enumerate(before):
        same = waiting.get(walk.old_text(schema))
        if same:
            pairs.append((index, same.pop(0)))
        else:
            old.append(index)
    return pairs, old, sorted(index for rest in waiting.values() for index in rest)


def _choice(shaper: Shaper, shape: Shape) -> _Choice | None:
    """The alternatives of a schema, if one of them is enough."""
    keywords = [keyword for keyword in ("anyOf", "oneOf") if keyword in shape.opaque]
    if len(keywords) != 1:
        return None
    branches = shape.opaque[keywords[0]]
    if not isinstance(branches, list) or not shaper.is_well_formed(keywords[0], branches):
        return None
    if keywords[0] == "oneOf" and not _is_exclusive(shaper, shape, branches):
        return None
    return _Choice(keywords[0], branches)


def _is_exclusive(shaper: Shaper, shape: Shape, branches: list[JSON]) -> bool:
    """Whether no value passes two of the alternatives, each of which holds beside all else that the
    schema says.
    """
    if tells_apart(shaper, shape, branches):
        return True
    return len(branches) ** 2 <= MAX_PAIRS and all(
        are_disjoint(shaper, shape, shaper.shape(one), shaper.shape(other))
        for one, other in combinations(branches, 2)
    )


def _compare_choices(
    walk: Walk, before: _Choice, after: _Choice, owners: tuple[Shape, Shape], place: Place
) -> None:
    """Compare alternatives: an input breaks when an old one fits no new one, an output the other
    way.
    """
    pairs, old, new = _pair(walk, before.branches, after.branches)
    for index, other in pairs:
        walk.compare(before.branches[index], after.branches[other], after.place(place, other))
    if old and new:
        for index, other in _partners(walk, before, after, owners):
            if index in old and other in new:
                at = after.place(place, other)
                changes = _try(walk, before.branches[index], after.branches[other], at)
                _tell(walk, changes, owners, at)
                old.remove(index)
                new.remove(other)
    if len(old) * len(after.branches) + len(new) * len(before.branches) > MAX_PAIRS:
        said = "too many alternatives changed to compare each with each"
        walk.report("not-provable", place, said)
        return
    trials = {
        (index, other): _try(
            walk, before.branches[index], after.branches[other], after.place(place, other)
        )
        for index in range(len(before.branches))
        for other in range(len(after.branches))
        if index in old or other in new
    }
    for (index, other), changes in sorted(trials.items(), key=_cost):
        if (
            index in old
            and other in new
            and _are_related(walk, before.branches[index], after.branches[other])
        ):
            _tell(walk, changes, owners, after.place(place, other))
            old.remove(index)
            new.remove(other)
    for index in old:
        fits = any(_fits(trials[index, other]) for other in range(len(after.branches)))
        if not (walk.is_input and fits):
            at = before.place(place, index)
            walk.report(
                "alternative-removed", at, f"{shown(before.branches[index])} is no longer accepted"
            )
    for other in new:
        fits = any(_fits(trials[index, other]) for index in range(len(before.branches)))
        if walk.is_input or not fits:
            at = after.place(place, other)
            walk.report("alternative-added", at, f"{shown(after.branches[other])} is accepted too")


def _partners(
    walk: Walk, before: _Choice, after: _Choice, owners: tuple[Shape, Shape]
) -> list[tuple[int, int]]:
    """Pairs of alternatives that a member with listed values tells from all others."""
    return partners(
        (walk.old, walk.new),
        [
            (owner if choice.keyword in owner.opaque else None, choice.branches)
            for owner, choice in zip(owners, (before, after), strict=True)
        ],
    )


def _tell(walk: Walk, changes: list[Change], owners: tuple[Shape, Shape], at: Place) -> None:
    """Tell what changed in an alternative; of members that the schema around it declares as well,
    only that it is to be proved what they mean.
    """
    part = Part(True, True, at)
    kept = [one for one in changes if not is_elsewhere(one, part, owners)]
    walk.found.extend(kept)
    if len(kept) < len(changes):
        said = "the alternative changed in a way that is not proved to be harmless"
        walk.report("not-provable", at, said)


def _try(walk: Walk, before: JSON, after: JSON, place: Place) -> list[Change]:
    with walk.trial() as changes:
        walk.compare(before, after, place)
    return changes


def _fits(changes: list[Change]) -> bool:
    return all(change.verdict is not Verdict.BREAKING for change in changes)


def _cost(trial: tuple[tuple[int, int], list[Change]]) -> tuple[int, int, tuple[int, int]]:
    """Breaking changes first, then all, then the order in which the alternatives are written."""
    pair, changes = trial
    return sum(change.verdict is Verdict.BREAKING for change in changes), len(changes), pair


def _are_related(walk: Walk, before: JSON, after: JSON) -> bool:
    """Whether one alternative may be the other after an edit: they share a type."""
    return not walk.old.shape(before).kinds.keys().isdisjoint(walk.new.shape(after).kinds)
