"""What tells alternatives apart: their types, their listed values, or a member that all of them
must have.
"""

from collections.abc import Iterator, Sequence

from proxar.contract.kind import Kind
from proxar.contract.shape import Shape, Shaper
from proxar.contract.value import JSON

__all__ = ["are_disjoint", "partners", "tells_apart"]

Index = dict[str, int]
"""The alternative of each value of a discriminator, by the value's text."""

LISTING = frozenset({"$ref", "allOf", "anyOf", "const", "enum", "oneOf"})
"""Keywords of which one is there where values are listed, be it further down."""


def are_disjoint(shaper: Shaper, owner: Shape, one: Shape, other: Shape) -> bool:
    """Whether no value can pass both beside their owner: by type, by listed values, or by a member
    that tells them apart.
    """
    return all(
        _are_kinds_disjoint(shaper, owner.kinds[name], one.kinds[name], other.kinds[name])
        for name in one.kinds.keys() & other.kinds.keys() & owner.kinds.keys()
    )


def _are_kinds_disjoint(shaper: Shaper, owner: Kind, one: Kind, other: Kind) -> bool:
    mine, theirs = one.natural_values, other.natural_values
    if mine is not None and theirs is not None:
        return mine.keys().isdisjoint(theirs)
    if one.name != "object":
        return False
    here, there = _certain(one, owner), _certain(other, owner)
    return any(
        _are_members_disjoint(shaper, schema, there[name])
        for name, schema in here.items()
        if name in there
    )


def _are_members_disjoint(shaper: Shaper, one: JSON, other: JSON) -> bool:
    mine, theirs = shaper.shape(one), shaper.shape(other)
    if mine.is_enumeration and theirs.is_enumeration:
        return mine.values.keys().isdisjoint(theirs.values)
    return mine.kinds.keys().isdisjoint(theirs.kinds)


def _certain(kind: Kind, owner: Kind | None) -> dict[str, JSON]:
    """The members that an object must have, since it or the schema around it says so, with their
    schemas.
    """
    properties = kind.keywords.get("properties")
    if not isinstance(properties, dict):
        return {}
    names = _required(kind) if owner is None else _required(kind) | _required(owner)
    return {name: schema for name, schema in properties.items() if name in names}


def _required(kind: Kind) -> set[str]:
    required = kind.keywords.get("required")
    names = required if isinstance(required, list) else []
    return {name for name in names if isinstance(name, str)}


def tells_apart(shaper: Shaper, owner: Shape | None, branches: list[JSON]) -> bool:
    """Whether a member has listed values that are others in each of the alternatives."""
    return next(_discriminators(shaper, owner, branches), None) is not None


def partners(
    shapers: tuple[Shaper, Shaper], sides: Sequence[tuple[Shape | None, list[JSON]]]
) -> list[tuple[int, int]]:
    """Pair alternatives before and after that share a value of one discriminator, in one pass.

    Args:
        sides: The schema around the alternatives, if there is more of it, and these themselves.
    """
    (owner, branches), others = sides
    after = _discriminators(shapers[1], *others)
    known: dict[str, Index] = {}
    for name, index in _discriminators(shapers[0], owner, branches):
        while name not in known and (found := next(after, None)):
            known[found[0]] = found[1]
        if name in known:
            there = known[name]
            return [(here, there[text]) for text, here in index.items() if text in there]
    return []


def _discriminators(
    shaper: Shaper, owner: Shape | None, branches: list[JSON]
) -> Iterator[tuple[str, Index]]:
    """Yield the members that tell all alternatives apart; none unless all are objects."""
    around = None if owner is None else owner.kinds.get("object")
    members: list[dict[str, JSON]] = []
    for branch in branches:
        kinds = shaper.shape(branch).kinds
        names = kinds.keys() if owner is None else kinds.keys() & owner.kinds.keys()
        certain = _certain(kinds["object"], around) if names == {"object"} else {}
        if not certain:
            return
        members.append(certain)
    for name in members[0] if members else ():
        index = _index(shaper, [certain.get(name, True) for certain in members])
        if index is not None:
            yield name, index


def _index(shaper: Shaper, schemas: list[JSON]) -> Index | None:
    """The places of the schemas by their listed values, if each has some and shares none."""
    index: Index = {}
    for place, schema in enumerate(schemas):
        if not isinstance(schema, dict) or LISTING.isdisjoint(schema):
            return None
        shape = shaper.shape(schema)
        values = shape.values if shape.is_enumeration else {}
        if not values or not index.keys().isdisjoint(values):
            return None
        index |= dict.fromkeys(values, place)
    return index
