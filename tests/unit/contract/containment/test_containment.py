"""Questions with one right answer, keyword by keyword."""

from decimal import Decimal

import pytest

from proxar.contract import JSON
from proxar.contract.containment import Contained, Refuted, Unproved, decide, satisfiable

DRAFT_07 = "http://json-schema.org/draft-07/schema#"


def obj(**properties: JSON) -> dict[str, JSON]:
    """An object schema with these properties."""
    return {"type": "object", "properties": properties}


NARROWER: list[tuple[str, JSON, JSON]] = [
    ("integer is within number", {"type": "integer"}, {"type": "number"}),
    ("a type is within no type", {"type": "string"}, {}),
    ("a listed value is within its type", {"enum": ["a", "b"]}, {"type": "string"}),
    ("half an integer is no obstacle", {"type": "integer", "multipleOf": 4}, {"multipleOf": 2}),
    ("bounds beyond 2^53", {"maximum": 2**53}, {"maximum": 2**53 + 1}),
    ("decimal steps", {"multipleOf": Decimal("0.1")}, {"multipleOf": Decimal("0.01")}),
    ("a whole bound", {"type": "integer", "minimum": 3}, {"exclusiveMinimum": Decimal("2.5")}),
    ("a minimum length", {"type": "string", "minLength": 2}, {"type": "string", "minLength": 1}),
    (
        "an anchored pattern",
        {"type": "string", "pattern": "^a+$"},
        {"type": "string", "pattern": "a"},
    ),
    (
        "a pattern that bounds a length",
        {"type": "string", "pattern": "^.{3}$"},
        {"type": "string", "minLength": 3, "maxLength": 3},
    ),
    (
        "a format and the larger one",
        {"type": "string", "format": "uri"},
        {"type": "string", "format": "iri-reference"},
    ),
    (
        "items",
        {"type": "array", "items": {"const": 1}},
        {"type": "array", "items": {"type": "integer"}},
    ),
    (
        "a tuple within a list",
        {"type": "array", "prefixItems": [{"type": "null"}], "items": False},
        {"type": "array", "maxItems": 1},
    ),
    (
        "two of what one is asked",
        {"type": "array", "contains": {"const": 1}, "minContains": 2},
        {"type": "array", "contains": {"type": "integer"}, "minItems": 2},
    ),
    ("required", obj(a={}) | {"required": ["a", "b"]}, obj(a={}) | {"required": ["a"]}),
    ("closed", obj(a={}) | {"additionalProperties": False}, obj(a={})),
    (
        "a map within a pattern",
        {"type": "object", "additionalProperties": {"type": "string"}},
        {"type": "object", "patternProperties": {"^x": {"type": ["string", "null"]}}},
    ),
    (
        "names by a list",
        {"type": "object", "propertyNames": {"enum": ["a", "b"]}},
        {"type": "object", "maxProperties": 2},
    ),
    (
        "one of the alternatives",
        {"type": "string"},
        {"anyOf": [{"type": "string"}, {"type": "null"}]},
    ),
    (
        "a tagged branch",
        {"oneOf": [obj(kind={"const": "a"}) | {"required": ["kind"]}]},
        {
            "oneOf": [
                obj(kind={"const": "a"}) | {"required": ["kind"]},
                obj(kind={"const": "b"}) | {"required": ["kind"]},
            ]
        },
    ),
    (
        "a condition that is told twice",
        {"if": {"required": ["a"]}, "then": {"required": ["b", "c"]}},
        {"if": {"required": ["a"]}, "then": {"required": ["b"]}},
    ),
    (
        "an enum beside members and dependent schemas",
        {
            "enum": [{"a": 1}],
            "properties": {"a": {}},
            "dependentSchemas": {"a": {"minProperties": 1}},
        },
        {"properties": {"a": {"type": "integer"}}},
    ),
]
"""What it shows, and two schemas of which the first accepts less than the second."""

EQUAL: list[tuple[str, JSON, JSON]] = [
    ("1 is 1.0", {"const": 1}, {"enum": [Decimal("1.0")]}),
    ("members have no order", {"const": {"a": 1, "b": 2}}, {"const": {"b": 2, "a": 1}}),
    ("both booleans", {"enum": [True, False]}, {"type": "boolean"}),
    (
        "keywords of other types",
        {"type": "string", "minimum": 3, "required": ["a"]},
        {"type": "string"},
    ),
    ("a double negation", {"not": {"not": {"type": "string"}}}, {"type": "string"}),
    (
        "an alternative that another includes",
        {"anyOf": [{"type": "string"}, {"const": "a"}]},
        {"type": "string"},
    ),
    ("implied minProperties", {"required": ["a"], "minProperties": 1}, {"required": ["a"]}),
    (
        "a closed object by either word",
        obj(a={}) | {"additionalProperties": False},
        obj(a={}) | {"unevaluatedProperties": False},
    ),
    (
        "unevaluated sees allOf",
        {"allOf": [obj(a={})], "unevaluatedProperties": False},
        obj(a={}) | {"additionalProperties": False},
    ),
    ("impossible in two ways", {"type": "integer", "minimum": 2, "maximum": 1}, False),
    (
        "items that cannot differ",
        {"type": "array", "maxItems": 1, "uniqueItems": True},
        {"type": "array", "maxItems": 1},
    ),
    (
        "dependencies of draft-07",
        {"$schema": DRAFT_07, "dependencies": {"a": ["b"]}},
        {"dependentRequired": {"a": ["b"]}},
    ),
    (
        "definitions by other names",
        {"$ref": "#/$defs/a~1b", "$defs": {"a/b": {"type": "string"}}},
        {"$ref": "#x", "definitions": {"y": {"$anchor": "x", "type": "string"}}},
    ),
    (
        "a list, unrolled once",
        {"$ref": "#/$defs/n", "$defs": {"n": obj(next={"$ref": "#/$defs/n"})}},
        obj(next={"$ref": "#"}),
    ),
    (
        "a resource inside",
        {
            "$id": "https://a.example/s",
            "$ref": "part",
            "$defs": {"p": {"$id": "part", "type": "null"}},
        },
        {"type": "null"},
    ),
]

