"""One command line, run as a shell would, with everything that it printed."""

import io
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from proxar.cli.main import run

__all__ = ["Printed", "Shell", "tools_list"]

Shell = Callable[..., "Printed"]


@dataclass(frozen=True)
class Printed:
    """Exit code and both streams."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """What stdout says as JSON."""
        return json.loads(self.out)


def shell(capture: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Shell:
    """A function that runs `proxar` with the arguments and the bytes of stdin that it is given."""

    def proxar(*arguments: str | Path, stdin: bytes = b"") -> Printed:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capture.readouterr()
        code = run([str(argument) for argument in arguments])
        out, err = capture.readouterr()
        return Printed(code, out.decode(), err.decode())

    return proxar


def tools_list(*tools: Mapping[str, Any]) -> bytes:
    """A tools/list result."""
    return json.dumps({"tools": list(tools)}).encode()


def tool(name: str = "search", description: str = "Search.", **properties: Any) -> dict[str, Any]:
    """A tool with these optional parameters."""
    return {
        "name": name,
        "description": description,
        "inputSchema": {"type": "object", "properties": properties},
    }
