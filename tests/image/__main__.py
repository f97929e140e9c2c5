"""``python -m tests.image``: build the image if it is not built yet, and print where it is.

Where that is impossible, the tests of the image are left out, and this says so.
"""

import sys

from tests.image.build import built_image
from tests.image.possible import obstacle
from tests.kubernetes.errors import ClusterError
from tests.kubernetes.progress import say


def main() -> int:
    """Build, or say why not, and return the exit code."""
    reason = obstacle()
    if reason is not None:
        say(f"the image is not built and its tests are left out: {reason}")
        return 0
    try:
        print(built_image())
    except ClusterError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
