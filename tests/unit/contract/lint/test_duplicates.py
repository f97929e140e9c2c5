"""Members that an object has twice: found in bytes, told by their place."""

import pytest

from proxar.contract import parse
from proxar.contract.lint import Finding, lint


def _lint(document: str) -> list[Finding]:
    data = document.encode()
    return [found for found in lint(parse(data), data) if found.rule == "lint-key-duplicated"]


TOOL = '{"name": "open_issue", "inputSchema": {"type": "object", "type": "object"}}'


@pytest.mark.parametrize(
    "document",
    [
        f"[{TOOL}]",
        f'{{"tools": [{TOOL}]}}',
        f'{{"jsonrpc": "2.0", "result": {{"tools": [{TOOL}]}}}}',
    ],
)
def test_finds_them_in_every_form_of_a_list(document: str) -> None:
    """Equal values are a mistake as well: somebody wrote it twice."""
    (found,) = _lint(document)

    assert (found.path, found.pointer) == (
        "open_issue.inputSchema.type",
        "/inputSchema/type",
    )


def test_tells_a_member_once_however_often_it_is_there() -> None:
    """And each member of its own."""
    found = _lint('[{"name": "a", "name": "b", "name": "c", "x": 1, "x": 2}]')

    assert [each.path for each in found] == ["c.name", "c.x"]


def test_members_around_the_list_belong_to_no_tool() -> None:
    """The list itself may be there twice."""
    (found,) = _lint('{"tools": [], "tools": [{"name": "a", "inputSchema": {"type": "object"}}]}')

    assert (found.tool, found.path) == ("", "")
    assert '"tools"' in found.message


def test_without_bytes_nothing_is_known() -> None:
    """A reader keeps the last one."""
    assert lint(parse(f"[{TOOL}]".encode())) == ()


def test_a_document_that_is_too_deep_is_left_alone() -> None:
    """It is told as nested too deep."""
    deep = "[" * 900 + "]" * 900
    data = f'[{{"name": "a", "inputSchema": {{"type": "object", "default": {deep}}}}}]'.encode()

    assert "lint-nesting-deep" in {found.rule for found in lint(parse(data), data)}
