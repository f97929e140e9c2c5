"""Containment that is evident: keyword by keyword, one schema asks for no more than another."""

from collections.abc import Callable, Mapping
from functools import cached_property

from proxar.contract.alike import are_alike, is_identical
from proxar.contract.containment import Source
from proxar.contract.evident.possible import Possible, is_at_most, steps_to_read, types_of
from proxar.contract.flatten import Budget
from proxar.contract.keywords import ANNOTATIONS, SCHEMA_ROLES, Role
from proxar.contract.look import objects_in
from proxar.contract.value import JSON, MISSING
from proxar.contract.vocabulary import is_well_formed

__all__ = ["Within"]

DEFINITIONS = ("$defs", "definitions")
OF_DEFINITION = ("#/$defs/", "#/definitions/")

DYNAMIC = frozenset({"$dynamicRef", "$recursiveRef"})

UNEVALUATED = frozenset({"unevaluatedItems", "unevaluatedProperties"})
"""What they mean depends on everything beside them."""

MEMBERS = frozenset({"additionalProperties", "properties"})

CLAUSES = frozenset(
    {
        "allOf", "anyOf", "const", "dependentRequired", "dependentSchemas", "enum",
        "exclusiveMaximum", "exclusiveMinimum", "format", "maxItems", "maxLength", "maxProperties",
        "maximum", "minItems", "minLength", "minProperties", "minimum", "multipleOf", "not",
        "oneOf", "pattern", "propertyNames", "required", "type", "uniqueItems",
    }
)  # fmt: skip
"""Keywords that take values away whatever stands beside them, so that nothing is lost without."""

OF_PLAIN_OBJECT = frozenset({"additionalProperties", "properties", "required", "type"})
"""A schema of these alone speaks of the members that it declares or requires, and of no other."""

OF_ONE_DIALECT = UNEVALUATED | {
    "additionalItems", "contains", "dependencies", "dependentRequired", "dependentSchemas", "if",
    "maxContains", "minContains", "prefixItems",
}  # fmt: skip
"""Keywords that not all drafts have, or that changed their meaning."""

CHARACTERS_A_STEP = 10

TUPLES = frozenset({"additionalItems", "prefixItems"})


