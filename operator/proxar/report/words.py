"""Which words of a text changed: the old and the new text side by side, line by line.

Pure layout data; `report.text` draws it. Texts of hostile length cost linear time: what cannot be
compared word by word within `MOST_COMPARISONS` counts as changed throughout.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from proxar.report.visible import look_alike, spelt_out, visible

__all__ = ["Line", "Row", "Run", "left_out", "rows", "shown", "stacked"]

MOST_COMPARISONS = 250_000
"""Pairs of words or lines that one comparison may look at; 500 changed words against 500. About a
tenth of a second.
"""

UNCHANGED_LINES_SHOWN = 1
"""Lines of context kept beside a change; the rest of an unchanged stretch is only counted."""

WORD = re.compile(r"[\w\u0300-\u036f]+|\s+|[^\w\s]")
"""A word with its accents; spaces; or one sign."""


@dataclass(frozen=True, slots=True)
class Run:
    """A piece of a line that changed or did not as a whole."""

    text: str
    changed: bool = False


Line = tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the old text beside its line of the new one; `None` where a side has none.

    `skipped` lines that are the same on both sides were left out in front of this row.
    """

    old: Line | None
    new: Line | None
    skipped: int = 0

    @property
    def same(self) -> bool:
        return self.old == self.new


def rows(before: str | None, after: str | None) -> tuple[Row, ...]:
    """The two texts aligned.

    `None` is a text that is not there, which is not the same as an empty one.
    """
    if before is None and after is None:
        return ()
    if before is None or after is None:
        return tuple(
            Row(*((line, None) if after is None else (None, line)))
            for line in (_whole(each) for each in (before or after or "").split("\n"))
        )
    return _collapse(_aligned(before.split("\n"), after.split("\n")))


def shown(row: Row) -> Row:
    """The row made visible, its sides never looking equal when they are not."""
    alike = None not in {row.old, row.new} and look_alike(_text(row.old), _text(row.new))
    escaped = spelt_out if alike else visible

    def line(runs: Line | None) -> Line | None:
        return runs and tuple(Run(escaped(run.text), run.changed) for run in runs)

    return Row(line(row.old), line(row.new), row.skipped)


def _text(line: Line | None) -> str:
    return "".join(run.text for run in line or ())


def stacked(aligned: Iterable[Row]) -> Iterator[tuple[str, Line]]:
    """The rows as lines below each other, each with its sign; of changed lines the old ones first.

    The sign is `-` for old, `+` for new, a space for both, and `…` for lines that were left out.
    """
    pending: list[tuple[str, Line]] = []
    for row in aligned:
        if row.skipped or row.same:
            yield from pending
            pending = []
        if row.skipped:
            yield "…", left_out(row)
        if row.same:
            yield " ", row.old or ()
            continue
        if row.old is not None:
            yield "-", row.old
        if row.new is not None:
            pending.append(("+", row.new))
    yield from pending


def left_out(row: Row) -> Line:
    """What stands for the lines in front of this row that were left out."""
    return (Run(f"{row.skipped} unchanged line{'s' if row.skipped > 1 else ''}"),)


def _aligned(before: list[str], after: list[str]) -> list[Row]:
    aligned: list[Row] = []
    for same, old, new in _blocks(before, after):
        if same:
            aligned += [Row((Run(line),), (Run(line),)) for line in old]
            continue
        for index in range(max(len(old), len(new))):
            if index >= len(new):
                aligned.append(Row(_whole(old[index]), None))
            elif index >= len(old):
                aligned.append(Row(None, _whole(new[index])))
            else:
                aligned.append(Row(*_word_runs(old[index], new[index])))
    return aligned


def _collapse(aligned: list[Row]) -> tuple[Row, ...]:
    changed = [index for index, row in enumerate(aligned) if not row.same]
    near = {
        index + offset
        for index in changed
        for offset in range(-UNCHANGED_LINES_SHOWN, UNCHANGED_LINES_SHOWN + 1)
    }
    kept: list[Row] = []
    skipped = 0
    for index, row in enumerate(aligned):
        if index in near:
            kept.append(Row(row.old, row.new, skipped))
            skipped = 0
        else:
            skipped += 1
    return tuple(kept)


def _word_runs(before: str, after: str) -> tuple[Line, Line]:
    old: list[Run] = []
    new: list[Run] = []
    for same, gone, came in _blocks(WORD.findall(before), WORD.findall(after)):
        if gone:
            old.append(Run("".join(gone), changed=not same))
        if came:
            new.append(Run("".join(came), changed=not same))
    return tuple(old), tuple(new)


def _whole(line: str) -> Line:
    return (Run(line, changed=True),)


def _blocks(
    before: Sequence[str], after: Sequence[str]
) -> list[tuple[bool, Sequence[str], Sequence[str]]]:
    """Stretches of both sequences in order, each the same on both sides or not."""
    head = _common(before, after)
    tail = _common(before[head:][::-1], after[head:][::-1])
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    blocks = [(True, before[:head], after[:head])]
    if len(old) * len(new) > MOST_COMPARISONS:
        blocks.append((False, old, new))
    else:
        blocks += [
            (tag == "equal", old[a:b], new[c:d])
            for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        ]
    blocks.append((True, before[len(before) - tail :], after[len(after) - tail :]))
    return [block for block in blocks if block[1] or block[2]]


def _common(before: Sequence[str], after: Sequence[str]) -> int:
    count = 0
    for one, other in zip(before, after, strict=False):
        if one != other:
            break
        count += 1
    return count
