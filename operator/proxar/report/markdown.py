"""The diff as a comment on a pull request.

Everything that a server wrote stands inside code spans and code blocks: there no markup, mention,
issue number or link of its own comes alive. Backslash escapes would not do; a forge looks for
`@name` after it has dropped them.
"""

import re
from collections.abc import Iterator

from proxar.contract import Change, Diff, Verdict
from proxar.report.changes import by_tool, sentence, texts
from proxar.report.visible import distinct, visible

__all__ = ["markdown"]


def markdown(diff: Diff) -> str:
    """The diff as Markdown that ends in a newline; its heading is the verdict."""
    return "".join(f"{line}\n" for line in _lines(diff))


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
    if (pair := texts(change)) is None:
        return
    yield ""
    yield from (f"  {line}".rstrip() for line in _old_and_new(*pair))
    yield ""


def _old_and_new(before: str | None, after: str | None) -> list[str]:
    shown = distinct(before or "", after or "", keep="\n")
    lines = [
        f"{sign} {line}"
        for sign, text, there in (("-", shown[0], before), ("+", shown[1], after))
        if there is not None
        for line in text.split("\n")
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
