"""What is told at a look: that nothing is lost, that something is, or neither."""

from typing import Any

import pytest

from proxar.contract import JSON
from proxar.contract.containment import Source
from proxar.contract.evident import Evident

STRING: JSON = {"type": "string"}
NULLABLE: JSON = {"anyOf": [{"type": "string"}, {"type": "null"}]}
OLD = "http://json-schema.org/draft-07/schema#"


def _objects(**properties: JSON) -> dict[str, JSON]:
    return {"type": "object", "properties": dict(properties)}


def _is_within(inner: JSON, outer: JSON, *, is_lenient: bool = False) -> bool | None:
    evident = Evident(Source(inner), Source(outer))
    return evident.is_within(inner, outer, is_lenient=is_lenient)


QUERY = _objects(query=STRING)
CLOSED = QUERY | {"additionalProperties": False}


@pytest.mark.parametrize(
    ("inner", "outer"),
    [
        (STRING, {"type": "string", "title": "Name"}),
        (STRING, True),
        (False, STRING),
        (STRING, {"type": ["string", "null"]}),
        ({"type": "integer"}, {"type": "number"}),
        (STRING, NULLABLE),
        (NULLABLE, {"anyOf": [STRING, {"type": "null"}, {"type": "integer"}]}),
        ({"enum": ["a"]}, {"enum": ["b", "a"]}),
        ({"maxLength": 3}, {"maxLength": 4}),
        ({"minimum": 3}, {"minimum": 2}),
        ({"type": "string", "pattern": "^a"}, STRING),
        (QUERY | {"required": ["query"]}, QUERY),
        (CLOSED, QUERY),
        (QUERY, _objects()),  # what is not declared may be anything
        (CLOSED, CLOSED | {"properties": {"query": STRING, "limit": STRING}}),
        (_objects(tags={"items": STRING}), _objects(tags={"items": NULLABLE})),
        (
            {"$ref": "#/$defs/a", "$defs": {"a": STRING}, "title": "A"},
            {"$ref": "#/$defs/a", "$defs": {"a": {"type": "string", "title": "B"}}},
        ),
        (QUERY | {"$schema": OLD}, QUERY),
    ],
)
def test_nothing_is_lost(inner: JSON, outer: JSON) -> None:
    """What the one accepts, the other does."""
    assert _is_within(inner, outer) is True


@pytest.mark.parametrize(
    ("inner", "outer"),
    [
        (QUERY, QUERY | {"required": ["query"]}),
        (QUERY, CLOSED),
        (CLOSED, _objects(search=STRING) | {"additionalProperties": False}),
        (QUERY, _objects(query={"type": "integer"})),
        (_objects(state={"enum": ["a", "b"]}), _objects(state={"enum": ["a"]})),
        (
            _objects(ids={"type": "array", "items": STRING}),
            _objects(ids={"items": {"type": "null"}}),
        ),
        ({"type": "number"}, {"type": "integer"}),
        (NULLABLE, STRING),
        ({"type": "integer"}, {"type": "integer", "maximum": 9}),
        ({"type": "integer", "minimum": 1}, {"type": "integer", "minimum": 2}),
        ({"type": "string", "maxLength": 9}, {"type": "string", "maxLength": 8}),
        (STRING, {"minLength": 1}),
        (QUERY, STRING),
    ],
)
def test_something_is_lost(inner: JSON, outer: JSON) -> None:
    """Whether or not a new parameter would be forgiven."""
    assert _is_within(inner, outer) is False
    assert _is_within(inner, outer, is_lenient=True) is False


