"""One schema without a baseline: keywords that are written wrongly, and what readers in use cannot
take.

Sources: the meta-schemas of JSON Schema draft-07 and 2020-12; reports of clients and providers that
dropped a tool or a whole list for a boolean bound, null `properties`, or a bound of more than 64
bits.
"""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final

from proxar.contract.canonical import canonical_text
from proxar.contract.document import Document
from proxar.contract.keywords import SCHEMA_ROLES, Role
from proxar.contract.lint.nodes import Node
from proxar.contract.lint.patterns import fault
from proxar.contract.lint.rules import Finding, finding
from proxar.contract.path import Place
from proxar.contract.value import JSON
from proxar.contract.vocabulary import is_well_formed
from proxar.contract.wording import quoted, shown, visible

__all__ = ["lint_schemas"]

TYPES: Final = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})
EXCLUSIVE: Final = ("exclusiveMaximum", "exclusiveMinimum")
NUMBERS: Final = frozenset(
    {
        "const", "default", "exclusiveMaximum", "exclusiveMinimum", "maxContains", "maxItems",
        "maxLength", "maxProperties", "maximum", "minContains", "minItems", "minLength",
        "minProperties", "minimum", "multipleOf",
    }
)  # fmt: skip
LEAST, MOST = -(2**63), 2**63 - 1

SCHEMA_HOLDERS: Final = frozenset(
    name for name, role in SCHEMA_ROLES.items() if role in {Role.SCHEMA, Role.NAMED_SCHEMAS}
)
DECLARING: Final = frozenset(
    {
        "$dynamicRef", "$recursiveRef", "$ref", "allOf", "anyOf", "dependentSchemas", "else", "if",
        "oneOf", "patternProperties", "then",
    }
)  # fmt: skip
"""Keywords beside which a name may be declared elsewhere."""

FREE_STANDING: Final = frozenset({"additionalProperties", "items", "properties", "prefixItems"})
"""Where a schema stands on its own, and does not add to the one around it."""


def lint_schemas(root: JSON, schemas: Sequence[Node], place: Place) -> Iterator[Finding]:
    """Yield what is wrong with each schema inside a schema, its root included."""
    if isinstance(root, dict) and "$schema" in root and Document(root).dialect is None:
        said = f"the dialect {shown(root['$schema'])} is not known"
        yield finding("lint-dialect-unknown", place.at("$schema"), said)
    for node in schemas:
        if isinstance(node.value, dict):
            at = Place(place.tool, (*place.parts, *node.steps()))
            yield from _lint_keywords(node.value, at)
            yield from _lint_patterns(node.value, at)
            yield from _lint_required(node, at)


def _lint_keywords(schema: dict[str, JSON], place: Place) -> Iterator[Finding]:
    for keyword, value in schema.items():
        at = place.at(keyword)
        if keyword in SCHEMA_HOLDERS and _has_null(keyword, value):
            said = f"{keyword} is or holds null, and not a schema"
            yield finding("lint-schema-null", at, said)
        elif keyword in EXCLUSIVE and isinstance(value, bool):
            said = "is a boolean, which draft-04 had; a number is asked"
            yield finding("lint-bound-boolean", at, said)
        elif keyword == "type":
            wrong = _fault_of_type(value)
            if wrong is not None:
                yield finding("lint-type-invalid", at, wrong)
        elif keyword == "enum" and value == []:
            yield finding("lint-enum-empty", at, "lists no value, so that none is valid")
        elif not is_well_formed(keyword, value):
            yield finding("lint-keyword-malformed", at, f"{keyword} must not be {shown(value)}")
        elif keyword in NUMBERS and _is_beyond_64_bits(value):
            said = f"{shown(value)} does not fit a signed integer of 64 bits"
            yield finding("lint-number-beyond-64-bits", at, said)


def _has_null(keyword: str, value: JSON) -> bool:
    if value is None:
        return True
    if SCHEMA_ROLES[keyword] is Role.NAMED_SCHEMAS and isinstance(value, dict):
        return any(member is None for member in value.values())
    return isinstance(value, list) and any(item is None for item in value)


def _fault_of_type(value: JSON) -> str | None:
    names = value if isinstance(value, list) else [value]
    if not names:
        return "names no type"
    for name in names:
        if not isinstance(name, str) or name not in TYPES:
            return f"{shown(name)} is no type of JSON Schema"
    if len(set(map(canonical_text, names))) < len(names):
        return "names a type twice"
    return None


def _is_beyond_64_bits(value: JSON) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return False
    return not LEAST <= value <= MOST


def _lint_patterns(schema: dict[str, JSON], place: Place) -> Iterator[Finding]:
    pattern, by_pattern = schema.get("pattern"), schema.get("patternProperties")
    found = [(pattern, place.at("pattern"))] if isinstance(pattern, str) else []
    if isinstance(by_pattern, dict):
        found += [(each, place.at("patternProperties", each)) for each in by_pattern]
    for text, at in found:
        wrong = fault(text)
        if wrong is not None:
            yield finding("lint-pattern-invalid", at, f"{shown(text)}: {visible(wrong)}")


def _lint_required(node: Node, place: Place) -> Iterator[Finding]:
    """Tell required names that are nowhere declared, where declaring is done at all."""
    schema = node.value if isinstance(node.value, dict) else {}
    properties, required = schema.get("properties"), schema.get("required")
    if not (isinstance(properties, dict) and isinstance(required, list)):
        return
    if DECLARING & schema.keys() or not _is_free_standing(node):
        return
    for name in dict.fromkeys(name for name in required if isinstance(name, str)):
        if name not in properties:
            said = f"{quoted(name[:80])} is required and not declared"
            yield finding("lint-required-undeclared", place.at("required"), said)


def _is_free_standing(node: Node) -> bool:
    """Whether no schema around this one may declare what it requires."""
    parent = node.parent
    if parent is None:
        return True
    if parent.role in {Role.NAMED_SCHEMAS, Role.SCHEMA} and isinstance(parent.value, list | dict):
        holder = (
            parent.key
            if parent.role is Role.NAMED_SCHEMAS or isinstance(parent.value, list)
            else node.key
        )
        return holder in FREE_STANDING
    return False
