"""Install every server now, so that no test has to: ``python -m tests.servers``."""

import sys

from tests.kubernetes.errors import ClusterError
from tests.servers.programs import FASTMCP_VERSIONS, SDK_VERSIONS, everything, fastmcp, sdk


def main() -> int:
    """Install what is missing and return the exit code."""
    try:
        everything()
        for version in FASTMCP_VERSIONS:
            fastmcp(version)
        for version in SDK_VERSIONS:
            sdk(version)
    except ClusterError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
