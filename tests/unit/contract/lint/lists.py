"""Tool lists of an issue tracker, made for lint: each begins valid."""

import json
from typing import Any

from proxar.contract import ToolList, parse
from proxar.contract.lint import Finding, lint

__all__ = ["issue_tool", "linted", "listed", "rules_of"]


def issue_tool(name: str = "open_issue", /, **properties: Any) -> dict[str, Any]:
    """A tool with these parameters and nothing wrong."""
    return {
        "name": name,
        "description": "Open an issue.",
        "inputSchema": {"type": "object", "properties": properties},
    }


def listed(*tools: Any) -> ToolList:
    """The list of these entries, read from bytes as a server sends them."""
    return parse(json.dumps({"tools": list(tools)}).encode())


def linted(*tools: Any) -> tuple[Finding, ...]:
    """What is wrong with a list of these entries."""
    return lint(listed(*tools))


def rules_of(*tools: Any) -> set[str]:
    """The rules that a list of these entries breaks."""
    return {found.rule for found in linted(*tools)}
