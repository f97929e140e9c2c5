"""The watch fills the queue, workers empty it."""

import asyncio
import itertools
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest

from proxar.controller.operator import Operator
from proxar.controller.queue import WorkQueue
from proxar.controller.reconcile import Key
from proxar.controller.settings import OperatorSettings
from proxar.controller.watchlag import WatchLag
from proxar.errors import KubernetesError
from tests.unit.controller.stage import KEY, PATH, Stage

pytestmark = pytest.mark.looptime


def operator_of(stage: Stage) -> Operator:
    """An operator with the tools of a stage, that knows nothing yet."""
    loop = asyncio.get_running_loop()
    queue: WorkQueue[Key] = WorkQueue(loop.time, stage.tools.metrics)
    return Operator(OperatorSettings(namespaces=("team",)), stage.tools, queue)


@asynccontextmanager
async def running(work: asyncio.Task[None]) -> AsyncIterator[None]:
    """Let a task work for as long as the context lasts."""
    try:
        yield
    finally:
        work.cancel()
        await asyncio.wait([work])


@pytest.fixture
def stage() -> Stage:
    """A cluster with one object."""
    return Stage()


async def test_a_new_object_is_looked_at_now(stage: Stage) -> None:
    """Somebody just applied it."""
    operator = operator_of(stage)

    operator.notice(False, stage.raw)

    assert operator.queue.depth == 1


async def test_after_a_restart_nothing_is_urgent(stage: Stage) -> None:
    """What was handled is looked at within half a minute, not in the same second as all others;
    what was asked for meanwhile is."""
    await stage.look()
    operator = operator_of(stage)
    operator.notice(False, stage.raw)
    assert operator.queue.depth == 0
    assert await operator.queue.get() == KEY
    assert asyncio.get_running_loop().time() <= 30

    stage.annotate(reconcile_requested_at="now")
    asked = operator_of(stage)
    asked.notice(False, stage.raw)

    assert asked.queue.depth == 1


async def test_after_a_restart_the_series_are_there_at_once(stage: Stage) -> None:
    """Else each alert of a drifted server would resolve, and come back with the first look."""
    await stage.look()
    stage.board.forget(KEY)
    operator = operator_of(stage)

    operator.notice(False, stage.raw)

    assert [line for line in stage.series() if line.startswith("proxar_mcpserver_tools")]


async def test_an_object_that_is_invalid_stops_nothing(stage: Stage) -> None:
    """It is looked at like any other, and told of then."""
    stage.edit(interval="yesterday")
    operator = operator_of(stage)

    operator.notice(False, stage.raw)

    assert operator.queue.depth == 1


async def test_a_silent_watch_is_noticed(stage: Stage) -> None:
    """The status that was written must come back through it, once."""
    operator = operator_of(stage)
    operator.reconciler.watch_lag = WatchLag(asyncio.get_running_loop().time)
    operator._told(False, stage.raw)
    await operator.reconciler.reconcile(KEY)
    await asyncio.sleep(90)
    assert operator.reconciler.watch_lag.seconds == 90

    operator._told(False, stage.raw)
    assert operator.reconciler.watch_lag.seconds == 0
    await operator.reconciler.reconcile(KEY)

    assert operator.reconciler.watch_lag.seconds == 0


async def test_an_object_that_is_gone_is_forgotten(stage: Stage) -> None:
    """With its place in the queue."""
    operator = operator_of(stage)
    operator.notice(False, stage.raw)

    operator.notice(True, stage.raw)

    assert not operator.reconciler.knows(KEY)


async def test_the_end_of_a_former_object_is_not_that_of_its_successor(stage: Stage) -> None:
    """kopf has a task for each uid, so the two may be told in any order."""
    operator = operator_of(stage)
    old = stage.raw
    operator.notice(False, old)
    stage.delete()
    stage.create()
    operator.notice(False, stage.raw)

    operator.notice(True, old)

    assert operator.reconciler.knows(KEY)


async def test_a_worker_comes_back_after_the_interval(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Give or take a twentieth."""
    operator = operator_of(stage)
    times: list[float] = []

    async def look(_: Key) -> timedelta:
        times.append(asyncio.get_running_loop().time())
        return timedelta(minutes=1)

    monkeypatch.setattr(operator.reconciler, "reconcile", look)
    operator.queue.add(KEY)
    async with running(asyncio.create_task(operator._work())):
        await asyncio.sleep(600)

    gaps = [later - earlier for earlier, later in itertools.pairwise(times)]
    assert len(gaps) >= 9
    assert all(56.9 <= gap <= 63.1 for gap in gaps)


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (KubernetesError("Timeout", "no answer"), "Timeout: no answer; trying again in 0.8 s"),
        (RuntimeError("unforeseen"), "a bug in Proxar"),
    ],
)
async def test_a_worker_outlives_any_error(
    stage: Stage,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
    told: str,
) -> None:
    """One bad object stops no other, and is tried again with a backoff."""
    operator = operator_of(stage)
    looked: list[Key] = []

    async def look(key: Key) -> None:
        looked.append(key)
        if key == KEY:
            raise error

    monkeypatch.setattr(operator.reconciler, "reconcile", look)
    operator.queue.add(KEY)
    operator.queue.add(("team", "other"))
    with caplog.at_level(logging.WARNING):
        async with running(asyncio.create_task(operator._work())):
            await asyncio.sleep(3)

    assert looked == [KEY, ("team", "other"), KEY, KEY]
    assert told in caplog.text


async def test_a_full_list_finds_what_the_watch_lost(stage: Stage) -> None:
    """Once an hour or so: what is gone is forgotten, what is new is looked at."""
    operator = operator_of(stage)
    operator.notice(False, stage.raw)
    await operator.queue.get()
    raw = stage.raw
    raw["metadata"]["name"] = "weather"
    stage.cluster.put(PATH.replace("issues-mcp", "weather"), raw)
    del stage.cluster.objects[PATH]

    async with running(asyncio.create_task(operator._resync())):
        await asyncio.sleep(4000)

    assert operator.reconciler.keys() == {("team", "weather")}
    assert operator.queue.depth == 1


async def test_a_list_that_failed_proves_nothing(stage: Stage) -> None:
    """Nothing is forgotten for it, and the next one comes."""
    operator = operator_of(stage)
    operator.notice(False, stage.raw)
    for _ in range(2):
        stage.cluster.refuse("GET", "mcpservers", KubernetesError("Timeout", "no answer"))

    async with running(asyncio.create_task(operator._resync())):
        await asyncio.sleep(8000)

    assert operator.reconciler.knows(KEY)


async def test_liveness_fails_only_when_the_watcher_is_away_for_long(stage: Stage) -> None:
    """A reconnect is no reason to be killed."""
    operator = operator_of(stage)
    assert operator._dead() is None

    operator._watcher_seen = time.monotonic() - 31

    assert operator._dead() == "no watcher of MCPServers for 31 s"


async def test_readiness_comes_with_the_first_list(stage: Stage) -> None:
    """Not before."""
    operator = operator_of(stage)
    assert operator._not_ready() == "MCPServers have not been listed yet"

    operator._synced.set()
    assert operator._not_ready() == "MCPServers have not been listed yet"
    stage.cluster.refuse("GET", "mcpservers", KubernetesError("Forbidden", "no", status=403))
    async with running(asyncio.create_task(operator._resync())):
        await asyncio.sleep(1)
        assert operator._not_ready() is not None
        await asyncio.sleep(6)

    assert operator._not_ready() is None
    assert operator.reconciler.knows(KEY)
