"""When a list flaps, and when it stands still again."""

import itertools
from datetime import datetime, timedelta

import pytest

from proxar.api import HistoryEntry
from proxar.controller.flapping import (
    CHANGES,
    KEPT,
    LONGEST,
    NEW_EACH_LOOK,
    RETURNS,
    Trail,
    follow,
    recalled,
    window,
)
from tests.unit.controller.world import NOON

MINUTE = timedelta(minutes=1)
SPAN = window(MINUTE)


def trail_of(looks: str, each: timedelta = MINUTE, before: Trail | None = None) -> Trail:
    """The trail of looks that gave these lists, a letter each."""
    trail, now = before or Trail(), NOON
    for hash_ in looks:
        now += each
        trail = follow(trail, hash_, now, window(each))
    return trail


@pytest.mark.parametrize(
    "looks",
    ["", "A", "AAAA", "AB", "ABAB", "AABBAABB", "ABC", "ABCAB", "ABCDE", "AABBCCDDEEFF"],
)
def test_what_people_do_is_no_flapping(looks: str) -> None:
    """Rolled out, back and out again; or one new version after the other."""
    assert trail_of(looks).flapping == ()


@pytest.mark.parametrize(
    ("looks", "among"),
    [
        ("ABABA", "AB"),
        ("AABAABA", "AB"),
        ("ABCABC", "CBA"),
        ("ABCDEF", "FEDC"),
        ("AABBCCDDEEFFGGHHIIJJK", "KJIH"),
    ],
)
def test_lists_that_do_not_stand_still_flap(looks: str, among: str) -> None:
    """Between replicas, or with the time of day in them. The newest of the lists are named."""
    assert trail_of(looks[:-1]).flapping == ()
    assert "".join(trail_of(looks).flapping) == among


def test_the_lists_that_are_named_stay() -> None:
    """However many others come: to name each would cost a write at each look."""
    assert trail_of("ABCDEFGHIJKLMNOPQ").flapping == trail_of("ABCDEF").flapping


def test_it_stands_still_after_a_window_without_a_change() -> None:
    """Not a look earlier, and the next change is news."""
    flapping = trail_of("ABABA")
    looks = int(SPAN / MINUTE)

    def after(more: str) -> Trail:
        trail, now = flapping, NOON + 5 * MINUTE
        for hash_ in more:
            now += MINUTE
            trail = follow(trail, hash_, now, SPAN)
        return trail

    assert after("A" * (looks - 1)).flapping
    assert after("A" * looks).flapping == ()
    assert after("A" * looks + "BAB").flapping == ()
    assert after("A" * (looks - 1) + "B" + "B" * (looks - 1)).flapping


def test_changes_that_are_far_apart_are_told_one_by_one() -> None:
    """A release a day, and back again each time, with an interval of a minute."""
    assert trail_of("ABABABAB", each=timedelta(hours=6)).flapping
    trail, now = Trail(), NOON
    for hash_ in "ABABABAB":
        now += SPAN
        trail = follow(trail, hash_, now, SPAN)
        trail = follow(trail, hash_, now + MINUTE, SPAN)
    assert trail.flapping == ()


def test_a_list_that_stood_for_long_can_be_gone_back_to() -> None:
    """What counts is when it was left, not when it came."""
    trail = follow(Trail(), "A", NOON - timedelta(days=3), SPAN)

    assert trail_of("BABA"[:-1], before=trail).flapping == ()
    assert trail_of("BABA", before=trail).flapping


@pytest.mark.parametrize(
    ("interval", "expected"),
    [
        (timedelta(seconds=5), timedelta(seconds=100)),
        (MINUTE, timedelta(minutes=20)),
        (timedelta(minutes=30), LONGEST),
        (timedelta(hours=1), timedelta(hours=8)),
        (timedelta(hours=24), timedelta(days=8)),
    ],
)
def test_the_window_follows_the_interval(interval: timedelta, expected: timedelta) -> None:
    """Within bounds."""
    assert window(interval) == expected


def test_a_trail_is_bounded() -> None:
    """Whoever asks for a thousand looks within a window."""
    trail = Trail()
    for number in range(1000):
        trail = follow(trail, str(number), NOON, SPAN)

    assert len(trail.runs) == KEPT


def entry(hash_: str, since: datetime) -> HistoryEntry:
    """A line of status.history."""
    return HistoryEntry(hash=hash_, first_seen_time=since)


def test_a_restart_remembers_what_status_tells() -> None:
    """The changes of the window, so the next one but one flaps as if nothing had been."""
    history = [entry(hash_, NOON - ago * MINUTE) for ago, hash_ in enumerate("BABA", 1)]
    history.append(entry("C", NOON - timedelta(days=9)))

    trail = recalled(history, (), NOON, SPAN)

    assert [run.hash for run in trail.runs] == ["C", "A", "B", "A", "B"]
    assert trail.flapping == ()
    assert follow(trail, "A", NOON, SPAN).flapping


def test_a_restart_does_not_end_the_flapping() -> None:
    """The quiet time begins anew, and the lists that were named are."""
    trail = recalled([entry("B", NOON - 99 * MINUTE), entry("A", NOON)], ("A", "B"), NOON, SPAN)

    assert follow(trail, "B", NOON + SPAN - MINUTE, SPAN).flapping == ("A", "B")
    assert follow(trail, "B", NOON + SPAN, SPAN).flapping == ()


def test_the_numbers_keep_the_promise_of_three_transitions() -> None:
    """A -> B -> A -> B changes three times: neither rule may be that strict."""
    assert min(NEW_EACH_LOOK, CHANGES) > 3


def flaps(looks: str) -> bool:
    """The rule, as it is told in words, for looks of one window."""
    changes = [each for each in range(1, len(looks)) if looks[each] != looks[each - 1]]
    returns = [each for each in changes if looks[each] in looks[:each]]
    last = range(len(looks) - NEW_EACH_LOOK, len(looks))
    all_new = last.start > 0 and all(looks[each] not in looks[:each] for each in last)
    return len(returns) >= RETURNS or all_new or len(changes) >= CHANGES


@pytest.mark.parametrize(("letters", "length"), [("AB", 10), ("ABC", 7), ("ABCD", 5)])
def test_every_short_history_is_judged_as_the_rule_says(letters: str, length: int) -> None:
    """All there are."""
    for looks in itertools.product(letters, repeat=length):
        trail, now, expected = Trail(), NOON, False
        for number, hash_ in enumerate(looks, 1):
            now += MINUTE
            trail = follow(trail, hash_, now, SPAN)
            expected = expected or flaps("".join(looks[:number]))
            assert bool(trail.flapping) is expected, looks
