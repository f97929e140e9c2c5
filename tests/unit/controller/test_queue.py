"""The work queue, on a clock of its own."""

import asyncio
from dataclasses import dataclass, field

import pytest

from proxar.controller import queue as module
from proxar.controller.queue import BASE_DELAY, MAX_DELAY, RETRY_BURST, WorkQueue

pytestmark = pytest.mark.looptime


@dataclass
class Observer:
    """Remembers what it was told."""

    told: list[str] = field(default_factory=list)
    waited: list[float] = field(default_factory=list)

    def added(self) -> None:
        """A key began to wait."""
        self.told.append("added")

    def retried(self) -> None:
        """A key failed."""
        self.told.append("retried")

    def taken(self, waited: float) -> None:
        """A key went into work."""
        self.told.append("taken")
        self.waited.append(waited)

    def finished(self, worked: float) -> None:
        """A key was worked on."""
        self.told.append(f"finished after {worked:g}")


@pytest.fixture
def observer() -> Observer:
    """What the queue told."""
    return Observer()


@pytest.fixture
def queue(observer: Observer) -> WorkQueue[str]:
    """An empty queue."""
    return WorkQueue(clock, observer)


def clock() -> float:
    """The time of the loop; before it runs, its beginning."""
    try:
        return asyncio.get_running_loop().time()
    except RuntimeError:
        return 0.0


async def taken(queue: WorkQueue[str]) -> tuple[str, float]:
    """The next key, and when it came; it is worked on for no time."""
    key = await queue.get()
    queue.done(key)
    return key, round(clock(), 6)


async def is_empty(queue: WorkQueue[str]) -> bool:
    """Whether nothing comes within a day."""
    try:
        async with asyncio.timeout(86_400):
            await taken(queue)
    except TimeoutError:
        return True
    return False


async def test_a_key_waits_once(queue: WorkQueue[str], observer: Observer) -> None:
    """However often it is added."""
    queue.add("a")
    queue.add("b")
    queue.add("a")
    assert queue.depth == 2

    assert [(await taken(queue))[0], (await taken(queue))[0]] == ["a", "b"]
    assert await is_empty(queue)
    assert observer.told.count("added") == 2


async def test_a_key_in_work_is_not_given_out_again(queue: WorkQueue[str]) -> None:
    """What is added meanwhile is worked on once more, afterwards."""
    queue.add("a")
    key = await queue.get()
    queue.add(key)
    queue.add(key)
    assert queue.depth == 0
    assert queue.in_work() == {"a": 0}

    queue.done(key)

    assert (await taken(queue))[0] == "a"
    assert await is_empty(queue)


async def test_delays_are_kept_in_order(queue: WorkQueue[str]) -> None:
    """To the second."""
    queue.add_after("late", 60)
    queue.add_after("soon", 5)
    queue.add_after("now", 0)
    assert queue.depth == 1

    assert [await taken(queue) for _ in range(3)] == [("now", 0), ("soon", 5), ("late", 60)]


@pytest.mark.parametrize("seconds", [0.25, 4.75])
async def test_a_short_wait_ends_when_it_was_asked_to(
    queue: WorkQueue[str], seconds: float
) -> None:
    """A retry waits no longer than it has to."""
    queue.add_after("a", seconds)

    assert await taken(queue) == ("a", seconds)


async def test_long_waits_that_end_in_one_second_end_together(queue: WorkQueue[str]) -> None:
    """Never early, never a second late: a fleet's looks are cheaper in company."""
    waits = {"a": 59.01, "b": 59.5, "c": 60.0, "d": 60.01}
    for key, seconds in waits.items():
        queue.add_after(key, seconds)

    assert [await taken(queue) for _ in waits] == [("a", 60), ("b", 60), ("c", 60), ("d", 61)]


async def test_the_earliest_place_wins(queue: WorkQueue[str]) -> None:
    """Whichever was asked for first."""
    queue.add_after("a", 60)
    queue.add_after("a", 5)
    queue.add_after("a", 30)

    assert await taken(queue) == ("a", 5)
    assert await is_empty(queue)


async def test_now_takes_the_place_of_later(queue: WorkQueue[str]) -> None:
    """The delayed place is given up, not worked on as well."""
    queue.add_after("a", 60)
    queue.add("a")

    assert await taken(queue) == ("a", 0)
    assert await is_empty(queue)


async def test_a_place_asked_for_while_in_work_is_given(queue: WorkQueue[str]) -> None:
    """As a worker does at the end of each look; and news in between come first."""
    queue.add("a")
    key = await queue.get()
    queue.add_after(key, 60)
    queue.done(key)
    assert await taken(queue) == ("a", 60)

    queue.add_after("b", 60)
    queue.add("b")
    assert await taken(queue) == ("b", 60)


