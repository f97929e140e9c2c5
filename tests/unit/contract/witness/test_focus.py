"""The way down to a change, read from its pointer."""

import pytest

from proxar.contract.path import Place
from proxar.contract.rules import change
from proxar.contract.witness.focus import ANY_MEMBER, Focus, Steps


@pytest.mark.parametrize(
    ("parts", "steps"),
    [
        (("required",), ()),
        (("properties", "a", "maxLength"), ("a",)),
        (("properties", "properties", "properties", "items", "type"), ("properties", "items")),
        (("properties", "a", "anyOf", "1", "items", "enum"), ("a", 0)),
        (("properties", "a", "prefixItems", "2", "type"), ("a", 2)),
        (("properties", "a", "items", "1", "type"), ("a", 1)),
        (("properties", "a", "items"), ("a",)),
        (("additionalProperties",), (ANY_MEMBER,)),
        (("additionalProperties", "properties", "b"), (ANY_MEMBER, "b")),
        (("patternProperties", "^x", "type"), (ANY_MEMBER,)),
        (("then", "properties", "a", "minimum"), ("a",)),
        (("$defs", "shared", "properties", "a"), ()),
    ],
)
def test_goes_from_keywords_to_values(parts: tuple[str, ...], steps: Steps) -> None:
    """Names below `properties` are data, branches are no step, an unknown way ends it."""
    assert Focus.at(list(parts)).steps == steps


def test_reads_the_pointer_of_a_change() -> None:
    """With its escapes, and what the rule says besides."""
    place = Place("t").at("inputSchema", "properties", "a/b~c", "enum")

    focus = Focus.of(change("enum-value-removed", place, "gone", before="x"))

    assert focus == Focus(("a/b~c",), values=("x",))


def test_knows_what_a_change_is_about() -> None:
    """The parameter that is required now, the one that is gone, the one that needs others."""
    schema = Place("t").at("inputSchema")
    required = change("parameter-became-required", schema.at("required"), "", parameter="b")
    removed = change("parameter-removed", schema.at("properties", "b"), "", parameter="b")
    needed = change("dependency-added", schema.at("dependentRequired", "b"), "")

    assert Focus.of(required) == Focus(parameter="b")
    assert Focus.of(removed) == Focus(("b",), parameter="b", is_removal=True)
    assert Focus.of(needed) == Focus(trigger="b")
