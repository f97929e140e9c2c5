"""`python -m examples.demo`, which is `make demo`."""

import os
import signal
import sys
import time

from examples.demo.stage import StoryError, set_stage
from examples.demo.story import play
from tests.kubernetes.controlplane import ControlPlane
from tests.kubernetes.errors import ClusterError
from tests.kubernetes.progress import say

INTERRUPTED = 130
"""As a shell reports what Ctrl-C ended."""


def main() -> int:
    """Play the story; nothing of it is left, however it ends."""
    for number in (
        signal.SIGINT,  # a script's background job inherits it ignored
        signal.SIGTERM,
        signal.SIGHUP,
    ):  # a closed terminal too ends it in the right order
        signal.signal(number, signal.default_int_handler)
    started = time.monotonic()
    try:
        cluster = ControlPlane()
        say(
            "the demo starts a Kubernetes of its own, built on first use, and removes it at the end"
        )
        with cluster, set_stage(cluster) as stage:
            play(stage)
    except StoryError as error:
        print(f"\nthe demo stopped at\n{error}", file=sys.stderr)
        return 1
    except ClusterError as error:
        print(f"\nthe demo has no Kubernetes: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        say("stopped; nothing is left behind")
        return INTERRUPTED
    except BrokenPipeError:  # `make demo | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    elapsed = time.monotonic() - started
    say(f"done in {elapsed:.0f} s; nothing is left behind. Next: make cluster, and docs/guides")
    return 0


if __name__ == "__main__":
    sys.exit(main())