class Within:
    """Tells whether one part of two documents is within another, each pair once."""

    def __init__(self, inner: Source, outer: Source, possible: Possible, budget: Budget) -> None:
        self._possible = possible
        self._sources = inner, outer
        self._budget = budget
        self._known: dict[tuple[int, int, bool], bool] = {}

    def is_within(self, inner: JSON, outer: JSON, *, is_lenient: bool) -> bool:
        """Whether every value of one part is valid under another; false when unsure.

        Args:
            is_lenient: Whether a new optional member of a merely open object narrows nothing.
        """
        return self._is_told_by_text and self._is_within(inner, outer, is_lenient)

    def is_reworded(self, inner: JSON, outer: JSON) -> bool:
        """Whether two parts differ in words only; one look, however large they are."""
        return self._is_told_by_text and are_alike(inner, outer)

    @cached_property
    def _is_told_by_text(self) -> bool:
        return _is_told_by_text(*self._sources)

    def _is_within(self, inner: JSON, outer: JSON, is_lenient: bool) -> bool:
        pair = id(inner), id(outer), is_lenient
        self._budget.spend()
        known = self._known.get(pair)
        if known is None:
            known = self._is_identical(inner, outer) or self._look(inner, outer, is_lenient)
            self._known[pair] = known
        return known

    def _is_identical(self, inner: JSON, outer: JSON) -> bool:
        if inner != outer:
            return False
        if is_identical(inner, outer):
            return True
        self._budget.spend(len(repr(inner)) // CHARACTERS_A_STEP)  # 1 and true: all was looked at
        return False

    def _look(self, inner: JSON, outer: JSON, is_lenient: bool) -> bool:
        if not isinstance(inner, bool | dict) or not isinstance(outer, bool | dict):
            return False
        if inner is False or outer is True:
            return True
        inner = {} if inner is True else inner
        if not isinstance(inner, dict) or not isinstance(outer, dict):
            return False
        names = (inner.keys() | outer.keys()) - ANNOTATIONS - {"$schema"}
        if not names.isdisjoint(UNEVALUATED):
            return are_alike(inner, outer)
        if "anyOf" not in inner and outer.keys() - ANNOTATIONS == {"anyOf"}:
            return any(
                self._is_within(inner, branch, False) for branch in _branches(outer["anyOf"])
            )
        # What says nothing about objects speaks of no parameter, so none is a new one.
        is_lenient = is_lenient and names <= OF_PLAIN_OBJECT and inner.get("type") == "object"
        if not names.isdisjoint(MEMBERS) and not self._has_members_within(inner, outer, is_lenient):
            return False
        return all(
            self._is_loosened(name, inner, outer, is_lenient)
            for name in names
            if name not in MEMBERS
        )

    def _is_loosened(
        self, name: str, inner: dict[str, JSON], outer: dict[str, JSON], is_lenient: bool
    ) -> bool:
        """Whether a keyword of outer lets pass what that of inner does."""
        one, other = inner.get(name, MISSING), outer.get(name, MISSING)
        if one is MISSING:
            return False
        is_of_items = name == "items" and _speaks_of_all(inner) and _speaks_of_all(outer)
        if other is MISSING:
            return name in CLAUSES or is_of_items
        if is_of_items:
            return self._is_within(one, other, is_lenient)
        if is_identical(one, other):
            return True
        if name == "anyOf":
            mine, theirs = _branches(one), _branches(other)
            return 0 < len(mine) <= len(theirs) and all(
                self._is_within(branch, theirs[index], False) for index, branch in enumerate(mine)
            )
        self._budget.spend(steps_to_read(one) + steps_to_read(other))
        is_looser = LOOSER.get(name)
        if is_looser and is_well_formed(name, one) and is_well_formed(name, other):
            return is_looser(one, other)
        return are_alike(one, other, SCHEMA_ROLES.get(name, Role.DATA))

    def _has_members_within(
        self, inner: dict[str, JSON], outer: dict[str, JSON], is_lenient: bool
    ) -> bool:
        """Whether each member that inner lets pass is one that outer does."""
        mine, theirs = inner.get("properties", {}), outer.get("properties", {})
        rest, others = (side.get("additionalProperties", True) for side in (inner, outer))
        for side in (inner, outer):
            if not all(is_well_formed(name, side[name]) for name in MEMBERS & side.keys()):
                return False
        if not isinstance(mine, dict) or not isinstance(theirs, dict):
            return False
        if "patternProperties" in inner or "patternProperties" in outer:
            return are_alike(mine, theirs, Role.NAMED_SCHEMAS) and are_alike(rest, others)
        rest, others = (True if each == {} else each for each in (rest, others))
        if rest is not others and not self._is_within(rest, others, is_lenient):
            return False
        required = inner.get("required")
        self._budget.spend(len(theirs) + steps_to_read(required))
        spoken = {str(name) for name in required} if isinstance(required, list) else set()
        for name, schema in theirs.items():
            if name in mine:
                if not self._is_within(mine[name], schema, is_lenient):
                    return False
                continue
            is_new = is_lenient and rest is True and name not in spoken
            if is_new and self._possible.is_possible(schema):
                continue
            if not self._is_within(rest, schema, False):
                return False
        return all(
            self._is_within(schema, others, is_lenient)
            for name, schema in mine.items()
            if name not in theirs
        )


def _is_told_by_text(inner: Source, outer: Source) -> bool:
    """Whether the same text means the same in both documents: one dialect, one base, and references
    to definitions only, which are alike.
    """
    looks = inner.look, outer.look
    if any(look.has_parts for look in looks):
        return False
    if inner.dialect != outer.dialect:
        return not any(look.has_references for look in looks) and all(
            _is_of_any_dialect(side.root) for side in (inner, outer)
        )
    if not any(look.has_references for look in looks):
        return True
    if not all(_refers_to_definitions(side.root) for side in (inner, outer)):
        return False
    one, other = (side.root if isinstance(side.root, dict) else {} for side in (inner, outer))
    return one.get("$id") == other.get("$id") and all(
        are_alike(one.get(name, {}), other.get(name, {}), Role.NAMED_SCHEMAS)
        for name in DEFINITIONS
    )


def _is_of_any_dialect(root: JSON) -> bool:
    """Whether every keyword means the same in all drafts that are known."""
    return all(
        OF_ONE_DIALECT.isdisjoint(each) and not isinstance(each.get("items"), list)
        for each in objects_in(root)
    )


def _refers_to_definitions(root: JSON) -> bool:
    return all(
        DYNAMIC.isdisjoint(each) and ("$ref" not in each or _is_of_definition(each["$ref"]))
        for each in objects_in(root)
    )


def _is_of_definition(reference: JSON) -> bool:
    return (
        isinstance(reference, str)
        and reference.startswith(OF_DEFINITION)
        and reference.count("/") == 2
        and "%" not in reference  # which may hide a slash
    )


def _branches(value: JSON) -> list[JSON]:
    return value if isinstance(value, list) and is_well_formed("anyOf", value) else []


def _speaks_of_all(schema: dict[str, JSON]) -> bool:
    """Whether `items` is about every item, if it is a schema at all."""
    return TUPLES.isdisjoint(schema)


def _lists_more(one: JSON, other: JSON) -> bool:
    """Whether one list of strings is within another."""
    if not isinstance(one, list) or not isinstance(other, list):
        return False
    if not set(map(type, one)) | set(map(type, other)) <= {str}:
        return False
    return set(one) <= set(other)


LOOSER: Mapping[str, Callable[[JSON, JSON], bool]] = {
    "enum": _lists_more,
    "required": lambda one, other: _lists_more(other, one),
    "type": lambda one, other: types_of(one) <= types_of(other),
    **dict.fromkeys(
        ("exclusiveMinimum", "minItems", "minLength", "minProperties", "minimum"),
        lambda one, other: is_at_most(other, one),
    ),
    **dict.fromkeys(
        ("exclusiveMaximum", "maxItems", "maxLength", "maxProperties", "maximum"), is_at_most
    ),
}
"""Whether the second value of a keyword lets pass what the first does."""
