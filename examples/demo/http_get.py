"""What the demo needs of curl, for machines without one: `http-get [--wait SECONDS] URL`."""

import argparse
import http.client
import sys
import time
import urllib.request
from collections.abc import Sequence

__all__ = ["main"]

FIRST_TRY = 0.0
PAUSE_SECONDS = 0.1


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what a GET answers; 1 when it is no success, or none came in time."""
    parser = argparse.ArgumentParser(prog="http-get", description="Print what a GET answers.")
    parser.add_argument("--wait", type=float, default=FIRST_TRY, metavar="SECONDS")
    parser.add_argument("url")
    options = parser.parse_args(arguments)
    deadline = time.monotonic() + options.wait
    while True:
        try:
            sys.stdout.write(get(options.url))
            return 0
        except (OSError, http.client.HTTPException) as error:
            if time.monotonic() >= deadline:
                print(f"http-get: {options.url}: {error}", file=sys.stderr)
                return 1
        time.sleep(PAUSE_SECONDS)


def get(url: str) -> str:
    """Return the body; a proxy from the environment is for elsewhere, this is loopback."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(url, timeout=10) as answer:
        return str(answer.read().decode())


if __name__ == "__main__":
    sys.exit(main())
