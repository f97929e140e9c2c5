"""Steps that a question may take. Not seconds: the same question always ends in the same place."""

__all__ = ["OutOfSteps", "Steps", "Unprovable"]


class Unprovable(Exception):  # noqa: N818 - a signal between our own functions
    """The question has no answer that we can prove; the text says why, in one line."""


class OutOfSteps(Unprovable):
    """The question took too many steps to go on."""


class Steps:
    """What is left of a question's steps."""

    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self, count: int = 1) -> None:
        """Take steps; raises `OutOfSteps` when there are none left."""
        self.left -= count
        if self.left < 0:
            raise OutOfSteps("budget")
