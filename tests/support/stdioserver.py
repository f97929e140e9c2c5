"""MCP servers over standard input and output that behave in named ways: python stdioserver.py NAME.

A program with nothing but the standard library, so that it starts at once. Each function is a
behaviour; it gets the requests one by one.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

MODERN = "2026-07-28"
TOOLS: list[Any] = [
    {"name": "search_issues", "inputSchema": {"type": "object"}, "x-unknown": [1, 2.50]},
    {"name": "close_issue", "inputSchema": {"type": "object"}},
]
SERVER_INFO = {"name": "stdio-server", "version": "1.2.3"}
SLEEPER = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"

Message = dict[str, Any]


def say(document: Any) -> None:
    """Write a message."""
    print(json.dumps(document), flush=True)


def answer(message: Message, result: Any) -> None:
    """Answer a request."""
    say({"jsonrpc": "2.0", "id": message["id"], "result": result})


def refuse(message: Message, code: int) -> None:
    """Answer a request with an error."""
    error = {"code": code, "message": "no"}
    say({"jsonrpc": "2.0", "id": message["id"], "error": error})


def modern(message: Message) -> None:
    """Speaks 2026-07-28."""
    if message["method"] == "server/discover":
        result = {"supportedVersions": [MODERN], "capabilities": {"tools": {}}}
        answer(message, result | {"resultType": "complete"})
    else:
        info = {"io.modelcontextprotocol/serverInfo": SERVER_INFO}
        answer(message, {"tools": TOOLS, "resultType": "complete", "_meta": info})


def legacy(message: Message) -> None:
    """Speaks 2025-11-25, and does not know the probe."""
    match message["method"]:
        case "initialize":
            result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}}
            answer(message, result | {"serverInfo": SERVER_INFO})
        case "tools/list":
            answer(message, {"tools": TOOLS})
        case _ if "id" in message:
            refuse(message, -32601)


def strict(message: Message) -> None:
    """Answers the probe with an internal error."""
    refuse(message, -32603) if message["method"] == "server/discover" else legacy(message)


def exits(message: Message) -> None:
    """Ends over the probe."""
    sys.exit(1) if message["method"] == "server/discover" else legacy(message)


def silent(message: Message) -> None:
    """Never answers the probe, and nothing after it."""
    if message["method"] == "server/discover":
        time.sleep(600)
    legacy(message)


def deaf(message: Message) -> None:
    """Never answers the probe, but all that comes after it."""
    if message["method"] != "server/discover":
        legacy(message)


def slow(message: Message) -> None:
    """Answers the first question only once there is a second one, as if it had to start first."""
    if message["method"] == "server/discover":
        other = json.loads(sys.stdin.readline())
        modern(message)
        refuse(other, -32601)
    else:
        modern(message)


def complains(message: Message) -> None:
    """Answers a notification, which nobody may."""
    if "id" not in message:
        say({"jsonrpc": "2.0", "id": None, "error": {"code": -32601, "message": "no"}})
    else:
        legacy(message)


def pages(message: Message) -> None:
    """Sends three pages."""
    if message["method"] != "tools/list":
        modern(message)
        return
    number = int(message["params"].get("cursor", 0))
    more = {"nextCursor": str(number + 1)} if number < 2 else {}
    answer(message, {"tools": [{"name": f"tool-{number}"}], **more})


def logs(message: Message) -> None:
    """Logs to its standard output, as text and as JSON."""
    print("INFO starting\n\n{not json", flush=True)
    say({"level": "info", "message": "a request"})
    modern(message)


def logs_and_exits(_: Message) -> None:
    """Logs to its standard output and ends."""
    print("INFO starting", flush=True)
    sys.exit(0)


def large(message: Message) -> None:
    """Sends 3 MB in one line, and writes as much to its standard error first."""
    if message["method"] != "tools/list":
        modern(message)
        return
    for _ in range(3000):
        print("x" * 1000, file=sys.stderr)
    tools = [{"name": str(number), "description": "x" * 1000} for number in range(3000)]
    answer(message, {"tools": tools})


def pieces(message: Message) -> None:
    """Writes its answer byte by byte, with CR before the end of the line."""
    info = {"io.modelcontextprotocol/serverInfo": SERVER_INFO}
    result = json.dumps({"tools": TOOLS, "_meta": info})
    if message["method"] != "tools/list":
        modern(message)
        return
    line = f'{{"jsonrpc":"2.0","id":{message["id"]},"result":{result}}}\r\n'
    for byte in line.encode():
        os.write(1, bytes([byte]))


def crashes(message: Message) -> None:
    """Crashes over the list, and says why."""
    if message["method"] != "tools/list":
        modern(message)
        return
    print("Traceback:\n  File x\nValueError: no \x1b[31mtoken", file=sys.stderr, flush=True)
    sys.exit(3)


def killed(message: Message) -> None:
    """Is killed over the list."""
    modern(message) if message["method"] != "tools/list" else os.kill(os.getpid(), signal.SIGKILL)


def usage(_: Message) -> None:
    """Is no server at all."""


def hangs(message: Message) -> None:
    """Never lists its tools."""
    print("waiting for the database", file=sys.stderr, flush=True)
    time.sleep(600) if message["method"] == "tools/list" else modern(message)


def broken(message: Message) -> None:
    """Cuts its answer off."""
    if message["method"] != "tools/list":
        modern(message)
        return
    print(f'{{"jsonrpc":"2.0","id":{message["id"]},"result":{{"tools":[', flush=True)


def nan(message: Message) -> None:
    """Has NaN in its answer."""
    answer(message, {"tools": [float("nan")]}) if message["method"] == "tools/list" else modern(
        message
    )


def wrong_id(message: Message) -> None:
    """Answers another request."""
    message = message | {"id": 4711} if message["method"] == "tools/list" else message
    modern(message)


def refuses(message: Message) -> None:
    """Answers the list with an error."""
    refuse(message, -32000) if message["method"] == "tools/list" else modern(message)


def endless(message: Message) -> None:
    """Writes for ever."""
    if message["method"] != "tools/list":
        modern(message)
        return
    while True:
        os.write(1, b"x" * 65536)


def loops(message: Message) -> None:
    """Never ends its pages."""
    if message["method"] != "tools/list":
        modern(message)
    else:
        answer(message, {"tools": [{"name": str(time.monotonic())}], "nextCursor": "8"})


def family(message: Message) -> None:
    """Starts a child that ignores SIGTERM, and does so itself; tells their process ids."""
    if message["method"] == "server/discover":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        child = subprocess.Popen([sys.executable, "-I", "-S", "-c", SLEEPER])
        Path(sys.argv[2]).write_text(f"{os.getpid()} {child.pid}", encoding="ascii")
    modern(message)


def orphans(message: Message) -> None:
    """Starts a child, hangs over the list and does not mind that its input ends."""
    if message["method"] == "server/discover":
        child = subprocess.Popen([sys.executable, "-I", "-S", "-c", SLEEPER])
        Path(sys.argv[2]).write_text(f"{os.getpid()} {child.pid}", encoding="ascii")
        modern(message)
    else:
        time.sleep(600)


def environment(message: Message) -> None:
    """Lists a tool with the name of a variable's value."""
    if message["method"] != "tools/list":
        modern(message)
    else:
        answer(message, {"tools": [{"name": os.environ["PROXAR_TEST_VARIABLE"]}]})


BEHAVIOURS: dict[str, Callable[[Message], None]] = {
    serve.__name__: serve
    for serve in (
        *(
            modern,
            legacy,
            strict,
            exits,
            silent,
            deaf,
            slow,
            complains,
            pages,
            logs,
            logs_and_exits,
            large,
        ),
        *(pieces, crashes, killed, usage, hangs, broken, nan, wrong_id, refuses, endless, loops),
        *(family, orphans, environment),
    )
}


def main() -> None:
    """Serve until the input ends; `family` does not mind even that."""
    name = sys.argv[1]
    if name == "usage":
        sys.exit("usage: server [--port PORT]")
    for line in sys.stdin:
        BEHAVIOURS[name](json.loads(line))
    if name == "family":
        time.sleep(600)


if __name__ == "__main__":
    main()
