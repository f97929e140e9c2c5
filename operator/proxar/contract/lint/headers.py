"""Parameters that a client repeats in a request header: `x-mcp-header`.

The protocol (2026-07-28) asks clients to leave out a tool that breaks one of these rules, and a
modern call without the header is refused. The name is a token of RFC 9110, unique without regard to
case; the parameter is an integer, a string or a boolean that nothing but `properties` lead to from
the root.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from proxar.contract.lint.nodes import Node
from proxar.contract.lint.rules import Finding, finding
from proxar.contract.path import Place
from proxar.contract.value import JSON
from proxar.contract.vocabulary import HEADER
from proxar.contract.wording import shown

__all__ = ["lint_headers"]

TOKEN: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
TYPES: Final = frozenset({"boolean", "integer", "string"})


def lint_headers(schemas: Sequence[Node], place: Place) -> Iterator[Finding]:
    """Yield what is wrong with the headers that an input schema asks for."""
    seen: dict[str, str] = {}
    for node in schemas:
        if not isinstance(node.value, dict) or HEADER not in node.value:
            continue
        name = node.value[HEADER]
        steps = node.steps()
        parameter = Place(place.tool, (*place.parts, *steps))
        at = parameter.at(HEADER)
        if not isinstance(name, str) or not TOKEN.fullmatch(name):
            yield finding("lint-header-invalid", at, f"{shown(name)} is no header name")
        elif name.lower() in seen:
            said = f"{shown(name)} is the header of {seen[name.lower()]} already"
            yield finding("lint-header-duplicated", at, said)
        else:
            seen[name.lower()] = parameter.path
        if not steps or any(step != "properties" for step in steps[::2]) or len(steps) % 2:
            said = "is allowed on parameters only that nothing but properties lead to"
            yield finding("lint-header-misplaced", at, said)
        elif not _is_primitive(node.value.get("type")):
            said = (
                f"the type is {shown(node.value.get('type'))}; string, integer or boolean is asked"
            )
            yield finding("lint-header-type", at, said)


def _is_primitive(named: JSON) -> bool:
    """Whether a parameter has one of the types that fit a header; null beside it does no harm."""
    names = [name for name in named if name != "null"] if isinstance(named, list) else [named]
    return bool(names) and all(isinstance(name, str) and name in TYPES for name in names)
