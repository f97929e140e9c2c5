"""Is there a value that satisfies a set of schemas? Proved not, shown by one, or not known.

"Inner is within outer" asks this of inner and of the opposite of outer. Type by type, the formulas
are split into sets of literals, of which each is refuted or gets a value. A literal about a part of
the value asks the same question about a smaller value. When that question is one that is being
asked already, it may be answered "none": the smallest value that satisfies it would hold a smaller
one. An answer that relied on this is remembered only once the question that it relied on is
answered.
"""

from proxar.contract.containment.arrays import Arrays
from proxar.contract.containment.branch import Branch
from proxar.contract.containment.evaluate import Evaluator
from proxar.contract.containment.formula import FALSE, Formula, Formulas, Kind
from proxar.contract.containment.leniency import is_new_name
from proxar.contract.containment.literals import Mentions, OneOf
from proxar.contract.containment.numbers import Numbers, written
from proxar.contract.containment.objects import Objects
from proxar.contract.containment.outcome import EMPTY, POSSIBLE, Found, Goal, Outcome, Unknown
from proxar.contract.containment.schema import TYPES, Schemas
from proxar.contract.containment.steps import Steps
from proxar.contract.containment.strings import Strings
from proxar.contract.value import JSON

__all__ = ["Solver"]

MAX_LEVELS = 32
"""Values inside values that are looked at; each costs about twelve frames of Python's stack."""

MAX_SPLITS = 64
"""Choices inside choices of one formula."""

NULL, BOOLEAN, NUMBER, STRING, ARRAY, OBJECT = range(len(TYPES))


