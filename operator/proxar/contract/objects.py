"""Objects: parameters that come, go and become required, and what else may be in an object."""

from proxar.contract.declared import declares
from proxar.contract.kind import Kind
from proxar.contract.path import Place
from proxar.contract.scalars import compare_limit
from proxar.contract.shape import Shape
from proxar.contract.value import JSON, MISSING, Missing
from proxar.contract.walk import Walk
from proxar.contract.wording import MAYBE_DECLARED, quoted

__all__ = ["compare_objects"]

Places = tuple[Place, Place]

NAMES_PER_STEP = 64

USUAL = frozenset({"additionalProperties", "properties", "required"})
"""What hardly any object says more than."""


def compare_objects(
    walk: Walk, shapes: tuple[Shape, Shape], kinds: tuple[Kind, Kind], places: Places
) -> None:
    """Compare what two schemas say about objects."""
    before, after = kinds
    old, new = _Members(before), _Members(after)
    for keywords in (before.keywords, after.keywords):
        required = keywords.get("required")
        walk.budget.spend(len(required) // NAMES_PER_STEP if isinstance(required, list) else 0)
    for name in old.properties:
        if name in new.properties:
            if walk.is_same(old.properties[name], new.properties[name]):
                continue
            at = places[1].at("properties", name)
            with walk.strictly(walk.is_mentioned(name, shapes[0])):
                walk.compare(old.properties[name], new.properties[name], at)
        else:
            _report_removed(walk, name, old, (shapes[1], new), places[0])
    for name in new.properties:
        if name not in old.properties:
            _report_added(walk, name, (shapes[0], old), new, places[1])
    _compare_required(walk, old, new, places)
    with walk.strictly(bool(shapes[0].opaque) or "patternProperties" in before.keywords):
        _compare_additional(walk, old, new, places)
    if before.keywords.keys() <= USUAL and after.keywords.keys() <= USUAL:
        return
    _compare_counts(walk, old, new, places)
    _compare_dependencies(walk, old, new, places)
    names = before.keywords.get("propertyNames", True), after.keywords.get("propertyNames", True)
    walk.compare(*names, places[1].at("propertyNames"))
    _compare_as_they_stand(walk, shapes, kinds, places)


class _Members:
    """The assertions of one side about an object, with the defaults filled in."""

    def __init__(self, kind: Kind) -> None:
        self.keywords = kind.keywords
        properties = kind.keywords.get("properties")
        self.properties = properties if isinstance(properties, dict) else {}
        required = kind.keywords.get("required")
        self.required = dict.fromkeys(
            name
            for name in (required if isinstance(required, list) else [])
            if isinstance(name, str)
        )
        self.additional = kind.keywords.get("additionalProperties", True)
        self.additional = True if self.additional == {} else self.additional
        self.is_open = self.additional is True and "unevaluatedProperties" not in self.keywords
        self.is_closed = self.additional is False or "unevaluatedProperties" in self.keywords


def _report_removed(
    walk: Walk, name: str, old: _Members, after: tuple[Shape, _Members], place: Place
) -> None:
    shape, new = after
    if declares(walk.new.document, shape.opaque, name, walk.budget):
        return  # it moved into an alternative; what that means for values is proved, not told here
    at = place.at("properties", name)
    if old.properties[name] is False:  # it could not be there at all
        walk.compare(False, new.additional, at)
        return
    said = f"{quoted(name)} removed"
    if walk.is_input or not new.is_closed or name in old.required:
        walk.report("parameter-removed", at, said, parameter=name)
    else:
        walk.report("output-optional-field-removed", at, said, parameter=name)


def _report_added(
    walk: Walk, name: str, before: tuple[Shape, _Members], new: _Members, place: Place
) -> None:
    shape, old = before
    at = place.at("properties", name)
    if not walk.is_input:
        _report_added_field(walk, name, old, new, at)
    elif name in new.required and name not in old.required:
        said = f"{quoted(name)} was added and is required"
        walk.report(
            "parameter-added-required", place.at("required"), said, after=name, parameter=name
        )
    elif old.additional is False or ("unevaluatedProperties" in old.keywords):
        if new.properties[name] is not False:
            _report_optional(walk, name, shape, at)
    elif old.additional is not True or new.properties[name] is False:
        walk.compare(old.additional, new.properties[name], at)
        _report_optional(walk, name, shape, at)
    else:
        if walk.is_strict:
            walk.compare(True, new.properties[name], at)
        _report_optional(walk, name, shape, at)


def _report_optional(walk: Walk, name: str, shape: Shape, at: Place) -> None:
    if walk.is_mentioned(name, shape):
        walk.report("not-provable", at, f"{quoted(name)}{MAYBE_DECLARED}", parameter=name)
    else:
        walk.report("parameter-added", at, f"{quoted(name)} added, optional", parameter=name)


def _report_added_field(walk: Walk, name: str, old: _Members, new: _Members, at: Place) -> None:
    if new.properties[name] is False:
        if not old.is_closed:
            walk.compare(old.additional, False, at)
        return
    if old.is_closed:
        said = f"{quoted(name)} added to a result that had no other fields than the declared ones"
        walk.report("output-field-added-to-closed", at, said, parameter=name)
        return
    if old.additional is not True:
        walk.compare(old.additional, new.properties[name], at)
    walk.report("output-field-added", at, f"{quoted(name)} added", parameter=name)


def _compare_required(walk: Walk, old: _Members, new: _Members, places: Places) -> None:
    for name in new.required:
        if name in old.required:
            continue
        is_new = name in new.properties and name not in old.properties
        if is_new and walk.is_input:
            continue  # told as an added parameter
        rule = "parameter-added-required" if is_new else "parameter-became-required"
        said = f"{quoted(name)} is now required"
        walk.report(rule, places[1].at("required"), said, after=name, parameter=name)
    for name in old.required:
        if name in new.required or (name in old.properties and name not in new.properties):
            continue  # a removed parameter is one change
        said = f"{quoted(name)} is no longer required"
        walk.report(
            "parameter-became-optional", places[0].at("required"), said, before=name, parameter=name
        )


def _compare_additional(walk: Walk, old: _Members, new: _Members, places: Places) -> None:
    where = "root" if walk.is_root else "object"
    before, after = old.additional, new.additional
    at = places[1 if "additionalProperties" in new.keywords else 0].at("additionalProperties")
    if before is after:
        return
    if after is False:
        said = "undeclared members are now refused"
        walk.report(
            f"{where}-closed", at, said, old.keywords.get("additionalProperties", MISSING), False
        )
    elif before is False:
        said = "undeclared members are no longer refused"
        walk.report(
            f"{where}-opened", at, said, False, new.keywords.get("additionalProperties", MISSING)
        )
    else:
        walk.compare(before, after, at)


def _compare_counts(walk: Walk, old: _Members, new: _Members, places: Places) -> None:
    """Compare how many members there must be; names that are required count already."""
    before, after = dict(old.keywords), dict(new.keywords)
    fewest = before.get("minProperties", 0), after.get("minProperties", 0)
    if all(
        _at_most(count, len(side.required)) for count, side in ((fewest[0], new), (fewest[1], old))
    ):
        before.pop("minProperties", None)
        after.pop("minProperties", None)
    for keyword, is_lower in (("minProperties", True), ("maxProperties", False)):
        for finding in compare_limit(before, after, keyword, is_lower=is_lower):
            walk.report_finding(finding, *places)


def _at_most(count: JSON, limit: int) -> bool:
    return isinstance(count, int) and count <= limit


def _dependencies(keywords: dict[str, JSON]) -> dict[tuple[str, str], None]:
    """Pairs of a name and another one that it requires, from both keywords that can say so."""
    pairs: dict[tuple[str, str], None] = {}
    for keyword in ("dependentRequired", "dependencies"):
        by_name = keywords.get(keyword)
        for name, others in by_name.items() if isinstance(by_name, dict) else ():
            if isinstance(others, list):
                pairs |= {(name, other): None for other in others if isinstance(other, str)}
    return pairs


def _compare_dependencies(walk: Walk, old: _Members, new: _Members, places: Places) -> None:
    before, after = _dependencies(old.keywords), _dependencies(new.keywords)
    for rule, pairs, known, side, place in (
        ("dependency-added", after, before, new, places[1]),
        ("dependency-removed", before, after, old, places[0]),
    ):
        keyword = "dependentRequired" if "dependentRequired" in side.keywords else "dependencies"
        verb = "now requires" if rule == "dependency-added" else "no longer requires"
        for name, other in pairs:
            if (name, other) not in known:
                said = f"{quoted(name)} {verb} {quoted(other)}"
                walk.report(rule, place.at(keyword, name), said, parameter=other)


def _dependent_schemas(keywords: dict[str, JSON]) -> dict[str, JSON]:
    found: dict[str, JSON] = {}
    for keyword in ("dependencies", "dependentSchemas"):
        by_name = keywords.get(keyword)
        for name, schema in by_name.items() if isinstance(by_name, dict) else ():
            if not isinstance(schema, list):
                found[name] = {"allOf": [found[name], schema]} if name in found else schema
    return found


def _compare_as_they_stand(
    walk: Walk, shapes: tuple[Shape, Shape], kinds: tuple[Kind, Kind], places: Places
) -> None:
    """Compare the assertions that see other parts of the object, by their text only."""
    before, after = (kind.keywords for kind in kinds)
    old, new = _dependent_schemas(before), _dependent_schemas(after)
    for name in {**old, **new}:
        pair = old.get(name, MISSING), new.get(name, MISSING)
        walk.compare_text("dependentSchemas", pair, places, steps=(name,))
    patterns = _alone("patternProperties", before), _alone("patternProperties", after)
    walk.compare_text("patternProperties", patterns, places, is_conjunct=False)
    keyword = "unevaluatedProperties"
    rest = before.get(keyword, MISSING), after.get(keyword, MISSING)
    walk.compare_text(keyword, rest, places)
    if rest != (MISSING, MISSING) and walk.old_text(shapes[0].opaque) != walk.new_text(
        shapes[1].opaque
    ):
        said = f"{keyword} depends on other parts of the schema, which changed"
        walk.report("not-provable", places[1].at(keyword), said)


def _alone(keyword: str, keywords: dict[str, JSON]) -> JSON | Missing:
    """A keyword as a schema that says nothing else."""
    return {keyword: keywords[keyword]} if keyword in keywords else MISSING
