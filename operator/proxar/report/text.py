"""The diff for people: a line for each change, grouped by tool, worst first.

    search_issues
      breaking   search_issues.inputSchema.required: "limit" is now required
                 (parameter-became-required)
                 valid before, invalid now: {"query":"a"}
      advisory   search_issues.description: the description changed (description-changed)
                 - Search issues by [-keyword-].
                 + Search issues by {+text+}.

Nothing is told by colour alone: with the colour codes taken out, the coloured text is the plain
one. Neither `rich` nor any other library draws this: importing one costs more than everything else
that `proxar diff` does.
"""

from collections.abc import Iterator

from proxar.contract import Change, Diff, Verdict
from proxar.report.changes import (
    alike,
    broken_call,
    by_tool,
    sentence,
    shared_and_single,
    text_rows,
)
from proxar.report.columns import columns, cut, marked, wrapped
from proxar.report.visible import visible
from proxar.report.words import Line, Row, left_out, stacked

__all__ = ["text"]

SIDE_BY_SIDE_FROM = 110
"""Columns from which old and new stand side by side: two texts of about 45 columns and the indent.
"""

VERDICT_COLUMN = 11
"""Room for `compatible` and a space."""

INDENT = " " * (2 + VERDICT_COLUMN)

BROKEN = "valid before, invalid now: "
"""Before the arguments of a call that a change broke."""

VERDICT_STYLE = {
    Verdict.BREAKING: "1;31",
    Verdict.ADVISORY: "33",
    Verdict.COMPATIBLE: "32",
    Verdict.COSMETIC: "2",
    Verdict.NONE: "32",
}
OLD_STYLE, NEW_STYLE, QUIET_STYLE, TOOL_STYLE = "1;31", "1;32", "2", "1"
SIGN_STYLE = {"-": OLD_STYLE, "+": NEW_STYLE, " ": "", "…": ""}
MARKS = {OLD_STYLE: ("[-", "-]"), NEW_STYLE: ("{+", "+}")}


def text(diff: Diff, width: int | None = None, colour: bool = False) -> str:
    """The diff as lines of text; the first one is the verdict and the numbers.

    Args:
        width: Columns of the terminal. `None`, for a file or a pipe, never wraps and stacks old
            over new.
    """
    return "".join(f"{line}\n" for line in _Drawing(width, colour).lines(diff))


class _Drawing:
    def __init__(self, width: int | None, colour: bool) -> None:
        self.width = width
        self.colour = colour

    def lines(self, diff: Diff) -> Iterator[str]:
        yield self._summary(diff)
        shared, single = shared_and_single(diff)
        for group in shared:
            yield ""
            yield self._styled(alike(group), TOOL_STYLE)
            yield from self._change(group.changes[0], group.path)
        for tool, changes in by_tool(single):
            yield ""
            yield self._styled(visible(tool), TOOL_STYLE)
            for change in changes:
                yield from self._change(change)

    def _summary(self, diff: Diff) -> str:
        verdict = self._styled(str(diff.verdict), VERDICT_STYLE[diff.verdict])
        if diff.verdict is Verdict.NONE:
            return f"{verdict}: the tools are the same"
        counts = ", ".join(f"{count} {name}" for name, count in diff.summary.items() if count)
        return f"{verdict}: {counts}"

    def _change(self, change: Change, path: str | None = None) -> Iterator[str]:
        verdict = self._styled(f"{change.verdict:<{VERDICT_COLUMN}}", VERDICT_STYLE[change.verdict])
        yield f"  {verdict}{visible(path or change.path)}: {sentence(change)}"
        call = broken_call(change)
        if call is not None:
            room = None if self.width is None else max(self.width - len(INDENT), 40)
            yield f"{INDENT}{cut(f'{BROKEN}{call}', room)}"
        yield from self._texts(text_rows(change))

    def _texts(self, aligned: tuple[Row, ...]) -> Iterator[str]:
        two_sided = any(row.old is not None and row.new is not None for row in aligned)
        if two_sided and self.width is not None and self.width >= SIDE_BY_SIDE_FROM:
            return self._side_by_side(aligned, (self.width - len(INDENT) - 3) // 2)
        return self._stacked(aligned)

    def _stacked(self, aligned: tuple[Row, ...]) -> Iterator[str]:
        room = None if self.width is None else max(self.width - len(INDENT) - 2, 20)
        for sign, line in stacked(aligned):
            for piece, _ in self._drawn(line, room, SIGN_STYLE[sign]):
                yield f"{INDENT}{sign} {piece}".rstrip()

    def _side_by_side(self, aligned: tuple[Row, ...], room: int) -> Iterator[str]:
        bar = self._styled("│", QUIET_STYLE)
        old, new = (self._styled(word, QUIET_STYLE) for word in ("old".ljust(room), "new"))
        yield f"{INDENT}{old} {bar} {new}"
        for row in aligned:
            if row.skipped:
                yield f"{INDENT}… {self._drawn(left_out(row), None, '')[0][0]}"
            left = self._drawn(row.old or (), room, OLD_STYLE)
            right = self._drawn(row.new or (), room, NEW_STYLE)
            for index in range(max(len(left), len(right))):
                old, used = left[index] if index < len(left) else ("", 0)
                new = right[index][0] if index < len(right) else ""
                yield f"{INDENT}{old}{' ' * (room - used)} {bar} {new}".rstrip()

    def _drawn(self, line: Line, room: int | None, style: str) -> list[tuple[str, int]]:
        """The line in pieces of at most `room` columns, each with the columns that it takes."""
        return [
            (
                "".join(self._styled(run.text, style if run.changed else "") for run in piece),
                sum(columns(run.text) for run in piece),
            )
            for piece in wrapped(marked(line, MARKS.get(style)), room)
        ]

    def _styled(self, shown: str, style: str) -> str:
        return f"\x1b[{style}m{shown}\x1b[0m" if self.colour and style and shown else shown
