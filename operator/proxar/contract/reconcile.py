"""What the walk found, held against what is proved: where both are about sets of values, proof
wins.

The walk knows places and words, the prover knows whether anything that was accepted no longer is.
At each place where the walk found something, and at the root in any case:

- proved harmless both ways: the change is only in the words, so nothing is said about values;
- proved harmless: what was called breaking is not, and is dropped or told as a gain;
- not proved: a change must say so. If the walk saw none, one is added here, with a value that shows
  it.

Rules about the product rather than about sets (a removed parameter, texts, headers) are left alone.
"""

from collections.abc import Sequence
from dataclasses import replace

from proxar.contract.change import Change
from proxar.contract.containment import (
    DEFAULT_STEPS,
    Answer,
    Contained,
    Document,
    Engine,
    Refuted,
    Unproved,
)
from proxar.contract.evident import Evident
from proxar.contract.look import Look
from proxar.contract.path import Place
from proxar.contract.rules import RULES, SCHEMA_RULES, Effect, Side, change, rule_on
from proxar.contract.value import JSON
from proxar.contract.verdict import Verdict
from proxar.contract.wording import MAYBE_DECLARED, shown

__all__ = ["Proofs"]

ABOUT_PRODUCT = frozenset({"parameter-removed", "content-changed"})
"""Rules that are breaking whatever the sets of values say (P1, P5)."""

PROVED_AS = {"pattern-changed": ("pattern-narrowed", "pattern-widened")}
"""What a change is called once it is known which way it goes."""

STEPS_OF_PARTS = DEFAULT_STEPS // 4
"""For the questions about parts; without an answer, what the walk said of a part stands."""

OUT_OF_STEPS = Unproved("budget")

EVIDENTLY_NOT = Unproved("a value that is accepted no longer is")

UNPROVED = (
    ", which is not proved to include it",
    ", and it is not proved that what was valid still is",
    " in a way that is not proved to be harmless",
)
"""What the walk says where it cannot tell, and is taken back where it is told."""


