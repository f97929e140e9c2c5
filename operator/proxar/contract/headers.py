"""Request headers that became illegal: the protocol (2026-07-28) asks clients to drop the tool.

What is legal is told by `lint.headers`; here is what was legal, or was not there, before.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from proxar.contract.change import Change
from proxar.contract.path import Place
from proxar.contract.rules import RULES
from proxar.contract.toollist import Tool
from proxar.contract.vocabulary import HEADER

if TYPE_CHECKING:
    from proxar.contract.lint.rules import Finding

__all__ = ["compare_illegal_headers"]

RULE = RULES["header-misplaced"]


def compare_illegal_headers(before: Tool, after: Tool, place: Place) -> Iterator[Change]:
    """Yield what is wrong with the headers of a tool and was not; `place` is its input schema."""
    known = {(finding.rule, finding.pointer) for finding in _findings(before, place)}
    for finding in _findings(after, place):
        if (finding.rule, finding.pointer) not in known:
            said = f"{HEADER} is illegal here, clients must drop the tool: {finding.message}"
            yield Change(finding.tool, finding.path, finding.pointer, RULE.id, RULE.verdict, said)


def _findings(tool: Tool, place: Place) -> "Iterator[Finding]":
    if HEADER.encode() not in tool.canonical or not isinstance(tool.definition, dict):
        return
    from proxar.contract.lint.headers import lint_headers
    from proxar.contract.lint.nodes import schemas_in

    yield from lint_headers(schemas_in(tool.definition.get("inputSchema")), place)
