"""The leniency towards new optional parameters, and where it ends."""

import pytest

from proxar.contract import JSON
from proxar.contract.containment import Contained, decide


def obj(**properties: JSON) -> dict[str, JSON]:
    """An object schema with these properties."""
    return {"type": "object", "properties": properties}


TEXT: JSON = {"type": "string"}
WHOLE: JSON = {"type": "integer"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (obj(a=TEXT), obj(a=TEXT, b=TEXT)),
        (obj(a=obj(b=TEXT)), obj(a=obj(b=TEXT, c=WHOLE))),
        ({"type": "array", "items": obj(a=TEXT)}, {"type": "array", "items": obj(a=TEXT, b=WHOLE)}),
        ({"anyOf": [obj(a=TEXT), TEXT]}, {"anyOf": [obj(a=TEXT, b=WHOLE), TEXT]}),
        ({"type": "object"}, obj(a=TEXT)),
    ],
)
def test_a_new_optional_parameter_of_an_open_object_narrows_nothing(
    before: JSON, after: JSON
) -> None:
    """Nobody who kept to what was declared sent it; taken as sets, the object is narrower."""
    assert decide(before, after, is_lenient=True) == Contained()
    assert decide(before, after) != Contained()


@pytest.mark.parametrize(
    ("why", "before", "after"),
    [
        ("it was declared", obj(a={}), obj(a=TEXT)),
        ("it was required", obj() | {"required": ["a"]}, obj(a=TEXT)),
        ("an alternative declared it", {"anyOf": [obj(a=TEXT), obj(b=TEXT)]}, obj(a=TEXT, b=WHOLE)),
        (
            "a condition declared it",
            {"type": "object", "dependentSchemas": {"b": obj(a=TEXT)}},
            obj(a=WHOLE),
        ),
        (
            "an alternative declared it beside one that takes all",
            {"type": "object", "anyOf": [obj(a=TEXT), {}]},
            obj(a=WHOLE),
        ),
        ("a map covered it", {"type": "object", "additionalProperties": TEXT}, obj(a=WHOLE)),
        ("a pattern covered it", {"type": "object", "patternProperties": {"^a": {}}}, obj(a=WHOLE)),
        ("it may not be sent at all", obj(a=TEXT), obj(a=TEXT, b=False)),
        ("it is required", obj(a=TEXT), obj(a=TEXT, b=TEXT) | {"required": ["b"]}),
        ("others are refused", obj(a=TEXT), obj(a=TEXT, b=TEXT) | {"additionalProperties": False}),
        ("nothing was said about objects", {}, obj(b=TEXT)),
    ],
)
def test_any_other_narrowing_counts(why: str, before: JSON, after: JSON) -> None:
    """The leniency is about new, optional members of merely open objects; nothing else."""
    assert decide(before, after, is_lenient=True) != Contained(), why
