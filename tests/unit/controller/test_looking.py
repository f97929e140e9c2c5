"""Several endpoints, each looked at for itself and compared with the first."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from proxar.contract import ToolList
from proxar.errors import FetchError, KubernetesError
from proxar.fetch import Era
from tests.unit.controller.stage import KEY, Stage
from tests.unit.controller.world import ADVISORY, BREAKING, COMPATIBLE, COSMETIC, FIRST, tool_list

MINUTE = timedelta(minutes=1)
LONG_AGO = (datetime.now(UTC) - MINUTE).strftime("%Y-%m-%dT%H:%M:%SZ")
DOWN = FetchError("ConnectFailed", "connection refused")


def url(name: str) -> str:
    """The address of an endpoint."""
    return f"https://{name}.example.com/mcp"


def endpoints(*names: str) -> list[dict[str, Any]]:
    """The first is the reference."""
    return [{"name": name, "url": url(name)} for name in names]


def three(**spec: Any) -> Stage:
    """An object with three endpoints that nobody looked at yet."""
    return Stage(endpoints=endpoints("a", "b", "c"), **spec)


def entry(stage: Stage, name: str) -> dict[str, Any]:
    """What status says of an endpoint."""
    return next(each for each in stage.status["endpoints"] if each["name"] == name)


@pytest.fixture
async def stage() -> Stage:
    """Three endpoints that list the same."""
    stage = three()
    await stage.look()
    stage.cluster.calls.clear()
    return stage


async def test_all_endpoints_are_looked_at_in_one_round(stage: Stage) -> None:
    """And each has its entry, in the order of the spec."""
    assert {target.url for target in stage.fetcher.targets} == {url("a"), url("b"), url("c")}
    assert [each["name"] for each in stage.status["endpoints"]] == ["a", "b", "c"]
    for each in stage.status["endpoints"]:
        assert (each["reachable"], each["reason"]) == ("True", "Fetched")
        assert each["hash"] == FIRST.hash
        assert each["lastSuccessTime"]
    assert stage.condition("Consistent") == ("True", "Agree")
    assert stage.events() == ["BaselineEstablished"]


async def test_one_endpoint_has_nothing_to_agree_with() -> None:
    """The condition is absent then."""
    stage = Stage()
    await stage.look()

    assert stage.condition("Consistent") == ("", "")


async def test_an_endpoint_that_differs_is_named_with_the_first_difference(stage: Stage) -> None:
    """One Event, at the transition; snapshot and drift speak of the reference only."""
    stage.fetcher.answers[url("c")] = BREAKING
    for _ in range(3):
        await stage.look()

    assert stage.condition("Consistent") == ("False", "EndpointsDiffer")
    assert 'c (search_issues.inputSchema.required: "limit"' in stage.message("Consistent")
    assert stage.events() == ["BaselineEstablished", "EndpointsDiffer"]
    assert stage.status["snapshot"]["hash"] == FIRST.hash
    assert stage.status["drift"]["verdict"] == "None"
    assert entry(stage, "c")["hash"] == BREAKING.hash
    assert stage.status["transitions"] == 0
    assert len(stage.cluster.of("configmaps")) == 1

    stage.fetcher.answers[url("c")] = FIRST
    await stage.look()
    assert stage.condition("Consistent") == ("True", "Agree")


async def test_the_difference_is_told_as_seen_from_the_reference(stage: Stage) -> None:
    """What another endpoint has besides was added there."""
    stage.fetcher.answers[url("b")] = COMPATIBLE
    await stage.look()

    assert "b (close_issue: " in stage.message("Consistent")
    assert "(tool-added)" in stage.message("Consistent")


@pytest.mark.parametrize(
    ("other", "reason"),
    [(COSMETIC, "Agree"), (ADVISORY, "EndpointsDiffer"), (COMPATIBLE, "EndpointsDiffer")],
)
async def test_what_differs_in_form_only_agrees(stage: Stage, other: ToolList, reason: str) -> None:
    """And what is compatible from here to there is not on the way back."""
    stage.fetcher.answers[url("b")] = other
    await stage.look()

    assert stage.condition("Consistent")[1] == reason


async def test_what_the_drift_policy_ignores_agrees() -> None:
    """It is the same people who said that it does not matter."""
    rule = {"name": "texts", "rule": "description-changed", "verdict": "Ignored", "reason": "x"}
    stage = three(driftPolicy={"rules": [rule]})
    stage.fetcher.answers[url("b")] = ADVISORY
    await stage.look()

    assert stage.condition("Consistent") == ("True", "Agree")


async def test_an_endpoint_that_is_down_is_no_difference(stage: Stage) -> None:
    """Its entry says so, and so does the condition; the reference is as reachable as before."""
    stage.fetcher.answers[url("b")] = DOWN
    await stage.look()

    assert (entry(stage, "b")["reachable"], entry(stage, "b")["reason"]) == (
        "False",
        "ConnectFailed",
    )
    assert entry(stage, "b")["hash"] == FIRST.hash
    assert stage.condition("Reachable") == ("True", "Fetched")
    assert stage.condition("Ready") == ("True", "Tracking")
    assert stage.condition("Consistent") == ("True", "Agree")
    assert "could not be looked at: b" in stage.message("Consistent")
    assert stage.events() == ["BaselineEstablished"]


async def test_a_difference_does_not_go_because_nobody_can_look(stage: Stage) -> None:
    """Not even when a restart forgot what it was."""
    stage.fetcher.answers[url("b")] = BREAKING
    await stage.look()
    stage.fetcher.answers[url("b")] = DOWN
    await stage.look()
    assert stage.condition("Consistent") == ("False", "EndpointsDiffer")
    stage.restart()
    await stage.look()

    assert stage.condition("Consistent") == ("False", "EndpointsDiffer")
    assert stage.events() == ["BaselineEstablished", "EndpointsDiffer"]


async def test_endpoints_that_were_never_reached_are_unknown() -> None:
    """Neither agreed nor different."""
    stage = three()
    stage.fetcher.answers |= {url("b"): DOWN, url("c"): DOWN}
    await stage.look()

    assert stage.condition("Consistent") == ("Unknown", "NotYetObserved")
    assert stage.condition("Ready") == ("True", "Tracking")


async def test_a_reference_that_is_down_is_the_servers_fault(stage: Stage) -> None:
    """The others are compared with its last good list."""
    stage.fetcher.answers |= {url("a"): DOWN, url("b"): BREAKING}
    await stage.look()

    assert stage.condition("Reachable") == ("False", "ConnectFailed")
    assert stage.condition("Consistent") == ("False", "EndpointsDiffer")
    assert stage.status["snapshot"]["hash"] == FIRST.hash


async def test_another_endpoint_more_or_less_is_no_other_target(stage: Stage) -> None:
    """Neither a new baseline nor another era; another reference is one."""
    stage.edit(endpoints=endpoints("a", "d"))
    stage.watch()
    await stage.look()
    assert [each["name"] for each in stage.status["endpoints"]] == ["a", "d"]
    assert set(stage.fetcher.eras[-2:]) == {Era.MODERN, None}
    assert stage.events() == ["BaselineEstablished"]

    stage.edit(endpoints=endpoints("d", "a"))
    stage.watch()
    await stage.look()
    assert stage.events() == ["BaselineEstablished", "TargetChanged"]


async def test_lost_tools_of_any_endpoint_are_seen_twice(stage: Stage) -> None:
    """The second time soon, over a connection of its own; in between nothing is written."""
    stage.fetcher.answer = tool_list({"name": "other"})
    stage.fetcher.answers[url("a")] = FIRST
    stage.fetcher.fresh.clear()

    assert await stage.look() == timedelta(seconds=5)
    assert stage.cluster.writes() == []
    assert stage.condition("Consistent") == ("True", "Agree")
    assert await stage.look() == MINUTE
    assert stage.condition("Consistent") == ("False", "EndpointsDiffer")
    assert sorted(stage.fetcher.fresh) == [False, False, False, False, True, True]


async def test_an_empty_list_of_another_endpoint_is_its_fault(stage: Stage) -> None:
    """Not the server's, and no difference."""
    stage.fetcher.answers[url("b")] = tool_list()
    assert await stage.look() == MINUTE

    assert entry(stage, "b")["reason"] == "EmptyList"
    assert stage.condition("Consistent") == ("True", "Agree")
    assert stage.condition("Reachable") == ("True", "Fetched")


