"""The comparison of two schemas: one function, behind which the engine can be replaced.

A walk over both normal forms (`shape`) at once. It reports what it can name and is breaking
wherever it cannot prove: "not provable" is never "no change".
"""

from collections.abc import Iterator
from functools import partial

from proxar.contract.alike import are_alike, is_identical
from proxar.contract.alternatives import compare_opaque
from proxar.contract.arrays import compare_arrays
from proxar.contract.branches import without_texts
from proxar.contract.change import Change
from proxar.contract.containment import Engine
from proxar.contract.document import Document
from proxar.contract.flatten import Budget, BudgetSpent
from proxar.contract.kind import Kind
from proxar.contract.notes import compare_notes
from proxar.contract.objects import compare_objects
from proxar.contract.path import Place
from proxar.contract.reconcile import Proofs
from proxar.contract.reworded import compare_reworded
from proxar.contract.rules import Side, change, rule_on
from proxar.contract.scalars import compare_scalars
from proxar.contract.shape import Shape
from proxar.contract.unseen import compare_unseen_texts
from proxar.contract.value import JSON, MISSING
from proxar.contract.values import compare_values
from proxar.contract.walk import Walk
from proxar.contract.wording import shown

__all__ = ["compare_schemas"]

LEAST_STEPS = 400
"""Steps that the comparison of any two schemas may take; it may take more for larger ones.

A step is one schema looked at. They are bounded since references can make a small text a large
tree.
"""

STEPS_PER_OBJECT = 8

MOST_STEPS = 700
"""Steps however large the schemas are, of which a thousand take some 40 ms. Real tools take less
than a hundred.
"""


def compare_schemas(
    before: JSON, after: JSON, side: Side, place: Place, engine: Engine
) -> Iterator[Change]:
    """Yield what changed between two schemas.

    Args:
        engine: What the schemas of one comparison share, so that nothing is proved twice.
        side: An input schema breaks when it accepts less, an output schema when it accepts more.
        place: Where the schemas are, `search_issues.inputSchema`.
    """
    found: list[Change] = []
    of_branches: list[tuple[Change, Place, bool]] = []
    if is_identical(before, after):
        return
    if engine.walk_steps <= 0:
        said = "the schemas before this one took all the time that a comparison has: nothing proved"
        yield change(rule_on(side, "not-provable").id, place, said)
        return
    proofs = Proofs(before, after, side, engine)
    budget = Budget(LEAST_STEPS)
    given = 0
    try:
        looks = proofs.looks
        documents = Document(before, looks[0]), Document(after, looks[1])
        walk = Walk(documents, side, budget, partial(_compare_node, proofs))
        size = walk.old.document.size + walk.new.document.size
        wanted = min(LEAST_STEPS + STEPS_PER_OBJECT * size, MOST_STEPS)
        budget.left = given = max(min(wanted, engine.walk_steps), LEAST_STEPS)
        found, of_branches = walk.found, walk.of_branches
        _compare_dialects(walk, before, after, place)
        walk.compare(before, after, place)
        compare_unseen_texts(walk, before, after, place)
    except (BudgetSpent, RecursionError):  # what was found so far is true, and not all
        found = proofs.settle((before, after), place, found, is_strict=False, is_root=True)
        if not are_alike(before, after):  # a parameter may be gone, whatever is proved of values
            said = "the schema is too large or deep to compare whole: nothing is proved of the rest"
            found.append(change(rule_on(side, "not-provable").id, place, said))
    engine.walk_steps -= given - max(budget.left, 0)
    yield from without_texts(found, of_branches) if of_branches else found


def _compare_dialects(walk: Walk, before: JSON, after: JSON, place: Place) -> None:
    """Judge `$schema` itself; what it does to other keywords shows in the shapes of each side."""
    old, new = (
        schema.get("$schema", MISSING) if isinstance(schema, dict) else MISSING
        for schema in (before, after)
    )
    unknown = [
        uri
        for uri, shaper in ((old, walk.old), (new, walk.new))
        if shaper.document.dialect is None and uri is not MISSING
    ]
    at = place.at("$schema")
    if unknown:
        walk.report("not-provable", at, f"the dialect {shown(unknown[-1])} is not known", old, new)
    elif old != new:
        one, other = ("absent" if uri is MISSING else shown(uri) for uri in (old, new))
        walk.report("dialect-changed", at, f"$schema changed from {one} to {other}", old, new)


def _compare_node(proofs: Proofs, walk: Walk, before: JSON, after: JSON, place: Place) -> None:
    """Compare two schemas by their parts, and hold what was found against what is proved."""
    if walk.is_same(before, after):
        return
    with walk.enter(before, after) as is_new:
        if not is_new:
            return
        start = len(walk.found)
        _compare_parts(walk, before, after, place)
        walk.found[start:] = proofs.settle(
            (before, after),
            place,
            walk.found[start:],
            is_strict=walk.is_strict,
            is_root=walk.is_root,
        )


def _compare_parts(walk: Walk, before: JSON, after: JSON, place: Place) -> None:
    if compare_reworded(walk, before, after, place):
        return
    old, new = walk.old.shape(before), walk.new.shape(after)
    compare_notes(walk, old, new, place, (before, after))
    if compare_opaque(walk, (old, before), (new, after), place):
        return
    compare_values(walk, old, new, place)
    for name in old.kinds.keys() & new.kinds.keys():
        _compare_kind(walk, (old, new), (old.kinds[name], new.kinds[name]), place)


def _compare_kind(
    walk: Walk, shapes: tuple[Shape, Shape], kinds: tuple[Kind, Kind], place: Place
) -> None:
    old, new = kinds
    if (old.values is None) != (new.values is None):
        return  # each listed value was held against the other side's assertions
    places = place.at(*old.where), place.at(*new.where)
    if old.name == "object":
        compare_objects(walk, shapes, kinds, places)
    elif old.name == "array":
        compare_arrays(walk, shapes[0], kinds, places)
    elif old.keywords or new.keywords:
        for finding in compare_scalars(
            old.name, old.keywords, new.keywords, is_integer=old.is_integer
        ):
            walk.report_finding(finding, *places)
