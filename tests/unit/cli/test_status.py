"""`proxar status`: what it prints."""

from typing import Any

from proxar.cli.status import details, table
from tests.unit.cli.objects import NOW, A, B, mcpserver


def condition(type_: str, status: str, reason: str, message: str = "") -> dict[str, Any]:
    """A condition since an hour and a half."""
    return {
        "type": type_,
        "status": status,
        "reason": reason,
        "message": message,
        "lastTransitionTime": "2026-11-30T10:30:00Z",
    }


DRIFTED = {
    "conditions": [
        condition("Ready", "True", "Tracking", "looking every 60s"),
        condition("Reachable", "False", "Timeout", "no answer \x1b[31m in 10s"),
    ],
    "drift": {
        "verdict": "Breaking",
        "omitted": 2,
        "changes": [
            {
                "tool": "search",
                "path": "search.inputSchema.required",
                "rule": "parameter-became-required",
                "verdict": "Breaking",
                "message": '"limit" is now required',
            }
        ],
    },
}


def test_has_a_line_for_each_server() -> None:
    """What is wrong is seen at a glance; nothing is known of the second one yet."""
    servers = [
        mcpserver(pinned=A, **DRIFTED),
        mcpserver(snapshot=None, baseline=None, history=[]),
    ]

    assert list(table(servers, NOW, with_namespace=True)) == [
        (
            "NAMESPACE   NAME     READY     REACHABLE         TOOLS   DRIFT      HASH           "
            "PINNED         LAST CHANGE"
        ),
        (
            "team        issues   True      False (Timeout)   12      Breaking   bbbbbbbbbbbb   "
            "aaaaaaaaaaaa   3h"
        ),
        (
            "team        issues   Unknown   Unknown           -       -          -              "
            "-              -"
        ),
    ]


def test_shows_one_in_detail() -> None:
    """Hashes in full to copy, every condition, every change with its exact path, escaped."""
    assert list(details(mcpserver(pinned=A, **DRIFTED), NOW)) == [
        "team/issues",
        f"  reports    {B}, 12 tools, since 3h, last seen 30s ago",
        f"  baseline   {A}, FirstSeen, since 10d",
        f"  pinned     {A}",
        "  server     issues-server 1.2.3",
        "",
        "conditions",
        "  Ready=True (Tracking) for 90m: looking every 60s",
        "  Reachable=False (Timeout) for 90m: no answer \\u001b[31m in 10s",
        "",
        "drift: Breaking",
        (
            '  breaking   search.inputSchema.required: "limit" is now required'
            " (parameter-became-required)"
        ),
        "  … and 2 more; 'proxar diff --server issues --against baseline' has all",
    ]
