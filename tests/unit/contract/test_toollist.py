"""Tool lists: what is read, what the hash says, and the lock file."""

import json
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxar.contract import JSON, ContractError, ToolList, parse
from tests.unit.contract.strategies import documents, tools

LIST: list[JSON] = [
    {
        "name": "search_issues",
        "description": "Find issues.",
        "inputSchema": {
            "type": "object",
            "properties": {"query": {"type": "string"}, "state": {"enum": ["open", "closed"]}},
            "required": ["query", "state"],
        },
    },
    {"name": "close_issue", "inputSchema": {"type": "object"}},
]

TEXT = (
    b'[{"inputSchema":{"type":"object"},"name":"close_issue"},'
    b'{"description":"Find issues.","inputSchema":{"properties":{"query":{"type":"string"},'
    b'"state":{"enum":["closed","open"]}},"required":["query","state"],"type":"object"},'
    b'"name":"search_issues"}]'
)


def test_the_hash_is_that_of_the_typed_text() -> None:
    """Anybody can recompute it from the text with one tool."""
    tool_list = ToolList.of(LIST)

    assert tool_list.canonical() == TEXT
    assert tool_list.hash == f"sha256:{sha256(TEXT).hexdigest()}"
    assert (
        tool_list.hash == "sha256:4e183aeb6a5a81c43c0f8101ed8a398d821f9335939e5ea8ccfda9fe2ff3aa73"
    )


def test_the_hash_of_no_tools() -> None:
    """Two brackets."""
    assert ToolList.of([]).hash == f"sha256:{sha256(b'[]').hexdigest()}"


@pytest.mark.parametrize(
    "document",
    [
        LIST,
        {"tools": LIST, "nextCursor": None, "ttlMs": 5, "_meta": {"a": 1}},
        {"jsonrpc": "2.0", "id": 7, "result": {"tools": LIST}},
        {"apiVersion": "proxar.dev/v1", "protocolVersion": "2025-11-25", "tools": LIST},
    ],
)
def test_finds_the_tools_in_all_that_people_keep(document: JSON) -> None:
    """A bare list, a result, a whole answer, a lock file; what is around them is not hashed."""
    tool_list = parse(json.dumps(document).encode())

    assert tool_list.hash == ToolList.of(LIST).hash
    assert [tool.name for tool in tool_list.tools] == ["search_issues", "close_issue"]
    assert tool_list.tools[0].definition == LIST[0]


@pytest.mark.parametrize(
    ("document", "says"),
    [
        (None, "found null"),
        (7, "found a number"),
        ("tools", "found a string"),
        ({}, "no members"),
        ({"name": "a", "inputSchema": {}}, "inputSchema, name"),
        ({"tools": {"a": {}}}, "tools is an object and not an array"),
        ({"tools": None}, "tools is null"),
        ({"result": {"content": []}}, "result.tools is missing"),
        ({"result": {"tools": 1}}, "result.tools is a number"),
        (
            {"error": {"code": -32601, "message": "Method\n not found"}},
            'error -32601: "Method\\n not found"',
        ),
        ({"error": "no"}, "a string"),
        ({"apiVersion": "proxar.dev/v9", "tools": []}, '"proxar.dev/v9" and not proxar.dev/v1'),
        ({"apiVersion": "proxar.dev/v1", "hash": "sha256:0", "tools": []}, "edited or cut"),
    ],
)
def test_says_what_it_found_instead(document: JSON, says: str) -> None:
    """The message names the part that is wrong."""
    with pytest.raises(ContractError) as caught:
        parse(json.dumps(document).encode())

    assert caught.value.reason == "ProtocolError"
    assert says in caught.value.message


def test_a_malformed_entry_hides_no_other() -> None:
    """What has no name goes by its place."""
    tool_list = parse(b'[null, {"name": "a"}, {"inputSchema": {}}, {"name": 4}]')

    assert [(tool.name, tool.is_named) for tool in tool_list.tools] == [
        ("#1", False),
        ("a", True),
        ("#3", False),
        ("#4", False),
    ]


def test_the_lock_file_is_made_for_git() -> None:
    """Indented, sorted, the same bytes for the same contract, and a newline at the end."""
    server: JSON = {"name": "issues", "version": "1.2.0"}

    text = ToolList.of(LIST).lock_file(server=server, protocol_version="2025-11-25")

    assert text == ToolList.of(LIST[::-1]).lock_file(server=server, protocol_version="2025-11-25")
    assert text.endswith(b"\n}\n")
    assert list(json.loads(text)) == ["apiVersion", "server", "protocolVersion", "hash", "tools"]
    assert b'\n      "name": "close_issue"\n' in text
    assert parse(text).protocol_version == "2025-11-25"


@given(st.lists(tools | documents, max_size=4))
def test_a_lock_file_reads_back_with_its_hash(items: list[JSON]) -> None:
    """Whatever a server sends can be kept, surrogates and odd entries included."""
    tool_list = ToolList.of(items)

    kept = parse(tool_list.lock_file(server=None, protocol_version=None))

    assert kept.hash == tool_list.hash
    assert parse(tool_list.canonical()).hash == tool_list.hash


@given(st.lists(tools, min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_the_order_of_tools_and_members_says_nothing(items: list[JSON], random: Random) -> None:
    """A server may list its tools in any order, and its language may sort members as it likes."""

    def shuffled(value: JSON) -> JSON:
        if isinstance(value, dict):
            names = list(value)
            random.shuffle(names)
            return {name: shuffled(value[name]) for name in names}
        return [shuffled(item) for item in value] if isinstance(value, list) else value

    mixed = [shuffled(item) for item in items]
    random.shuffle(mixed)

    assert ToolList.of(mixed).hash == ToolList.of(items).hash


@given(tools, st.text(max_size=4))
def test_any_other_value_has_another_hash(tool: JSON, text: str) -> None:
    """Everything that a tool holds counts."""
    assert isinstance(tool, dict)
    changed = tool | {"title": text}

    assert ToolList.of([changed]).hash != ToolList.of([tool]).hash


def test_every_spelling_has_one_hash() -> None:
    """White space, escapes, number spelling, and the order and repetition of sets."""
    one = (
        rb'[{"name":"a","inputSchema":{"type":["object","null"],'
        rb'"required":["x","y"],"maximum":10}}]'
    )
    other = rb"""[ { "inputSchema": {"maximum": 1.00e1, "required": ["y", "x", "y"],
        "type": ["null", "object"]}, "name": "\u0061" } ]"""

    assert parse(one).hash == parse(other).hash


def test_a_case_of_the_golden_folder_is_a_tool_list() -> None:
    """The golden cases are read by the reader that people use."""
    folder = Path(__file__).parent / "cases" / "tool-added" / "one-more"

    assert len(parse((folder / "after.json").read_bytes()).tools) == 2
