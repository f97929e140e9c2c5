"""The diff as a comment on a pull request.

Everything that a server wrote stands inside code spans and code blocks: there no markup, mention,
issue number or link of its own comes alive. Backslash escapes would not do; a forge looks for
`@name` after it has dropped them.
"""

import re
from collections.abc import Iterator

from proxar.contract import Change, Diff, Verdict
from proxar.report.changes import by_tool, sentence, skipped, text_rows
from proxar.report.visible import visible
from proxar.report.words import Line, Row

__all__ = ["markdown"]


def markdown(diff: Diff) -> str:
    """The diff as Markdown that ends in a newline; its heading is the verdict."""
    text = "".join(f"{line}\n" for line in _lines(diff))
    # Blank lines part what follows them from what went before; two say no more than one. Inside of
    # a code block every line begins with a sign.
    return re.sub(r"\n{3,}", "\n\n", text).rstrip("\n") + "\n"


def _lines(diff: Diff) -> Iterator[str]:
    yield f"### MCP tools: {diff.verdict}"
    yield ""
    if diff.verdict is Verdict.NONE:
        yield "The tools are the same."
        return
    yield ", ".join(f"{count} {name}" for name, count in diff.summary.items() if count)
    for tool, changes in by_tool(diff):
        yield ""
        yield f"#### {code(visible(tool))}"
        yield ""
        for change in changes:
            yield from _change(change)


def _change(change: Change) -> Iterator[str]:
    yield f"- **{change.verdict}** {code(visible(change.path))}: {code(sentence(change))}"
    if aligned := text_rows(change):
        yield ""
        yield from (f"  {line}".rstrip() for line in _block(aligned))
        yield ""


def _block(aligned: tuple[Row, ...]) -> list[str]:
    lines: list[str] = []
    for row in aligned:
        if row.skipped:
            lines.append(f"  {skipped(row)}")
        if row.same:
            lines.append(f"  {_plain(row.old)}")
            continue
        lines += [f"- {_plain(row.old)}"] * (row.old is not None)
        lines += [f"+ {_plain(row.new)}"] * (row.new is not None)
    fence = _fence("\n".join(lines), 3)
    return [f"{fence}diff", *lines, fence]


def _plain(line: Line | None) -> str:
    return "".join(run.text for run in line or ())


def code(text: str) -> str:
    """The text as a code span, whatever backquotes are in it."""
    fence = _fence(text, 1)
    pad = " " if text.startswith(("`", " ")) or text.endswith(("`", " ")) or not text else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _fence(text: str, shortest: int) -> str:
    longest = max(map(len, re.findall("`+", text)), default=0)
    return "`" * max(shortest, longest + 1)
