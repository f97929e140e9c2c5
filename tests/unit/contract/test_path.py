"""Where a change is, for people and for machines."""

import pytest

from proxar.contract.path import Place


@pytest.mark.parametrize(
    ("place", "path", "pointer"),
    [
        (Place("search_issues"), "search_issues", ""),
        (
            Place("get-issue").at("inputSchema", "required"),
            "get-issue.inputSchema.required",
            "/inputSchema/required",
        ),
        (Place("a").at("anyOf", 0, "type"), "a.anyOf[0].type", "/anyOf/0/type"),
        (
            Place("a.b").at("properties", "x y"),
            '["a.b"].properties["x y"]',
            "/properties/x y",
        ),
        (Place("a").at("properties", "~/"), 'a.properties["~/"]', "/properties/~0~1"),
        (Place("a").at("properties", 'q"'), r'a.properties["q\""]', '/properties/q"'),
        (Place("a").at("properties", "é"), 'a.properties["é"]', "/properties/é"),
        (Place("a").at("properties", "b\u200b"), r'a.properties["b\u200b"]', "/properties/b\u200b"),
        (Place("").at("x"), '[""].x', "/x"),
        (Place("1st"), '["1st"]', ""),
        (Place("$ref").at("x-mcp-header"), "$ref.x-mcp-header", "/x-mcp-header"),
        (Place("a\n"), r'["a\n"]', ""),
    ],
)
def test_names_the_place(place: Place, path: str, pointer: str) -> None:
    """A name that is no identifier is quoted, nothing in it invisible; the pointer is exact."""
    assert place.path == path
    assert place.pointer == pointer
