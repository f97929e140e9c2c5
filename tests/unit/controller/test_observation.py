"""When a list counts."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxar.controller.observation import EMPTY_FOR, Held, Known, Look, Pending, confirm
from proxar.fetch import Fetched
from tests.support.toolserver import tool
from tests.unit.controller.world import NOON, fetched, tool_list

SECOND = timedelta(seconds=1)


def listing(*names: str, words: str = "") -> Fetched:
    """A look that lists tools of these names."""
    return fetched(tool_list(*(tool(name, (), words) for name in names)))


def known(previous: list[str] | None) -> Known:
    """A list of tools of these names that counted, or none."""
    return Known() if previous is None else Known("another", tuple(previous))


def looks(
    previous: list[str] | None, *lists: Fetched, each: timedelta = SECOND, confirmations: int = 1
) -> list[bool]:
    """Whether each of these looks counts, one after the other."""
    pending: Pending | None = None
    counted, now = [], NOON
    for found in lists:
        answer = confirm(found, known(previous), pending, now, confirmations=confirmations)
        pending = answer.pending if isinstance(answer, Held) else None
        counted.append(isinstance(answer, Look))
        now += each
    return counted


@pytest.mark.parametrize("previous", [None, [], ["a"], ["a", "a"]])
def test_a_list_that_lost_nothing_counts_at_once(previous: list[str] | None) -> None:
    """The first one, and one that only gained tools."""
    assert looks(previous, listing("a", "b")) == [True]


def test_a_list_that_lost_tools_counts_when_it_is_seen_again() -> None:
    """One look may be of a rollout, a cold start, a gateway without one of its backends."""
    assert looks(["a", "b"], listing("a"), listing("a")) == [False, True]


def test_a_tool_that_comes_back_was_not_lost() -> None:
    """The wait begins anew: what counted meanwhile had it."""
    held = confirm(listing("a"), known(["a", "b"]), None, NOON)
    assert isinstance(held, Held)
    assert held.fault is None
    assert looks(["a", "b"], listing("a"), listing("a", "b")) == [False, True]


def test_a_list_that_differs_each_time_has_lost_its_tools_all_the_same() -> None:
    """A description with a time in it must not keep the loss from ever being told."""
    worded = [listing("a", words=f"now {number}") for number in range(2)]

    assert looks(["a", "b"], *worded) == [False, True]


def test_two_backends_that_lack_different_tools_are_told_in_the_end() -> None:
    """Each tool was seen to be missing twice, if not twice in a row."""
    one, other = listing("a"), listing("b")

    assert looks(["a", "b"], one, other, one) == [False, False, True]


def test_more_that_is_lost_has_to_be_seen_again_too() -> None:
    """The second look vouches for what the first one lacked, and not for more."""
    assert looks(["a", "b", "c"], listing("a", "b"), listing("a"), listing("a")) == [
        False,
        False,
        True,
    ]


def test_an_empty_list_counts_after_a_minute() -> None:
    """Until then it is a fault."""
    empty = listing()
    held = confirm(empty, known(["a"]), None, NOON)
    assert isinstance(held, Held)
    assert held.fault is not None
    assert held.fault.reason == "EmptyList"

    def after(wait: timedelta) -> bool:
        return isinstance(confirm(empty, known(["a"]), held.pending, NOON + wait), Look)

    assert not after(EMPTY_FOR - SECOND)
    assert after(EMPTY_FOR)


def test_an_empty_list_is_never_the_first() -> None:
    """However long it stays."""
    assert looks(None, listing(), listing(), each=timedelta(days=1)) == [False, False]


def test_an_empty_list_that_is_known_counts() -> None:
    """Nothing was lost."""
    assert looks([], listing()) == [True]


def test_an_empty_list_vouches_for_nothing() -> None:
    """A server that registers its tools one by one: none, one, all."""
    assert looks(["a", "b"], listing(), listing("a"), listing("a", "b")) == [False, False, True]
    assert looks(["a", "b"], listing("a"), listing(), listing("a")) == [False, False, False]


names = st.lists(st.sampled_from("abcd"), unique=True)


@given(names, st.lists(names, min_size=1, max_size=12))
def test_no_tool_is_lost_that_was_not_missing_twice(
    previous: list[str], seen: list[list[str]]
) -> None:
    """Whatever comes in between."""
    counted = looks(previous, *(listing(*each) for each in seen), each=timedelta(minutes=2))
    if True in counted:
        first = counted.index(True)
        for name in set(previous) - set(seen[first]):
            assert sum(name not in each for each in seen[: first + 1]) >= 2


@given(names.filter(bool), st.lists(names.filter(bool), min_size=6, max_size=6))
def test_the_wait_has_an_end(previous: list[str], seen: list[list[str]]) -> None:
    """Of n tools, the (n + 1)th look counts at the latest."""
    assert True in looks(previous, *(listing(*each) for each in seen))
