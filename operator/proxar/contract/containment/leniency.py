"""The product's leniency towards new optional parameters, as a rule about literals.

A merely open object accepts any member that it does not declare, so declaring one more narrows it.
But a caller keeps to what was declared, so no call has it: where inner says nothing about a name,
the demand that a member of this name be wrong for outer is not met by any call. See the promise in
the public documents; a member that outer forbids altogether is no new parameter.
"""

from proxar.contract.containment.evaluate import Evaluator
from proxar.contract.containment.formula import Formula
from proxar.contract.containment.literals import (
    AllMembers,
    Mentions,
    Name,
    Region,
    SomeMember,
)
from proxar.contract.containment.schema import Schemas

__all__ = ["is_new_name", "regions_of"]


MEMBERS = (AllMembers, SomeMember)


def is_new_name(
    literal: object, inner: tuple[Formula, ...], schemas: Schemas, evaluator: Evaluator
) -> bool:
    """Whether a literal of outer is about a member that inner, an open object, never speaks of."""
    if not isinstance(literal, SomeMember) or not isinstance(literal.region, Name):
        return False
    if literal.schema is schemas.anything or not inner:
        return False
    if any(literal.region in regions_of(formula, schemas) for formula in inner):
        return False
    name = literal.region.name
    return not any(
        evaluator.is_in(region, name) is not False
        for formula in inner
        for region in _wide_regions_of(formula, schemas)
    )


def _wide_regions_of(formula: Formula, schemas: Schemas) -> list[Region]:
    """Return those of more than one name: an object may have thousands of the others."""
    found = schemas.wide_regions.get(formula)
    if found is None:
        regions = regions_of(formula, schemas)
        found = [region for region in regions if not isinstance(region, Name)]
        schemas.wide_regions[formula] = found
    return found


def regions_of(formula: Formula, schemas: Schemas) -> frozenset[Region]:
    """Return every region that a formula speaks of, at its own level."""
    known = schemas.regions.get(formula)
    if known is not None:
        return known
    if isinstance(formula.literal, MEMBERS):  # as it is of most
        regions = schemas.regions[formula] = frozenset([formula.literal.region])
        return regions
    found: set[Region] = set()
    stack, seen = [formula], {formula}
    while stack:
        part = stack.pop()
        literal = part.literal
        if isinstance(literal, MEMBERS):
            found.add(literal.region)
        elif isinstance(literal, Mentions):
            found |= literal.regions
        elif part.parts:
            stack += [inside for inside in part.parts if inside not in seen]
            seen.update(part.parts)
    regions = schemas.regions[formula] = frozenset(found)
    return regions
