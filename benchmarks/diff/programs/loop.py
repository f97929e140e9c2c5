"""The conversation of a measured program with the benchmark; standard library only.

A program runs in an environment of its own, so this file is imported by its bare name. A question
is one line of JSON, `{"before": TEXT, "after": TEXT}`, each text a JSON array of tools. The answer
is `{"reading": S, "seconds": S, "verdicts": {TOOL: VERDICT}}` for the tools in both lists, where a
verdict is `breaking`, `fine` or `error`. Reading is from the two texts in memory to what the
program keeps of a list, the other time from there to the verdicts: neither the start of the process
nor the pipe is in them.
"""

import json
import sys
import time
from collections.abc import Callable
from typing import Any

Read = Callable[[str], Any]
Judge = Callable[[Any, Any], dict[str, str]]
Contained = Callable[[Any, Any], bool]
"""Whether every value of the first schema is one of the second."""


def run(read: Read, judge: Judge) -> None:
    """Answer questions until there are no more.

    Args:
        read: Makes of a text what the program keeps of a list.
        judge: Compares two of these.
    """
    answers, sys.stdout = sys.stdout, sys.stderr  # what a library prints is no answer
    for line in sys.stdin:
        question = json.loads(line)
        read_at = started = time.perf_counter()
        try:
            before, after = read(question["before"]), read(question["after"])
            read_at = time.perf_counter()
            verdicts = judge(before, after)
        except Exception:  # noqa: BLE001 - whatever a measured library raises is its answer
            verdicts = {"": "error"}
        ended = time.perf_counter()
        answer = {"reading": read_at - started, "seconds": ended - read_at, "verdicts": verdicts}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def by_name(text: str) -> dict[str, Any]:
    """Read a list for a program that has no reader of lists."""
    return {tool["name"]: tool for tool in json.loads(text)}


def by_containment(contained: Contained) -> Judge:
    """Make a judge of lists from a check that knows schemas only: an input may grow, an output may
    shrink.
    """

    def judge(old: dict[str, Any], new: dict[str, Any]) -> dict[str, str]:
        return {name: _verdict(old[name], new[name], contained) for name in old if name in new}

    return judge


def _verdict(old: Any, new: Any, contained: Contained) -> str:
    try:
        if not contained(old.get("inputSchema"), new.get("inputSchema")):
            return "breaking"
        if "outputSchema" not in old:
            return "fine"
        if "outputSchema" not in new:
            return "breaking"
        return "fine" if contained(new["outputSchema"], old["outputSchema"]) else "breaking"
    except Exception:  # noqa: BLE001 - as above; other tools may do better
        return "error"


def is_about_schemas(pointer: str) -> bool:
    """Whether a place inside a tool is in one of its schemas, which is all that is compared."""
    return pointer.startswith(("/inputSchema", "/outputSchema"))
