"""Whether it is evident that anything is valid under a schema."""

from proxar.contract.flatten import Budget
from proxar.contract.keywords import ANNOTATIONS
from proxar.contract.value import JSON, Missing
from proxar.contract.vocabulary import is_well_formed

__all__ = ["ALTERNATIVES", "OF_ENUM", "Possible", "is_at_most", "steps_to_read", "types_of"]

OF_FORMAT = frozenset({"format", "type", *ANNOTATIONS})
OF_ENUM = frozenset({"enum", "type", *ANNOTATIONS})

ALTERNATIVES = frozenset({"anyOf", *ANNOTATIONS})

PLAIN = frozenset(
    {
        "additionalProperties", "items", "maxItems", "maxLength", "maximum", "minItems",
        "minLength", "minimum", "properties", "required", "type",
        *ANNOTATIONS,
    }
)  # fmt: skip

VALUES_A_STEP = 16

RANGES = (("minItems", "maxItems"), ("minLength", "maxLength"), ("minimum", "maximum"))


class Possible:
    """Tells what is possible, each schema once."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._known: dict[int, bool] = {}

    def is_possible(self, schema: JSON) -> bool:
        """Whether some value is valid; false when unsure."""
        if not isinstance(schema, dict):
            return schema is True
        self._budget.spend()
        known = self._known.get(id(schema))
        if known is None:
            known = self._known[id(schema)] = self._look(schema)
        return known

    def has_required(self, schema: dict[str, JSON]) -> bool:
        """Whether all members that a schema requires are declared, and can be there."""
        properties, required = schema.get("properties", {}), schema.get("required", [])
        if not isinstance(properties, dict) or not isinstance(required, list):
            return False
        self._budget.spend(len(required))
        needed = [properties.get(name, False) for name in required if isinstance(name, str)]
        return all(map(self.is_possible, needed))

    def _look(self, schema: dict[str, JSON]) -> bool:
        if schema.keys() <= OF_FORMAT:
            return is_well_formed("type", schema.get("type"))
        branches = schema.get("anyOf")
        if isinstance(branches, list):
            is_alone = schema.keys() <= ALTERNATIVES and is_well_formed("anyOf", branches)
            return is_alone and any(map(self.is_possible, branches))
        if schema.keys() <= OF_ENUM:
            listed = schema.get("enum")
            if schema.get("type", "string") != "string" or not isinstance(listed, list):
                return False
            return any(isinstance(value, str) for value in listed)
        if not schema.keys() <= PLAIN:
            return False
        return (
            is_well_formed("type", schema.get("type"))
            and all(
                is_at_most(schema[least], schema[most])
                for least, most in RANGES
                if least in schema and most in schema
            )
            and self.is_possible(schema.get("items", True))
            and self.has_required(schema)
        )


def is_at_most(one: JSON, other: JSON) -> bool:
    """Whether both are integers and the first is no larger."""
    return type(one) is int and type(other) is int and one <= other


def types_of(value: JSON) -> set[str]:
    """The names in a well-formed `type`, with `integer` where there is `number`."""
    names = {str(name) for name in value} if isinstance(value, list) else {str(value)}
    return names | {"integer"} if "number" in names else names


def steps_to_read(value: JSON | Missing) -> int:
    """What it costs to look at a list."""
    return len(value) // VALUES_A_STEP if isinstance(value, list) else 0
