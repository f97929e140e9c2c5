"""The steps that one question may take. Not seconds: the same question always ends in the same
place.
"""

__all__ = ["Budget", "BudgetSpent"]


class BudgetSpent(Exception):  # noqa: N818 - a signal between our own functions
    """The question took too many steps to go on."""


class Budget:
    """What is left; a step is about a microsecond of work."""

    __slots__ = ("left",)

    def __init__(self, steps: int) -> None:
        self.left = steps

    def spend(self, steps: int = 1) -> None:
        """Take steps.

        Raises:
            BudgetSpent: There were not so many left.
        """
        self.left -= steps
        if self.left < 0:
            raise BudgetSpent
