"""A fault of a Secret is told as it is now: once one thing is mended, the next is to be seen."""

import pytest

from proxar.errors import FetchError
from tests.unit.controller.stage import Stage


@pytest.mark.parametrize(
    ("reason", "told"),
    [("SecretNotFound", "second"), ("SecretForbidden", "second"), ("ConnectFailed", "first")],
)
async def test_the_words_of_a_secrets_fault_are_renewed(reason: str, told: str) -> None:
    """Those of a server's fault stay as they were first put, or each look would write."""
    stage = Stage()
    for message in ("first", "second"):
        stage.fetcher.answer = FetchError(reason, message)
        await stage.look()

    conditions = {item["type"]: item["message"] for item in stage.status["conditions"]}
    assert conditions["Reachable"] == told
    assert told in conditions["Ready"]
    assert stage.status["endpoints"][0]["message"] == told


async def test_the_same_words_are_not_written_again() -> None:
    stage = Stage()
    stage.fetcher.answer = FetchError("SecretNotFound", "first")
    await stage.look()
    before = len(stage.cluster.writes())

    await stage.look()

    assert len(stage.cluster.writes()) == before


@pytest.mark.parametrize(
    "reason", ["SecretNotFound", "SecretForbidden", "Unauthorized", "EgressDenied"]
)
async def test_what_a_person_must_mend_makes_ready_false(reason: str) -> None:
    """And looks go on, so that mending is noticed."""
    stage = Stage()
    stage.fetcher.answer = FetchError(reason, "x")

    wait = await stage.look()

    assert stage.condition("Ready") == ("False", reason)
    assert stage.condition("Stalled") == ("True", reason)
    assert wait is not None


async def test_a_token_that_cannot_be_had_may_pass_by_itself() -> None:
    """An authorization server has bad hours too."""
    stage = Stage()
    await stage.look()
    stage.fetcher.answer = FetchError("TokenFailed", "x")

    await stage.look()

    assert stage.condition("Ready") == ("True", "Tracking")
    assert stage.condition("Reachable") == ("False", "TokenFailed")
