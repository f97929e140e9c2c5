"""What `--verbose` adds to the table: the pairs behind its numbers."""

from collections.abc import Iterator, Mapping, Sequence

from benchmarks.diff.pairs import Pair
from benchmarks.diff.score import Run

__all__ = ["disagreements", "hostile_answers"]


def hostile_answers(trapped: Mapping[str, Run], traps: Sequence[Pair]) -> Iterator[str]:
    """A line for each program and hostile pair: how long, and what it said."""
    for name, run in trapped.items():
        for pair, seconds in zip(traps, run.seconds, strict=True):
            said = run.failures.get(pair.name) or run.verdicts[pair.name, "it"]
            yield f"{name}: {pair.name}: {seconds * 1000:.1f} ms, {said}"


def disagreements(runs: Mapping[str, Run | str], pairs: Sequence[Pair]) -> Iterator[str]:
    """A line for each tool on which the programs, or a label, differ."""
    labels = {(pair.name, tool): label for pair in pairs for tool, label in pair.labels.items()}
    measured = {name: run for name, run in runs.items() if isinstance(run, Run)}
    for key in dict.fromkeys(key for run in measured.values() for key in run.verdicts):
        said = {name: run.verdicts[key] for name, run in measured.items() if key in run.verdicts}
        if key in labels:
            said["label"] = "breaking" if labels[key] else "fine"
        if len(set(said.values())) > 1:
            words = ", ".join(f"{name} {verdict}" for name, verdict in said.items())
            yield f"{': '.join(key)}: {words}"
