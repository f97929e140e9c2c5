"""What a schema asserts as one text, for parts that are compared as they stand.

Annotations and unknown keywords are left out, alternatives are sorted, and what the references
point at is written behind: two equal texts accept the same values.
"""

from proxar.contract.canonical import canonical_text
from proxar.contract.document import Document
from proxar.contract.flatten import KNOWN, Budget
from proxar.contract.keywords import MEMBER_ROLES, Role
from proxar.contract.value import JSON, MISSING

__all__ = ["bare_text"]

CHARACTERS_PER_STEP = 64
"""Those of alternatives in alternatives are written at each level, to be sorted."""

UNORDERED = frozenset({"allOf", "anyOf", "oneOf"})


def bare_text(document: Document, schema: JSON, budget: Budget) -> str:
    """Return the text of a schema, or of a list of schemas, that belongs to the document."""
    bare = _Bare(budget)
    text = bare.text(schema)
    references = bare.references
    if not references:
        return text
    targets: dict[str, str] = {}
    while references:
        reference = references.pop()
        target = document.resolve(reference)
        if target is MISSING:
            targets[reference] = ""
            continue
        targets[reference] = bare.text(target)
        references -= targets.keys()
    return "\n".join([text, *(f"{name} {targets[name]}" for name in sorted(targets))])


class _Bare:
    """Takes away what asserts nothing, and notes the references that it meets."""

    def __init__(self, budget: Budget) -> None:
        self.references: set[str] = set()
        self._budget = budget

    def text(self, schema: JSON) -> str:
        """Return the text of what is left of a schema."""
        return self._text(self._bare(schema, Role.SCHEMA))

    def _text(self, bare: JSON) -> str:
        text = canonical_text(bare, Role.SCHEMA)
        self._budget.spend(len(text) // CHARACTERS_PER_STEP)
        return text

    def _bare(self, value: JSON, role: Role) -> JSON:
        if isinstance(value, list):
            return [self._bare(item, role) for item in value]
        if not isinstance(value, dict) or role is Role.DATA:
            return value
        known, other = MEMBER_ROLES[role]
        is_schema = role in {Role.SCHEMA, Role.DEPENDENCY}
        bare: dict[str, JSON] = {}
        for name, member in value.items():
            if is_schema and name not in KNOWN:
                continue
            if is_schema and name == "$ref" and isinstance(member, str):
                self.references.add(member)
            inner = self._bare(member, known.get(name, other))
            if is_schema and name in UNORDERED and isinstance(inner, list):
                inner = sorted(inner, key=self._text)
            bare[name] = inner
        return bare
