"""Members that an object has twice: one reader keeps the first, another the last, and both saw the
same bytes.

Our own reader keeps the last one, as almost all do, so they are looked for in the bytes once more.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from json import JSONDecodeError, JSONDecoder
from typing import Any, Final

from proxar.contract.keywords import Role
from proxar.contract.lint.nodes import nodes
from proxar.contract.lint.rules import Finding, finding
from proxar.contract.path import Place
from proxar.contract.value import JSON
from proxar.contract.wording import quoted

__all__ = ["AROUND", "duplicate_members"]

AROUND: Final = -1
"""Stands for the index of a tool where the members are around the list of tools."""


class _Marked(dict[str, Any]):
    """An object that knows which of its members it was given twice."""

    repeated: tuple[str, ...] = ()


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = _Marked(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice: dict[str, None] = {}
        for name, _ in pairs:
            if name in seen:
                twice[name] = None
            seen.add(name)
        found.repeated = tuple(twice)
    return found


DECODER: Final = JSONDecoder(object_pairs_hook=_object, parse_int=str, parse_float=str)


def duplicate_members(document: bytes) -> dict[int, list[Finding]]:
    """Return the findings by the index of their tool, or by `AROUND`.

    Nothing is found in a document that is no tool list, or too deep for a recursive reader.
    """
    try:
        root: JSON = DECODER.decode(document.decode("utf-8-sig"))
    except (UnicodeDecodeError, JSONDecodeError, RecursionError):
        return {}
    found: dict[int, list[Finding]] = {}
    outer, tools = _tools(root)
    around = [name for each in outer for name in _repeated(each)]
    if around:
        found[AROUND] = [
            replace(_finding(Place(""), name), path="") for name in dict.fromkeys(around)
        ]
    for index, tool in enumerate(tools):
        name = tool.get("name") if isinstance(tool, dict) else None
        label = name if isinstance(name, str) else f"#{index + 1}"
        findings = list(_lint_tool(tool, label))
        if findings:
            found[index] = findings
    return found


def _tools(root: JSON) -> tuple[list[JSON], Sequence[JSON]]:
    """The objects around the list of tools, and the list, as `proxar.contract.parse` finds it."""
    outer: list[JSON] = []
    found = root
    if isinstance(found, dict) and "tools" not in found:
        outer.append(found)
        found = found.get("result")
    if isinstance(found, dict):
        outer.append(found)
        found = found.get("tools")
    return outer, found if isinstance(found, list) else ()


def _lint_tool(tool: JSON, label: str) -> Iterator[Finding]:
    for node in nodes(tool, Role.TOOL):
        for name in _repeated(node.value):
            yield _finding(node.place(label).at(name), name)


def _repeated(value: object) -> tuple[str, ...]:
    return value.repeated if isinstance(value, _Marked) else ()


def _finding(place: Place, name: str) -> Finding:
    said = f"{quoted(name[:80])} is there more than once; readers differ in which one they keep"
    return finding("lint-key-duplicated", place, said)
