"""The tool around its schemas: names, roots, depth, and everything hidden in its texts.

Sources: MCP's rules for names (1 to 128 of `A-Z a-z 0-9 _ . -`, unique, case-sensitive); reports of
clients that lost every tool to a root that is no object, of providers that refuse a combinator at
the root, and of hidden characters.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from proxar.contract.keywords import Role
from proxar.contract.lint.headers import lint_headers
from proxar.contract.lint.hidden import MAX_HIDDEN, hidden, may_hide
from proxar.contract.lint.nodes import nodes, schemas_in
from proxar.contract.lint.references import lint_references
from proxar.contract.lint.rules import Finding, finding
from proxar.contract.lint.schemas import lint_schemas
from proxar.contract.path import Place
from proxar.contract.reader import depth_of
from proxar.contract.toollist import Tool
from proxar.contract.value import JSON, MISSING, Missing
from proxar.contract.wording import quoted, shown

__all__ = ["lint_names", "lint_tool"]

NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,128}")
PARAMETER_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")
COMBINATORS: Final = ("allOf", "anyOf", "oneOf")

MAX_LEVELS: Final = 32
"""Levels of objects and arrays in a tool that no reader is known to stumble over."""


def lint_names(tools: Sequence[Tool]) -> Iterator[tuple[int, Finding]]:
    """Yield what is wrong with the names of a list, each at the later one of two, by its index."""
    exact: set[str] = set()
    folded: dict[str, str] = {}
    for index, tool in enumerate(tools):
        if not tool.is_named:
            continue
        at, known = Place(tool.name, ("name",)), folded.get(tool.name.casefold())
        if tool.name in exact:
            said = f"{quoted(tool.name[:80])} is the name of another tool, too"
            yield index, finding("lint-name-duplicated", at, said)
        elif known is not None:
            said = f"{quoted(tool.name[:80])} and {quoted(known[:80])} differ in case only"
            yield index, finding("lint-name-case-twin", at, said)
        exact.add(tool.name)
        folded.setdefault(tool.name.casefold(), tool.name)


def lint_tool(tool: Tool) -> Iterator[Finding]:
    """Yield what is wrong with one entry of a list, in a fixed order."""
    place = Place(tool.name)
    if not isinstance(tool.definition, dict):
        said = f"the entry is {shown(tool.definition)}, and not an object"
        yield finding("lint-entry-malformed", place, said)
    elif not tool.is_named:
        yield finding("lint-entry-malformed", place.at("name"), "the entry has no name")
    elif not NAME.fullmatch(tool.name):
        said = f"{quoted(tool.name[:80])} is not 1 to 128 of A-Z a-z 0-9 _ . -"
        yield finding("lint-name-invalid", place.at("name"), said)
    yield from _lint_text(tool, place)
    if isinstance(tool.definition, dict):
        yield from _lint_input(tool.definition.get("inputSchema", MISSING), place.at("inputSchema"))
        output = tool.definition.get("outputSchema")
        if output is not None:
            yield from _lint_output(output, place.at("outputSchema"))


def _lint_text(tool: Tool, place: Place) -> Iterator[Finding]:
    """Look through every text and every name of a member: any of them may reach a model."""
    if not may_hide(tool.canonical) and depth_of(tool.canonical, MAX_LEVELS) <= MAX_LEVELS:
        return  # as it nearly always is; there may be very many texts
    depth = 0
    for node in nodes(tool.definition, Role.TOOL):
        depth = max(depth, node.depth)
        texts = [node.value] if isinstance(node.value, str) else []
        if isinstance(node.key, str):
            texts.append(node.key)
        for text in texts:
            for each in hidden(text):
                what = "character" if each.amount == 1 else "characters"
                amount = f"{MAX_HIDDEN} or more" if each.amount == MAX_HIDDEN else str(each.amount)
                said = f"{amount} {what} that nobody sees: {each.shown}"
                yield finding(each.rule, node.place(place.tool), said)
    if depth > MAX_LEVELS:
        said = f"nested {depth} levels deep; readers are known to take {MAX_LEVELS}"
        yield finding("lint-nesting-deep", place, said)


def _lint_input(schema: JSON | Missing, place: Place) -> Iterator[Finding]:
    if not isinstance(schema, dict):
        found = "is missing" if schema is MISSING else f"is {shown(schema)}"
        said = f"the input schema {found}; an object schema is asked"
        yield finding("lint-input-not-object", place, said)
        return
    if schema.get("type") != "object":
        said = f'the root type is {_type(schema)}; "object" is asked'
        yield finding("lint-input-not-object", place.at("type"), said)
    for keyword in COMBINATORS:
        if keyword in schema:
            said = f"{keyword} at the root is refused by some model providers"
            yield finding("lint-root-combinator", place.at(keyword), said)
    properties = schema.get("properties")
    for name in properties if isinstance(properties, dict) else ():
        if not PARAMETER_NAME.fullmatch(name):
            said = f"{quoted(name[:80])} is not 1 to 64 of A-Z a-z 0-9 _ . -"
            yield finding("lint-parameter-name-unusual", place.at("properties", name), said)
    schemas = schemas_in(schema)
    yield from lint_schemas(schema, schemas, place)
    yield from lint_references(schema, schemas, place)
    yield from lint_headers(schemas, place)


def _lint_output(schema: JSON, place: Place) -> Iterator[Finding]:
    if not isinstance(schema, dict) or schema.get("type") != "object":
        found = _type(schema) if isinstance(schema, dict) else "missing"
        said = f'the root type is {found}; clients before protocol 2026-07-28 take "object" only'
        yield finding("lint-output-not-object", place.at("type"), said)
    schemas = schemas_in(schema)
    yield from lint_schemas(schema, schemas, place)
    yield from lint_references(schema, schemas, place)


def _type(schema: dict[str, JSON]) -> str:
    return shown(schema["type"]) if "type" in schema else "missing"
