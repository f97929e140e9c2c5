"""What the walk says and what is proved, brought together."""

import pytest

from proxar.contract import JSON, Change, ToolList, Verdict, compare


def changes(before: JSON, after: JSON, side: str = "inputSchema") -> list[tuple[str, str, str]]:
    """Path without the tool, rule and verdict of every change between two schemas."""
    lists = [
        ToolList.of([{"name": "t", "inputSchema": {"type": "object"}, side: schema}])
        for schema in (before, after)
    ]
    return [
        (one.path.removeprefix(f"t.{side}").lstrip("."), one.rule, one.verdict.value)
        for one in compare(*lists).changes
    ]


def obj(**properties: JSON) -> dict[str, JSON]:
    """An object schema with these properties."""
    return {"type": "object", "properties": properties}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (obj(a={"not": {"type": "string"}}), obj(a={"not": {"anyOf": [{"type": "string"}]}})),
        (obj(a={"minLength": 1, "type": "integer"}), obj(a={"type": "integer"})),
        (obj(a={"oneOf": [{"const": 1}, {"const": 2}]}), obj(a={"enum": [1, 2]})),
        (
            obj(a={"type": "string", "pattern": "^[ab]$"}),
            obj(a={"type": "string", "pattern": "^(a|b)$"}),
        ),
        (
            {"type": "object", "required": ["a"], "minProperties": 1},
            {"type": "object", "required": ["a"]},
        ),
    ],
)
def test_says_nothing_about_words(before: JSON, after: JSON) -> None:
    """A change that is proved void is not told, in neither direction and on neither side."""
    for side in ("inputSchema", "outputSchema"):
        assert changes(before, after, side) == []
        assert changes(after, before, side) == []


def test_a_gain_that_looked_like_a_break_is_told_as_one() -> None:
    """The walk cannot tell which way a condition went; the proof can."""
    before = obj() | {"if": {"required": ["a"]}, "then": {"required": ["b", "c"]}}
    after = obj() | {"if": {"required": ["a"]}, "then": {"required": ["b"]}}

    assert changes(before, after) == [("then", "schema-widened", "compatible")]
    assert changes(after, before) == [("then", "schema-narrowed", "breaking")]


def test_a_break_that_no_keyword_shows_is_told_where_it_is() -> None:
    """A branch of oneOf that becomes wider takes the values away that another one accepts, too."""
    before = obj(a={"oneOf": [{"type": "string"}, {"type": "null"}]})
    after = obj(a={"oneOf": [{"type": ["string", "null"]}, {"type": "null"}]})

    assert any(
        path.startswith("properties.a") and verdict == "breaking"
        for path, _, verdict in changes(before, after)
    )


def test_shows_a_value_where_no_keyword_does() -> None:
    """The message of such a change holds a value that was valid and is not."""
    before = obj() | {"properties": {"a": False}}
    after = obj() | {"properties": {"a": False, "b": {"type": "string", "enum": [1]}}}
    lists = [ToolList.of([{"name": "t", "inputSchema": schema}]) for schema in (before, after)]

    found: list[Change] = [
        one for one in compare(*lists).changes if one.verdict is Verdict.BREAKING
    ]

    assert [one.rule for one in found] == ["schema-narrowed"]
    assert '"b":null' in found[0].message


@pytest.mark.parametrize(
    ("before", "after", "rule"),
    [
        (obj(a={}), obj(), "parameter-removed"),
        (obj(a={"type": "string"}), obj(), "parameter-removed"),
    ],
)
def test_proofs_do_not_overrule_the_product(before: JSON, after: JSON, rule: str) -> None:
    """A removed parameter is breaking even where every call stays valid."""
    assert [one[1:] for one in changes(before, after)] == [(rule, "breaking")]


def test_a_member_that_moved_into_an_applicator_is_still_declared() -> None:
    """It was not removed, and the set of values says what the move means."""
    before = obj(a={"type": "string"})
    after: dict[str, JSON] = {"type": "object", "allOf": [obj(a={"type": "string"})]}

    assert changes(before, after) == []
    closed: dict[str, JSON] = {"additionalProperties": False}
    assert changes(before | closed, after | closed) != []
    assert all(one[1] != "parameter-removed" for one in changes(before | closed, after | closed))


def test_a_new_parameter_keeps_its_leniency_next_to_a_real_break() -> None:
    """Each change stands for itself."""
    before = obj(a={"type": "string"})
    after = obj(a={"type": "string", "maxLength": 3}, b={"type": "string"})

    assert changes(before, after) == [
        ("properties.a.maxLength", "max-length-lowered", "breaking"),
        ("properties.b", "parameter-added", "compatible"),
    ]
