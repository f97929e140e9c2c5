"""Whether an image can be built and run on this machine, and what is in the way."""

from tests.kubernetes.node import possible
from tests.kubernetes.node.packages import IMAGES, can_install, missing

__all__ = ["obstacle"]


def obstacle() -> str | None:
    """Return why there can be no image here, for the person who wonders, or nothing.

    Building and running one takes what a node takes, and the programs that build it.
    """
    reason = possible.obstacle()
    if reason is None and missing(IMAGES) and not can_install():
        return f"there is no apt-get to install {', '.join(missing(IMAGES))} with"
    return reason
