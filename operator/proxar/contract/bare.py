"""What a schema asserts as one text, for parts that are compared as they stand.

Annotations and unknown keywords are left out, alternatives are sorted, and what the references
point at is written behind: two equal texts accept the same values.
"""

from proxar.contract.canonical import canonical_text
from proxar.contract.document import Document
from proxar.contract.flatten import KNOWN
from proxar.contract.keywords import MEMBER_ROLES, Role
from proxar.contract.value import JSON, MISSING

__all__ = ["bare_text"]

UNORDERED = frozenset({"allOf", "anyOf", "oneOf"})


def bare_text(document: Document, schema: JSON) -> str:
    """Return the text of a schema, or of a list of schemas, that belongs to the document."""
    references: set[str] = set()
    text = canonical_text(_bare(schema, Role.SCHEMA, references), Role.SCHEMA)
    if not references:
        return text
    targets: dict[str, str] = {}
    while references:
        reference = references.pop()
        target = document.resolve(reference)
        if target is MISSING:
            targets[reference] = ""
            continue
        found: set[str] = set()
        targets[reference] = canonical_text(_bare(target, Role.SCHEMA, found), Role.SCHEMA)
        references |= found - targets.keys()
    return "\n".join([text, *(f"{name} {targets[name]}" for name in sorted(targets))])


def _bare(value: JSON, role: Role, references: set[str]) -> JSON:
    if isinstance(value, list):
        return [_bare(item, role, references) for item in value]
    if not isinstance(value, dict) or role is Role.DATA:
        return value
    known, other = MEMBER_ROLES[role]
    is_schema = role in {Role.SCHEMA, Role.DEPENDENCY}
    bare: dict[str, JSON] = {}
    for name, member in value.items():
        if is_schema and name not in KNOWN:
            continue
        if is_schema and name == "$ref" and isinstance(member, str):
            references.add(member)
        bare[name] = _bare(member, known.get(name, other), references)
        if is_schema and name in UNORDERED and isinstance(member, list):
            bare[name] = sorted(bare[name], key=_text)  # type: ignore[arg-type]
    return bare


def _text(schema: JSON) -> str:
    return canonical_text(schema, Role.SCHEMA)
