"""One way in which formulas about a value may hold together, as far as it is worked out."""

from proxar.contract.containment.arrays import Arrays
from proxar.contract.containment.evaluate import Evaluator
from proxar.contract.containment.formula import FALSE, TRUE, Formula, Formulas, Kind
from proxar.contract.containment.literals import Mentions, Opaque
from proxar.contract.containment.objects import Objects
from proxar.contract.containment.steps import Steps
from proxar.contract.value import JSON

__all__ = ["Branch"]


class Branch:
    """Formulas about one value that are to hold together: literals, and choices still open."""

    __slots__ = ("asserted", "choices", "formulas", "holder", "inner", "literals", "type")

    def __init__(self, formulas: Formulas, type_index: int, inner: tuple[Formula, ...]) -> None:
        self.formulas = formulas
        self.type = type_index
        self.inner = inner
        """What the inner schema says about a value of the type, as a whole."""
        self.literals: dict[Formula, bool] = {}
        """Each with its side: whether it belongs to the inner schema."""
        self.asserted: dict[Formula, bool] = {}
        self.choices: dict[Formula, bool] = {}
        self.holder: Arrays | Objects | None = None
        """The literals of an array or object, in order; made when first asked for."""

    def copy(self) -> "Branch":
        """Return one that can take in more without this one."""
        other = self.with_literals()
        other.asserted = dict(self.asserted)
        other.choices = dict(self.choices)
        other.holder = self.holder.copy() if self.holder else None
        return other

    def with_literals(self) -> "Branch":
        """Return one that holds the same literals and nothing else."""
        other = Branch(self.formulas, self.type, self.inner)
        other.literals = dict(self.literals)
        return other

    def hold(self, holder: Arrays | Objects) -> Arrays | Objects:
        """Put the literals, and all that will be added, into a holder."""
        self.holder = holder
        for formula, is_inner in self.literals.items():
            holder.add(formula.literal, is_inner)
        return holder

    def add(self, formula: Formula, is_inner: bool) -> bool:
        """Add a formula; false when it contradicts what is there already."""
        stack = [formula]
        while stack:
            part = stack.pop()
            if part is TRUE or part in self.asserted:
                continue
            opposite = part.opposite_or_none or self.formulas.opposite(part)
            if part is FALSE or opposite in self.asserted:
                return False
            self.asserted[part] = is_inner
            if part.kind is Kind.AND:
                stack.extend(part.parts)
            elif part.kind is Kind.OR:
                self.choices[part] = is_inner
            elif isinstance(part.literal, Mentions):
                if not part.literal.holds:
                    return False
            else:
                self.literals[part] = is_inner
                if self.holder:
                    self.holder.add(part.literal, is_inner)
        return True

    def narrow(self, steps: Steps) -> bool:
        """Take choices away that are made; false when one has nothing left to choose."""
        is_changed = True
        while is_changed:
            is_changed = False
            for choice, is_inner in list(self.choices.items()):
                steps.spend()
                if any(part in self.asserted for part in choice.parts):
                    del self.choices[choice]
                    continue
                left = [
                    part
                    for part in choice.parts
                    if (part.opposite_or_none or self.formulas.opposite(part)) not in self.asserted
                ]
                if len(left) < len(choice.parts):
                    del self.choices[choice]
                    is_changed = True
                    if not self.add(self.formulas.any_of(left), is_inner):
                        return False
        return True

    def holds(self, evaluator: Evaluator, value: JSON) -> bool | None:
        """Whether a value satisfies all there is."""
        answer: bool | None = True
        for formula in (*self.literals, *self.choices):
            holds = evaluator.formula(formula, value)
            if holds is False:
                return False
            if holds is None:
                answer = None
        return answer

    def is_refuted_by(self, evaluator: Evaluator, value: JSON) -> bool:
        """Whether a value is wrong for one of the literals."""
        return any(evaluator.formula(formula, value) is False for formula in self.literals)

    def why_opaque(self, otherwise: str = "a value cannot be checked") -> str:
        """Return what is not understood, or another reason."""
        for formula in (*self.literals, *self.choices):
            for part in (formula, *formula.parts):
                if isinstance(part.literal, Opaque):
                    return part.literal.why
        return otherwise
