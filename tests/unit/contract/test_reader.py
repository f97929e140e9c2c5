"""Strict reading: what is refused, what is kept, and that nothing else ever happens."""

import asyncio
import json
from contextlib import suppress
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from proxar.contract import JSON, ContractError, dump, read
from proxar.contract.reader import MAX_DEPTH, MAX_NUMBER
from tests.unit.contract.strategies import documents


def refusal(data: bytes) -> ContractError:
    with pytest.raises(ContractError) as caught:
        read(data)
    return caught.value


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "line 1 column 1"),
        (b"nul", "line 1 column 1"),
        (b'{"a": NaN}', "NaN and Infinity are no values at line 1 column 7"),
        (b"[-Infinity]", "line 1 column 2"),
        (b'{"a": 1} x', "Extra data at line 1 column 10"),
        (b'{"a": 1,}', "column 9"),
        (b"{'a': 1}", "column 2"),
        (b"[01]", "column 3"),
        (b"[1.]", "column 3"),
        (b'["\x01"]', "Invalid control character"),
        (b'"\xff"', "not UTF-8 at byte 1"),
        ('"é"'.encode("utf-16"), "not UTF-8"),
        (b'"\xed\xa0\x80"', "not UTF-8"),
    ],
)
def test_refuses_what_is_not_json(data: bytes, says: str) -> None:
    """The message says what is wrong and where, for documents that are shallow and deep alike."""
    deep = b"[" * 200 + data + b"]" * 200 if data else b"[" * 200

    error = refusal(data)

    assert error.reason == "MalformedResponse"
    assert says in error.message
    assert refusal(deep).reason == "MalformedResponse"


def test_keeps_numbers_exact() -> None:
    """No number passes through a float."""
    value = read(b"[9007199254740993, 0.1, 1e400, 1.50, -0.0]")

    assert value == [
        9007199254740993,
        Decimal("0.1"),
        Decimal("1e400"),
        Decimal("1.50"),
        Decimal("-0.0"),
    ]
    assert isinstance(value, list)
    assert [type(number) for number in value] == [int, Decimal, Decimal, Decimal, Decimal]


@pytest.mark.parametrize("wrap", [1, 300])
def test_skips_a_byte_order_mark_and_keeps_lone_surrogates(wrap: int) -> None:
    """Both occur in what real servers send."""
    value = read(b"\xef\xbb\xbf" + b"[" * wrap + rb'"\ud800 \ud83d\ude00"' + b"]" * wrap)

    for _ in range(wrap):
        assert isinstance(value, list)
        value = value[0]
    assert value == "\ud800 \U0001f600"


@pytest.mark.parametrize("wrap", [0, 300])
def test_takes_the_last_of_duplicate_keys(wrap: int) -> None:
    """As every common reader does, so that all see the same."""
    value = read(b"[" * wrap + b'{"a": {"x": 1}, "b": 2, "a": 3}' + b"]" * wrap)

    assert dump(value).strip("[]") == '{"a":3,"b":2}'


@pytest.mark.parametrize("opener", [b"[", b'{"a":'])
def test_reads_up_to_the_depth_limit(opener: bytes) -> None:
    """The limit itself passes, one more does not."""
    closer = b"]" if opener == b"[" else b"}"

    read(opener * (MAX_DEPTH - 1) + b"[]" + closer * (MAX_DEPTH - 1))

    assert refusal(opener * MAX_DEPTH + b"[]" + closer * MAX_DEPTH).reason == "TooLarge"
    assert refusal(opener * 200_000).reason == "TooLarge"


def test_brackets_in_strings_have_no_depth() -> None:
    """Only structure counts, with quotes and backslashes escaped in all ways."""
    text = "[" * 2_000 + '"\\\\"' + "{" * 2_000 + "\\"

    assert read(json.dumps([text, [text]]).encode()) == [text, [text]]


async def test_reads_deep_documents_from_deep_inside_a_program() -> None:
    """The stack that is left is none of the reader's business."""

    async def descend(levels: int) -> JSON:
        if levels:
            return await descend(levels - 1)
        await asyncio.sleep(0)
        return read(b'{"a":[' * 499 + b"1" + b"]}" * 499)

    assert await descend(700) is not None


def test_refuses_numbers_without_end() -> None:
    """A number is short, or the document is too large."""
    read(b"1" * MAX_NUMBER)

    for token in (b"1" * (MAX_NUMBER + 1), b"0." + b"1" * 5_000, b"1e99999999999999999999"):
        assert refusal(token).reason == "TooLarge"
        assert refusal(b"[" * 200 + token + b"]" * 200).reason == "TooLarge"


@given(st.binary(max_size=60))
@example(b'"\\')
@example(b'{"a":"\\u12')
def test_never_fails_in_another_way(data: bytes) -> None:
    """Any bytes are a value or a ContractError."""
    with suppress(ContractError):
        read(data)


@given(documents, st.data())
def test_never_fails_on_damaged_json(value: JSON, data: st.DataObject) -> None:
    """A byte changed anywhere is a value or a ContractError, and both readers agree on which."""
    text = bytearray(dump(value).encode())
    place = data.draw(st.integers(0, len(text) - 1))
    text[place] = data.draw(st.sampled_from(b'[]{}",:\\0-eE. ntfN\x80\xff'))

    results: list[str] = []
    for wrap in (0, 150):
        try:
            found = read(b'{"a":' * wrap + bytes(text) + b"}" * wrap)
        except ContractError as error:
            results.append(error.reason)
        else:
            results.append(dump(found).removeprefix('{"a":' * wrap).removesuffix("}" * wrap))
    # Nothing at all has a reason of its own.
    if text.strip():
        assert results[0] == results[1]


@given(documents)
def test_reads_back_what_was_written(value: JSON) -> None:
    """Reading and writing lose nothing."""
    assert dump(read(dump(value).encode())) == dump(value)
    assert dump(read(dump(value, indent=True).encode())) == dump(value)
