"""Schemas that differ in words only: told at a glance, and never when anything else may differ."""

import pytest

from proxar.contract import JSON
from proxar.contract.alike import are_alike

STRING: JSON = {"type": "string"}
WORDED: JSON = {"type": "string", "description": "Words.", "default": "a", "title": "Name"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (STRING, WORDED),
        ({"properties": {"query": STRING}}, {"properties": {"query": WORDED}}),
        ({"anyOf": [STRING, {"type": "null"}]}, {"anyOf": [WORDED, {"type": "null"}]}),
        (
            {"$ref": "#/$defs/a", "$defs": {"a": STRING}},
            {"$ref": "#/$defs/a", "$defs": {"a": WORDED}},
        ),
    ],
)
def test_words_make_no_difference(before: JSON, after: JSON) -> None:
    """At any depth, in both directions."""
    assert are_alike(before, after)
    assert are_alike(after, before)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (STRING, {"type": "string", "maxLength": 3}),
        # A parameter may be called like an annotation, and an annotation's word may be data.
        ({"properties": {"title": STRING}}, {"properties": {}}),
        ({"const": {"title": "a"}}, {"const": {"title": "b"}}),
        ({"enum": [True]}, {"enum": [1]}),
        ({"const": 1}, {"const": True}),
        (True, 1),
        (None, {}),
    ],
)
def test_anything_else_may_make_one(before: JSON, after: JSON) -> None:
    """Unsure is no."""
    assert not are_alike(before, after)
    assert not are_alike(after, before)
