"""What is wrong with one tool list, without another one to compare it with.

Here is what makes clients and model providers in use drop a tool or the whole list, and what hides
from the people who approve tools. What changed between two lists is not known here, nor what a tool
does.
"""

from collections.abc import Iterator
from itertools import chain, islice

from proxar.contract.lint.duplicates import AROUND, duplicate_members
from proxar.contract.lint.rules import LINT_RULES, Finding, LintRule, Severity, finding
from proxar.contract.lint.tools import lint_names, lint_tool
from proxar.contract.path import Place
from proxar.contract.toollist import Tool, ToolList

__all__ = ["LINT_RULES", "Finding", "LintRule", "Severity", "lint"]

MAX_FINDINGS = 100
"""Findings about one tool that are told: a generator repeats its mistake in every parameter."""


def lint(tools: ToolList, document: bytes | None = None) -> tuple[Finding, ...]:
    """Return all findings, in the order of the server's list.

    Args:
        document: The bytes that the list was read from. Members that an object has twice are found
            in them only, since a reader keeps the last one. Such a member around the list belongs
            to no tool; its finding names no tool and no path, and comes first.
    """
    of_names: dict[int, list[Finding]] = {}
    for index, found in lint_names(tools.tools):
        of_names.setdefault(index, []).append(found)
    duplicates = duplicate_members(document) if document is not None else {}
    findings = duplicates.get(AROUND, [])
    for index, tool in enumerate(tools.tools):
        told = (*of_names.get(index, ()), *duplicates.get(index, ()))
        findings += _bounded(tool, chain(told, lint_tool(tool)))
    return tuple(findings)


def _bounded(tool: Tool, findings: Iterator[Finding]) -> list[Finding]:
    told = list(islice(findings, MAX_FINDINGS))
    if next(findings, None) is not None:
        said = f"there are more than these {MAX_FINDINGS} findings"
        told.append(finding("lint-more-findings", Place(tool.name), said))
    return told
