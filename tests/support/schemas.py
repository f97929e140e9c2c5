"""Random schemas, edits of them, and values near their borders, for properties about contracts.

Everything comes from one `random.Random`, so a seed names a case. The universe is small on purpose:
few names, short strings, small numbers, so that two schemas often agree, overlap or just miss.
Numbers are binary fractions, which a validator that counts in floating point gets right, too.
"""

import json
from collections.abc import Callable
from copy import deepcopy
from decimal import Decimal
from random import Random
from typing import Any

__all__ = ["DRAFT_07", "SchemaMaker", "closed", "plain"]

DRAFT_07 = "http://json-schema.org/draft-07/schema#"
NAMES = ("a", "b", "c", "ab")
STRINGS = ("", "a", "b", "ab", "ba", "aab", "1", "a1", "x\n")
NUMBERS = (
    -2,
    -1,
    0,
    1,
    2,
    3,
    4,
    6,
    Decimal("0.5"),
    Decimal("1.5"),
    Decimal("2.0"),
    Decimal("-0.25"),
)
PATTERNS = (
    "^a", "a$", "^a+$", "^[ab]*$", "b", "^(a|b)$", "^.$", "\\d", "^a?b", "^[^a]", "(?=a)a",
)  # fmt: skip
NAME_PATTERNS = ("^a", "b$", "^[bc]$", ".")
TYPES = ("null", "boolean", "integer", "number", "string", "array", "object")


def plain(value: Any) -> Any:
    """Return a JSON value for a validator that does not know `Decimal`."""
    return json.loads(json.dumps(value, default=float))


def closed(root: Any) -> Any:
    """Return the schema of those values that hold no member that the schema does not declare.

    Every place where a value stands gets `unevaluatedProperties: false`, which sees what is
    declared in applicators, too. The schema is one of 2020-12 with its definitions at the root.
    """
    if not isinstance(root, dict):
        return root
    schema = _closed_inside({word: value for word, value in root.items() if word != "$defs"})
    definitions = _closed_inside({"$defs": root.get("$defs", {})})
    return {"allOf": [schema], "unevaluatedProperties": False, **definitions}


def _closed_place(schema: Any) -> Any:
    if not isinstance(schema, dict):
        return schema and {"unevaluatedProperties": False}
    return {"allOf": [_closed_inside(schema)], "unevaluatedProperties": False}


def _closed_inside(schema: Any) -> Any:
    if not isinstance(schema, dict):
        return schema
    result: dict[str, Any] = {}
    for word, value in schema.items():
        if word in {"properties", "patternProperties"}:
            result[word] = {name: _closed_place(member) for name, member in value.items()}
        elif word in {"$defs", "dependentSchemas"}:
            result[word] = {name: _closed_inside(member) for name, member in value.items()}
        elif word == "prefixItems":
            result[word] = [_closed_place(item) for item in value]
        elif word in {"allOf", "anyOf", "oneOf"}:
            result[word] = [_closed_inside(branch) for branch in value]
        elif word in {"items", "additionalProperties", "unevaluatedItems", "unevaluatedProperties"}:
            result[word] = _closed_place(value) if isinstance(value, dict) else value
        elif word in {"then", "else"}:
            result[word] = _closed_inside(value)
        else:
            result[word] = value
    return result


