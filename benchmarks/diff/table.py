"""The report: one table, and what to know when reading it."""

from collections.abc import Mapping, Sequence

from benchmarks.diff.pairs import Pair
from benchmarks.diff.score import Agreement, Run, agreement, times

__all__ = ["NOTES", "report"]

HEADER = (
    *("program", "reading", "median", "p90", "worst", "unanswered"),
    *(
        "as Proxar",
        "by label",
        "missed",
        "false alarm",
        "error",
        "hostile worst",
        "unanswered",
        "missed",
    ),
)

NOTES = """\
Times are for a pair of lists, by the program's own clock in a running process: starting it, one
first question, and the pipe are not counted. Reading (its median) is from two texts in memory to
what the program keeps of a list; the other times are the comparison. A program that knows only
schemas is asked about the tools that changed, one by one, and these times are added; the others get
both lists whole. A question without an answer by the deadline is given up and counts with that
time. Verdicts are those on the schemas of one changed tool: breaking or not. missed: it
says fine, the label (without labels: Proxar) says breaking; false alarm: the other way round;
error: it raised, crashed or did not answer in time. Every hostile change is breaking."""


def report(runs: Mapping[str, Run | str], hostile: Mapping[str, Run], pairs: Sequence[Pair]) -> str:
    """Return the table; the first run is the one that the others are compared with.

    Args:
        runs: By program. In place of a run, why the program could not be had.
    """
    rows = [HEADER, tuple("---" for _ in HEADER)]
    labels = {(pair.name, tool): label for pair in pairs for tool, label in pair.labels.items()}
    first = next(iter(runs.values()))
    truth = (
        {
            key: verdict == "breaking"
            for key, verdict in first.verdicts.items()
            if verdict != "error"
        }
        if isinstance(first, Run)
        else {}
    )
    for name, run in runs.items():
        if isinstance(run, str):
            rows.append((name, f"not measured: {run.splitlines()[0]}", *[""] * (len(HEADER) - 2)))
        else:
            rows.append(_row(name, run, hostile.get(name), truth, labels))
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def _row(
    name: str,
    run: Run,
    hostile: Run | None,
    truth: Mapping[tuple[str, str], bool],
    labels: Mapping[tuple[str, str], bool],
) -> tuple[str, ...]:
    found = times(run.seconds)
    like = agreement(run.verdicts, truth)
    right = agreement(run.verdicts, labels)
    told = right if labels else like
    return (
        name,
        _milliseconds(times(run.reading).median),
        *map(_milliseconds, (found.median, found.p90, found.worst)),
        str(len(run.failures)),
        _share(like),
        _share(right) if labels else "",
        *(str(number) for number in (told.missed, told.alarms, told.errors)),
        _milliseconds(times(hostile.seconds).worst) if hostile else "",
        f"{len(hostile.failures)} of {len(hostile.seconds)}" if hostile else "",
        str([*hostile.verdicts.values()].count("fine")) if hostile else "",
    )


def _share(found: Agreement) -> str:
    return f"{found.same} of {found.total} ({found.same / found.total:.1%})" if found.total else ""


def _milliseconds(seconds: float) -> str:
    milliseconds = seconds * 1000
    return f"{milliseconds:,.0f} ms" if milliseconds >= 100 else f"{milliseconds:.2f} ms"