async def test_waiting_workers_are_woken(queue: WorkQueue[str]) -> None:
    """Each key goes to one of them, and none sleeps on."""
    workers = [asyncio.create_task(queue.get()) for _ in range(3)]
    await asyncio.sleep(1)
    for key in "abc":
        queue.add(key)

    assert sorted(await asyncio.gather(*workers)) == ["a", "b", "c"]
    assert clock() == 1


async def test_an_earlier_place_wakes_a_worker_that_waits_for_a_later_one(
    queue: WorkQueue[str],
) -> None:
    """The wait is cut short."""
    queue.add_after("late", 60)
    worker = asyncio.create_task(taken(queue))
    await asyncio.sleep(1)
    queue.add_after("soon", 1)

    assert await worker == ("soon", 2)


async def test_a_cancelled_worker_takes_no_key_along(queue: WorkQueue[str]) -> None:
    """The next one gets it."""
    worker = asyncio.create_task(queue.get())
    await asyncio.sleep(1)
    worker.cancel()
    await asyncio.wait([worker])
    queue.add("a")

    assert (await taken(queue))[0] == "a"


async def test_failures_back_off_to_a_cap(queue: WorkQueue[str]) -> None:
    """Doubling from under a second to fifteen minutes, however often it fails."""
    delays = [queue.add_failed("a") for _ in range(40)]

    assert delays[:5] == [BASE_DELAY * factor for factor in (1, 2, 4, 8, 16)]
    assert delays[-1] == MAX_DELAY


async def test_the_delay_is_spread_by_a_tenth_at_most(queue: WorkQueue[str]) -> None:
    """Keys that failed together do not come back together."""
    queue.add_failed("a")

    _, when = await taken(queue)

    assert BASE_DELAY <= when <= BASE_DELAY * 1.1


async def test_a_success_forgets_the_failures(queue: WorkQueue[str]) -> None:
    """The next failure begins anew."""
    for _ in range(5):
        queue.add_failed("a")
    queue.succeeded("a")

    assert queue.add_failed("a") == BASE_DELAY


async def test_a_storm_of_failures_is_rationed(queue: WorkQueue[str]) -> None:
    """A burst of a hundred, then ten a second over all keys; unused retries do not pile up."""
    burst = int(RETRY_BURST)
    delays = [queue.add_failed(f"key {number}") for number in range(burst + 20)]
    assert set(delays[:burst]) == {BASE_DELAY}
    assert delays[-1] == pytest.approx(BASE_DELAY + 2)

    await asyncio.sleep(3600)

    delays = [queue.add_failed(f"other {number}") for number in range(burst + 1)]
    assert delays[-1] == pytest.approx(BASE_DELAY + 0.1)


async def test_a_forgotten_key_comes_no_more(queue: WorkQueue[str]) -> None:
    """Neither from its delay nor after its work; a worker that has it may finish."""
    queue.add_after("a", 5)
    queue.add("b")
    key = await queue.get()
    queue.add("b")
    queue.add_failed("c")
    for gone in "abc":
        queue.forget(gone)
    queue.done(key)

    assert await is_empty(queue)
    assert queue.add_failed("c") == BASE_DELAY


async def test_what_waits_for_long_leaves_nothing_behind(queue: WorkQueue[str]) -> None:
    """A key that is asked for again and again while its interval is a day."""
    for _ in range(10_000):
        queue.add("a")
        queue.done(await queue.get())
        queue.add_after("a", 86_400)

    assert len(queue._heap) < 1_000


async def test_the_observer_is_told(queue: WorkQueue[str], observer: Observer) -> None:
    """Of waiting and working times too."""
    queue.add("a")
    await asyncio.sleep(2)
    key = await queue.get()
    await asyncio.sleep(3)
    queue.add_failed(key)
    queue.done(key)

    assert observer.told == ["added", "taken", "retried", "finished after 3"]
    assert observer.waited == [2]


def test_the_numbers_are_those_of_client_go() -> None:
    """People know them from other controllers."""
    assert (module.RETRY_RATE, module.RETRY_BURST) == (10, 100)


async def test_what_is_nearly_due_is_not_waited_for_in_a_spin(observer: Observer) -> None:
    """Less than a clock's step would pass in no time at all, again and again."""
    now = 0.0
    queue = WorkQueue[str](lambda: now, observer)
    queue.add_after("a", 1.0)

    now = 1.0 - 1e-9

    assert queue._until_next() == module.LEAST_WAIT


