"""The shipped rules and configuration with their time sped up, and nothing else changed."""

import re
from typing import Any

__all__ = ["alertmanager_config", "rules"]

DURATION = re.compile(r"(?P<before>\bfor: |\bkeep_firing_for: |\[)(?P<number>\d+)(?P<unit>[mh])\b")
MILLISECONDS = {"m": 60_000, "h": 3_600_000}


def rules(text: str, divisor: int) -> str:
    """Return alerts.yaml with every `for`, `keep_firing_for` and window divided."""

    def divided(found: re.Match[str]) -> str:
        milliseconds = int(found["number"]) * MILLISECONDS[found["unit"]] // divisor
        return f"{found['before']}{milliseconds}ms"

    return DURATION.sub(divided, text)


def alertmanager_config(
    config: dict[str, Any], *, url: str, group_wait: str, group_interval: str
) -> dict[str, Any]:
    """Return the example with the test's receivers and waits; each receiver keeps its own path."""
    (ours,) = config["route"]["routes"]
    receivers = [
        item
        | {
            "webhook_configs": [
                hook | {"url": hook["url"].replace("http://alerts.example.com", url)}
                for hook in item["webhook_configs"]
            ]
        }
        for item in config["receivers"]
    ]
    waits = {"group_wait": group_wait, "group_interval": group_interval}
    return config | {"route": config["route"] | {"routes": [ours | waits]}, "receivers": receivers}
