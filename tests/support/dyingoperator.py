"""`proxar`, but the operator dies by SIGKILL before a given step of apply: no finally, no flush, no
goodbye.

PROXAR_TEST_DIE_BEFORE is the number of the step, counted from 0; as many as there are steps means
after the last one. It dies at the first plan that has an Event to send, so that the look at an
unchanged server does not count.
"""

import os
import signal
import sys

from proxar.cli.main import main
from proxar.controller.apply import Application, Applier, Step


def deadly(steps: list[Step], number: int) -> list[Step]:
    """The steps, with death before the given one."""

    async def die(application: Application) -> None:
        if application.plan.events:
            os.kill(os.getpid(), signal.SIGKILL)

    return [*steps[:number], die, *steps[number:]]


def install(number: int) -> None:
    """Have every Applier made from now on die so."""
    make = Applier.__init__

    def made(self: Applier, *arguments: object) -> None:
        make(self, *arguments)  # type: ignore[arg-type]
        self.steps = deadly(self.steps, number)

    Applier.__init__ = made  # type: ignore[method-assign, assignment]


if __name__ == "__main__":
    install(int(os.environ["PROXAR_TEST_DIE_BEFORE"]))
    sys.exit(main())
