"""Logging of the operator: one line for each thing that a person would act on, as text or as
JSON."""

import json
import logging
import sys
from datetime import UTC, datetime

__all__ = ["configure_logging"]

QUIET = ("kopf.objects", "kopf.activities", "kopf._core", "aiohttp.access", "asyncio")
"""Loggers with a line for each watch event or connection: 2,000 at start-up, and one for each own
status write."""


class _JSONFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


def configure_logging(form: str, level: str) -> None:
    """Send all logs to stderr in one form; libraries are heard from WARNING on."""
    handler = logging.StreamHandler(sys.stderr)
    text = logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
    handler.setFormatter(_JSONFormatter() if form == "json" else text)
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger("proxar").setLevel(level.upper())
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
