"""Where schemas are inside a schema: the positions of JSON Schema 2020-12 and of draft-07.

Only here does a name mean a keyword. Below `const`, `enum`, `default`, `examples` and every unknown
keyword is data, and below `properties` are names that people chose, "required" and "enum" among
them.
"""

from enum import Enum, auto
from typing import Final

__all__ = ["ANNOTATIONS", "MEMBER_ROLES", "OF_SCHEMAS", "SCHEMA_ROLES", "Role"]


class Role(Enum):
    """What a JSON value is, seen from the schema around it."""

    __hash__ = object.__hash__  # that of Enum is written in Python, and roles are looked up a lot

    DATA = auto()
    TOOL = auto()
    SCHEMA = auto()
    """A schema, or an array of schemas."""
    NAMED_SCHEMAS = auto()
    """An object whose member names are free and whose values are schemas."""
    SET = auto()
    """An array whose order and duplicates mean nothing."""
    NAMED_SETS = auto()
    """An object whose member names are free and whose values are such arrays."""
    DEPENDENCIES = auto()
    """Draft-07 `dependencies`: free names, a value is a schema or such an array."""
    DEPENDENCY = auto()


SCHEMA_ROLES: Final[dict[str, Role]] = {
    "$defs": Role.NAMED_SCHEMAS,
    "additionalItems": Role.SCHEMA,
    "additionalProperties": Role.SCHEMA,
    "allOf": Role.SCHEMA,
    "anyOf": Role.SCHEMA,
    "contains": Role.SCHEMA,
    "contentSchema": Role.SCHEMA,
    "definitions": Role.NAMED_SCHEMAS,
    "dependencies": Role.DEPENDENCIES,
    "dependentRequired": Role.NAMED_SETS,
    "dependentSchemas": Role.NAMED_SCHEMAS,
    "else": Role.SCHEMA,
    "enum": Role.SET,
    "if": Role.SCHEMA,
    "items": Role.SCHEMA,
    "not": Role.SCHEMA,
    "oneOf": Role.SCHEMA,
    "patternProperties": Role.NAMED_SCHEMAS,
    "prefixItems": Role.SCHEMA,
    "properties": Role.NAMED_SCHEMAS,
    "propertyNames": Role.SCHEMA,
    "required": Role.SET,
    "then": Role.SCHEMA,
    "type": Role.SET,
    "unevaluatedItems": Role.SCHEMA,
    "unevaluatedProperties": Role.SCHEMA,
}
"""Keyword of a schema to what its value is; every other keyword holds data."""

TOOL_ROLES: Final[dict[str, Role]] = {"inputSchema": Role.SCHEMA, "outputSchema": Role.SCHEMA}

MEMBER_ROLES: Final[dict[Role, tuple[dict[str, Role], Role]]] = {
    Role.DATA: ({}, Role.DATA),
    Role.TOOL: (TOOL_ROLES, Role.DATA),
    Role.SCHEMA: (SCHEMA_ROLES, Role.DATA),
    Role.NAMED_SCHEMAS: ({}, Role.SCHEMA),
    Role.SET: ({}, Role.DATA),
    Role.NAMED_SETS: ({}, Role.SET),
    Role.DEPENDENCIES: ({}, Role.DEPENDENCY),
    Role.DEPENDENCY: (SCHEMA_ROLES, Role.DATA),
}
"""For an object in a role: the roles of known members, and that of all others."""

OF_SCHEMAS: Final = frozenset({Role.SCHEMA, Role.DEPENDENCY})
"""Roles in which an object is a schema."""

ANNOTATIONS: Final = frozenset(
    {
        "$comment",
        "default",
        "deprecated",
        "description",
        "examples",
        "readOnly",
        "title",
        "writeOnly",
    }
)
"""Keywords that say something to a reader and nothing to a validator."""
