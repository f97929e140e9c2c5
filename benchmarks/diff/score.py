"""What was measured of one program, and what it comes to."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from benchmarks.diff.pairs import Pair, changed_tools
from benchmarks.diff.peers import Peer
from benchmarks.diff.worker import Answer, Worker

__all__ = ["Agreement", "Run", "Times", "agreement", "measure", "times"]


@dataclass
class Run:
    """The answers of one program to all pairs."""

    seconds: list[float] = field(default_factory=list)
    """For each pair; one without an answer counts with the time until it was given up."""
    reading: list[float] = field(default_factory=list)
    """Seconds before the comparison, for each pair."""
    failures: dict[str, str] = field(default_factory=dict)
    """Pair to why there was no answer."""
    verdicts: dict[tuple[str, str], str] = field(default_factory=dict)
    """(pair, tool) to verdict, for the tools whose schemas changed; `error` where it had none."""


@dataclass(frozen=True)
class Times:
    """Seconds a pair."""

    median: float
    p90: float
    worst: float


@dataclass(frozen=True)
class Agreement:
    """Tools by how two verdicts on them relate."""

    same: int
    missed: int
    """Fine, where the other says breaking."""
    alarms: int
    """Breaking, where the other says fine."""
    errors: int

    @property
    def total(self) -> int:
        return self.same + self.missed + self.alarms + self.errors


def measure(peer: Peer, worker: Worker, pairs: Sequence[Pair]) -> Run:
    """Ask a program about all pairs, after one question that is not counted."""
    run = Run()
    if pairs:
        worker.ask(pairs[0].before[:1], pairs[0].after[:1])
    for pair in pairs:
        changed = changed_tools(pair)
        answers = _answers(peer, worker, pair)
        run.seconds.append(sum(answer.seconds for answer in answers))
        run.reading.append(sum(answer.reading for answer in answers))
        said = {name: verdict for answer in answers for name, verdict in answer.verdicts.items()}
        for name in changed:
            run.verdicts[pair.name, name] = said.get(name, "error")
        for answer in answers:
            if answer.failure:
                run.failures[pair.name] = answer.failure
    return run


def _answers(peer: Peer, worker: Worker, pair: Pair) -> list[Answer]:
    if peer.takes_lists:
        return [worker.ask(pair.before, pair.after)]
    return [worker.ask([old], [new]) for old, new in changed_tools(pair).values()]


def times(seconds: Sequence[float]) -> Times:
    """Median, ninth decile and worst."""
    ordered = sorted(seconds)
    return Times(
        statistics.median(ordered),
        ordered[min(len(ordered) - 1, len(ordered) * 9 // 10)],
        ordered[-1],
    )


def agreement(
    verdicts: Mapping[tuple[str, str], str], truth: Mapping[tuple[str, str], bool]
) -> Agreement:
    """Count how verdicts relate to what is breaking in truth, over the tools that both know."""
    counts = {"same": 0, "missed": 0, "alarms": 0, "errors": 0}
    for key, is_breaking in truth.items():
        match verdicts.get(key), is_breaking:
            case None, _:
                continue
            case "breaking", True:
                counts["same"] += 1
            case "fine", False:
                counts["same"] += 1
            case "fine", True:
                counts["missed"] += 1
            case "breaking", False:
                counts["alarms"] += 1
            case _:
                counts["errors"] += 1
    return Agreement(**counts)
