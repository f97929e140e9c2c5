"""What is made of the answers of a measured program."""

import pytest

from benchmarks.diff.pairs import Pair, Tool
from benchmarks.diff.peers import PEERS, Command, Peer
from benchmarks.diff.score import Agreement, Run, agreement, measure, times
from benchmarks.diff.table import HEADER, report
from benchmarks.diff.worker import Answer, Worker

BEFORE: list[Tool] = [{"name": "a", "inputSchema": {"type": "string"}}, {"name": "b"}]
AFTER: list[Tool] = [{"name": "a", "inputSchema": {"type": "object"}}, {"name": "b"}]
PAIR = Pair("p", BEFORE, AFTER, {"a": True, "b": False})
KEY = ("p", "a")


class Recorded(Worker):
    """Gives the same answer to every question and keeps the questions."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(Command([]), deadline=1)
        self.answer = answer
        self.asked: list[tuple[object, object]] = []

    def ask(self, before: object, after: object) -> Answer:
        self.asked.append((before, after))
        return self.answer


def peer(*, takes_lists: bool) -> Peer:
    return Peer("p", "1", lambda: Command([]), takes_lists)


def test_times_are_those_of_the_ordered_pairs() -> None:
    found = times([float(number) for number in range(100, 0, -1)])

    assert (found.median, found.p90, found.worst) == (50.5, 91.0, 100.0)


def test_times_of_one_pair() -> None:
    assert times([2.0]).p90 == 2.0


@pytest.mark.parametrize(
    ("verdict", "is_breaking", "expected"),
    [
        ("breaking", True, Agreement(1, 0, 0, 0)),
        ("fine", False, Agreement(1, 0, 0, 0)),
        ("fine", True, Agreement(0, 1, 0, 0)),
        ("breaking", False, Agreement(0, 0, 1, 0)),
        ("error", True, Agreement(0, 0, 0, 1)),
    ],
)
def test_a_verdict_is_counted_once(verdict: str, is_breaking: bool, expected: Agreement) -> None:
    found = agreement({KEY: verdict}, {KEY: is_breaking, ("p", "unasked"): True})

    assert found == expected
    assert found.total == 1


def test_a_program_that_knows_schemas_is_asked_about_changed_tools() -> None:
    worker = Recorded(Answer(0.5, {"a": "breaking"}))

    run = measure(peer(takes_lists=False), worker, [PAIR])

    assert worker.asked[1:] == [([BEFORE[0]], [AFTER[0]])]
    assert run.verdicts == {KEY: "breaking"}


def test_a_program_that_knows_lists_gets_them_whole() -> None:
    worker = Recorded(Answer(0.5, {"a": "fine", "b": "breaking"}))

    run = measure(peer(takes_lists=True), worker, [PAIR])

    assert worker.asked[1:] == [(BEFORE, AFTER)]
    assert run.verdicts == {KEY: "fine"}
    assert run.seconds == [0.5]


def test_no_answer_is_an_error_and_a_failure() -> None:
    run = measure(peer(takes_lists=True), Recorded(Answer(9.0, {}, "no answer")), [PAIR])

    assert run.verdicts == {KEY: "error"}
    assert run.failures == {"p": "no answer"}
    assert run.seconds == [9.0]


def test_a_table_has_a_row_for_each_program() -> None:
    run = Run([0.001], [0.001], {}, {KEY: "breaking"})
    other = Run([0.2], [0.1], {}, {KEY: "fine"})

    table = report({"proxar": run, "other": other, "lost": "no such package\nlog"}, {}, [PAIR])

    rows = [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]
    assert [row[0] for row in rows] == ["proxar", "other", "lost"]
    assert rows[1][1:3] == ["100 ms", "200 ms"]
    assert rows[1][6:9] == ["0 of 1 (0.0%)", "0 of 1 (0.0%)", "1"]
    assert "not measured: no such package" in rows[2]
    assert {line.count("|") for line in table.splitlines()} == {len(HEADER) + 1}


def test_the_first_program_is_ours() -> None:
    """The others are compared with it."""
    assert PEERS[0].name == "proxar"
