"""`python -m benchmarks.diff [PAIRS]`: Proxar and its peers on the same pairs, in one table.

PAIRS is a folder of real tool lists, `<server>/<version>.json`, of which consecutive versions are
compared, or a file of labelled schema pairs. Without it: our golden cases and generated lists.
"""

import argparse
import platform
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.diff.details import disagreements, hostile_answers
from benchmarks.diff.hostile import hostile
from benchmarks.diff.pairs import Pair, corpus, golden, labelled, synthetic
from benchmarks.diff.peers import PEERS, Peer
from benchmarks.diff.score import Run, measure
from benchmarks.diff.table import NOTES, report
from benchmarks.diff.worker import Worker
from tests.kubernetes.errors import ClusterError
from tests.kubernetes.progress import say

DEADLINE_SECONDS = 10.0
"""For one question: fifty times what Proxar allows itself for the worst schema."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    options = _options(arguments)
    pairs = list(_pairs(options.pairs))
    if not pairs:
        print(f"{options.pairs}: no pairs found", file=sys.stderr)
        return 2
    traps = [] if options.no_hostile else list(hostile())
    runs: dict[str, Run | str] = {}
    trapped: dict[str, Run] = {}
    for peer in PEERS:
        if options.only and peer.name not in ("proxar", *options.only):
            continue
        try:
            runs[peer.title] = _measured(peer, "ordinary", pairs, options.deadline)
            if traps:
                trapped[peer.title] = _measured(peer, "hostile", traps, options.deadline)
        except ClusterError as error:
            runs[peer.title] = str(error)
    print(_headline(pairs, traps))
    print(report(runs, trapped, pairs))
    print()
    print(NOTES)
    if options.verbose:
        print()
        print("\n".join([*hostile_answers(trapped, traps), *disagreements(runs, pairs)]))
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.diff", description=__doc__)
    parser.add_argument("pairs", nargs="?", type=Path, metavar="PAIRS")
    parser.add_argument("--only", action="append", metavar="PEER", help="beside Proxar; repeatable")
    parser.add_argument("--deadline", type=float, default=DEADLINE_SECONDS, metavar="SECONDS")
    parser.add_argument("--no-hostile", action="store_true", help="leave the hostile schemas out")
    parser.add_argument("--verbose", action="store_true", help="name pairs and disagreements")
    return parser.parse_args(arguments)


def _pairs(source: Path | None) -> list[Pair]:
    if source is None:
        return [*golden(), *synthetic()]
    return list(corpus(source) if source.is_dir() else labelled(source))


def _measured(peer: Peer, what: str, pairs: Sequence[Pair], deadline: float) -> Run:
    command = peer.command()
    say(f"{peer.title}: {what}, {len(pairs)} pairs")
    with Worker(command, deadline=deadline) as worker:
        return measure(peer, worker, pairs)


def _headline(pairs: Sequence[Pair], traps: Sequence[Pair]) -> str:
    tools = sum(len(pair.after) for pair in pairs)
    machine = f"{platform.machine()}, Python {platform.python_version()}"
    return f"{len(pairs)} pairs with {tools} tools, {len(traps)} hostile ones; {machine}\n"


if __name__ == "__main__":
    sys.exit(main())
