"""The state of one comparison of two schemas: both sides, what was found, how far it may go."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from proxar.contract.alike import is_identical
from proxar.contract.bare import bare_text
from proxar.contract.canonical import canonical_text
from proxar.contract.change import Change
from proxar.contract.document import Document
from proxar.contract.flatten import Budget, BudgetSpent
from proxar.contract.inside import Part, is_elsewhere, is_told_anyway, parts, speaks_of_product
from proxar.contract.keywords import Role
from proxar.contract.look import REFERENCES
from proxar.contract.path import Place
from proxar.contract.rules import Side, change, rule_on
from proxar.contract.scalars import Finding
from proxar.contract.shape import Shape, Shaper
from proxar.contract.value import JSON, MISSING, Missing, is_flat

__all__ = ["Walk"]

MAX_LEVELS = 100
"""Schemas inside schemas; a comparison uses four Python frames for each."""

CHARACTERS_PER_STEP = 100

SENSITIVE = ('"$ref":', '"$dynamicRef":', '"$recursiveRef":')
DIALECT_SENSITIVE = (*SENSITIVE, '"items":[', '"additionalItems":', '"dependencies":')

Comparison: TypeAlias = Callable[["Walk", JSON, JSON, Place], None]
"""How two schemas are compared; given from above, since schemas hold schemas."""


class Walk:
    """One comparison. `found` grows; a `trial` finds without adding to it."""

    def __init__(
        self,
        documents: tuple[Document, Document],
        side: Side,
        budget: Budget,
        compare: "Comparison",
    ) -> None:
        self.side = side
        self._compare = compare
        self.found: list[Change] = []
        self.of_branches: list[tuple[Change, Place, bool]] = []
        """Texts of alternatives that came or went as a whole, at which schema, and whether they
        came.
        """
        self.is_strict = False
        self.budget = budget
        self._level = 0
        self._open: set[tuple[int, int]] = set()
        self._owners: list[tuple[JSON, JSON]] = []
        """The schemas that are being compared, the innermost last."""
        self._texts: dict[tuple[int, int], tuple[JSON, str]] = {}
        self._mentions: dict[int, tuple[Shape, str | None]] = {}
        self.old, self.new = (Shaper(document, budget) for document in documents)
        self._has_one_dialect = self.old.document.dialect == self.new.document.dialect
        self._has_references = self.old.document.has_references or self.new.document.has_references
        self.is_told_by_text = self._has_one_dialect and not self._has_references
        """Whether the same text means the same in both documents, wherever it stands."""
        self._definitions_are_kept = self._has_references and (
            _definitions(documents[0].root) == _definitions(documents[1].root) is not None
        )

    def compare(self, before: JSON, after: JSON, place: Place) -> None:
        """Compare two schemas further down; `True` stands for one that is absent."""
        self._compare(self, before, after, place)

    def report(
        self,
        rule: str,
        place: Place,
        message: str,
        before: JSON | Missing = MISSING,
        after: JSON | Missing = MISSING,
        parameter: str | None = None,
    ) -> None:
        """Add a change by a rule, named by its id of the input side."""
        self.budget.spend(1 + len(place.parts) // 4)  # a path is as long as it is deep
        found = rule_on(self.side, rule)
        self.found.append(change(found.id, place, message, before, after, parameter=parameter))

    def report_finding(self, finding: Finding, before: Place, after: Place) -> None:
        """Add a difference of one keyword; a removed keyword has its old place."""
        place = (before if finding.is_removed else after).at(finding.keyword)
        old, new = (
            MISSING if value is None else value for value in (finding.before, finding.after)
        )
        self.report(finding.rule, place, finding.message, old, new)

    @contextmanager
    def enter(self, before: JSON, after: JSON) -> Iterator[bool]:
        """Go one schema down; false when this very pair is being compared already, further up.

        Assuming that such a pair holds is sound: a counterexample would be found on the first
        round.
        """
        self.budget.spend()
        pair = (id(before), id(after))
        if pair in self._open:
            yield False
            return
        if self._level >= MAX_LEVELS:
            raise BudgetSpent
        self._open.add(pair)
        self._owners.append((before, after))
        self._level += 1
        try:
            yield True
        finally:
            self._level -= 1
            self._owners.pop()
            self._open.discard(pair)

    @contextmanager
    def trial(self) -> Iterator[list[Change]]:
        """Collect what is found into a list of its own.

        A trial asks whether one set of values is within another, so it is strict.
        """
        kept, was_strict, collected = self.found, self.is_strict, list[Change]()
        self.found, self.is_strict = collected, True
        try:
            yield collected
        finally:
            self.found, self.is_strict = kept, was_strict

    @contextmanager
    def strictly(self, is_wanted: bool) -> Iterator[None]:
        """Hold new optional parameters against what an open object accepted before.

        Otherwise they are compatible, since nobody who kept to the declared ones sent them. That is
        no argument where something else in the schema may have declared them.
        """
        was_strict = self.is_strict
        self.is_strict = was_strict or is_wanted
        try:
            yield
        finally:
            self.is_strict = was_strict

    def is_same(self, before: JSON, after: JSON) -> bool:
        """Whether two schemas are written alike and mean the same; false when unsure."""
        if before != after:
            return False
        if not is_identical(before, after):  # 1 and true: all was looked at, as at every level
            self.budget.spend(len(repr(before)) // CHARACTERS_PER_STEP)
            return False
        if self.is_told_by_text or _is_alone(before):
            return True
        text = canonical_text(before, Role.SCHEMA)
        if not self._has_one_dialect and any(word in text for word in DIALECT_SENSITIVE):
            return False
        if not any(word in text for word in SENSITIVE):
            return True
        return self._definitions_are_kept and _refers_to_definitions_only(text)

    def compare_text(
        self,
        keyword: str,
        values: tuple[JSON | Missing, JSON | Missing],
        places: tuple[Place, Place],
        *,
        steps: tuple[str, ...] = (),
        is_conjunct: bool = True,
    ) -> None:
        """Compare what is judged by its text alone, but for members that come and go inside it.

        Args:
            is_conjunct: Whether the keyword only ever takes values away, so that adding it narrows.
        """
        old, new = (
            "" if value is MISSING or value is True else text(value)
            for value, text in zip(values, (self.old_text, self.new_text), strict=True)
        )
        if old == new or self.compare_inside(
            self._parts(keyword, values, places[1].at(keyword, *steps))
        ):
            return
        if not old and is_conjunct:
            self.report("constraint-added", places[1].at(keyword, *steps), f"{keyword} added")
        elif not new and is_conjunct:
            self.report("constraint-removed", places[0].at(keyword, *steps), f"{keyword} removed")
        else:
            said = f"{keyword} changed, and it is not proved that what was valid still is"
            self.report("not-provable", places[1 if new else 0].at(keyword, *steps), said)

    def _parts(
        self, keyword: str, values: tuple[JSON | Missing, JSON | Missing], place: Place
    ) -> list[Part]:
        return [
            part
            for part in parts(keyword, values, place)
            if all(self.old_text(one) == self.new_text(other) for one, other in part.beside)
            and self.old_text(part.before) != self.new_text(part.after)
        ]

    def compare_inside(self, pairs: Sequence[Part]) -> bool:
        """Compare parts of a construct that is otherwise the same, and keep what is told whatever
        the sets of values say; true if there was something and nothing else.
        """
        owners = None
        is_told, is_all = False, True
        for part in pairs:
            start = len(self.found)
            self.compare(part.before, part.after, part.place)
            found = self.found[start:]
            if not found:
                continue
            if owners is None:
                before, after = self._owners[-1]
                owners = self.old.shape(before), self.new.shape(after)
            kept = [
                one for one in found if is_told_anyway(one) and not is_elsewhere(one, part, owners)
            ]
            self.found[start:] = kept
            is_all = is_all and len(kept) == len(found)
            is_told = is_told or any(map(speaks_of_product, kept))
        return is_told and is_all

    def old_text(self, schema: JSON) -> str:
        """What a schema of before asserts."""
        return self._text(self.old.document, schema)

    def new_text(self, schema: JSON) -> str:
        """What a schema of after asserts."""
        return self._text(self.new.document, schema)

    def _text(self, document: Document, schema: JSON) -> str:
        place = id(document), id(schema)
        known = self._texts.get(place)
        if known is None:  # the schema is kept beside its text, so that its id stays its own
            text = bare_text(document, schema, self.budget)
            known = self._texts[place] = (schema, text)
        return known[1]

    def is_mentioned(self, name: str, shape: Shape) -> bool:
        """Whether a parameter may be declared before by something other than `properties`."""
        known = self._mentions.get(id(shape))
        if known is None:  # the shape is kept beside its text, so that its id stays its own
            known = self._mentions[id(shape)] = (shape, _hidden_text(shape))
        text = known[1]
        return text is None or (bool(text) and canonical_text(name) in text)

    @property
    def is_input(self) -> bool:
        """Whether the schemas are about arguments."""
        return self.side is Side.INPUT

    @property
    def is_root(self) -> bool:
        """Whether the schemas that are being compared are the outermost."""
        return self._level == 1


def _is_alone(schema: JSON) -> bool:
    """Whether a schema holds no other one and refers to none, as that of a plain parameter."""
    return (
        isinstance(schema, dict)
        and is_flat(list(schema.values()))
        and REFERENCES.isdisjoint(schema)
    )


def _hidden_text(shape: Shape) -> str | None:
    """The text of all that may declare members beside `properties`; `None` if that may be any."""
    kind = shape.kinds.get("object")
    hidden: dict[str, JSON] = {
        keyword: kind.keywords[keyword]
        for keyword in ("dependencies", "dependentSchemas", "patternProperties")
        if kind and keyword in kind.keywords
    }
    if hidden.get("patternProperties") or "" in shape.opaque:
        return None
    if not hidden and not shape.opaque:
        return ""
    text = canonical_text([shape.opaque, hidden])
    return None if any(word in text for word in SENSITIVE) else text


def _definitions(root: JSON) -> str | None:
    """The text of the definitions, if they refer to nothing but each other."""
    if not isinstance(root, dict):
        return None
    parts: list[JSON] = [root.get("$defs"), root.get("definitions")]
    text = canonical_text(parts)
    return text if _refers_to_definitions_only(text) else None


def _refers_to_definitions_only(text: str) -> bool:
    local = text.count('"$ref":"#/$defs/') + text.count('"$ref":"#/definitions/')
    others = any(f'"{word}":' in text for word in ("$dynamicRef", "$recursiveRef", "$id"))
    return text.count('"$ref":') == local and not others
