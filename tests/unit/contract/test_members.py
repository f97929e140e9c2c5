"""Members of an object schema, and the way to a schema by its pointer."""

from proxar.contract.document import Document
from proxar.contract.members import at_pointer, members, parts_of, types
from proxar.contract.value import JSON, MISSING

ROOT: JSON = {
    "properties": {
        "issue": {"$ref": "#/$defs/Issue"},
        "a/b~c": {"items": [{"type": "string"}]},
    },
    "allOf": [{"properties": {"extra": {"type": "integer"}}, "required": ["extra", 3]}],
    "required": ["issue"],
    "$defs": {
        "Issue": {"type": ["object", "null"], "properties": {"title": {"type": "string"}}},
        "Loop": {"$ref": "#/$defs/Loop"},
    },
}
DOCUMENT = Document(ROOT)


def test_members_are_looked_up_in_place() -> None:
    """Through `allOf` and references; a loop ends."""
    found = members(DOCUMENT, ROOT)

    assert list(found.properties) == ["extra", "issue", "a/b~c"]
    assert found.required == {"extra", "issue"}
    assert members(DOCUMENT, {"$ref": "#/$defs/Loop"}).properties == {}
    assert members(DOCUMENT, {"$ref": "#/nowhere", "properties": 3, "allOf": None}).properties == {}


def test_a_pointer_passes_through_references() -> None:
    """It is written for the place that refers."""
    for pointer, expected in (
        ("/properties/issue/properties/title", {"type": "string"}),
        ("/properties/extra", {"type": "integer"}),
        ("/properties/a~1b~0c/items/0", {"type": "string"}),
        ("", ROOT),
        ("/properties/nobody/properties/x", MISSING),
        ("/properties/a~1b~0c/items/7", MISSING),
        ("/properties", MISSING),
        ("/items/x", MISSING),
    ):
        assert at_pointer(DOCUMENT, parts_of(pointer)) == expected


def test_types_are_those_of_all_alternatives_without_null() -> None:
    """`anyOf` of a type and null is the type."""
    assert types(DOCUMENT, {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/Issue"}]}) == {"object"}
    assert types(DOCUMENT, True) == frozenset()
