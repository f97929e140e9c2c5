"""The diff as JSON."""

from decimal import Decimal

from hypothesis import given, settings

from proxar.contract import Diff, Verdict, read
from proxar.report.jsondoc import json
from proxar.report.visible import INVISIBLE
from tests.unit.report.diffs import any_diff, change, drift


def test_has_the_public_shape() -> None:
    """Scripts rely on every name in it; what does not apply to a change is left out."""
    diff = Diff.of([change(parameter="limit", before=["query"], after=["query", "limit"])], [])

    assert json(diff) == (
        "{\n"
        '  "verdict": "breaking",\n'
        '  "summary": {\n'
        '    "breaking": 1,\n'
        '    "advisory": 0,\n'
        '    "compatible": 0,\n'
        '    "cosmetic": 0\n'
        "  },\n"
        '  "changes": [\n'
        "    {\n"
        '      "tool": "search_issues",\n'
        '      "path": "search_issues.inputSchema.required",\n'
        '      "pointer": "/inputSchema/required",\n'
        '      "rule": "parameter-became-required",\n'
        '      "verdict": "breaking",\n'
        '      "message": "\\"limit\\" is now required",\n'
        '      "before": [\n'
        '        "query"\n'
        "      ],\n"
        '      "after": [\n'
        '        "query",\n'
        '        "limit"\n'
        "      ],\n"
        '      "parameter": "limit"\n'
        "    }\n"
        "  ]\n"
        "}\n"
    )


def test_has_the_same_members_when_nothing_changed() -> None:
    """A script needs no special case."""
    assert read(json(Diff.of([], [])).encode()) == {
        "verdict": "none",
        "summary": {"breaking": 0, "advisory": 0, "compatible": 0, "cosmetic": 0},
        "changes": [],
    }


def test_keeps_every_digit() -> None:
    """2^53 and the range of a double are no bounds of JSON."""
    huge = 10**900 + 1
    diff = Diff.of([change(before=huge, after=Decimal("1e400"), verdict=Verdict.ADVISORY)], [])

    found = read(json(diff).encode())

    assert isinstance(found, dict)
    assert found["changes"][0]["before"] == huge  # type: ignore[index, call-overload]
    assert found["changes"][0]["after"] == Decimal("1e400")  # type: ignore[index, call-overload]


def test_takes_values_as_deep_as_the_reader_lets_through() -> None:
    """A thousand levels are no recursion error."""
    deep: object = 1
    for _ in range(990):
        deep = [deep]

    assert json(Diff.of([change(before=deep)], [])).count("[") > 990


def test_is_the_same_on_every_run() -> None:
    """A file in Git changes only when the diff does."""
    assert json(drift()) == json(drift())


@settings(max_examples=50)
@given(diff=any_diff)
def test_reads_back_as_what_it_was(diff: Diff) -> None:
    """Strict UTF-8 without a control or invisible character, and nothing lost."""
    document = json(diff)

    octets = document.encode("utf-8", "strict")
    assert read(octets) == diff.to_json()
    assert all(
        line.isprintable() and not INVISIBLE & set(map(ord, line)) for line in document.split("\n")
    )
