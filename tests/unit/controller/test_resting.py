"""A server at rest is looked at, and that is all."""

from datetime import timedelta
from typing import Any

import pytest

from proxar.controller import reconcile as module
from proxar.errors import FetchError
from tests.unit.controller.stage import KEY, Stage
from tests.unit.controller.world import ADVISORY, BREAKING

MINUTE = timedelta(minutes=1)
SUCCESS = "proxar_mcpserver_last_success_timestamp_seconds"


@pytest.fixture
def worked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was done, in order: objects read, plans made."""
    done: list[str] = []

    def counted(name: str) -> Any:
        original = getattr(module, name)

        def call(*arguments: Any) -> Any:
            done.append(name)
            return original(*arguments)

        return call

    for name in ("parse_mcpserver", "plan"):
        monkeypatch.setattr(module, name, counted(name))
    return done


@pytest.fixture
async def stage(worked: list[str]) -> Stage:
    """One that rests."""
    stage = Stage()
    for _ in range(3):
        await stage.look()
    worked.clear()
    stage.cluster.calls.clear()
    return stage


async def test_it_is_neither_read_nor_planned_for(stage: Stage, worked: list[str]) -> None:
    """Look after look, each of which is a look."""
    fetches = len(stage.fetcher.targets)
    for _ in range(3):
        assert await stage.look() == MINUTE

    assert worked == []
    assert stage.cluster.calls == []
    assert len(stage.fetcher.targets) == fetches + 3


async def test_its_last_success_moves(stage: Stage) -> None:
    """As with every look that gave a list."""
    stage.board.looked(KEY, 1.0)

    await stage.look()

    [line] = [line for line in stage.series() if line.startswith(SUCCESS)]
    assert float(line.split()[-1]) > 1e9


async def test_what_the_watch_tells_is_planned_for(stage: Stage, worked: list[str]) -> None:
    """Once."""
    stage.set_status(history=[])
    stage.watch()
    await stage.look()
    assert worked[:2] == ["parse_mcpserver", "plan"]
    await stage.look()
    worked.clear()

    await stage.look()

    assert worked == []


async def test_an_edit_during_the_look_is_not_overlooked(stage: Stage) -> None:
    """Another look follows at once, and it is handled."""

    def edit() -> None:
        stage.edit(pinnedHash=BREAKING.hash)
        stage.watch()

    stage.fetcher.during = edit

    assert await stage.look() == timedelta()
    await stage.look()
    assert stage.condition("PinMatched")[0] == "False"


async def test_an_object_of_the_same_name_is_another_one(stage: Stage, worked: list[str]) -> None:
    """Deleted while it was looked at, and made again."""

    def recreate() -> None:
        stage.delete()
        stage.reconciler.forget(KEY)
        stage.create()
        stage.watch()

    stage.fetcher.during = recreate
    await stage.look()
    assert stage.series() == []
    worked.clear()

    await stage.look()

    assert "plan" in worked
    assert stage.condition("Ready") == ("True", "Tracking")


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (BREAKING, ("SchemaCompatible", "False", "BreakingDrift")),
        (FetchError("ConnectFailed", "refused"), ("Reachable", "False", "ConnectFailed")),
    ],
)
async def test_news_is_told_at_once(stage: Stage, answer: Any, told: tuple[str, str, str]) -> None:
    """However long it rested."""
    stage.fetcher.answer = answer

    await stage.look()

    assert stage.condition(told[0]) == told[1:]


async def test_a_list_that_left_the_memory_is_read(stage: Stage) -> None:
    """So a baseline whose ConfigMap is gone is told of as ever."""
    stage.fetcher.answer = ADVISORY
    for _ in range(3):
        await stage.look()
    name = next(item["configMapRef"]["name"] for item in stage.status["history"][1:])
    del stage.cluster.objects[f"/api/v1/namespaces/team/configmaps/{name}"]
    await stage.look()
    assert stage.condition("SchemaCompatible")[0] == "True"

    stage.tools.lists._lists.clear()  # as the lists of others would push it out
    await stage.look()

    assert stage.condition("SchemaCompatible") == ("Unknown", "SnapshotCorrupt")