async def test_at_rest_nothing_is_written(stage: Stage) -> None:
    """Neither while all agree, nor while some differ or are down, nor after a restart."""
    others: list[dict[str, ToolList | FetchError]] = [
        {},
        {url("b"): BREAKING},
        {url("b"): DOWN, url("c"): ADVISORY},
    ]
    for answers in others:
        stage.fetcher.answers = answers
        await stage.look()
        stage.cluster.calls.clear()
        for _ in range(3):
            await stage.look()
        assert stage.cluster.calls == []
        stage.restart()
        await stage.look()
        # What an endpoint listed that is down now is forgotten, and no more told in words.
        assert len(stage.cluster.writes()) <= (DOWN in answers.values())
        stage.cluster.calls.clear()
        await stage.look()
        assert stage.cluster.writes() == []


async def test_an_endpoint_that_flaps_is_told_once(stage: Stage) -> None:
    """By name, with its hashes; and its entry stands still."""
    for number in range(12):
        stage.fetcher.answers[url("b")] = (BREAKING, FIRST)[number % 2]
        await stage.look()
        if number == 6:
            stage.cluster.calls.clear()

    assert stage.condition("Consistent") == ("False", "Flapping")
    message = stage.message("Consistent")
    assert "endpoint b: the tool list alternates between sha256:" in message
    assert stage.cluster.writes() == []
    assert stage.events().count("Flapping") == 1
    assert stage.condition("SchemaCompatible") == ("True", "NoDrift")


