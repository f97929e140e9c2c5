"""What a look at a server costs.

`python -m benchmarks.fetch`: fetches a second, and processor time a fetch, beside other clients.
`--fleet`: the real operator with a thousand servers on a real control plane, for some minutes.
`--soak FETCHES`: memory over many fetches, a fifth of them from servers that misbehave.

Each prints a table and exits 1 when the promise that stands below it is not kept.
"""

import argparse
import platform
import sys
from collections.abc import Sequence
from importlib import import_module


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and say whether the promise is kept."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.fetch",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--fleet", type=int, nargs="?", const=1000, metavar="SERVERS")
    which.add_argument("--fetches", type=int, default=200, help="of each client in each round")
    which.add_argument("--soak", type=int, metavar="FETCHES")
    options = parser.parse_args(arguments)
    print(f"{platform.machine()}, Python {platform.python_version()}\n")
    if options.fleet is not None:
        name, number = "fleet", options.fleet
    elif options.soak is not None:
        name, number = "soak", options.soak
    else:
        name, number = "speed", options.fetches
    # The others would only weigh on what is measured.
    part = import_module(f"benchmarks.fetch.{name}")
    text, kept = part.report(part.measure(number))
    print(text)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
