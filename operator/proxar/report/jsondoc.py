"""The diff as JSON, in the shape of the public API: `{"verdict", "summary", "changes"}`.

The same diff always gives the same bytes. Text that a terminal would act on, what no reader could
see and lone surrogates are escaped, so the output is plain UTF-8 and nothing is lost; numbers keep
every digit.
"""

from typing import Any

from proxar.contract import Diff, dump
from proxar.report.visible import escape, is_visible

__all__ = ["json", "write"]


def json(diff: Diff) -> str:
    """The diff as one indented JSON document that ends in a newline."""
    return write(diff.to_json())


def write(value: Any) -> str:
    """Any JSON value, indented. Members keep the order that the caller gave."""
    text = dump(value, indent=True)
    if text.isascii() and text.replace("\n", "").isprintable():
        return f"{text}\n"
    # A line break inside a string is escaped already: those that are left lay out the document.
    lines = (
        line
        if line.isascii() and line.isprintable()
        else "".join(each if is_visible(each) else escape(each) for each in line)
        for line in text.split("\n")
    )
    return "\n".join(lines) + "\n"
