"""Tool lists of an issue tracker, for tests of what became of a tool or a parameter."""

import json
from typing import Any

from proxar.contract import Change, parse
from proxar.contract.compare import differences
from proxar.contract.renames import suggest

__all__ = ["renamed", "suggested", "text", "tool"]


def text(description: str, **keywords: Any) -> dict[str, Any]:
    """A parameter that is a string."""
    return {"type": "string", "description": description, **keywords}


def tool(name: str, description: str, /, *required: str, **properties: Any) -> dict[str, Any]:
    """A tool with these parameters, some of them required."""
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    return {
        "name": name,
        "description": description,
        "inputSchema": schema | ({"required": list(required)} if required else {}),
    }


def suggested(
    before: list[dict[str, Any]], after: list[dict[str, Any]], **options: Any
) -> tuple[Change, ...]:
    """The changes between two lists, with suggestions."""
    old, new = (parse(json.dumps(tools).encode()) for tools in (before, after))
    return suggest(old, new, differences(old, new).changes, **options)


def renamed(
    before: list[dict[str, Any]], after: list[dict[str, Any]], **options: Any
) -> dict[str, str]:
    """Path of what is gone to the name that it may have now."""
    return {
        change.path: change.renamed_to
        for change in suggested(before, after, **options)
        if change.renamed_to is not None
    }
