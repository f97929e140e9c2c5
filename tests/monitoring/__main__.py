"""Get Prometheus and Alertmanager now, so that no test has to: ``python -m tests.monitoring``."""

import sys

from tests.kubernetes.errors import ClusterError
from tests.monitoring.programs import find


def main() -> int:
    """Unpack what is missing and return the exit code."""
    try:
        for name in ("prometheus", "promtool", "alertmanager", "amtool"):
            find(name)
    except ClusterError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