async def looks_at_the_clock(workers: int, observer: Observer) -> int:
    """How often a queue does, for a key that comes at once and again later, while so many wait."""
    looks = 0

    def counted() -> float:
        nonlocal looks
        looks += 1
        return clock()

    queue = WorkQueue[str](counted, observer)

    async def work() -> None:
        while True:
            queue.done(await queue.get())

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(work()) for _ in range(workers)]
        await asyncio.sleep(1)
        looks = 0
        queue.add("a")
        queue.add_after("b", 60)
        await asyncio.sleep(100)
        for task in tasks:
            task.cancel()
    return looks


async def test_a_key_wakes_one_worker(observer: Observer) -> None:
    """Those that wait besides cost nothing."""
    two = await looks_at_the_clock(2, observer)

    assert await looks_at_the_clock(50, observer) == two
    assert observer.told.count("taken") == 4


async def test_a_worker_that_is_stopped_leaves_its_key_to_another(queue: WorkQueue[str]) -> None:
    """Woken and cancelled in the same moment."""
    first, second = (asyncio.create_task(queue.get()) for _ in range(2))
    await asyncio.sleep(1)

    queue.add("a")
    first.cancel()

    assert await asyncio.wait_for(second, 1) == "a"


async def test_a_worker_that_was_stopped_takes_no_key(queue: WorkQueue[str]) -> None:
    """Cancelled, and a key comes before it knows."""
    first, second = (asyncio.create_task(queue.get()) for _ in range(2))
    await asyncio.sleep(1)

    first.cancel()
    queue.add("a")

    assert await asyncio.wait_for(second, 1) == "a"


async def test_every_free_key_wakes_a_worker(observer: Observer) -> None:
    """All that waited for one host, each by a worker of its own."""
    queue = WorkQueue(clock, observer, hosts=hosts, per_host=1)
    for key in ("a+b", "a1", "b1"):
        queue.add(key)
    assert await queue.get() == "a+b"
    waiting = [asyncio.create_task(queue.get()) for _ in range(2)]
    await asyncio.sleep(1)

    queue.done("a+b")

    assert sorted(await asyncio.wait_for(asyncio.gather(*waiting), 1)) == ["a1", "b1"]


def hosts(key: str) -> frozenset[str]:
    """The key `a1+b` asks the hosts a and b."""
    return frozenset(part[0] for part in key.split("+"))


@pytest.fixture
def crowd(observer: Observer) -> WorkQueue[str]:
    """A queue that lets two keys of a host into work."""
    return WorkQueue(clock, observer, hosts=hosts, per_host=2)


async def at_once(queue: WorkQueue[str]) -> list[str]:
    """The keys that can be taken into work now."""
    found = list[str]()
    try:
        async with asyncio.timeout(1):
            while True:
                found.append(await queue.get())
    except TimeoutError:
        return found


async def test_a_host_is_asked_by_a_few_at_a_time(crowd: WorkQueue[str]) -> None:
    """And keeps nobody else waiting."""
    for key in ("a1", "a2", "a3", "a4", "b1"):
        crowd.add(key)

    assert await at_once(crowd) == ["a1", "a2", "b1"]
    assert crowd.depth == 2
    crowd.done("b1")
    assert await at_once(crowd) == []
    crowd.done("a2")
    assert await at_once(crowd) == ["a3"]
    crowd.done("a1")
    crowd.done("a3")
    assert await at_once(crowd) == ["a4"]
    assert crowd.depth == 0


async def test_a_key_of_two_hosts_waits_for_both(crowd: WorkQueue[str]) -> None:
    """And whoever waits behind it for one of them does not."""
    for key in ("a1", "a2", "b1", "b2", "a3+b3", "a4"):
        crowd.add(key)
    assert await at_once(crowd) == ["a1", "a2", "b1", "b2"]
    crowd.done("a1")

    assert await at_once(crowd) == ["a4"]
    crowd.done("b1")
    assert await at_once(crowd) == []
    crowd.done("a2")
    assert await at_once(crowd) == ["a3+b3"]


async def test_what_is_put_aside_waits_once(crowd: WorkQueue[str], observer: Observer) -> None:
    """However often it is added; and how long it waited is told."""
    for key in ("a1", "a2", "a3"):
        crowd.add(key)
    await at_once(crowd)
    crowd.add("a3")
    crowd.add("a1")
    crowd.done("a1")

    assert await at_once(crowd) == ["a3"]
    assert observer.waited[-1] == pytest.approx(1)
    crowd.done("a3")
    assert await at_once(crowd) == ["a1"]


async def test_a_worker_that_waits_hears_of_room(crowd: WorkQueue[str]) -> None:
    """At once."""
    for key in ("a1", "a2", "a3"):
        crowd.add(key)
    await at_once(crowd)
    waiting = asyncio.create_task(crowd.get())
    await asyncio.sleep(5)
    crowd.done("a1")

    async with asyncio.timeout(0.01):
        assert await waiting == "a3"