class SchemaMaker:
    """Makes schemas, edits and values from one seed."""

    def __init__(self, seed: int, *, is_old: bool | None = None) -> None:
        self.random = Random(seed)
        drawn = self.random.random() < 0.2
        self.is_old = drawn if is_old is None else is_old
        self.references = ["#/$defs/one", "#/$defs/two"] if self.random.random() < 0.35 else []

    def pair(self) -> tuple[Any, Any]:
        """Return a schema and an edit of it, or another schema altogether."""
        before = self.document()
        after = deepcopy(before)
        if self.random.random() < 0.04:
            return before, self.document()
        for _ in range(self.random.choice((1, 1, 1, 2, 3))):
            after = self.edited(after)
        return before, after

    def document(self) -> Any:
        """Return a whole schema, with definitions when it may refer to them."""
        if self.random.random() < 0.45:
            schema = self._pick((_overlap, _unevaluated, _recursive, _listed, _members))(self)
        else:
            schema = self.schema(self._pick((1, 2, 2, 3)))
        if not isinstance(schema, dict):
            return schema
        if self.is_old:
            schema["$schema"] = DRAFT_07
        if self.references:
            schema.setdefault("$defs", {"one": self.schema(1), "two": self.schema(2)})
        return schema

    def _pick(self, options: Any) -> Any:
        return self.random.choice(options)

    def schema(self, depth: int) -> Any:
        """Return a schema of up to so many levels."""
        chance = self.random.random()
        if chance < 0.05:
            return self._pick((True, False, {}))
        if self.references and chance < 0.15:
            schema: dict[str, Any] = {"$ref": self._pick(self.references)}
            return schema | (self._keywords(depth, 1) if self.random.random() < 0.3 else {})
        schema = self._keywords(depth, self._pick((0, 1, 1, 2, 3)))
        if self.random.random() < 0.75:
            schema["type"] = self._type(schema)
        return schema

    def _type(self, schema: dict[str, Any]) -> Any:
        fitting = [
            name
            for name, keywords in (("object", OBJECT), ("array", ARRAY), ("string", STRING))
            if any(keyword in schema for keyword in keywords)
        ]
        name = self._pick(fitting) if fitting and self.random.random() < 0.85 else self._pick(TYPES)
        return sorted({name, self._pick(TYPES)}) if self.random.random() < 0.15 else name

    def _keywords(self, depth: int, count: int) -> dict[str, Any]:
        families = [NUMBER, STRING, ANY, *([ARRAY, OBJECT, OBJECT, APPLY] if depth else [])]
        schema: dict[str, Any] = {}
        family = self._pick(families)
        for _ in range(count):
            keyword = self._pick(list(family))
            schema[keyword] = family[keyword](self, depth - 1)
            if keyword.startswith("unevaluated"):
                more = self._pick(
                    ("anyOf", "allOf", "oneOf", "if", "dependentSchemas", "properties")
                )
                schema.setdefault(more, {**APPLY, **OBJECT}[more](self, depth - 1))
            if self.random.random() < 0.2:
                family = self._pick(families)
        if "if" in schema:
            for keyword in ("then", "else"):
                if self.random.random() < 0.6:
                    schema[keyword] = self.schema(max(depth - 1, 0))
        return schema

    def named(self, depth: int) -> dict[str, Any]:
        """Return schemas by name."""
        names = self.random.sample(NAMES, self._pick((1, 1, 2, 3)))
        return {name: self.schema(depth) for name in names}

    def branches(self, depth: int) -> list[Any]:
        """Return alternatives; often they share a shape and differ in a member that tells them."""
        if self.random.random() < 0.3:
            return [
                {
                    "type": "object",
                    "properties": {"a": {"const": name}, **self.named(depth)},
                    "required": ["a"],
                }
                for name in self.random.sample(STRINGS, 2)
            ]
        return [self.schema(depth) for _ in range(self._pick((1, 2, 2, 3)))]

    def value(self, depth: int = 2) -> Any:
        """Return any value."""
        kind = self.random.random()
        if kind < 0.1:
            return self._pick((None, True, False))
        if kind < 0.3 or (depth <= 0 and kind < 0.6):
            return self._pick(NUMBERS)
        if kind < 0.5 or depth <= 0:
            return self._pick(STRINGS)
        if kind < 0.7:
            return [self.value(depth - 1) for _ in range(self._pick((0, 1, 1, 2, 3)))]
        names = self.random.sample((*NAMES, "d"), self._pick((0, 1, 1, 2, 2, 3)))
        return {name: self.value(depth - 1) for name in names}

    def near(self, schema: Any, root: Any, depth: int = 3) -> Any:
        """Return a value that is likely to be near the border of a schema."""
        if not isinstance(schema, dict) or depth < 0 or self.random.random() < 0.08:
            return self.value(depth)
        reference = schema.get("$ref")
        if isinstance(reference, str) and reference.startswith("#"):
            target = root
            for part in reference.split("/")[1:]:
                target = target.get(part, {}) if isinstance(target, dict) else {}
            if self.random.random() < 0.8:
                return self.near(target, root, depth - 1)
        if "const" in schema and self.random.random() < 0.7:
            return schema["const"]
        if schema.get("enum") and self.random.random() < 0.7:
            return self._pick(schema["enum"])
        inner = [
            branch for keyword in ("allOf", "anyOf", "oneOf") for branch in schema.get(keyword, ())
        ] + [schema[keyword] for keyword in ("not", "if", "then", "else") if keyword in schema]
        if inner and self.random.random() < 0.5:
            value = self.near(self._pick(inner), root, depth - 1)
            if isinstance(value, dict) and self.random.random() < 0.7:
                rest = {name: part for name, part in schema.items() if name not in APPLY}
                other = self.near(rest | {"type": "object"}, root, depth - 1)
                return other | value if isinstance(other, dict) else value
            return value
        return self._of_type(self._likely_type(schema), schema, root, depth)

    def _likely_type(self, schema: dict[str, Any]) -> str:
        named = schema.get("type", [])
        names = [named] if isinstance(named, str) else list(named)
        names += [
            name
            for name, keywords in (
                ("object", OBJECT),
                ("array", ARRAY),
                ("string", STRING),
                ("number", NUMBER),
            )
            if any(keyword in schema for keyword in keywords) and not names
        ]
        return str(self._pick(names)) if names else str(self._pick(TYPES))

    def _of_type(self, name: str, schema: dict[str, Any], root: Any, depth: int) -> Any:
        if name == "object":
            return self._object(schema, root, depth)
        if name == "array":
            return self._array(schema, root, depth)
        if name == "string":
            return self._pick(STRINGS)
        if name in {"integer", "number"}:
            bounds = [
                schema[word] for word in NUMBER if isinstance(schema.get(word), int | Decimal)
            ]
            if bounds and self.random.random() < 0.5:
                return self._pick(bounds) + self._pick((0, 1, -1, Decimal("0.5")))
            return self._pick(NUMBERS)
        return None if name == "null" else self._pick((True, False))

    def _object(self, schema: dict[str, Any], root: Any, depth: int) -> Any:
        members: dict[str, Any] = {}
        properties = schema.get("properties", {})
        wanted = [*properties, *schema.get("required", ()), *schema.get("dependentSchemas", ())]
        for name in dict.fromkeys((*wanted, self._pick((*NAMES, "d")))):
            if name in schema.get("required", ()) or self.random.random() < 0.5:
                inner = properties.get(name, schema.get("additionalProperties", {}))
                for pattern in schema.get("patternProperties", {}).values():
                    inner = self._pick((inner, pattern))
                members[name] = self.near(inner, root, depth - 1)
        for name, dependent in schema.get("dependentSchemas", {}).items():
            if name in members and self.random.random() < 0.5:
                more = self.near(dependent, root, depth - 1)
                members = (more | members) if isinstance(more, dict) else members
        return members

    def _array(self, schema: dict[str, Any], root: Any, depth: int) -> Any:
        prefix = schema.get("prefixItems", [])
        tail = schema.get("items", {})
        if isinstance(tail, list):
            prefix, tail = tail, schema.get("additionalItems", {})
        schemas = [
            *prefix,
            tail,
            tail,
            schema.get("contains", tail),
            schema.get("unevaluatedItems", tail),
        ]
        length = self._pick((0, 1, 2, 2, 3, schema.get("minItems", 1), len(prefix)))
        items = [self.near(inner, root, depth - 1) for inner in schemas[:length]]
        if items and self.random.random() < 0.2:
            items.append(items[0])
        return items

    def edited(self, schema: Any) -> Any:
        """Return a schema with one thing changed somewhere in it."""
        places: list[tuple[Any, Any]] = []
        self._collect(schema, places)
        if not places or self.random.random() < 0.15:
            return self._edit(schema)
        holder, key = self._pick(places)
        holder[key] = self._edit(holder[key])
        return schema

    def _collect(self, schema: Any, places: list[tuple[Any, Any]]) -> None:
        if not isinstance(schema, dict):
            return
        for keyword, value in schema.items():
            if keyword in NAMED and isinstance(value, dict):
                holders: list[tuple[Any, Any]] = [(value, name) for name in value]
            elif keyword in LISTS and isinstance(value, list):
                holders = [(value, index) for index in range(len(value))]
            elif keyword in SINGLE:
                holders = [(schema, keyword)]
            else:
                continue
            for holder, key in holders:
                places.append((holder, key))
                self._collect(holder[key], places)

    def _edit(self, schema: Any) -> Any:
        if not isinstance(schema, dict) or self.random.random() < 0.06:
            return self.schema(1)
        schema = dict(schema)
        way = self.random.random()
        if way < 0.3:
            return self._respelt(schema)
        keywords = [word for word in schema if word not in {"$schema", "$defs"}]
        if keywords and way < 0.6:
            word = self._pick(keywords)
            families = (NUMBER, STRING, ANY, ARRAY, OBJECT, APPLY)
            makers = [family[word] for family in families if word in family]
            value = schema[word]
            if isinstance(value, list) and len(value) > 1 and self.random.random() < 0.6:
                schema[word] = self._edited_list(value)
            elif isinstance(value, dict) and word in NAMED and value:
                schema[word] = self._edited_named(value)
            elif makers:
                schema[word] = makers[0](self, 1)
            return schema
        if keywords and way < 0.78:
            del schema[self._pick(keywords)]
            return schema
        return schema | self._keywords(1, 1)

    def _edited_list(self, value: list[Any]) -> list[Any]:
        value = list(value)
        match self._pick(("drop", "twice", "order")):
            case "drop":
                value.pop(self.random.randrange(len(value)))
            case "twice":
                value.append(self._pick(value))
            case _:
                self.random.shuffle(value)
        return value

    def _edited_named(self, value: dict[str, Any]) -> dict[str, Any]:
        value = dict(value)
        if self.random.random() < 0.5:
            del value[self._pick(list(value))]
        else:
            value[self._pick(NAMES)] = self.schema(1)
        return value

    def _respelt(self, schema: dict[str, Any]) -> Any:
        """The same in other words, as far as the words go."""
        kept = {word: schema.pop(word) for word in ("$schema", "$defs") if word in schema}
        match self._pick(
            ("allOf", "anyOf", "oneOf", "not", "split", "type", "const", "definition")
        ):
            case "not":
                return kept | {"not": {"not": schema}}
            case "split":
                words = list(schema)
                half = self.random.sample(words, len(words) // 2)
                rest = {word: schema[word] for word in words if word not in half}
                return kept | {"allOf": [{word: schema[word] for word in half}, rest]}
            case "type" if isinstance(schema.get("type"), list):
                names = schema.pop("type")
                return kept | schema | {"anyOf": [{"type": name} for name in names]}
            case "const" if "enum" in schema:
                values = schema.pop("enum")
                return kept | {"allOf": [schema, {"anyOf": [{"const": value} for value in values]}]}
            case "definition" if "$defs" in kept:
                kept["$defs"] = kept["$defs"] | {"three": schema}
                return kept | {"$ref": "#/$defs/three"}
            case "anyOf" | "oneOf" as word:
                return kept | {word: [schema]}
            case _:
                return kept | {"allOf": [schema]}


def _overlap(maker: SchemaMaker) -> Any:
    """Alternatives that share values, which is where `oneOf` is not `anyOf`."""
    pool: list[list[Any]] = [
        [{"minimum": 1}, {"maximum": 2}, {"multipleOf": 2}, {"enum": [0, 1, 2, 3]}],
        [{"minLength": 1}, {"maxLength": 2}, {"pattern": "^a"}, {"enum": ["a", "ab", ""]}],
        [{"required": ["a"]}, {"required": ["b"]}, {"maxProperties": 1}, {"minProperties": 2}],
        [{"maxItems": 1}, {"contains": {"const": 1}}, {"minItems": 1}, {"uniqueItems": True}],
    ]
    pool[2].append({"additionalProperties": {"type": "integer"}})
    pool[3].append({"items": {"type": "integer"}})
    index = maker.random.randrange(len(pool))
    branches = maker.random.sample(pool[index], maker.random.choice((2, 2, 3)))
    typed = {"type": ("number", "string", "object", "array")[index]}
    return typed | {maker.random.choice(("oneOf", "oneOf", "anyOf", "allOf")): deepcopy(branches)}


def _flat(maker: SchemaMaker) -> Any:
    """A schema of objects that declares a member or two."""
    schema: dict[str, Any] = {
        "properties": {name: maker.schema(0) for name in maker.random.sample(NAMES, 2)}
    }
    if maker.random.random() < 0.6:
        schema["required"] = maker.random.sample(list(schema["properties"]), 1)
    return schema


def _unevaluated(maker: SchemaMaker) -> Any:
    """`unevaluatedProperties` beside what it sees, some of it only where it holds."""
    schema = _flat(maker) if maker.random.random() < 0.6 else {}
    schema |= {"type": "object", "unevaluatedProperties": _closing(maker, 0)}
    for _ in range(maker.random.choice((1, 1, 2))):
        match maker.random.choice(("dependentSchemas", "anyOf", "oneOf", "allOf", "if", "not")):
            case "dependentSchemas":
                names = maker.random.sample(NAMES, maker.random.choice((1, 2)))
                schema["dependentSchemas"] = {name: _flat(maker) for name in names}
            case "if":
                schema |= {"if": _flat(maker), "then": _flat(maker), "else": _flat(maker)}
            case "not":
                schema["not"] = _flat(maker)
            case word:
                schema[word] = [_flat(maker) for _ in range(maker.random.choice((1, 2)))]
    return schema


def _recursive(maker: SchemaMaker) -> Any:
    """Definitions that lead back to themselves."""
    one, two = ({"$ref": f"#/$defs/{name}"} for name in ("one", "two"))
    leaf = maker.schema(0)
    definitions = {
        "one": {
            "type": "object",
            "properties": {"a": leaf, "b": maker.random.choice((one, two, {"anyOf": [one, two]}))},
            **(
                {"required": maker.random.choice((["a"], ["b"], ["a", "b"]))}
                if maker.random.random() < 0.7
                else {}
            ),
        },
        "two": maker.random.choice(
            (
                {"anyOf": [one, maker.schema(0)]},
                {"type": "array", "items": maker.random.choice((one, two))},
                {"type": "object", "additionalProperties": one, "maxProperties": 2},
                {"oneOf": [{"type": "null"}, one]},
            )
        ),
    }
    return deepcopy({**maker.random.choice((one, two)), "$defs": definitions})


def _listed(maker: SchemaMaker) -> Any:
    """Listed objects beside keywords about their members."""
    names = maker.random.sample(NAMES, 2)
    values = [
        {
            name: maker.random.choice((0, 1, "a", None))
            for name in names[: maker.random.choice((1, 2))]
        }
        for _ in range(3)
    ]
    schema = {"enum": values, **_flat(maker)}
    if maker.random.random() < 0.5:
        schema["dependentSchemas"] = {names[0]: _flat(maker)}
    return schema


def _members(maker: SchemaMaker) -> Any:
    """Everything that decides which members there may be, together."""
    schema = {"type": "object", **_flat(maker)}
    for word in maker.random.sample(sorted(OBJECT), 2):
        schema[word] = OBJECT[word](maker, 0)
    return schema


Maker = Callable[[SchemaMaker, int], Any]


def _count(maker: SchemaMaker, _: int) -> int:
    return int(maker.random.choice((0, 1, 1, 2, 2, 3)))


def _number(maker: SchemaMaker, _: int) -> Any:
    return maker.random.choice(NUMBERS)


def _names(maker: SchemaMaker, _: int) -> list[str]:
    return maker.random.sample(NAMES, maker.random.choice((1, 1, 2)))


def _schema(maker: SchemaMaker, depth: int) -> Any:
    return maker.schema(max(depth, 0))


def _closing(maker: SchemaMaker, depth: int) -> Any:
    return False if maker.random.random() < 0.6 else maker.schema(max(depth, 0))


def _named(maker: SchemaMaker, depth: int) -> Any:
    return maker.named(max(depth, 0))


def _branches(maker: SchemaMaker, depth: int) -> Any:
    return maker.branches(max(depth, 0))


def _by_pattern(maker: SchemaMaker, depth: int) -> Any:
    patterns = maker.random.sample(NAME_PATTERNS, maker.random.choice((1, 1, 2)))
    return {pattern: maker.schema(max(depth, 0)) for pattern in patterns}


def _name_schema(maker: SchemaMaker, _: int) -> Any:
    return maker.random.choice(
        (
            {"enum": maker.random.sample(NAMES, 2)},
            {"pattern": maker.random.choice(NAME_PATTERNS)},
            {"maxLength": 1},
            {"not": {"const": maker.random.choice(NAMES)}},
            maker.schema(0),
        )
    )


def _values(maker: SchemaMaker, _: int) -> list[Any]:
    return [maker.value(1) for _ in range(maker.random.choice((1, 2, 3, 4)))]


NUMBER: dict[str, Maker] = {
    "minimum": _number,
    "maximum": _number,
    "exclusiveMinimum": _number,
    "exclusiveMaximum": _number,
    "multipleOf": lambda maker, _: maker.random.choice((1, 2, 3, Decimal("0.5"), Decimal("1.5"))),
}
STRING: dict[str, Maker] = {
    "minLength": _count,
    "maxLength": _count,
    "pattern": lambda maker, _: maker.random.choice(PATTERNS),
}
ANY: dict[str, Maker] = {
    "type": lambda maker, _: maker.random.choice(TYPES),
    "enum": _values,
    "const": lambda maker, _: maker.value(2),
}
ARRAY: dict[str, Maker] = {
    "items": _schema,
    "prefixItems": lambda maker, depth: [
        _schema(maker, depth) for _ in range(maker.random.choice((1, 2)))
    ],
    "contains": _schema,
    "minContains": _count,
    "maxContains": _count,
    "minItems": _count,
    "maxItems": _count,
    "uniqueItems": lambda maker, _: maker.random.random() < 0.8,
    "unevaluatedItems": _closing,
}
OBJECT: dict[str, Maker] = {
    "properties": _named,
    "required": _names,
    "additionalProperties": _closing,
    "patternProperties": _by_pattern,
    "propertyNames": _name_schema,
    "minProperties": _count,
    "maxProperties": _count,
    "dependentRequired": lambda maker, depth: {
        name: _names(maker, depth) for name in _names(maker, 0)
    },
    "dependentSchemas": lambda maker, depth: {
        name: _schema(maker, depth) for name in _names(maker, 0)
    },
    "unevaluatedProperties": _closing,
}
APPLY: dict[str, Maker] = {
    "allOf": _branches,
    "anyOf": _branches,
    "oneOf": _branches,
    "not": _schema,
    "if": _schema,
    "then": _schema,
    "else": _schema,
}
NAMED = frozenset({"properties", "patternProperties", "dependentSchemas", "$defs"})
LISTS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
SINGLE = frozenset(
    {
        "items", "contains", "not", "if", "then", "else", "additionalProperties", "propertyNames",
        "unevaluatedItems", "unevaluatedProperties",
    }
)  # fmt: skip