async def test_a_restart_does_not_forget_that_it_flaps(stage: Stage) -> None:
    """No write, no Event, no transition."""
    for tools in (BREAKING, FIRST) * 3:
        stage.fetcher.answers[url("a")] = tools
        await stage.look()
    assert stage.condition("Consistent") == ("False", "Flapping")
    told = stage.events()
    stage.restart()
    stage.cluster.calls.clear()
    for tools in (BREAKING, FIRST) * 3:
        stage.fetcher.answers[url("a")] = tools
        await stage.look()

    assert stage.cluster.writes() == []
    assert stage.events() == told


async def test_another_target_is_no_change_of_the_list(stage: Stage) -> None:
    """There and back, as often as anybody likes, and with a restart each time."""
    for number in range(6):
        name, tools = ("a", FIRST) if number % 2 else ("z", BREAKING)
        stage.fetcher.answers[url(name)] = tools
        # Within one second history cannot tell the targets apart.
        history = stage.status["history"]
        stage.set_status(history=[each | {"firstSeenTime": LONG_AGO} for each in history])
        stage.edit(endpoints=endpoints(name))
        for _ in range(2):
            stage.restart()
            await stage.look()

    assert stage.condition("Consistent") == ("", "")
    assert stage.events().count("Flapping") == 0


@pytest.mark.parametrize(("interval", "fresh"), [("5s", 2), ("20s", 2), ("21s", 0)])
async def test_a_short_interval_does_not_stay_with_one_replica(interval: str, fresh: int) -> None:
    """A connection that is kept alive leads to one of them for ever."""
    stage = Stage(interval=interval, timeout="1s")
    for _ in range(10):
        await stage.look()

    assert stage.fetcher.fresh.count(True) == fresh


async def test_patience_is_had_with_each_endpoint_for_itself(stage: Stage) -> None:
    """One that asked for it is not asked until then, unless a person does."""
    stage.fetcher.answers[url("b")] = FetchError("RateLimited", "429", retry_after=600)
    await stage.look()
    stage.fetcher.targets.clear()
    await stage.look()
    assert {target.url for target in stage.fetcher.targets} == {url("a"), url("c")}
    assert entry(stage, "b")["reason"] == "RateLimited"

    stage.annotate(reconcile_requested_at="now")
    stage.watch()
    await stage.look()
    assert url("b") in {target.url for target in stage.fetcher.targets}


def service(name: str) -> list[dict[str, Any]]:
    """An endpoint of the spec with this serviceRef, after one with a url."""
    return [*endpoints("a"), {"name": name, "serviceRef": {"name": name}}]


async def test_a_service_of_another_endpoint_that_cannot_be_read_costs_nothing_else() -> None:
    """The API server's bad hour is not the endpoint's."""
    stage = Stage(endpoints=service("b"))
    stage.cluster.refuse("GET", "services", KubernetesError("Timeout", "no answer"))
    await stage.look()

    assert stage.condition("Reachable") == ("True", "Fetched")
    assert entry(stage, "b") == {"name": "b"}


async def test_a_service_that_may_not_be_read_says_what_to_grant() -> None:
    """On the object, and without a retry after retry."""
    stage = Stage(endpoints=[{"name": "primary", "serviceRef": {"name": "issues"}}])
    stage.cluster.refuse("GET", "services", KubernetesError("Forbidden", "403", status=403))

    assert await stage.look() == MINUTE
    assert stage.condition("Reachable") == ("False", "Forbidden")
    assert "grant its ServiceAccount get on services in the namespace team" in stage.message(
        "Reachable"
    )


async def test_what_is_gone_is_forgotten(stage: Stage) -> None:
    """And what is made anew under its name begins anew."""
    stage.delete()
    stage.reconciler.forget(KEY)
    stage.create()
    stage.watch()
    stage.fetcher.eras.clear()
    await stage.look()

    assert stage.fetcher.eras == [None]
