"""The questions that can be asked, and what they share: schemas, formulas, answers."""

from proxar.contract.canonical import canonical_text
from proxar.contract.containment.answer import Answer, Contained, Refuted, Unproved
from proxar.contract.containment.normalise import Reading
from proxar.contract.containment.outcome import EMPTY, Found, Outcome, Unknown
from proxar.contract.containment.schema import Schema, Schemas
from proxar.contract.containment.solver import Solver
from proxar.contract.containment.source import Source
from proxar.contract.containment.steps import OutOfSteps, Steps, Unprovable
from proxar.contract.keywords import Role
from proxar.contract.value import JSON

__all__ = ["DEFAULT_STEPS", "Document", "Engine"]

DEFAULT_STEPS = 2_000
"""Steps of one question, some ten microseconds each; one about real tools takes less than 350."""

MAX_STEPS = 60_000
"""Steps of all questions of one engine, so that many hostile schemas are no worse than a few."""

MAX_WALK_STEPS = 30_000
"""Steps of whoever asks, some 25 microseconds each, with what is spent here: about one second."""

STEPS_PER_WALK_STEP = 4

LEAST_STEPS = 200
"""What a question may take when the others took it all: enough for what is plain to see."""

MAX_SCHEMAS = 50_000
"""Interned schemas after which an engine starts afresh."""


class Document:
    """A schema as a whole, and the parts that questions are asked about."""

    def __init__(self, root: JSON) -> None:
        self.source = Source(root)
        self.reading: Reading | None = None

    @property
    def has_dialect(self) -> bool:
        """Whether it is written in a dialect that is known."""
        return self.source.dialect is not None


class Engine:
    """Decides questions about schemas; what it learns from one helps the next.

    Args:
        has_formats: Whether known formats are assertions. Unknown ones never are.
        steps: What one question may take.
    """

    def __init__(self, *, has_formats: bool = True, steps: int = DEFAULT_STEPS) -> None:
        self._has_formats = has_formats
        self._budget = steps
        self._steps = Steps(steps)
        self._given = steps
        self._left = MAX_STEPS
        self.walk_steps = MAX_WALK_STEPS
        """What those who ask may still take, in all comparisons that share the engine."""
        self._start_afresh()

    def _start_afresh(self) -> None:
        self._schemas = Schemas()
        self._solvers: dict[tuple[bool, bool], Solver] = {}

    def _solver(self, *, is_lenient: bool, is_brief: bool) -> Solver:
        kind = is_lenient, is_brief
        if kind not in self._solvers:
            self._solvers[kind] = Solver(
                self._schemas, self._steps, is_lenient=is_lenient, is_brief=is_brief
            )
        return self._solvers[kind]

    def decide(self, inner: JSON, outer: JSON, *, is_lenient: bool = False) -> Answer:
        """Return whether every value of one whole schema is valid under another.

        Args:
            is_lenient: Whether a new optional member of a merely open object narrows nothing.
        """
        documents = Document(inner), Document(outer)
        return self.decide_parts(documents, (inner, outer), is_lenient=is_lenient)

    def decide_parts(
        self,
        documents: tuple[Document, Document],
        parts: tuple[JSON, JSON],
        *,
        is_lenient: bool = False,
        is_brief: bool = False,
        steps: int | None = None,
    ) -> Answer:
        """Return the same for parts of two documents, inside which their references point.

        Args:
            is_brief: Whether it is enough to know what is contained. Most of the work is to find a
                value that refutes it, so this is quicker; the answer is never `Refuted`.
        """
        if len(self._schemas) > MAX_SCHEMAS:
            self._start_afresh()  # before either side is read: both have to come from one place
        solver = self._solver(is_lenient=is_lenient, is_brief=is_brief)
        wanted = self._budget if steps is None else steps
        self._given = self._steps.left = min(wanted, max(self._left, LEAST_STEPS))
        try:
            one, other = map(self._schema, documents, parts)
            if one is None or other is None:
                return self._without_dialect(documents, parts)
            if one is other:
                return Contained()
            goal = frozenset([(one, True), (other.opposite, False)])
            return self._answer(solver.solve(goal), one, other, solver)
        except (OutOfSteps, Unprovable) as refusal:
            solver.reset()
            return Unproved(str(refusal))
        except RecursionError:
            solver.reset()
            return Unproved("the schema is too deep")
        finally:
            self._left -= self.spent
            self.walk_steps -= self.spent // STEPS_PER_WALK_STEP

    @property
    def spent(self) -> int:
        """The steps that the last question took."""
        return self._given - self._steps.left

    def is_satisfiable(self, root: JSON) -> bool | None:
        """Return whether any value is valid; `None` when that is not known."""
        document = Document(root)
        solver = self._solver(is_lenient=False, is_brief=False)
        self._steps.left = self._budget
        try:
            schema = self._schema(document, root)
            if schema is None:
                return None
            outcome = solver.solve(frozenset([(schema, False)]))
        except (OutOfSteps, Unprovable, RecursionError):
            solver.reset()
            return None
        return False if outcome is EMPTY else True if isinstance(outcome, Found) else None

    def _schema(self, document: Document, part: JSON) -> Schema | None:
        source = document.source
        if source.dialect is None:
            return None
        if document.reading is None or document.reading.schemas is not self._schemas:
            document.reading = Reading(
                source, source.dialect, self._schemas, self._steps, has_formats=self._has_formats
            )
        return self._schemas.of(document.reading.whole(part, source.around(part)))

    def _without_dialect(
        self, documents: tuple[Document, Document], parts: tuple[JSON, JSON]
    ) -> Answer:
        one, other = (
            canonical_text([document.source.root, part], Role.SCHEMA)
            for document, part in zip(documents, parts, strict=True)
        )
        return Contained() if one == other else Unproved("$schema: an unknown dialect")

    def _answer(self, outcome: Outcome, inner: Schema, outer: Schema, solver: Solver) -> Answer:
        if outcome is EMPTY:
            return Contained()
        if isinstance(outcome, Unknown):
            return Unproved(outcome.reason)
        if not isinstance(outcome, Found):
            return Unproved("unknown")
        evaluator = solver.evaluator
        value = outcome.value
        if evaluator.holds(inner, value) is True and evaluator.holds(outer, value) is False:
            return Refuted(value)
        return Unproved("a value that may show it cannot be checked")
