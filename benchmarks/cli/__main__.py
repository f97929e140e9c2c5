"""How long `proxar diff A.json B.json` takes from the shell: `python -m benchmarks.cli`.

Two generated lists of 100 tools are compared, beside a bare interpreter and one that imports typer,
in turns in the same run, so that a busy machine slows all of them. The target is 0.3 s.
"""

import json
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROUNDS = 20
TARGET_SECONDS = 0.3
TOOLS = 100


def tool(number: int, *, changed: bool) -> dict[str, object]:
    """A tool of ordinary size; a changed one differs in a name, a bound, `required` and its text."""
    text = "query" if not changed else "search_text"
    return {
        "name": f"search_things_{number}",
        "title": f"Search things {number}",
        "description": f"Search for things of kind {number} by {'keyword' if changed else 'text'}, newest first.",
        "inputSchema": {
            "type": "object",
            "properties": {
                text: {"type": "string", "description": "What to look for.", "minLength": 1},
                "limit": {"type": "integer", "minimum": 1, "maximum": 50 if changed else 100},
                "sort": {"type": "string", "enum": ["created", "updated", "comments"]},
                "filter": {
                    "type": "object",
                    "properties": {
                        "labels": {"type": "array", "items": {"type": "string"}},
                        "since": {
                            "anyOf": [{"type": "string", "format": "date-time"}, {"type": "null"}]
                        },
                    },
                },
            },
            "required": [text, "limit"] if changed else [text],
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
            "python -c pass": [sys.executable, "-c", "pass"],
            "python -c 'import typer'": [sys.executable, "-c", "import typer"],
            "proxar diff A B": [str(program), "diff", before, after],
            "proxar diff A B -o json": [str(program), "diff", before, after, "-o", "json"],
        }
        for command in commands.values():
            elapsed(command)  # once unmeasured: byte code is written, files are read into memory
        seconds: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(ROUNDS):
            for name, command in commands.items():
                seconds[name].append(elapsed(command))
    return report(seconds, print)


def elapsed(command: list[str]) -> float:
    """Wall time of one process, its output thrown away."""
    started = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    passed = time.perf_counter() - started
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{command}: exit {done.returncode}: {done.stderr.decode()}")
    return passed


def report(seconds: dict[str, list[float]], say: Callable[[str], None]) -> int:
    """Say best and median of each, and whether the diff keeps its promise."""
    bare = statistics.median(seconds["python -c pass"])
    say(
        f"{'':28}{'best':>9}{'median':>9}{'ratio':>8}   of {ROUNDS} runs, two lists of {TOOLS} tools"
    )
    for name, measured in seconds.items():
        median = statistics.median(measured)
        say(f"{name:28}{min(measured):8.3f}s{median:8.3f}s{median / bare:7.1f}x")
    median = statistics.median(seconds["proxar diff A B"])
    kept = median < TARGET_SECONDS
    say(f"median {median:.3f} s is {'under' if kept else 'OVER'} {TARGET_SECONDS} s")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
