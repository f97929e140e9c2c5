"""docs/reference/hash.md says what the product does: its examples, its table, and a second
implementation that knows the page only.
"""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxar.contract import JSON, ContractError, ToolList, dump, parse
from proxar.contract.keywords import MEMBER_ROLES, Role
from tests.unit.contract import independent_hash
from tests.unit.contract.strategies import documents, tools

CASES = Path(__file__).parent / "cases"
PAGE = (Path(__file__).parents[3] / "docs/reference/hash.md").read_text(encoding="utf-8")

EXAMPLE = re.compile(
    r"^### (?P<title>.+?)\n\n[^`]?.*?"
    r"```json\n(?P<input>.*?)\n```\n\n```text\n(?P<text>.*?)\n```\n\n`(?P<hash>sha256:[0-9a-f]{64})`$",
    re.DOTALL | re.MULTILINE,
)
EXAMPLES = list(EXAMPLE.finditer(PAGE.partition("## Worked examples")[2]))
IDS = [example["title"] for example in EXAMPLES]


def array_of(document: bytes) -> bytes:
    """The array that the independent implementation takes; `dump` keeps members in their order, of
    twins the last.
    """
    return as_array([tool.definition for tool in parse(document).tools])


def as_array(items: list[JSON]) -> bytes:
    return dump(items).encode()


def test_the_page_has_its_examples() -> None:
    """A changed layout must not leave the tests below without any."""
    assert len(EXAMPLES) == PAGE.count("```json") == PAGE.count("```text") >= 7


@pytest.mark.parametrize("example", EXAMPLES, ids=IDS)
def test_the_product_computes_the_examples(example: re.Match[str]) -> None:
    found = parse(example["input"].encode())

    assert found.canonical().decode() == example["text"]
    assert found.hash == example["hash"]


@pytest.mark.parametrize("example", EXAMPLES, ids=IDS)
def test_the_page_alone_leads_to_the_examples(example: re.Match[str]) -> None:
    given_array = example["input"].lstrip().startswith("[")
    document = example["input"].encode()
    items = document if given_array else array_of(document)

    assert independent_hash.canonical(items).decode() == example["text"]
    assert independent_hash.hash_of(items) == example["hash"]


@pytest.mark.parametrize("example", EXAMPLES, ids=IDS)
def test_a_canonical_text_is_its_own(example: re.Match[str]) -> None:
    """A lock file holds it, and must give the same hash."""
    assert parse(example["text"].encode()).hash == example["hash"]


@given(st.lists(tools | documents, max_size=4))
def test_both_agree_on_anything(items: list[JSON]) -> None:
    """Keywords in wrong places, entries that are no tools, numbers and text of any kind."""
    assert independent_hash.canonical(as_array(items)) == ToolList.of(items).canonical()


@given(st.text(st.characters(), max_size=20))
def test_both_agree_on_every_character(text: str) -> None:
    """Controls and lone surrogates included."""
    items: list[JSON] = [{"name": text, text: [text]}, text]
    document = dump(items).encode()

    assert independent_hash.hash_of(document) == parse(document).hash


@given(st.from_regex(r"\A-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?([eE][-+]?[0-9]{1,4})?\Z"))
def test_both_agree_on_every_number(number: str) -> None:
    """However it is spelt."""
    document = f'[{{"name":"a","default":{number}}}]'.encode()

    assert independent_hash.canonical(document) == parse(document).canonical()


def test_both_agree_on_all_golden_cases() -> None:
    for path in sorted(CASES.glob("*/*/*.json")):
        document = path.read_bytes()
        assert independent_hash.hash_of(array_of(document)) == parse(document).hash, path


NAMES_OF_ROLES = {
    Role.DATA: "data",
    Role.TOOL: "tool",
    Role.SCHEMA: "schema",
    Role.NAMED_SCHEMAS: "named schemas",
    Role.SET: "set",
    Role.NAMED_SETS: "named sets",
    Role.DEPENDENCIES: "dependencies",
    Role.DEPENDENCY: "dependency",
}


def test_the_table_of_positions_is_the_products() -> None:
    """Form v1 never changes in place: a keyword that is added to the code must not be one of the
    hash.
    """
    rows = re.findall(r"^\| (tool|schema) \| (`.+) \| (.+?) \|$", PAGE, re.MULTILINE)
    page = {
        (where, name): role
        for where, names, role in rows
        for name in re.findall(r"`([^`]+)`", names)
    }
    product = {
        (NAMES_OF_ROLES[where], name): NAMES_OF_ROLES[role]
        for where in (Role.TOOL, Role.SCHEMA)
        for name, role in MEMBER_ROLES[where][0].items()
    }

    assert page == product
    assert MEMBER_ROLES[Role.DEPENDENCY] == MEMBER_ROLES[Role.SCHEMA]
    others = re.findall(r"^\| (\w[\w ]+) \| every one \| (.+?) \|$", PAGE, re.MULTILINE)
    assert dict(others) == {
        NAMES_OF_ROLES[role]: NAMES_OF_ROLES[other]
        for role, (_, other) in MEMBER_ROLES.items()
        if other is not Role.DATA
    }


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (b"[NaN]", "MalformedResponse"),
        (b'["\xff"]', "MalformedResponse"),
        (b"[] []", "MalformedResponse"),
        (b"[" + b"1" * 1_001 + b"]", "TooLarge"),
        (b"[1e1000000000000000000]", "TooLarge"),
        (b"[" * 1_001 + b"]" * 1_001, "TooLarge"),
    ],
    ids=["NaN", "no UTF-8", "two values", "long number", "long exponent", "deep"],
)
def test_what_the_page_refuses_has_no_hash(document: bytes, reason: str) -> None:
    with pytest.raises(ContractError) as caught:
        parse(document)

    assert caught.value.reason == reason


def test_what_the_page_allows_has_one() -> None:
    """At the limits, and with a byte order mark."""
    assert parse(b"\xef\xbb\xbf[]").hash == parse(b"[]").hash
    assert parse(b"[" * 1_000 + b"]" * 1_000)
    assert parse(b"[" + b"1" * 1_000 + b"]")
    assert parse(b"[1e999999999999999999]")
