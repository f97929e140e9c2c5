"""Pairs: greedy, one to one, deterministic, and never too many comparisons."""

from proxar.contract.matching import MAX_CELLS, Cells, Limits, Match, match


def _match(old: list[str], new: list[str], limits: Limits, calls: list[int]) -> list[Match]:
    def score(one: str, other: str) -> float:
        calls.append(1)
        return len(set(one) & set(other)) / len(set(one) | set(other))

    return match(old, new, score, str.lower, limits)


def test_takes_the_best_first_and_each_once() -> None:
    """Ties go in the order of the sequences."""
    found = _match(["ab", "abc"], ["abcd", "ab", "ab"], Limits(0.5, Cells()), [])

    assert found == [Match(0, 1, 1.0), Match(1, 0, 0.75)]


def test_compares_no_more_than_the_cap() -> None:
    """At the cap everything is compared, above it only keys."""
    calls: list[int] = []
    old = [f"A{n}" for n in range(MAX_CELLS // 100)]

    _match(old, [f"a{n}" for n in range(100)], Limits(0.9, Cells()), calls)
    assert len(calls) == MAX_CELLS

    calls.clear()
    found = _match(old, [f"a{n}" for n in range(101)], Limits(0.9, Cells()), calls)
    assert calls == []
    assert [(each.old, each.new) for each in found] == [(n, n) for n in range(100)]


def test_all_matrices_share_what_is_left() -> None:
    """A thousand tools with a matrix each are no way around the cap."""
    limits, calls = Limits(0.9, Cells(left=10)), list[int]()

    for _ in range(5):
        _match(["a", "b"], ["c", "d"], limits, calls)

    assert len(calls) == 8
