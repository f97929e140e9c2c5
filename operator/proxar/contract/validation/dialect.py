"""What a schema's `$schema` decides: which keywords there are, and how some are read."""

from typing import NamedTuple

from proxar.contract.value import JSON

__all__ = ["Dialect", "dialect_of"]


class Dialect(NamedTuple):
    """One draft, by the year that it speaks for."""

    year: int

    @property
    def has_lone_references(self) -> bool:
        """Whether `$ref` hides the keywords beside it."""
        return self.year < 2019

    @property
    def has_old_tuples(self) -> bool:
        """Whether `items` may be an array, with `additionalItems` for the rest."""
        return self.year < 2020

    def knows(self, keyword: str) -> bool:
        """Whether a keyword asserts something."""
        since, until = LIFE.get(keyword, (0, 9999))
        return since <= self.year <= until


DIALECTS = {
    "http://json-schema.org/draft-06/schema": Dialect(2016),
    "http://json-schema.org/draft-07/schema": Dialect(2017),
    "https://json-schema.org/draft-07/schema": Dialect(2017),
    "https://json-schema.org/draft/2019-09/schema": Dialect(2019),
    "https://json-schema.org/draft/2020-12/schema": Dialect(2020),
}

LIFE = {
    "$dynamicRef": (2020, 9999),
    "$recursiveRef": (2019, 2019),
    "additionalItems": (0, 2019),
    "dependentRequired": (2019, 9999),
    "dependentSchemas": (2019, 9999),
    "else": (2017, 9999),
    "if": (2017, 9999),
    "maxContains": (2019, 9999),
    "minContains": (2019, 9999),
    "prefixItems": (2020, 9999),
    "then": (2017, 9999),
    "unevaluatedItems": (2019, 9999),
    "unevaluatedProperties": (2019, 9999),
}
"""First and last year of keywords that were not always there. `dependencies` is: newer drafts have
it no more, yet many validators still honour it.
"""


def dialect_of(schema: JSON) -> Dialect | None:
    """Return the dialect of a whole schema, 2020-12 unless it says another; `None` if unknown."""
    if not isinstance(schema, dict) or "$schema" not in schema:
        return Dialect(2020)
    uri = schema["$schema"]
    return DIALECTS.get(uri.removesuffix("#")) if isinstance(uri, str) else None
