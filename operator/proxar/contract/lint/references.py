"""References of one schema: those that point at nothing, outside, or back to themselves.

What cannot be told for sure, since a part has an `$id` of its own, is not told. Sources: MCP's
rule that a reference to the network is not fetched and one that cannot be resolved is refused;
reports of clients that ended up with zero tools, or with a stack overflow.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from proxar.contract.document import Document
from proxar.contract.lint.nodes import Node
from proxar.contract.lint.rules import Finding, finding
from proxar.contract.path import Place
from proxar.contract.value import JSON, MISSING
from proxar.contract.wording import shown

__all__ = ["lint_references"]

IN_PLACE_LISTS: Final = ("allOf", "anyOf", "oneOf")
IN_PLACE: Final = ("not", "if", "then", "else")

MAX_STEPS: Final = 20_000
"""Schemas that are looked at to find circles in one schema; a larger one is not searched to the
end.
"""


def lint_references(root: JSON, schemas: Sequence[Node], place: Place) -> Iterator[Finding]:
    """Yield what is wrong with the references of a schema.

    Args:
        schemas: All schemas in it.
        place: Where its root is.
    """
    document = Document(root)
    referring = [node for node in schemas if isinstance(node.value, dict) and "$ref" in node.value]
    identified = {
        node.value["$id"]
        for node in schemas
        if isinstance(node.value, dict) and isinstance(node.value.get("$id"), str)
    }
    has_inner_base = any(
        isinstance(node.value, dict) and "$id" in node.value and node.value is not root
        for node in schemas
    )
    circles = _Circles(document)
    is_endless = False
    for node in referring:
        reference = node.value["$ref"] if isinstance(node.value, dict) else None
        if not isinstance(reference, str):
            continue  # told as a malformed keyword
        at = Place(place.tool, (*place.parts, *node.steps(), "$ref"))
        if not reference.startswith("#"):
            if not identified:
                said = f"{shown(reference)} is outside of the schema, and nobody may fetch it"
                yield finding("lint-reference-external", at, said)
        elif not has_inner_base and document.resolve(reference) is MISSING:
            yield finding("lint-reference-dangling", at, f"{shown(reference)} points at nothing")
        elif circles.is_endless(node.value):
            said = f"{shown(reference)} leads back to itself without reaching a schema"
            yield finding("lint-reference-circular", at, said)
            is_endless = True
    recursive = None if is_endless else next(filter(circles.is_recursive, referring), None)
    if recursive is not None and isinstance(recursive.value, dict):
        at = Place(place.tool, (*place.parts, *recursive.steps(), "$ref"))
        said = f"{shown(recursive.value['$ref'])} holds itself, which overflows some readers"
        yield finding("lint-schema-recursive", at, said)


class _Circles:
    """The search for circles, with the steps that are left for it."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._left = MAX_STEPS
        self._reached: dict[str, frozenset[str]] = {}
        self._followed: set[str] = set()

    def is_endless(self, schema: JSON) -> bool:
        """Whether a schema applies to a value only if it applies to the value, and so on."""
        seen: set[int] = set()
        stack = list(self._in_place(schema))
        while stack and self._left > 0:
            self._left -= 1
            each = stack.pop()
            if each is schema:
                return True
            if id(each) not in seen:
                seen.add(id(each))
                stack.extend(self._in_place(each))
        return False

    def _in_place(self, schema: JSON) -> Iterator[JSON]:
        """Yield the schemas that apply to the same value."""
        if not isinstance(schema, dict):
            return
        reference = schema.get("$ref")
        if isinstance(reference, str):
            target = self._document.resolve(reference)
            if isinstance(target, dict):
                yield target
        for keyword in IN_PLACE_LISTS:
            listed = schema.get(keyword)
            yield from listed if isinstance(listed, list) else ()
        for keyword in IN_PLACE:
            if keyword in schema:
                yield schema[keyword]

    def is_recursive(self, node: Node) -> bool:
        """Whether what a reference points at holds, further down, a reference to the same."""
        reference = node.value["$ref"] if isinstance(node.value, dict) else None
        if not isinstance(reference, str) or reference in self._followed:
            return False
        self._followed.add(reference)
        seen: set[str] = set()
        queue = [reference]
        for each in queue:
            for inner in sorted(self._references_in(each)):
                self._left -= 1
                if inner == reference:
                    return True
                if inner not in seen and self._left > 0:
                    seen.add(inner)
                    queue.append(inner)
        return False

    def _references_in(self, reference: str) -> frozenset[str]:
        """The references anywhere in what one points at."""
        if reference not in self._reached:
            target = self._document.resolve(reference)
            stack: list[JSON] = [] if target is MISSING else [target]
            found: set[str] = set()
            while stack and self._left > 0:
                self._left -= 1
                each = stack.pop()
                if isinstance(each, dict):
                    inner = each.get("$ref")
                    if isinstance(inner, str):
                        found.add(inner)
                    stack.extend(each.values())
                elif isinstance(each, list):
                    stack.extend(each)
            self._reached[reference] = frozenset(found)
        return self._reached[reference]
