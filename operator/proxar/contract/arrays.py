"""Arrays: their items by position and beyond, how many there are, and whether they may repeat."""

from proxar.contract.kind import Kind
from proxar.contract.path import Place
from proxar.contract.scalars import compare_limit
from proxar.contract.shape import Shape
from proxar.contract.value import JSON, MISSING, Missing
from proxar.contract.walk import Walk

__all__ = ["compare_arrays"]


def compare_arrays(
    walk: Walk, shape: Shape, kinds: tuple[Kind, Kind], places: tuple[Place, Place]
) -> None:
    """Compare what two schemas say about arrays; `shape` is that of the earlier one."""
    before, after = (kind.keywords for kind in kinds)
    with walk.strictly(bool(shape.opaque) or "contains" in before):
        _compare_items(walk, before, after, places)
    for keyword, is_lower in (("minItems", True), ("maxItems", False)):
        for finding in compare_limit(before, after, keyword, is_lower=is_lower):
            walk.report_finding(finding, *places)
    old, new = _must_differ(before), _must_differ(after)
    if new and not old:
        walk.report(
            "unique-items-added", places[1].at("uniqueItems"), "items must now differ", after=True
        )
    elif old and not new:
        said = "items may now repeat"
        walk.report("unique-items-removed", places[0].at("uniqueItems"), said, before=True)
    walk.compare_text("contains", (_contained(before), _contained(after)), places)
    keyword = "unevaluatedItems"
    if keyword in before or keyword in after:
        walk.compare_text(keyword, (dict(before), dict(after)), places, is_conjunct=False)


def _positions(keywords: dict[str, JSON]) -> tuple[str, list[JSON], str, JSON]:
    """The schemas of the first items and that of all others, each with its keyword."""
    items = keywords.get("items", True)
    if isinstance(items, list):
        return "items", items, "additionalItems", keywords.get("additionalItems", True)
    prefix = keywords.get("prefixItems")
    return "prefixItems", prefix if isinstance(prefix, list) else [], "items", items


def _compare_items(
    walk: Walk, before: dict[str, JSON], after: dict[str, JSON], places: tuple[Place, Place]
) -> None:
    old_word, old, old_rest_word, old_rest = _positions(before)
    new_word, new, new_rest_word, new_rest = _positions(after)
    for index in range(max(len(old), len(new))):
        one = old[index] if index < len(old) else old_rest
        other = new[index] if index < len(new) else new_rest
        is_in_new = index < len(new)
        at = places[1].at(new_word, index) if is_in_new else places[0].at(old_word, index)
        walk.compare(one, other, at)
    is_in_new = new_rest_word in after
    at = places[1].at(new_rest_word) if is_in_new else places[0].at(old_rest_word)
    walk.compare(old_rest, new_rest, at)


def _must_differ(keywords: dict[str, JSON]) -> bool:
    return keywords.get("uniqueItems") is True and keywords.get("maxItems") not in (0, 1)


def _contained(keywords: dict[str, JSON]) -> JSON | Missing:
    """The three keywords about what an array must contain, as one schema to compare."""
    if "contains" not in keywords:
        return MISSING
    names = ("contains", "minContains", "maxContains")
    return {name: keywords[name] for name in names if name in keywords}