@pytest.mark.parametrize(
    ("inner", "outer"),
    [
        ({"type": "string", "pattern": "^a"}, {"type": "string", "maxLength": 3}),
        ({"type": "integer", "minimum": 2, "maximum": 1}, {"type": "integer", "maximum": 0}),
        (STRING, {"minLength": 0}),
        # Whatever was in the way before, no call can have it now.
        (QUERY, _objects(query=STRING, limit=False)),
        (QUERY, _objects(query=STRING, limit={"enum": []})),
        (QUERY, _objects(query=STRING, limit={"type": "integer", "minimum": 2, "maximum": 1})),
        # Nothing is valid under the one, so nothing is lost.
        (_objects(a=False) | {"required": ["a"]}, {"type": "object", "required": ["a", "b"]}),
        # What a keyword means depends on those beside it.
        ({"prefixItems": [STRING], "items": STRING}, {"prefixItems": [STRING], "items": NULLABLE}),
        ({"contains": STRING, "minContains": 0}, {"contains": STRING}),
        (
            {"anyOf": [CLOSED, STRING], "unevaluatedProperties": False},
            {"anyOf": [QUERY, STRING], "unevaluatedProperties": False},
        ),
        (
            _objects(a=STRING) | {"patternProperties": {"^b": STRING}},
            _objects(a=STRING, b=STRING) | {"patternProperties": {"^b": STRING}},
        ),
        ({"type": "string", "pattern": "^a$", "minLength": 2}, {"type": "null"}),
        (
            _objects(a={"enum": ["x"], "maxLength": 0}) | {"required": ["a"]},
            _objects(a={"type": "string"}) | {"required": ["a", "b"]},
        ),
        ({"type": "string", "minLength": -5}, {"type": "string", "minLength": 0}),
        # What is malformed means nothing certain.
        ({"anyOf": []}, {"anyOf": [STRING]}),
        (STRING, {"anyOf": [5, STRING]}),
        (QUERY | {"additionalProperties": False}, QUERY | {"additionalProperties": 5}),
        ({"items": False}, {"items": 0}),
        (_objects(a=STRING, b=5), _objects(a=NULLABLE, b=5)),
        # The same text may mean something else.
        (
            {"$ref": "#/$defs/x%2Fdefault", "$defs": {"x": {"default": {"type": "string"}}}},
            {"$ref": "#/$defs/x%2Fdefault", "$defs": {"x": {"default": {"type": "null"}}}},
        ),
        (
            {"contains": STRING, "minContains": 0},
            {"anyOf": [{"$schema": OLD, "contains": STRING, "minContains": 0}]},
        ),
        ({"$schema": OLD, "items": [STRING]}, {"items": [STRING]}),
        (
            {"$ref": "#/title", "title": {"type": "string"}},
            {"$ref": "#/title", "title": {"type": "null"}},
        ),
        (
            {"$ref": "#/$defs/a", "$defs": {"a": STRING}, "title": "A"},
            {"$ref": "#/$defs/a", "$defs": {"a": {"type": "null"}}},
        ),
        (_objects(a={"$id": "b", "$ref": "#"}), _objects(a={"$id": "b", "$ref": "#"}, b=STRING)),
        ({"$schema": "urn:other", "title": "A"}, {"$schema": "urn:other"}),
    ],
)
def test_anything_else_is_for_the_prover(inner: JSON, outer: JSON) -> None:
    """Unsure is neither yes nor no."""
    assert _is_within(inner, outer) is None


@pytest.mark.parametrize(
    ("change", "is_forgiven"),
    [
        ({"properties": {"query": STRING, "limit": {"type": "integer"}}}, True),
        ({"properties": {"query": STRING, "limit": NULLABLE}}, True),
        ({"properties": {"query": STRING, "limit": {"not": STRING}}}, None),
        # It was spoken of, if not declared.
        ({"properties": {"query": STRING, "key": STRING}}, None),
    ],
)
def test_a_new_optional_parameter(change: dict[str, Any], is_forgiven: bool | None) -> None:
    """Nobody sent what was not declared: for a call nothing is lost."""
    before = QUERY | {"required": ["key"]}
    assert _is_within(before, before | change, is_lenient=True) is is_forgiven
    assert _is_within(before, before | change) is None


@pytest.mark.parametrize("before", [{}, {"properties": {}}, {"additionalProperties": True}])
def test_where_nothing_was_said_no_parameter_is_new(before: dict[str, Any]) -> None:
    """Not even leniently: what may be anything may have had the member, too."""
    after = before | {"properties": {"query": STRING}}
    assert _is_within(before, after, is_lenient=True) is None


def test_parts_may_be_made_for_the_question() -> None:
    """What was told of a part that is gone is not told of another one that took its place."""
    evident = Evident(Source(QUERY), Source(QUERY))
    for number in range(200):
        limit: JSON = {"maxLength": 5 + number % 3}
        told = evident.is_within(limit, {"maxLength": 5}, is_lenient=False)
        assert told is (True if number % 3 == 0 else None)


def test_a_result_promises_all_of_it() -> None:
    """A new field of an object in an array, leniently too, where the object is not a plain one."""
    before: JSON = {"items": QUERY | {"minProperties": 1}}
    after: JSON = {"items": _objects(query=STRING, limit=STRING) | {"minProperties": 1}}
    assert _is_within(before, after, is_lenient=True) is None
