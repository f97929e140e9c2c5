"""Whether a schema declares a member in one of its applicators, where the walk does not look."""

from proxar.contract.document import Document
from proxar.contract.flatten import Budget
from proxar.contract.value import JSON, MISSING

__all__ = ["declares"]

LISTS = ("allOf", "anyOf", "oneOf")
SINGLE = ("then", "else")

MAX_REFERENCES = 24
"""References that are followed; a schema that leads back to itself declares nothing new."""


def declares(document: Document, applicators: dict[str, JSON], name: str, budget: Budget) -> bool:
    """Whether `properties` of a schema about the same value has the name, alternatives included."""
    waiting: list[JSON] = [applicators]
    followed: set[str] = set()
    while waiting:
        budget.spend()
        schema = waiting.pop()
        if not isinstance(schema, dict):
            continue
        properties = schema.get("properties")
        if isinstance(properties, dict) and name in properties:
            return True
        reference = schema.get("$ref")
        if isinstance(reference, str) and reference not in followed:
            followed.add(reference)
            target = document.resolve(reference)
            if target is not MISSING and len(followed) <= MAX_REFERENCES:
                waiting.append(target)
        for keyword in LISTS:
            branches = schema.get(keyword)
            waiting.extend(branches if isinstance(branches, list) else ())
        waiting.extend(schema[keyword] for keyword in SINGLE if keyword in schema)
    return False
