"""What is evident of two schemas at a look, without a proof.

Most changes of real tools are of few kinds: other words, a new optional parameter, one more listed
value, a parameter that is required now, an object that is closed. Reading both sides tells these at
a fraction of what a proof costs. What is not evident is left to the prover.

Belongs here: rules that are plain enough to be seen to be true, one keyword at a time. Does not:
anything that holds several keywords against each other.
"""

from proxar.contract.containment import Source
from proxar.contract.evident.beyond import Beyond
from proxar.contract.evident.possible import Possible
from proxar.contract.evident.within import Within
from proxar.contract.flatten import Budget, BudgetSpent
from proxar.contract.value import JSON

__all__ = ["Evident"]

MAX_STEPS = 10_000
"""Steps of all questions, one for each pair of parts and a few for a long list: some microseconds
each. Real schemas take some hundred.
"""


MOST_OBJECTS = 4_000
"""Objects of both documents above which no more is told than that only words changed: each level
looks at all that is below it. Real schemas have some hundred.
"""


class Evident:
    """What is evident of two documents, and of parts of them.

    Each pair of parts is looked at once, so all questions together cost no more than a few looks.
    """

    def __init__(self, inner: Source, outer: Source) -> None:
        self._is_understood = inner.dialect is not None and outer.dialect is not None
        self._is_large = inner.look.size + outer.look.size > MOST_OBJECTS
        self._kept: list[JSON] = []
        budget = Budget(MAX_STEPS)
        possible = Possible(budget)
        self._within = Within(inner, outer, possible, budget)
        self._beyond = Beyond(possible, budget)

    def is_within(self, inner: JSON, outer: JSON, *, is_lenient: bool) -> bool | None:
        """Whether every value of one part is valid under another; `None` when unsure.

        Args:
            is_lenient: Whether a new optional member of a merely open object narrows nothing.
        """
        if not self._is_understood:
            return None
        if self._is_large:
            return self._within.is_reworded(inner, outer) or None
        self._kept += (inner, outer)  # what is known of a part goes by its id, which stays its own
        try:
            if self._within.is_within(inner, outer, is_lenient=is_lenient):
                return True
            return False if self._beyond.is_beyond(inner, outer) else None
        except (BudgetSpent, RecursionError):
            return None
