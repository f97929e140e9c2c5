"""The pairs of tool lists that are compared: our own, a folder of real lists, or a labelled file.

Only tools that a peer can be asked about stay in: objects with a name that occurs once in its list.
What happens to whole tools, one removed or listed twice, is not compared; every program would say
the same.
"""

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.cli.__main__ import tool
from proxar.contract.path import Place

__all__ = ["Pair", "Tool", "changed_tools", "corpus", "golden", "labelled", "synthetic"]

Tool = dict[str, Any]

ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests" / "unit" / "contract" / "cases"
TOOLS = 100
SCHEMAS = ("inputSchema", "outputSchema")


@dataclass(frozen=True)
class Pair:
    """Two tool lists, and where somebody knows it, which tools break their callers."""

    name: str
    before: list[Tool]
    after: list[Tool]
    labels: Mapping[str, bool] = field(default_factory=dict)
    """Tool to whether the change of its schemas is breaking."""


def golden() -> Iterator[Pair]:
    """The golden cases of the classifier; the label is what a person typed."""
    for case in sorted(CASES.glob("*/*/case.toml")):
        before, after = (_tools(case.with_name(f"{name}.json")) for name in ("before", "after"))
        changes = tomllib.loads(case.read_text(encoding="utf-8")).get("changes", ())
        breaking = [change["path"] for change in changes if change["verdict"] == "breaking"]
        shared = {it["name"] for it in before} & {it["name"] for it in after}
        labels = {name: any(_is_below(path, name) for path in breaking) for name in shared}
        if labels:
            yield Pair(f"{case.parent.parent.name}/{case.parent.name}", before, after, labels)


def _is_below(path: str, name: str) -> bool:
    return path.startswith(tuple(f"{Place(name).path}.{schema}" for schema in SCHEMAS))


def synthetic() -> Iterator[Pair]:
    """Lists of 100 tools, of which none, a tenth or all changed in five places, some breaking."""
    for step, name in ((0, "none of 100"), (10, "10 of 100"), (1, "100 of 100")):
        changed = set(range(0, TOOLS, step)) if step else set()
        before = [dict(tool(number, changed=False)) for number in range(TOOLS)]
        after = [dict(tool(number, changed=number in changed)) for number in range(TOOLS)]
        labels = {str(it["name"]): number in changed for number, it in enumerate(before)}
        yield Pair(name, before, after, labels)


def corpus(folder: Path) -> Iterator[Pair]:
    """Consecutive versions of real servers, from `<server>/<version>.json`."""
    for server in sorted(path for path in folder.iterdir() if path.is_dir()):
        versions = sorted(server.glob("*.json"), key=lambda path: _numbers(path.stem))
        for old, new in pairwise(versions):
            yield Pair(f"{server.name} {old.stem} {new.stem}", _tools(old), _tools(new))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)))


def labelled(file: Path) -> Iterator[Pair]:
    """Two pairs for each entry of a file: its schemas as an input and as an output.

    An entry has `id`, `before`, `after`, `input_verdict` and `output_verdict`. A schema that is not
    of objects cannot be that of an input; then both are those of a parameter.
    """
    for entry in json.loads(file.read_bytes()):
        name, schemas = entry["id"], (entry["before"], entry["after"])
        outputs = [[_wrapped("outputSchema", it)] for it in schemas]
        roots = all(isinstance(it, dict) and it.get("type") == "object" for it in schemas)
        inputs = [[_wrapped("inputSchema", it if roots else _as_parameter(it))] for it in schemas]
        for side, (before, after) in (("input", inputs), ("output", outputs)):
            label = {"it": entry[f"{side}_verdict"] == "breaking"}
            yield Pair(f"{name} as {side}", before, after, label)


def _wrapped(side: str, schema: Any) -> Tool:
    return {"name": "it", "inputSchema": {"type": "object"}, side: schema}


def _as_parameter(schema: Any) -> dict[str, Any]:
    """A schema as that of a parameter, its definitions where its references look for them."""
    root: dict[str, Any] = {"type": "object", "properties": {"value": schema}}
    if isinstance(schema, dict):
        moved = {
            name: schema[name] for name in ("$schema", "$defs", "definitions") if name in schema
        }
        root |= moved
        root["properties"] = {"value": {k: v for k, v in schema.items() if k not in moved}}
    return root


def _tools(file: Path) -> list[Tool]:
    document = json.loads(file.read_bytes())
    document = document.get("result", document) if isinstance(document, dict) else document
    items = document["tools"] if isinstance(document, dict) else document
    named = [it for it in items if isinstance(it, dict) and isinstance(it.get("name"), str)]
    count = Counter(it["name"] for it in named)
    return [it for it in named if count[it["name"]] == 1]


def changed_tools(pair: Pair) -> dict[str, tuple[Tool, Tool]]:
    """The tools in both lists whose schemas differ, as they stand in each."""
    old = {it["name"]: it for it in pair.before}
    return {
        it["name"]: (old[it["name"]], it)
        for it in pair.after
        if it["name"] in old and _schemas(old[it["name"]]) != _schemas(it)
    }


def _schemas(it: Tool) -> str:
    # As text: 1 and true are the same to Python.
    return json.dumps({side: it[side] for side in SCHEMAS if side in it}, sort_keys=True)
