"""The golden cases: two tool lists each, and the changes that a person expects between them."""

import tomllib
from pathlib import Path

import pytest

from proxar.contract import compare, parse
from proxar.contract.rules import RULES

CASES = Path(__file__).parent / "cases"
FOLDERS = sorted(path.parent for path in CASES.glob("*/*/case.toml"))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_finds_what_a_person_expects(folder: Path) -> None:
    """Verdict, paths, rules and verdicts of all changes are as typed, and no change is missing or
    extra.
    """
    case = tomllib.loads((folder / "case.toml").read_text())
    before, after = (parse((folder / f"{name}.json").read_bytes()) for name in ("before", "after"))

    diff = compare(before, after)

    found = sorted((change.path, change.rule, change.verdict.value) for change in diff.changes)
    expected = sorted(
        (change["path"], change["rule"], change["verdict"]) for change in case.get("changes", [])
    )
    assert found == expected, case["why"]
    assert diff.verdict == case["verdict"], case["why"]


def test_every_rule_has_a_case() -> None:
    """A rule without an example is a rule that nobody has seen at work."""
    shown = {
        change["rule"]
        for folder in FOLDERS
        for change in tomllib.loads((folder / "case.toml").read_text()).get("changes", [])
    }

    assert shown == RULES.keys()


def test_cases_are_filed_under_a_rule_that_they_show() -> None:
    """From a rule one finds its cases without a search."""
    for folder in FOLDERS:
        changes = tomllib.loads((folder / "case.toml").read_text()).get("changes", [])
        rule = folder.parent.name
        assert rule == "none" if not changes else rule in {change["rule"] for change in changes}
