"""The fetcher passes every scenario of the official suite that is for such a client."""

import json
import re
from pathlib import Path

import pytest

from tests.conformance.suite import APPLY, HERE, PAGE, RELEASES, explained, run, scenarios

OF_2026 = {"http-standard-headers", "json-schema-ref-no-deref", "request-metadata"}
"""Not in the release that ends with 2025-11-25."""

RUNS = [
    (release, scenario)
    for release in RELEASES
    for scenario in APPLY
    if release != "0.1.16" or scenario not in OF_2026
]


@pytest.mark.parametrize(("release", "scenario"), RUNS)
def test_it_passes(release: str, scenario: str, tmp_path: Path) -> None:
    """Every check of it, with a client that ends in good order."""
    outcome = run(release, scenario, tmp_path)

    assert (outcome.code, outcome.failed) == (0, 0), outcome.text
    assert outcome.passed > 0, outcome.text


@pytest.mark.parametrize("release", RELEASES)
def test_every_scenario_is_run_or_explained(release: str) -> None:
    """A new one of a later release makes this fail until somebody looked at it."""
    known = {*APPLY, *explained()}

    assert scenarios(release) - known == set()


def test_nothing_is_explained_that_is_run_or_does_not_exist() -> None:
    there = frozenset[str]().union(*map(scenarios, RELEASES))

    assert explained().keys() <= there - {*APPLY}
    assert {scenario for release, scenario in RUNS} == there & {*APPLY}


def test_the_page_names_what_is_run() -> None:
    section = PAGE.read_text("utf-8").partition("## Scenarios that do not apply")[0]

    assert {name for name in APPLY if f"`{name}`" not in section} == set()
    assert {release for release in RELEASES if release not in section} == set()


@pytest.mark.parametrize("release", RELEASES)
def test_the_suite_is_pinned_by_hash_and_names_no_registry(release: str) -> None:
    folder = HERE / f"conformance-{release}"
    manifest = json.loads((folder / "package.json").read_text("utf-8"))
    lock = json.loads((folder / "package-lock.json").read_text("utf-8"))
    packages = {path: package for path, package in lock["packages"].items() if path}

    assert manifest["dependencies"] == {"@modelcontextprotocol/conformance": release}
    assert [path for path, package in packages.items() if "integrity" not in package] == []
    assert [path for path, package in packages.items() if "resolved" in package] == []
    assert not re.search('https?://[^"]*npm', json.dumps({**lock, "packages": packages}))
