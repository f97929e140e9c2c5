"""`proxar doctor`: what it makes of what it found."""

from datetime import timedelta
from typing import Any

import pytest

from proxar import __version__
from proxar.api import MCPServer, parse_mcpserver
from proxar.cli import checks
from proxar.cli.checks import Outcome
from proxar.cli.doctor import facts_in
from proxar.kube.rights import OPERATOR_RIGHTS, READER_RIGHTS
from tests.unit.cli.objects import NOW, raw


def condition(type_: str, status: str, reason: str, message: str) -> dict[str, Any]:
    """One condition."""
    return {
        "type": type_,
        "status": status,
        "reason": reason,
        "message": message,
        "lastTransitionTime": "2026-11-30T10:30:00Z",
    }


READY = condition("Ready", "True", "Tracking", "looking every 60s")


def server(name: str, *, suspend: bool = False, **status: Any) -> MCPServer:
    """A server that was looked at in its present form, unless `status` says otherwise."""
    item = raw(**{"observedGeneration": 3, "conditions": [READY], **status})
    item["metadata"] |= {"name": name, "generation": 3}
    item["spec"]["suspend"] = suspend
    return parse_mcpserver(item)


@pytest.mark.parametrize(
    ("version", "outcome"), [((1, 31), "ok"), ((2, 0), "ok"), ((1, 30), "problem")]
)
def test_an_api_server_that_is_too_old_is_a_problem(version: tuple[int, int], outcome: str) -> None:
    """As the chart refuses it."""
    assert checks.kubernetes_version(version).outcome == outcome


@pytest.mark.parametrize(
    ("off", "outcome"), [(0, "ok"), (30, "ok"), (-30, "ok"), (31, "problem"), (-3600, "problem")]
)
def test_a_clock_that_is_off_is_a_problem_either_way(off: int, outcome: str) -> None:
    """Half a minute is what settling and tokens bear."""
    assert checks.clock(NOW + timedelta(seconds=off), NOW).outcome == outcome


def test_a_clock_that_nobody_tells_is_no_problem() -> None:
    """A proxy may drop the header."""
    assert checks.clock(None, NOW).outcome is Outcome.WARNING


def test_a_missing_and_an_outdated_crd_are_told_apart() -> None:
    """The fields that lack are named, three of them."""
    assert "not installed" in checks.crd(None).message
    assert checks.crd(()).outcome is Outcome.OK
    outdated = checks.crd(("spec.a", "spec.b", "status.c", "status.d", "status.e"))
    assert outdated.outcome is Outcome.PROBLEM
    assert "spec.a, spec.b, status.c and 2 more" in outdated.message


def test_a_namesake_is_a_warning_that_names_its_group() -> None:
    """Both can be installed; a person must only know."""
    assert checks.namesakes(()).outcome is Outcome.OK
    assert checks.namesakes(("toolhive.stacklok.dev",)).message.startswith("toolhive.stacklok.dev")
    assert checks.namesakes(("toolhive.stacklok.dev",)).outcome is Outcome.WARNING


def test_missing_rights_are_named_with_their_namespace() -> None:
    """Verb, resource, group and place: what a Role would say."""
    assert checks.rights([], "this user").outcome is Outcome.OK
    found = checks.rights(
        [(OPERATOR_RIGHTS[3], "team-a"), (READER_RIGHTS[1], None)], "the operator"
    )
    assert found.outcome is Outcome.PROBLEM
    assert found.message.startswith(
        "the operator may not patch mcpservers/status.proxar.dev in team-a, get configmaps:"
    )


def test_what_the_metrics_say_of_the_operator() -> None:
    """Ready, not ready yet, another version."""
    mine = f'proxar_build_info{{version="{__version__}"}} 1.0\nproxar_ready 1.0\n'
    assert checks.operator(facts_in(mine)).outcome is Outcome.OK
    assert checks.operator(facts_in("proxar_ready 0.0\n")).outcome is Outcome.PROBLEM
    assert checks.operator(facts_in("")).outcome is Outcome.PROBLEM
    other = checks.operator(facts_in('proxar_ready 1\nproxar_build_info{version="9.9"} 1\n'))
    assert (other.outcome, "9.9" in other.message) == (Outcome.WARNING, True)


def test_servers_are_sorted_by_what_ails_them() -> None:
    """Problems first, then warnings, then how many are well. A suspended one shows nothing."""
    stale = {"hash": None, "lastSeenTime": "2026-11-30T11:38:00Z"}
    found = checks.servers(
        [
            server("fine"),
            server("asleep", suspend=True, conditions=[]),
            server(
                "away",
                conditions=[READY, condition("Reachable", "False", "Timeout", "no answer in 10s")],
            ),
            server("new", observedGeneration=2),
            server("silent", snapshot=stale),
            server("locked", conditions=[condition("Ready", "False", "Unauthorized", "401")]),
        ],
        NOW,
    )

    assert [(check.outcome, check.name, check.message[:20]) for check in found] == [
        ("problem", "team/locked", "Unauthorized: 401"),
        ("problem", "team/silent", "was last looked at 2"),
        ("warning", "team/away", "Timeout: no answer i"),
        ("warning", "team/new", "was not looked at ye"),
        ("ok", "servers", "1 of 6 are looked at"),
    ]


def test_a_fleet_that_ails_is_counted_and_not_listed_whole() -> None:
    """Twenty names are enough to begin with."""
    locked = condition("Ready", "False", "Unauthorized", "401")
    found = list(checks.servers([server(f"s{n}", conditions=[locked]) for n in range(50)], NOW))

    assert len(found) == 21
    assert "30 more are not" in found[-1].message
