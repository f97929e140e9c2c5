"""Which alternative is which, and when its texts are news."""

import pytest

from proxar.contract import JSON, ToolList, compare
from proxar.contract.branches import MAX_PAIRS

STRING: JSON = {"type": "string"}
INTEGER: JSON = {"type": "integer"}
NULL: JSON = {"type": "null"}


def described(text: str, **schema: JSON) -> JSON:
    return {**schema, "description": text}


def choice(*alternatives: JSON) -> JSON:
    return {"anyOf": list(alternatives)}


def titled(*values: JSON, title: str = "") -> JSON:
    return {"oneOf": [{"const": value, "title": title or f"the {value}"} for value in values]}


def found(before: JSON, after: JSON) -> list[tuple[str, str]]:
    """Rule and place of all changes of a parameter."""
    lists = (
        ToolList.of([{"name": "t", "inputSchema": {"type": "object", "properties": {"v": it}}}])
        for it in (before, after)
    )
    return sorted(
        (change.rule, change.path.removeprefix("t.inputSchema.properties.v."))
        for change in compare(*lists).changes
    )


A = described("D", type="string", enum=["a"])


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        (
            A,
            described("D", type="string", enum=["a", "b"]),
            [("enum-value-added", "anyOf[0].enum")],
        ),
        (A, described("D", type="string"), [("type-widened", "anyOf[0].enum")]),
        (A, described("D", type=["string", "null"], enum=["a", None]), []),
        (described("D", type="string"), described("D", type=["string", "null"]), []),
        (
            described("D", type="string"),
            described("E", type=["string", "null"]),
            [("description-changed", "anyOf[0].description")],
        ),
        (
            described("D", type="string", enum=["a", "b"]),
            A,
            [("enum-value-removed", "anyOf[0].enum")],
        ),
        (
            {"type": "string", "enum": ["a"], "default": "a"},
            {"type": "string", "enum": ["a", "b"], "default": "a"},
            [("enum-value-added", "anyOf[0].enum")],
        ),
        (
            described("D", type="string"),
            described("E", type="integer"),
            [("description-changed", "anyOf[0].description"), ("type-changed", "anyOf")],
        ),
    ],
)
def test_what_an_edited_alternative_still_says_is_no_change(
    before: JSON, after: JSON, changes: list[tuple[str, str]]
) -> None:
    """It is the same alternative before and after, though it accepts something else."""
    assert found(choice(before, NULL), choice(after, NULL)) == changes


def test_a_silent_alternative_is_no_partner() -> None:
    """The one that joined the other said nothing, so the text is that of the other."""
    before, after = described("D", type="string"), described("E", type=["null", "string"])

    changes = found(choice(NULL, before), choice(after))

    assert changes == [("description-changed", "anyOf[0].description")]


def test_an_alternative_that_was_split_keeps_its_text() -> None:
    """Only the text of the other part is news; its value is not."""
    whole = described("D", type="string", enum=["a", "b"])

    changes = found(choice(whole, NULL), choice(A, described("E", enum=["b"]), NULL))

    assert changes == [("description-added", "anyOf[1].description")]


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        (titled("r"), titled("r", "g"), [("enum-value-added", "oneOf[1].const")]),
        (titled("r", "g", "b"), titled("r", "b"), [("enum-value-removed", "oneOf[1].const")]),
        (
            titled("r", "g"),
            titled("g", "b"),
            [("enum-value-added", "oneOf[1].const"), ("enum-value-removed", "oneOf[0].const")],
        ),
        (
            titled("r", "g"),
            titled("b", "g"),
            [("enum-value-added", "oneOf[0].const"), ("enum-value-removed", "oneOf[0].const")],
        ),
        (titled("r", 1), titled("r", 1, 2), [("enum-value-added", "oneOf[2].const")]),
        (titled("r"), titled("r", None), [("enum-value-added", "oneOf[1].const")]),
        (
            choice({"const": "r"}, INTEGER),
            choice({"const": "r"}, {"const": "g", "title": "G"}, INTEGER),
            [("enum-value-added", "anyOf[1].const")],
        ),
        (
            choice(STRING),
            choice(STRING, described("D", type="integer")),
            [("type-widened", "anyOf")],
        ),
        (STRING, choice(STRING, described("D", type="integer")), [("type-widened", "anyOf")]),
        (
            choice(STRING, described("D", type="array")),
            choice(STRING),
            [("type-narrowed", "anyOf")],
        ),
    ],
)
def test_an_alternative_that_came_or_went_takes_its_texts_along(
    before: JSON, after: JSON, changes: list[tuple[str, str]]
) -> None:
    """The change of values tells of it, at the alternative that lists the value."""
    assert found(before, after) == changes


IMPOSSIBLE = described("D", type="object", required=["a"], properties={"a": False})


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (choice(STRING), choice(STRING, A)),
        (choice(STRING), choice(STRING, IMPOSSIBLE)),
        (
            {"type": "string", "anyOf": [STRING]},
            {"type": "string", "anyOf": [STRING, described("D", type="integer")]},
        ),
        (
            {"not": INTEGER, "anyOf": [STRING]},
            {"not": INTEGER, "anyOf": [STRING, described("D", type="integer")]},
        ),
    ],
)
def test_the_text_of_an_alternative_that_changes_no_values_is_told(
    before: JSON, after: JSON
) -> None:
    """Nothing else would tell of it, and a model reads it."""
    assert found(before, after) == [("description-added", "anyOf[1].description")]
    assert found(after, before) == [("description-removed", "anyOf[1].description")]


def test_texts_of_too_many_alternatives_are_told_one_by_one() -> None:
    """Nothing is lost where alternatives are too many to be held against each other."""
    count = int(MAX_PAIRS**0.5) + 1
    before: list[JSON] = [described("D", enum=[f"{n}", f"{n}!"]) for n in range(count)]
    after: list[JSON] = [described("D", enum=[f"{n}", f"{n}?"]) for n in range(count)]

    rules = [rule for rule, _ in found({"oneOf": before}, {"oneOf": after})]

    assert rules.count("description-added") == rules.count("description-removed") == count