OVERLAPPING: list[tuple[str, JSON, JSON]] = [
    ("true is not 1", {"enum": [True]}, {"enum": [1]}),
    ("a step of 2 and of 3", {"multipleOf": 2}, {"multipleOf": 3}),
    (
        "a dot is not a line's end",
        {"type": "string", "pattern": "^.$"},
        {"type": "string", "pattern": "^\\n$"},
    ),
    (
        "one and both of two",
        {"oneOf": [{"minimum": 1}, {"maximum": 3}]},
        {"allOf": [{"minimum": 1}, {"maximum": 3}]},
    ),
    (
        "additionalProperties does not see allOf",
        obj(a={}) | {"additionalProperties": False, "required": ["a"]},
        {"type": "object", "allOf": [obj(a={})], "additionalProperties": False},
    ),
    (
        "lists of different things",
        {"$ref": "#/$defs/n", "$defs": {"n": obj(v={"type": "null"}, next={"$ref": "#/$defs/n"})}},
        obj(v={"type": "string"}, next={"$ref": "#"}),
    ),
]


@pytest.mark.parametrize(("what", "inner", "outer"), NARROWER)
def test_proves_that_less_is_within_more(what: str, inner: JSON, outer: JSON) -> None:
    """One way is proved, and the other refuted by a value."""
    assert decide(inner, outer) == Contained(), what
    assert not isinstance(decide(outer, inner), Contained), what


@pytest.mark.parametrize(("what", "one", "other"), EQUAL)
def test_proves_that_words_make_no_difference(what: str, one: JSON, other: JSON) -> None:
    """Both ways are proved."""
    assert decide(one, other) == decide(other, one) == Contained(), what


@pytest.mark.parametrize(("what", "one", "other"), OVERLAPPING)
def test_refutes_with_a_value(what: str, one: JSON, other: JSON) -> None:
    """Where a value tells two schemas apart, it is given."""
    assert isinstance(decide(one, other), Refuted), what


@pytest.mark.parametrize(
    ("inner", "outer", "reason"),
    [
        ({"type": "string"}, {"$ref": "https://a.example/s"}, "cannot be followed"),
        ({"$schema": "https://a.example/dialect"}, {}, "dialect"),
        ({"$ref": "#"}, {"type": "string"}, "itself"),
        ({"type": "string", "pattern": "(?=a)b"}, {"type": "string", "pattern": "b"}, "pattern"),
        ({"minimum": Decimal("1e99999")}, {"minimum": 1}, "too large"),
    ],
)
def test_says_why_it_does_not_know(inner: JSON, outer: JSON, reason: str) -> None:
    """An answer that is none names what stands in the way."""
    answer = decide(inner, outer)

    assert isinstance(answer, Unproved)
    assert reason in answer.reason


def test_takes_what_it_cannot_read_for_itself() -> None:
    """A foreign reference means the same thing on both sides, whatever that is."""
    foreign = obj(a={"$ref": "https://a.example/s"}, b={"type": "string", "pattern": "(?=a)b"})

    assert decide(foreign | {"required": ["a"]}, foreign) == Contained()


def test_the_dialect_decides_what_stands_beside_a_reference() -> None:
    """Draft-07 ignores it, 2020-12 does not."""
    schema = obj(a={"$ref": "#/$defs/x", "maxLength": 3}) | {"$defs": {"x": {"type": "string"}}}
    old = schema | {"$schema": DRAFT_07}

    assert decide(schema, old) == Contained()
    assert decide(old, schema) == Refuted({"a": "aaaa"})


def test_the_same_reference_in_two_documents_is_not_the_same_schema() -> None:
    """What a reference means depends on the document around it, recursive ones included."""

    def listing(item: JSON) -> JSON:
        node = obj(item={"$ref": "#/$defs/item"}, next={"$ref": "#/$defs/node"})
        return {"$ref": "#/$defs/node", "$defs": {"node": node, "item": item}}

    assert decide(listing({"type": "integer"}), listing({"type": "number"})) == Contained()
    assert isinstance(decide(listing({"type": "number"}), listing({"type": "integer"})), Refuted)


@pytest.mark.parametrize(
    ("schema", "is_satisfiable"),
    [
        (True, True),
        (False, False),
        ({"allOf": [{"type": "string"}, {"type": "integer"}]}, False),
        ({"enum": []}, False),
        (obj(a=False) | {"required": ["a"]}, False),
        (
            {"type": "array", "items": {"type": "boolean"}, "uniqueItems": True, "minItems": 3},
            False,
        ),
        ({"type": "string", "pattern": "^a+$", "minLength": 3}, True),
        ({"type": "object", "minProperties": 3, "propertyNames": {"maxLength": 1}}, True),
        ({"$ref": "https://a.example/s"}, None),
    ],
)
def test_knows_whether_a_schema_accepts_anything(schema: JSON, is_satisfiable: bool | None) -> None:
    """A branch that accepts nothing can be called void."""
    assert satisfiable(schema) is is_satisfiable
