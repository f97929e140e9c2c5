"""How long `proxar diff A.json B.json` takes from the shell: `python -m benchmarks.cli`.

Two generated lists of 100 tools are compared, every one of them changed in five places, beside a
bare interpreter and one that imports typer: in turns in the same run, so that a busy machine slows
all of them. Processor time is shown too, which a busy machine hardly changes. The target is 0.3 s.
"""

import json
import os
import resource
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROUNDS = 20
TARGET_SECONDS = 0.3
TOOLS = 100
BARE = "python -c pass"
DIFF = "proxar diff A B"


@dataclass(frozen=True)
class Run:
    """Seconds that one process took."""

    wall: float
    processor: float


ENVIRONMENT = {
    name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
}
"""An installed program has its bytecode; with that variable it would be compiled at each start."""


def tool(number: int, *, changed: bool) -> dict[str, object]:
    """A tool of ordinary size; a changed one differs in five places."""
    query = "search_text" if changed else "query"
    since = {"anyOf": [{"type": "string", "format": "date-time"}, {"type": "null"}]}
    return {
        "name": f"search_things_{number}",
        "title": f"Search things {number}",
        "description": f"Search things of kind {number} by {query}, newest first.",
        "inputSchema": {
            "type": "object",
            "properties": {
                query: {"type": "string", "description": "What to look for.", "minLength": 1},
                "limit": {"type": "integer", "minimum": 1, "maximum": 50 if changed else 100},
                "sort": {"type": "string", "enum": ["created", "updated", "comments"]},
                "filter": {
                    "type": "object",
                    "properties": {
                        "labels": {"type": "array", "items": {"type": "string"}},
                        "since": since,
                    },
                },
            },
            "required": [query, "limit"] if changed else [query],
        },
        "annotations": {"readOnlyHint": True},
    }


def write_lists(folder: Path) -> tuple[Path, Path]:
    """Two tools/list results, every tool of the second one changed."""
    before, after = folder / "before.json", folder / "after.json"
    for path, changed in ((before, False), (after, True)):
        tools = [tool(number, changed=changed) for number in range(TOOLS)]
        path.write_text(json.dumps({"tools": tools}, indent=2))
    return before, after


def main() -> int:
    """Measure, print the table, and exit 1 when the target is missed."""
    program = Path(sysconfig.get_path("scripts")) / "proxar"
    with tempfile.TemporaryDirectory() as folder:
        before, after = map(str, write_lists(Path(folder)))
        commands = {
            BARE: [sys.executable, "-c", "pass"],
            "python -c 'import typer'": [sys.executable, "-c", "import typer"],
            DIFF: [str(program), "diff", before, after],
            "proxar diff A B -o json": [str(program), "diff", before, after, "-o", "json"],
        }
        for command in commands.values():
            measured(command)  # once for nothing: byte code is written, files come into memory
        runs: dict[str, list[Run]] = {name: [] for name in commands}
        for _ in range(ROUNDS):
            for name, command in commands.items():
                runs[name].append(measured(command))
    return report(runs, print)


def measured(command: list[str]) -> Run:
    """Wall and processor time of one process, its output thrown away."""
    cpu, started = processor_seconds(), time.perf_counter()
    done = subprocess.run(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False, env=ENVIRONMENT
    )
    passed = time.perf_counter() - started
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{command}: exit {done.returncode}: {done.stderr.decode()}")
    return Run(passed, processor_seconds() - cpu)


def processor_seconds() -> float:
    """Of all processes that were waited for so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def report(runs: dict[str, list[Run]], say: Callable[[str], None]) -> int:
    """Say best and median of each, and whether the diff keeps its promise."""
    medians = {name: statistics.median(run.wall for run in each) for name, each in runs.items()}
    say(f"{ROUNDS} runs, two lists of {TOOLS} tools{'best':>12}{'median':>9}{'ratio':>8}{'cpu':>9}")
    for name, each in runs.items():
        best = min(run.wall for run in each)
        cpu = statistics.median(run.processor for run in each)
        ratio = medians[name] / medians[BARE]
        say(f"{name:32}{best:10.3f}s{medians[name]:8.3f}s{ratio:7.1f}x{cpu:8.3f}s")
    median = medians[DIFF]
    kept = median < TARGET_SECONDS
    say(f"{DIFF}: median {median:.3f} s is {'under' if kept else 'OVER'} {TARGET_SECONDS} s")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
