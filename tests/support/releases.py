"""Objects as tools declare them, and the edits that one release makes to the next."""

from copy import deepcopy
from random import Random
from typing import Any

from tests.support.schemas import DRAFT_07

__all__ = ["ReleaseMaker"]

NAMES = ("a", "b", "c", "d")
WORDS = ("A name.", "Another name.")
LEAVES: tuple[Any, ...] = (
    {"type": "string"}, {"type": "integer"}, {"type": "number"}, {"type": ["string", "null"]},
    {"type": "string", "enum": ["a"]}, {"type": "string", "enum": ["a", "b"]}, {"enum": []},
    {"type": "string", "enum": [1]}, {"type": "integer", "minimum": 3, "maximum": 1},
    {"type": "integer", "minimum": 1}, {"type": "integer", "maximum": 9}, {"maximum": 8},
    {"type": "number", "minimum": 0, "maximum": 8}, {"type": "string", "minLength": 1},
    {"type": "string", "maxLength": 3}, {"type": "string", "maxLength": 5}, {"minLength": 2},
    {"anyOf": [{"type": "string"}, {"type": "null"}]}, {"anyOf": [{"type": "string"}]},
    {"anyOf": [False]}, {"not": {}}, {"type": "array", "items": {"type": "string"}},
    {"type": "array", "items": False, "minItems": 1}, {"type": "string", "description": "A name."},
    {"type": "object", "required": ["a"], "additionalProperties": False}, True, False, {},
    {"$ref": "#/$defs/one"}, {"const": "a"}, {"type": "array"}, {"pattern": "a"}, {"type": []},
)  # fmt: skip


class ReleaseMaker:
    """Makes a schema and what it became, from one seed."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def pair(self) -> tuple[Any, Any]:
        """Return a schema, and what it became."""
        before = self._object(2)
        if self.random.random() < 0.3:
            before["$defs"] = {"one": self._schema(1)}
        after = deepcopy(before)
        for side in (before, after):
            if self.random.random() < 0.1:
                side["$schema"] = DRAFT_07
        for _ in range(self.random.choice((1, 1, 2, 3))):
            self._edit(self.random.choice([after, *_objects_in(after)]))
        return before, after

    def _object(self, depth: int) -> dict[str, Any]:
        schema: dict[str, Any] = {"type": "object"}
        if self.random.random() < 0.9:
            names = self.random.sample(NAMES, self.random.choice((0, 1, 2, 3)))
            schema["properties"] = {name: self._schema(depth - 1) for name in names}
        if self.random.random() < 0.4:
            schema["required"] = self.random.sample(NAMES, self.random.choice((0, 1, 2)))
        if self.random.random() < 0.4:
            schema["additionalProperties"] = self.random.choice((False, False, True, {}, *LEAVES))
        if self.random.random() < 0.1:
            word, value = self.random.choice(
                (
                    ("patternProperties", {"^a": self._schema(0)}),
                    ("allOf", [self._object(0)]),
                    ("anyOf", [self._object(0), self._object(0)]),
                    ("dependentRequired", {"a": ["b"]}),
                    ("unevaluatedProperties", False),
                    ("propertyNames", {"maxLength": 1}),
                    ("minProperties", 1),
                )
            )
            schema[word] = value
        return schema

    def _schema(self, depth: int) -> Any:
        if depth > 0 and self.random.random() < 0.4:
            inner = self._object(depth)
            return self.random.choice(
                (inner, {"type": "array", "items": inner}, {"anyOf": [inner]})
            )
        return deepcopy(self.random.choice(LEAVES))

    def _edit(self, schema: dict[str, Any]) -> None:
        way = self.random.random()
        properties = schema.get("properties", {})
        if way < 0.4:
            schema["properties"] = {**properties, self.random.choice(NAMES): self._schema(1)}
        elif way < 0.5 and properties:
            schema["properties"].pop(self.random.choice(list(properties)))
        elif way < 0.65:
            schema["required"] = self.random.sample(NAMES, self.random.choice((0, 1, 2)))
        elif way < 0.75:
            schema["additionalProperties"] = self.random.choice((False, True, {}, *LEAVES))
        elif way < 0.85 and schema:
            schema.pop(self.random.choice(list(schema)), None)
        elif way < 0.88:
            schema["dependentRequired"] = {"a": ["b"]}
        elif way < 0.94:
            inner = [part for part in properties.values() if isinstance(part, dict)]
            said = self.random.choice([schema, *inner])
            said |= {"description": self.random.choice(WORDS), "default": 1, "x-note": "b"}
            said.pop(self.random.choice(("title", "description", "default", "x-note")), None)
        else:
            schema |= self._object(1)


def _objects_in(schema: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    if isinstance(schema, list):
        return [each for item in schema for each in _objects_in(item)]
    if isinstance(schema, dict):
        found = [schema] if schema.get("type") == "object" else []
        inner = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values()]
        inner += [schema.get("items"), *schema.get("anyOf", ()), *schema.get("allOf", ())]
        found += [each for part in inner for each in _objects_in(part)]
    return found
