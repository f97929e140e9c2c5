"""mcp-contract: whole lists. Its hints are left out, since only schemas are compared here."""

import json

import loop  # type: ignore[import-not-found]
from mcp_contract.compare import compare  # type: ignore[import-not-found]
from mcp_contract.model import BREAKING, Contract  # type: ignore[import-not-found]
from mcp_contract.probe import surface_from_schema  # type: ignore[import-not-found]


def read(text: str) -> Contract:
    """Return what its probe makes of a list."""
    return Contract(
        tools=[
            surface_from_schema(
                tool["name"],
                tool.get("description") or "",
                dict(tool.get("inputSchema") or {}),
                dict(tool.get("outputSchema") or {}),
            )
            for tool in json.loads(text)
        ]
    )


def judge(old: Contract, new: Contract) -> dict[str, str]:
    """Compare as its `check` does."""
    verdicts = dict.fromkeys(old.by_name.keys() & new.by_name.keys(), "fine")
    for change in compare(old, new).changes:
        if change.severity == BREAKING and change.tool in verdicts:
            verdicts[change.tool] = "breaking"
    return verdicts


loop.run(read, judge)
