"""The questions that can be asked, and what they share: schemas, formulas, answers."""

from proxar.contract.canonical import canonical_text
from proxar.contract.containment.answer import Answer, Contained, Refuted, Unproved
from proxar.contract.containment.normalise import Reading
from proxar.contract.containment.outcome import EMPTY, Found, Outcome, Unknown
from proxar.contract.containment.schema import Schema, Schemas
from proxar.contract.containment.solver import Solver
from proxar.contract.containment.source import Source
from proxar.contract.containment.steps import Steps, Unprovable
from proxar.contract.keywords import Role
from proxar.contract.value import JSON

__all__ = ["DEFAULT_STEPS", "Document", "Engine"]

DEFAULT_STEPS = 12_000
"""Steps of one question; each takes some microseconds."""

MAX_SCHEMAS = 50_000
"""Interned schemas after which an engine starts afresh."""


class Document:
    """A schema as a whole, and the parts that questions are asked about."""

    def __init__(self, root: JSON) -> None:
        self.source = Source(root)
        self.reading: Reading | None = None


class Engine:
    """Decides questions about schemas; what it learns from one helps the next.

    Args:
        has_formats: Whether known formats are assertions. Unknown ones never are.
        is_lenient: Whether a new optional member of a merely open object narrows nothing.
    """

    def __init__(
        self, *, has_formats: bool = True, is_lenient: bool = False, steps: int = DEFAULT_STEPS
    ) -> None:
        self._has_formats = has_formats
        self._budget = steps
        self._steps = Steps(steps)
        self._is_lenient = is_lenient
        self._start_afresh()

    def _start_afresh(self) -> None:
        self._schemas = Schemas()
        self._solver = Solver(self._schemas, self._steps, is_lenient=self._is_lenient)

    def decide(self, inner: JSON, outer: JSON) -> Answer:
        """Return whether every value of one whole schema is valid under another."""
        return self.decide_parts(Document(inner), inner, Document(outer), outer)

    def decide_parts(
        self, inner_document: Document, inner: JSON, outer_document: Document, outer: JSON
    ) -> Answer:
        """Return the same for parts of two documents, which are those that their references mean."""
        self._steps.left = self._budget
        try:
            one = self._schema(inner_document, inner)
            other = self._schema(outer_document, outer)
            if one is None or other is None:
                return self._without_dialect(inner_document, inner, outer_document, outer)
            if one is other:
                return Contained()
            goal = frozenset([(one, True), (other.opposite, False)])
            outcome = self._solver.solve(goal)
            return self._answer(outcome, one, other)
        except Unprovable as refusal:
            self._solver.reset()
            return Unproved(str(refusal))
        except RecursionError:
            self._solver.reset()
            return Unproved("the schema is too deep")

    def is_satisfiable(self, root: JSON) -> bool | None:
        """Return whether any value is valid; `None` when that is not known."""
        document = Document(root)
        self._steps.left = self._budget
        try:
            schema = self._schema(document, root)
            if schema is None:
                return None
            outcome = self._solver.solve(frozenset([(schema, False)]))
        except (Unprovable, RecursionError):
            self._solver.reset()
            return None
        return False if outcome is EMPTY else True if isinstance(outcome, Found) else None

    def _schema(self, document: Document, part: JSON) -> Schema | None:
        if len(self._schemas) > MAX_SCHEMAS:
            self._start_afresh()
        source = document.source
        if source.dialect is None:
            return None
        if document.reading is None or document.reading.schemas is not self._schemas:
            document.reading = Reading(
                source, source.dialect, self._schemas, self._steps, has_formats=self._has_formats
            )
        base = source.origin.base
        return self._schemas.of(document.reading.forms(part, base))

    def _without_dialect(
        self, inner_document: Document, inner: JSON, outer_document: Document, outer: JSON
    ) -> Answer:
        texts = [
            canonical_text([document.source.root, part], Role.SCHEMA)
            for document, part in ((inner_document, inner), (outer_document, outer))
        ]
        return Contained() if texts[0] == texts[1] else Unproved("$schema: an unknown dialect")

    def _answer(self, outcome: Outcome, inner: Schema, outer: Schema) -> Answer:
        if outcome is EMPTY:
            return Contained()
        if isinstance(outcome, Unknown):
            return Unproved(outcome.reason)
        if not isinstance(outcome, Found):
            return Unproved("unknown")
        evaluator = self._solver.evaluator
        value = outcome.value
        if evaluator.holds(inner, value) is True and evaluator.holds(outer, value) is False:
            return Refuted(value)
        return Unproved("a value that may show it cannot be checked")
