"""The memory of lists and differences."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from proxar.contract import Diff, ToolList, compare
from proxar.controller import lists as module
from proxar.controller.lists import ListCache, apart, size_of
from tests.support.toolserver import tool
from tests.unit.controller.world import BREAKING, FIRST, OTHER, tool_list

SIZE = len(FIRST.canonical())


def similar(number: int, tools: int = 1) -> ToolList:
    """A list as large as others of its kind, and different."""
    return tool_list(*(tool(f"tool_{number:04}_{each:04}", a="string") for each in range(tools)))


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Every pair that was really compared."""
    pairs: list[Any] = []

    def counting(before: ToolList, after: ToolList) -> Diff:
        pairs.append((before.hash, after.hash))
        return compare(before, after)

    monkeypatch.setattr(module, "compare", counting)
    return pairs


def test_a_list_is_remembered_by_its_hash() -> None:
    """Whoever reported it."""
    cache = ListCache()
    cache.put(FIRST)

    assert cache.get(FIRST.hash) is FIRST
    assert cache.get(OTHER.hash) is None


def test_of_two_that_are_the_same_the_newer_stays() -> None:
    """And is counted once."""
    cache = ListCache(2 * SIZE)
    older, newer = (ToolList.of([tool.definition for tool in FIRST.tools]) for _ in range(2))
    for tools in (older, newer):
        cache.put(tools)

    assert cache.get(FIRST.hash) is newer
    cache.put(similar(1))
    assert cache.get(FIRST.hash) is newer


def test_the_least_recently_used_goes_first() -> None:
    """Reading is using, and so is putting again."""
    one, two, three, four = (similar(number) for number in range(4))
    cache = ListCache(3 * len(one.canonical()))
    for tools in (one, two, three):
        cache.put(tools)
    cache.get(one.hash)
    cache.put(two)

    cache.put(four)

    assert cache.get(three.hash) is None
    assert all(cache.get(tools.hash) for tools in (one, two, four))


def test_a_list_larger_than_the_memory_is_not_remembered() -> None:
    """And pushes nothing out."""
    cache = ListCache(SIZE)
    cache.put(FIRST)

    cache.put(similar(1, tools=100))

    assert cache.get(FIRST.hash) is FIRST


def test_each_pair_is_compared_once(compared: list[Any]) -> None:
    """The direction counts."""
    cache = ListCache()
    for _ in range(2):
        cache.compare(FIRST, BREAKING)
        cache.compare(BREAKING, FIRST)

    assert compared == [(FIRST.hash, BREAKING.hash), (BREAKING.hash, FIRST.hash)]


def test_the_number_of_differences_is_bounded(
    compared: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The least recently used goes first."""
    monkeypatch.setattr(module, "DIFFS", 2)
    cache = ListCache()
    for after in (BREAKING, OTHER, BREAKING, similar(1), BREAKING):
        cache.compare(FIRST, after)

    assert len(compared) == 3
    cache.compare(FIRST, OTHER)
    assert len(compared) == 4


def test_the_number_of_changes_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """One server that renames thousands of tools at each look must not fill the memory."""
    monkeypatch.setattr(module, "CHANGES", 50)
    cache = ListCache()
    for number in range(10):
        cache.compare(FIRST, similar(number, tools=20))

    assert sum(len(diff.changes) for diff in cache._diffs.values()) <= 50
    assert cache._changes == sum(len(diff.changes) for diff in cache._diffs.values())


def test_a_difference_too_large_to_remember_is_still_given(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is only made again the next time."""
    monkeypatch.setattr(module, "CHANGES", 1)
    cache = ListCache()

    assert len(cache.compare(FIRST, similar(1, tools=20)).changes) > 1
    assert cache._diffs == {}


def test_differences_go_with_their_lists() -> None:
    """A change holds on to parts of both."""
    cache = ListCache(SIZE + len(BREAKING.canonical()))
    cache.put(FIRST)
    cache.put(BREAKING)
    cache.compare(FIRST, BREAKING)

    cache.put(OTHER)

    assert cache._diffs == {}
    assert cache._changes == 0


async def test_large_lists_are_compared_in_a_thread() -> None:
    """The watch and the probes go on meanwhile; small ones are not worth it."""
    large = similar(1, tools=4000)

    assert await apart((FIRST, BREAKING), threading.current_thread) is threading.main_thread()
    assert await apart((FIRST, large), threading.current_thread) is not threading.main_thread()


@pytest.mark.parametrize("tools", [0, 1, 7])
def test_the_size_of_a_list_is_that_of_its_text(tools: int) -> None:
    """It is asked for with each look, and making the text takes long."""
    assert size_of(similar(1, tools)) == len(similar(1, tools).canonical())


def test_threads_may_share_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bounds hold, and every difference is the right one."""
    monkeypatch.setattr(module, "DIFFS", 5)
    cache = ListCache(20 * SIZE)
    some = [similar(number) for number in range(10)]

    def use(seed: int) -> bool:
        for number in range(200):
            tools = some[(number * seed) % len(some)]
            cache.put(tools)
            if len(cache.compare(FIRST, tools).changes) != len(compare(FIRST, tools).changes):
                return False
        return True

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(use, (1, 3, 7, 9)))

    assert len(cache._diffs) <= 5
    assert cache._changes == sum(len(diff.changes) for diff in cache._diffs.values())
    assert cache._size == sum(map(size_of, cache._lists.values()))
