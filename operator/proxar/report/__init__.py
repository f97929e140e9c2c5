"""Renderings of a diff: what `proxar diff -o …` prints.

Pure: a `Diff` in, text out. No terminal, clock or file is looked at; width and colour are
arguments. Everything that a server wrote is hostile here: no rendering lets a control, escape or
invisible character through.
"""

from proxar.report.jsondoc import json
from proxar.report.markdown import markdown
from proxar.report.text import text

__all__ = ["json", "markdown", "text"]
