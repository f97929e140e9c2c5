"""Steps that a question may take. Not seconds: the same question always ends in the same place."""

__all__ = ["OutOfSteps", "Steps", "Unprovable"]


SCANNED_A_STEP = 16
"""Things that are looked at in the time of one step. Real schemas hardly have as many in one place,
and hostile ones have thousands.
"""


class Unprovable(Exception):  # noqa: N818 - a signal between our own functions
    """The question has no answer that we can prove; the text says why, in one line."""


class OutOfSteps(Exception):  # noqa: N818 - as above
    """The question took too many steps to go on: it ends there, whatever a part of it could do
    without an answer.
    """


class Steps:
    """What is left of a question's steps."""

    def __init__(self, left: int) -> None:
        self.left = left
        self.paid: set[object] = set()
        """What cost its steps already and is remembered, for all questions of one engine."""

    def scan(self, count: int) -> None:
        """Take the steps of one look at each of so many things; a few cost nothing."""
        if count >= SCANNED_A_STEP:
            self.spend(count // SCANNED_A_STEP)

    def spend(self, count: int = 1) -> None:
        """Take steps; raises `OutOfSteps` when there are none left."""
        self.left -= count
        if self.left < 0:
            raise OutOfSteps("budget")