class Solver:
    """Answers questions about schemas that were made in one place, and remembers the answers.

    Args:
        is_lenient: Whether the product's leniency counts, see `leniency`.
        is_brief: Whether it is enough to know that there is no value: then none is made up, and the
            first way in which there may be one ends the search.
    """

    def __init__(
        self, schemas: Schemas, steps: Steps, *, is_lenient: bool, is_brief: bool = False
    ) -> None:
        self.schemas = schemas
        self._is_brief = is_brief
        self._formulas: Formulas = schemas.formulas
        self._steps = steps
        self._is_lenient = is_lenient
        self._known: dict[Goal, Outcome] = {}
        self._tentative: dict[Goal, int] = {}
        """Goals proved empty while an earlier one, by its place on the stack, was assumed to be."""
        self._asked: dict[Goal, int] = {}
        self._lowest = MAX_LEVELS + 1
        self.evaluator = Evaluator(steps)

    def reset(self) -> None:
        """Forget what an interrupted question left behind: what it assumed was never proved."""
        self._settle(0, are_true=False)
        self._asked.clear()
        self._lowest = MAX_LEVELS + 1

    def solve(self, goal: Goal) -> Outcome:
        """Return whether some value satisfies all schemas of the goal."""
        self._steps.spend()
        known = self._known.get(goal)
        if known is not None:
            self._lowest = min(self._lowest, self._tentative.get(goal, self._lowest))
            return known
        plain = frozenset(sided for sided in goal if sided[0] is not self.schemas.anything)
        if self._is_contradiction(plain):
            self._known[goal] = EMPTY
            return EMPTY
        place = self._asked.get(plain)
        if place is not None:
            self._lowest = min(self._lowest, place)
            return EMPTY
        if len(self._asked) >= MAX_LEVELS:
            return Unknown("the schema is too deep")
        return self._ask(goal, plain)

    def _is_contradiction(self, goal: Goal) -> bool:
        schemas = {schema for schema, _ in goal}
        return any(
            schema is self.schemas.nothing or schema.opposite in schemas for schema in schemas
        )

    def _ask(self, goal: Goal, plain: Goal) -> Outcome:
        place = len(self._asked)
        outer_lowest, self._lowest = self._lowest, MAX_LEVELS + 1
        kept = len(self._tentative)
        self._asked[plain] = place
        try:
            outcome = self._by_type(plain)
        finally:
            self._asked.pop(plain, None)
        relied_on = self._lowest
        self._lowest = min(outer_lowest, relied_on)
        if outcome is not EMPTY:
            self._settle(kept, are_true=False)
            # What is not empty under an assumption is not without it; a reason may depend on it.
            if self._is_brief or isinstance(outcome, Found) or relied_on > place:
                self._known[goal] = outcome
            return outcome
        self._known[goal] = EMPTY
        if relied_on >= place:  # on nothing but itself
            self._settle(kept, are_true=True)
            self._lowest = outer_lowest
        else:
            self._tentative[goal] = relied_on
        return outcome

    def _settle(self, kept: int, *, are_true: bool) -> None:
        """Keep or forget what was proved since, while a goal that is answered now was open.

        Whatever relied on a goal was proved while it was open, so none of it is older.
        """
        while len(self._tentative) > kept:
            goal, _ = self._tentative.popitem()
            if not are_true:
                self._known.pop(goal, None)

    def _by_type(self, goal: Goal) -> Outcome:
        unknown: Outcome = EMPTY
        ordered = sorted(goal, key=lambda sided: (sided[0].serial, sided[1]))
        sides = [is_inner for _, is_inner in ordered]
        forms_of = [schema.forms for schema, _ in ordered]
        for index in range(len(TYPES)):
            forms = [each[index] for each in forms_of]
            if FALSE in forms:
                continue
            formulas: dict[Formula, bool] = {}
            for form, is_inner in zip(forms, sides, strict=True):
                formulas[form] = formulas.get(form, False) or is_inner
            inner = tuple(formula for formula, is_inner in formulas.items() if is_inner)
            outcome = self._start(Branch(self._formulas, index, inner), formulas)
            if self._is_enough(outcome):
                return outcome
            if isinstance(outcome, Unknown):
                unknown = outcome
        return unknown

    def _is_enough(self, outcome: Outcome) -> bool:
        """Whether other ways need not be tried."""
        return outcome is not EMPTY and (self._is_brief or isinstance(outcome, Found))

    def _start(self, branch: Branch, formulas: dict[Formula, bool]) -> Outcome:
        for formula, is_inner in formulas.items():
            if not branch.add(formula, is_inner):
                return EMPTY
        return self._search(branch, 0)

    def _search(self, branch: Branch, level: int) -> Outcome:
        self._steps.spend(1 + len(branch.literals) // 16)
        if level > MAX_SPLITS:
            return Unknown("the schema has too many choices")
        if not branch.narrow(self._steps):
            return EMPTY
        values = self._listed(branch)
        if values is not None:
            return self._try_all(branch, values)
        if self._is_refuted(branch):
            return EMPTY
        if not self._look_ahead(branch):
            return EMPTY
        values = self._listed(branch)
        if values is not None:
            return self._try_all(branch, values)
        if not branch.choices:
            return POSSIBLE if self._is_brief else self._find(branch)
        return self._split(branch, level)

    def _split(self, branch: Branch, level: int) -> Outcome:
        # A choice of inner first: the opposites of outer's branches then fall one by one.
        choice = min(branch.choices, key=lambda one: (not branch.choices[one], len(one.parts)))
        is_inner = branch.choices.pop(choice)
        unknown: Outcome = EMPTY
        tried: list[Formula] = []
        for part in choice.parts:
            way = branch.copy()
            # What the earlier parts hold was looked at; only plain ones are worth excluding.
            excluded = [self._formulas.opposite(one) for one in tried if one.literal is not None]
            if all(way.add(one, False) for one in excluded) and way.add(part, is_inner):
                outcome = self._search(way, level + 1)
                if self._is_enough(outcome):
                    return outcome
                if isinstance(outcome, Unknown):
                    unknown = outcome
            tried.append(part)
        return unknown

    def _look_ahead(self, branch: Branch) -> bool:
        """Take away what each choice cannot be; false when one cannot be anything."""
        is_changed = bool(branch.literals)
        while is_changed:
            is_changed = False
            choices = sorted(branch.choices.items(), key=lambda item: len(item[0].parts))
            for choice, is_inner in choices:
                left = [part for part in choice.parts if not self._clashes(branch, part, is_inner)]
                if len(left) < len(choice.parts):
                    del branch.choices[choice]
                    if not left or not branch.add(self._formulas.any_of(left), is_inner):
                        return False
                    is_changed = True
            if is_changed and (not branch.narrow(self._steps) or self._is_refuted(branch)):
                return False
        return True

    def _clashes(self, branch: Branch, part: Formula, is_inner: bool) -> bool:
        """Whether a part of a choice cannot hold beside the literals of the branch."""
        self._steps.spend()
        if part.kind is Kind.OR:
            return all(self._clashes(branch, inner, is_inner) for inner in part.parts)
        parts = part.parts if part.kind is Kind.AND else (part,)
        literals = [one for one in parts if one.literal is not None]
        for one in literals:
            if self._formulas.opposite(one) in branch.asserted:
                return True
            if isinstance(one.literal, Mentions) and not one.literal.holds:
                return True
        if branch.type in (ARRAY, OBJECT):
            holder = self._holder(branch)
            return any(
                self._is_overlooked(branch, one, is_inner)
                or holder.clashes_with(one.literal, is_inner)
                for one in literals
            )
        tried = branch.with_literals()
        tried.literals.update(dict.fromkeys(literals, is_inner))
        listed = self._listed(tried)
        if listed is not None:
            return all(tried.is_refuted_by(self.evaluator, value) for value in listed)
        return self._is_refuted(tried)

    def _is_overlooked(self, branch: Branch, literal: Formula, is_inner: bool) -> bool:
        """Whether the product's leniency says that no call does this: see `leniency`."""
        return self._is_lenient and not is_inner and is_new_name(
            literal.literal, branch.inner, self.schemas, self.evaluator
        )  # fmt: skip

    def _listed(self, branch: Branch) -> list[JSON] | None:
        """All values that there may be, where they are few or listed."""
        if branch.type == NULL:
            return [None]
        wanted: frozenset[object] | None = None
        excluded: set[object] = set()
        for formula in branch.literals:
            literal = formula.literal
            if isinstance(literal, OneOf):
                if literal.holds:
                    wanted = literal.keys if wanted is None else wanted & literal.keys
                else:
                    excluded |= literal.keys
        if wanted is None:
            if branch.type == BOOLEAN:
                return [False, True]
            return self._few(branch)
        left = wanted - excluded if excluded else wanted
        self._steps.spend(len(wanted) // 64)
        if branch.type in (ARRAY, OBJECT):
            return [self.schemas.listed[name] for name in sorted(map(str, left))]
        if branch.type == NUMBER:
            return [written(number) for number in sorted(left)]  # type: ignore[type-var, arg-type]
        return sorted(left)  # type: ignore[type-var, return-value]

    def _few(self, branch: Branch) -> list[JSON] | None:
        literals = [formula.literal for formula in branch.literals]
        if branch.type == NUMBER:
            numbers = Numbers.of(literals, self._steps).listed
            return None if numbers is None else [written(number) for number in numbers]
        if branch.type == STRING:
            return list(Strings.of(literals, self._steps).listed or ()) or None
        return None

    def _try_all(self, branch: Branch, values: list[JSON]) -> Outcome:
        unknown: Outcome = EMPTY
        for value in values:
            answer = branch.holds(self.evaluator, value)
            if answer is not False and self._is_brief:
                return POSSIBLE
            if answer is True:
                return Found(value)
            if answer is None:
                unknown = Unknown(branch.why_opaque())
        return unknown

    def _holder(self, branch: Branch) -> Arrays | Objects:
        if branch.holder is None:
            self._steps.spend(1 + len(branch.literals) // 8)
            return branch.hold(
                Arrays(self.schemas, self.solve)
                if branch.type == ARRAY
                else Objects(self.schemas, self._steps, self.solve, self.evaluator)
            )
        return branch.holder

    def _is_refuted(self, branch: Branch) -> bool:
        """Whether it is certain that no value satisfies the literals of the branch."""
        self._steps.spend()
        literals = [formula.literal for formula in branch.literals]
        if branch.type == NUMBER:
            return Numbers.of(literals, self._steps).is_empty
        if branch.type == STRING:
            return Strings.of(literals, self._steps).is_empty
        if branch.type not in (ARRAY, OBJECT):
            return False
        is_overlooked = self._is_lenient and any(
            self._is_overlooked(branch, formula, is_inner)
            for formula, is_inner in branch.literals.items()
        )
        return is_overlooked or self._holder(branch).is_empty

    def _find(self, branch: Branch) -> Outcome:
        """Make up values for the literals until one fits."""
        literals = [formula.literal for formula in branch.literals]
        source: Numbers | Strings | Arrays | Objects
        if branch.type == NUMBER:
            source = Numbers.of(literals, self._steps)
        elif branch.type == STRING:
            source = Strings.of(literals, self._steps)
        else:
            source = self._holder(branch)
        for value in source.samples():
            self._steps.spend()
            if branch.holds(self.evaluator, value) is True:
                return Found(value)
        return Unknown(branch.why_opaque(getattr(source, "reason", "no number was found")))
