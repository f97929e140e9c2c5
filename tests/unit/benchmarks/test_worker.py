"""A measured process: questions, answers, deadlines, ends."""

import sys
from pathlib import Path

import pytest

from benchmarks.diff.peers import PROGRAMS, Command
from benchmarks.diff.worker import Worker

BEFORE = [{"name": "a", "inputSchema": {"type": "object", "maxProperties": 3}}]
AFTER = [{"name": "a", "inputSchema": {"type": "object", "maxProperties": 2}}]

PROGRAM = """
import sys, time
sys.path.insert(0, {programs!r})
import loop

def read(text):
    print("a library talks")
    return text

def judge(before, after):
    if "hang" in before:
        time.sleep(60)
    if "exit" in before:
        sys.exit(1)
    if "raise" in before:
        raise RuntimeError
    return {{"a": "fine"}}

loop.run(read, judge)
"""


@pytest.fixture
def command(tmp_path: Path) -> Command:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.format(programs=str(PROGRAMS)))
    return Command([sys.executable, str(program)])


def test_a_question_is_answered(command: Command) -> None:
    with Worker(command, deadline=30) as worker:
        answer = worker.ask([], [])

    assert answer.verdicts == {"a": "fine"}
    assert 0 <= answer.seconds < 30


def test_one_that_raises_answers_so(command: Command) -> None:
    with Worker(command, deadline=30) as worker:
        assert worker.ask([{"name": "raise"}], []).verdicts == {"": "error"}
        assert worker.ask([], []).verdicts == {"a": "fine"}


def test_one_that_ends_is_started_again(command: Command) -> None:
    with Worker(command, deadline=30) as worker:
        assert worker.ask([{"name": "exit"}], []).failure == "crashed"
        assert worker.ask([], []).verdicts == {"a": "fine"}


def test_one_that_hangs_is_given_up(command: Command) -> None:
    with Worker(command, deadline=0.5) as worker:
        answer = worker.ask([{"name": "hang"}], [])

    assert answer.failure == "no answer"
    assert answer.seconds >= 0.5


def test_proxar_speaks_that_language() -> None:
    command = Command([sys.executable, str(PROGRAMS / "proxar_worker.py")])

    with Worker(command, deadline=30) as worker:
        assert worker.ask(BEFORE, AFTER).verdicts == {"a": "breaking"}
        assert worker.ask(AFTER, BEFORE).verdicts == {"a": "fine"}
