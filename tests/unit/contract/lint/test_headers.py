"""`x-mcp-header`: the places and types at which MCP takes it."""

from typing import Any

import pytest

from proxar.contract.vocabulary import HEADER
from tests.unit.contract.lint.lists import issue_tool, linted


def _rules(**properties: Any) -> list[str]:
    return [each.rule for each in linted(issue_tool(**properties))]


@pytest.mark.parametrize("kind", ["string", "integer", "boolean", ["string", "null"]])
def test_takes_primitive_parameters(kind: object) -> None:
    """In objects inside objects, too."""
    project = {"type": "object", "properties": {"key": {"type": kind, HEADER: "X-Key"}}}

    assert _rules(key={"type": kind, HEADER: "X-Other"}, project=project) == []


@pytest.mark.parametrize("kind", ["number", "array", None, ["string", "number"], []])
def test_refuses_other_types(kind: object) -> None:
    """A number has several spellings; none at all is no type."""
    schema = {HEADER: "X-Key"} | ({} if kind is None else {"type": kind})

    assert "lint-header-type" in _rules(key=schema)


@pytest.mark.parametrize("name", ["", "X Key", "X:Key", "Größe", "a\nb", 3, None, ["X-Key"]])
def test_refuses_what_is_no_token(name: object) -> None:
    """RFC 9110, section 5.6.2."""
    assert "lint-header-invalid" in _rules(key={"type": "string", HEADER: name})


@pytest.mark.parametrize("keyword", ["anyOf", "allOf", "prefixItems"])
def test_refuses_what_is_not_reached_by_properties_alone(keyword: str) -> None:
    """An alternative, an item; a definition and the root likewise."""
    inner = {"type": "string", HEADER: "X-Key"}

    assert _rules(key={keyword: [inner]}) == ["lint-header-misplaced"]


def test_refuses_the_root() -> None:
    """It is no parameter."""
    tool = issue_tool()
    tool["inputSchema"][HEADER] = "X-Root"

    assert [each.rule for each in linted(tool)] == ["lint-header-misplaced"]


def test_names_who_has_the_header_already() -> None:
    """Case does not tell two headers apart."""
    (found,) = linted(
        issue_tool(
            first={"type": "string", HEADER: "X-Key"}, second={"type": "string", HEADER: "x-kEY"}
        )
    )

    assert found.message == (
        '"x-kEY" is the header of open_issue.inputSchema.properties.first already'
    )


def test_does_not_look_at_results() -> None:
    """No client repeats a field of a result."""
    schema = {"type": "object", "properties": {"key": {HEADER: "X Key"}}}

    assert linted(issue_tool() | {"outputSchema": schema}) == ()
