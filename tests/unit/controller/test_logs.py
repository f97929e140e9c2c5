"""The operator's log."""

import json
import logging
from collections.abc import Iterator
from datetime import datetime

import pytest

from proxar.controller.logs import QUIET, configure_logging

log = logging.getLogger("proxar.controller.reconcile")


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """Leave logging as it was."""
    root = logging.getLogger()
    loggers = [root, logging.getLogger("proxar"), *map(logging.getLogger, QUIET)]
    handlers, levels = root.handlers[:], [logger.level for logger in loggers]
    yield
    root.handlers[:] = handlers
    for logger, level in zip(loggers, levels, strict=True):
        logger.setLevel(level)


def test_json_is_one_object_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever is in the message."""
    configure_logging("json", "info")

    log.warning("%s/%s: lost\n\x1b[31m", "team", "issues-mcp")

    (line,) = capsys.readouterr().err.splitlines()
    told = json.loads(line)
    assert told["message"] == "team/issues-mcp: lost\n\x1b[31m"
    assert (told["level"], told["logger"]) == ("warning", log.name)
    assert datetime.fromisoformat(told["time"]).tzinfo is not None


def test_json_holds_the_traceback_of_a_bug(capsys: pytest.CaptureFixture[str]) -> None:
    """On the same line."""
    configure_logging("json", "info")
    try:
        int("unforeseen")
    except ValueError:
        log.exception("a bug")

    (line,) = capsys.readouterr().err.splitlines()
    assert "ValueError: invalid literal" in json.loads(line)["exception"]


def test_text_is_for_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing goes to stdout."""
    configure_logging("text", "info")

    log.info("watching")

    captured = capsys.readouterr()
    assert captured.err.rstrip().endswith("INFO proxar.controller.reconcile: watching")
    assert captured.out == ""


def test_the_level_is_of_our_own_lines(capsys: pytest.CaptureFixture[str]) -> None:
    """Libraries are heard from WARNING on, at whatever level."""
    configure_logging("text", "debug")

    log.debug("ours")
    logging.getLogger("aiohttp.client").info("theirs")
    logging.getLogger("kopf.objects").info("each own write")
    logging.getLogger("kopf.objects").warning("trouble")

    told = capsys.readouterr().err
    assert "ours" in told
    assert "trouble" in told
    assert "theirs" not in told
    assert "each own write" not in told
