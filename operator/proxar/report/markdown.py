"""The diff as a comment on a pull request.

Everything that a server wrote stands inside code spans and code blocks: there no markup, mention,
issue number or link of its own comes alive. Backslash escapes would not do; a forge looks for
`@name` after it has dropped them.
"""

import re

from proxar.contract import Change, Diff, Verdict
from proxar.report.changes import (
    alike,
    broken_call,
    by_tool,
    sentence,
    shared_and_single,
    text_rows,
)
from proxar.report.visible import visible
from proxar.report.words import Row, stacked

__all__ = ["markdown"]


def markdown(diff: Diff) -> str:
    """The diff as Markdown that ends in a newline; its heading is the verdict."""
    return "\n".join(_lines(diff)) + "\n"


def _lines(diff: Diff) -> list[str]:
    lines = [f"### MCP tools: {diff.verdict}", ""]
    if diff.verdict is Verdict.NONE:
        return [*lines, "The tools are the same."]
    lines.append(", ".join(f"{count} {name}" for name, count in diff.summary.items() if count))
    shared, single = shared_and_single(diff)
    parts = [(alike(group), [_change(group.changes[0], group.path)]) for group in shared]
    parts += [(visible(tool), list(map(_change, changes))) for tool, changes in by_tool(single)]
    for heading, told in parts:
        if lines[-1] == "":
            lines.pop()
        lines += ["", f"#### {code(heading)}", ""]
        for each in told:
            lines += each
    return lines[:-1] if lines[-1] == "" else lines


def _change(change: Change, path: str | None = None) -> list[str]:
    shown = code(visible(path or change.path))
    lines = [f"- **{change.verdict}** {shown}: {code(sentence(change))}"]
    call = broken_call(change)
    if call is not None:
        lines.append(f"  - valid before, invalid now: {code(call)}")
    aligned = text_rows(change)
    if aligned:
        lines += ["", *(f"  {each}".rstrip() for each in _block(aligned)), ""]
    return lines


def _block(aligned: tuple[Row, ...]) -> list[str]:
    lines = [
        f"{sign} {''.join(run.text for run in line)}".rstrip() for sign, line in stacked(aligned)
    ]
    fence = _fence("\n".join(lines), 3)
    return [f"{fence}diff", *lines, fence]


def code(text: str) -> str:
    """The text as a code span, whatever backquotes are in it."""
    fence = _fence(text, 1)
    pad = " " if text.startswith(("`", " ")) or text.endswith(("`", " ")) or not text else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _fence(text: str, shortest: int) -> str:
    longest = max(map(len, re.findall("`+", text)), default=0)
    return "`" * max(shortest, longest + 1)