class Proofs:
    """The proofs about one pair of schemas."""

    def __init__(self, before: JSON, after: JSON, side: Side, engine: Engine) -> None:
        self._side = side
        self._engine = engine
        self._documents = Document(before), Document(after)
        one, other = (document.source for document in self._documents)
        self._evident = Evident(one, other), Evident(other, one)
        self._about_values = ABOUT_VALUES[side]
        self._left = DEFAULT_STEPS
        # Before all else: whatever the parts cost, this is the question that has to be answered.
        self._root_breaks = self._breaks((before, after), is_strict=False)
        self._left = STEPS_OF_PARTS

    @property
    def looks(self) -> tuple[Look, Look]:
        """What one look at each side tells."""
        before, after = self._documents
        return before.source.look, after.source.look

    def settle(
        self,
        pair: tuple[JSON, JSON],
        place: Place,
        changes: Sequence[Change],
        *,
        is_strict: bool,
        is_root: bool,
    ) -> list[Change]:
        """Return the changes of two schemas that stand, and those that the walk did not see."""
        values = [one for one in changes if one.rule in self._about_values]
        if not is_root and (not values or self._left <= 0):
            return list(changes)
        breaks = self._root_breaks if is_root else self._breaks(pair, is_strict=is_strict)
        if not isinstance(breaks, Contained):
            if self._needs_value(changes):
                breaks = self._shown_break(pair, breaks, is_strict=is_strict, is_root=is_root)
            if isinstance(breaks, Unproved) and self._left <= 0 and not is_root:
                return list(changes)  # the parts cost too much; the root has its answer already
            return self._settle_break(pair, place, changes, breaks)
        changes = list(map(self._as_added, changes))
        values = [one for one in changes if one.rule in self._about_values]
        if not values:
            return changes
        others = [one for one in changes if one.rule not in self._about_values]
        if isinstance(self._gains(pair), Contained):
            return others
        return others + self._as_gains(values)

    def _breaks(self, pair: tuple[JSON, JSON], *, is_strict: bool, is_brief: bool = True) -> Answer:
        """Whether what was valid for a caller, or promised by a server, still is."""
        if self._side is Side.OUTPUT:
            return self._ask(pair, is_reversed=True, is_brief=is_brief)
        return self._ask(pair, is_lenient=not is_strict, is_brief=is_brief)

    def _needs_value(self, changes: Sequence[Change]) -> bool:
        """Whether what is said of a break depends on a value that shows it."""
        breaking = [one for one in changes if one.verdict is Verdict.BREAKING]
        return not breaking or (len(breaking) == 1 and _is_guess(breaking[0]))

    def _shown_break(
        self, pair: tuple[JSON, JSON], breaks: Answer, *, is_strict: bool, is_root: bool
    ) -> Answer:
        """Ask again for a value, unless the steps were spent without one."""
        if breaks == OUT_OF_STEPS:
            return breaks
        kept = self._left
        if is_root:
            self._left = DEFAULT_STEPS
        answer = self._breaks(pair, is_strict=is_strict and not is_root, is_brief=False)
        if is_root:
            self._left = kept
        return answer

    def _gains(self, pair: tuple[JSON, JSON]) -> Answer:
        """Whether nothing is valid that was not before; for an output the other way round."""
        return self._ask(pair, is_reversed=self._side is Side.INPUT)

    def _ask(
        self,
        pair: tuple[JSON, JSON],
        *,
        is_reversed: bool = False,
        is_lenient: bool = False,
        is_brief: bool = True,
    ) -> Answer:
        """Whether before is within after, or the reverse; the parts of a pair share their steps."""
        documents = self._documents
        if is_reversed:
            documents, pair = (documents[1], documents[0]), (pair[1], pair[0])
        if is_brief:
            is_within = self._evident[is_reversed].is_within(*pair, is_lenient=is_lenient)
            if is_within is not None:
                return Contained() if is_within else EVIDENTLY_NOT
        if self._left <= 0:
            return OUT_OF_STEPS
        answer = self._engine.decide_parts(
            documents, pair, is_lenient=is_lenient, is_brief=is_brief, steps=self._left
        )
        self._left -= self._engine.spent
        return answer

    def _settle_break(
        self, pair: tuple[JSON, JSON], place: Place, changes: Sequence[Change], breaks: Answer
    ) -> list[Change]:
        if not any(one.verdict is Verdict.BREAKING for one in changes):
            return [*changes, self._unseen(place, breaks)]
        if isinstance(breaks, Refuted):
            changes = self._shown_by(breaks.witness, changes)
        is_mixed = any(self._is_gain(one) or _base(one) in PROVED_AS for one in changes)
        if not is_mixed or not isinstance(self._gains(pair), Contained):
            return list(changes)
        return [
            self._proved(one, is_narrower=self._side is Side.INPUT)
            for one in changes
            if not self._is_gain(one)
        ]

    def _shown_by(self, witness: JSON, changes: Sequence[Change]) -> Sequence[Change]:
        """The changes, where the only breaking one is no longer a guess: a value shows it."""
        breaking = [one for one in changes if one.verdict is Verdict.BREAKING]
        if len(breaking) > 1 or _base(breaking[0]) != "not-provable" or not _is_guess(breaking[0]):
            return changes
        rule, said = self._break(witness)
        shown_one = replace(breaking[0], rule=rule, message=f"{_told(breaking[0])}: {said}")
        return [shown_one if one is breaking[0] else one for one in changes]

    def _break(self, witness: JSON) -> tuple[str, str]:
        """The rule of a break that a value shows, and in words."""
        if self._side is Side.INPUT:
            return self._rule("schema-narrowed"), f"{shown(witness)} is no longer accepted"
        return self._rule("schema-widened"), f"{shown(witness)} is possible now"

    def _is_gain(self, one: Change) -> bool:
        return one.rule in self._about_values and one.verdict is not Verdict.BREAKING

    def _as_added(self, one: Change) -> Change:
        """A parameter of which it is proved that it takes nothing away, as any other new one."""
        if _base(one) != "not-provable" or not one.message.endswith(MAYBE_DECLARED):
            return one
        said = f"{one.message.removesuffix(MAYBE_DECLARED)} added, optional"
        rule = RULES["parameter-added"]
        return replace(one, rule=rule.id, verdict=rule.verdict, message=said)

    def _as_gains(self, values: Sequence[Change]) -> list[Change]:
        """The changes of which it is proved that together they break nothing."""
        is_narrower = self._side is Side.OUTPUT
        kept = [self._proved(one, is_narrower=is_narrower) for one in values]
        kept = [one for one in kept if self._is_gain(one)]
        if kept:
            return kept
        rule = self._rule("schema-widened" if self._side is Side.INPUT else "schema-narrowed")
        said = f"{_told(values[0])}; proved to break nothing"
        return [replace(values[0], rule=rule, verdict=RULES[rule].verdict, message=said)]

    def _proved(self, one: Change, *, is_narrower: bool) -> Change:
        if _base(one) not in PROVED_AS:
            return one
        rule = self._rule(PROVED_AS[_base(one)][not is_narrower])
        said = _told(one)
        return replace(one, rule=rule, verdict=RULES[rule].verdict, message=said)

    def _unseen(self, place: Place, breaks: Answer) -> Change:
        if isinstance(breaks, Refuted):
            rule, said = self._break(breaks.witness)
            return change(rule, place, said)
        why = breaks.reason if isinstance(breaks, Unproved) else ""
        said = f"it is not proved that what was valid still is: {why}"
        return change(self._rule("not-provable"), place, said)

    def _rule(self, name: str) -> str:
        return rule_on(self._side, name).id


def _base(one: Change) -> str:
    """The rule by its id of the input side."""
    return one.rule.removeprefix("output-")


def _is_guess(one: Change) -> bool:
    """Whether the walk told it for want of a proof."""
    return one.message.endswith(UNPROVED)


def _told(one: Change) -> str:
    """The message without its doubt, or without a value that showed less than it seemed to."""
    if _base(one) in {"schema-narrowed", "schema-widened"}:
        return "changed"
    for doubt in UNPROVED:
        if one.message.endswith(doubt):
            return one.message.removesuffix(doubt)
    return one.message


def _about_values(side: Side) -> frozenset[str]:
    """The ids of the rules that say something about the set of accepted values."""
    speaking = {Effect.SPEAKS, Effect.DECORATES}
    return frozenset(
        rule_on(side, name).id
        for name, (effect, _) in SCHEMA_RULES.items()
        if effect not in speaking and name not in ABOUT_PRODUCT
    )


ABOUT_VALUES = {side: _about_values(side) for side in Side}
