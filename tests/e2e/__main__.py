"""Build what the end-to-end tests need, then run them: ``python -m tests.e2e``.

With ``--where-possible`` it is no failure that this machine cannot run a node. All other arguments
are pytest's.
"""

import subprocess
import sys
from pathlib import Path

from tests.e2e.images import issues_image, next_issues_image, web_image
from tests.image.build import built_image
from tests.kubernetes.__main__ import build_all
from tests.kubernetes.errors import ClusterError
from tests.kubernetes.node.possible import obstacle
from tests.kubernetes.progress import say
from tests.monitoring.programs import find

WHERE_POSSIBLE = "--where-possible"


def main(arguments: list[str]) -> int:
    """Run the tests and return the exit code."""
    reason = obstacle()
    if reason:
        say(f"the end-to-end tests do NOT run on this machine, which cannot run a node: {reason}")
        return 0 if WHERE_POSSIBLE in arguments else 1
    try:
        build_all(node=True)
        for image in (web_image, built_image, issues_image, next_issues_image):
            print(image())
        for program in ("prometheus", "alertmanager"):
            find(program)
    except ClusterError as error:
        print(error, file=sys.stderr)
        return 1
    folder = Path(__file__).parent
    own = [argument for argument in arguments if argument != WHERE_POSSIBLE]
    # One process: all share one node.
    pytest = [sys.executable, "-m", "pytest", "-p", "no:xdist", str(folder), *own]
    return subprocess.run(pytest, cwd=folder.parents[1], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
