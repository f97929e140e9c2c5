"""Form v1: the texts are typed by hand, since people have their hashes in Git."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxar.contract import JSON, read
from proxar.contract.canonical import canonical, dump
from proxar.contract.keywords import Role
from tests.unit.contract.strategies import documents, schemas


@pytest.mark.parametrize(
    ("document", "text"),
    [
        (rb'{"b": [3, 1], "a": {"d": null, "c": true}}', b'{"a":{"c":true,"d":null},"b":[3,1]}'),
        (rb'"\b\f\n\r\t\"\\\/\u0000\u001F\u007f"', b'"\\b\\f\\n\\r\\t\\"\\\\/\\u0000\\u001f\x7f"'),
        (rb'"\u00e9\u200b\uD83D\uDE00\uD800"', '"é\u200b\U0001f600\\ud800"'.encode()),
        (rb"[1.0, 10, 1e1, -0, 1e400, 1E-7]", b"[1,10,10,0,1e400,1e-7]"),
        (
            rb'{"\uffff": 1, "\ud83d\ude00": 2, "Z": 3, "a": 4}',
            '{"Z":3,"a":4,"\uffff":1,"\U0001f600":2}'.encode(),
        ),
        (rb'{"required": ["b", "a"]}', b'{"required":["b","a"]}'),
        (b"[[], {}]", b"[[],{}]"),
    ],
)
def test_data_has_one_text(document: bytes, text: bytes) -> None:
    """Members by code point, shortest escapes, exact numbers; the order of arrays is kept."""
    assert canonical(read(document)) == text


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        (b'{"required": ["b", "a", "b"]}', b'{"required":["a","b"]}'),
        (b'{"type": ["string", "null"]}', b'{"type":["null","string"]}'),
        (b'{"enum": ["b", 1.0, 1, {"y": 1, "x": 2}]}', b'{"enum":["b",1,{"x":2,"y":1}]}'),
        (b'{"enum": [{"required": ["b", "a"]}]}', b'{"enum":[{"required":["b","a"]}]}'),
        (b'{"const": {"required": ["b", "a"]}}', b'{"const":{"required":["b","a"]}}'),
        (b'{"default": {"enum": [2, 1]}}', b'{"default":{"enum":[2,1]}}'),
        (b'{"examples": [{"type": ["b", "a"]}]}', b'{"examples":[{"type":["b","a"]}]}'),
        (b'{"x-vendor": {"enum": [2, 1]}}', b'{"x-vendor":{"enum":[2,1]}}'),
        (b'{"properties": {"enum": {"enum": [2, 1]}}}', b'{"properties":{"enum":{"enum":[1,2]}}}'),
        (
            b'{"properties": {"default": {"enum": [2, 1]}}}',
            b'{"properties":{"default":{"enum":[1,2]}}}',
        ),
        (b'{"properties": {"required": ["b", "a"]}}', b'{"properties":{"required":["b","a"]}}'),
        (b'{"anyOf": [{"enum": [2, 1]}, true]}', b'{"anyOf":[{"enum":[1,2]},true]}'),
        (b'{"items": [{"enum": [2, 1]}]}', b'{"items":[{"enum":[1,2]}]}'),
        (b'{"items": {"not": {"enum": [2, 1]}}}', b'{"items":{"not":{"enum":[1,2]}}}'),
        (b'{"$defs": {"const": {"enum": [2, 1]}}}', b'{"$defs":{"const":{"enum":[1,2]}}}'),
        (b'{"dependentRequired": {"a": ["c", "b"]}}', b'{"dependentRequired":{"a":["b","c"]}}'),
        (
            b'{"dependencies": {"a": ["c", "b"], "d": {"required": ["f", "e"]}}}',
            b'{"dependencies":{"a":["b","c"],"d":{"required":["e","f"]}}}',
        ),
        (
            b'{"prefixItems": [{"enum": [2, 1]}], "required": 1}',
            b'{"prefixItems":[{"enum":[1,2]}],"required":1}',
        ),
    ],
)
def test_sorts_what_is_a_set_and_only_there(schema: bytes, text: bytes) -> None:
    """A keyword's place makes it one; in data and among names the same word is nothing special."""
    assert canonical(read(schema), Role.SCHEMA) == text


@given(documents | schemas)
def test_reading_it_back_changes_nothing(value: JSON) -> None:
    """The canonical text is its own canonical text."""
    text = canonical(value)
    as_schema = canonical(value, Role.SCHEMA)

    assert canonical(read(text)) == text
    assert canonical(read(as_schema), Role.SCHEMA) == as_schema


@given(schemas, st.randoms(use_true_random=False))
def test_the_order_of_members_says_nothing(value: JSON, random: Random) -> None:
    """Shuffled members, however deep, have the same text."""

    def shuffled(part: JSON) -> JSON:
        if isinstance(part, dict):
            names = list(part)
            random.shuffle(names)
            return {name: shuffled(part[name]) for name in names}
        return [shuffled(item) for item in part] if isinstance(part, list) else part

    assert canonical(shuffled(value), Role.SCHEMA) == canonical(value, Role.SCHEMA)


def test_writes_a_thousand_levels() -> None:
    """As deep as the reader reads, indented or not."""
    value: JSON = {}
    for _ in range(999):
        value = {"items": value}

    assert canonical(value, Role.SCHEMA) == b'{"items":' * 999 + b"{}" + b"}" * 999
    assert read(dump(value, indent=True).encode()) is not None


def test_dump_keeps_the_order_of_members() -> None:
    """What people read begins with what its author put first."""
    assert dump({"b": 1, "a": [{}, {"c": []}]}) == '{"b":1,"a":[{},{"c":[]}]}'
    assert dump({"b": 1, "a": [2]}, indent=True) == '{\n  "b": 1,\n  "a": [\n    2\n  ]\n}'
