"""The generated section of docs/reference/cli.md, out of the commands themselves."""

import re
from typing import Any

import typer
from typer.main import get_command

from proxar.cli.app import VERBS
from proxar.cli.main import app

__all__ = ["sections"]


def sections() -> dict[str, str]:
    """Return the generated text by section name."""
    group: Any = get_command(app)
    with group.make_context("proxar", ["--help"], resilient_parsing=True) as context:
        commands = [group.get_command(context, verb) for verb in VERBS]
        return {"commands": "\n\n".join(_command(command, context) for command in commands)}


def _command(command: Any, context: typer.Context) -> str:
    shown = [param for param in command.params if not param.hidden]
    own = command.context_class(command, info_name=command.name, parent=context)
    pieces = [piece.strip("{}") for piece in command.collect_usage_pieces(own)]
    usage = " ".join(["proxar", command.name, *pieces])
    parts = [f"## {command.name}", f"`{usage}`", _prose(command.help)]
    arguments = [param for param in shown if param.param_type_name == "argument"]
    options = [param for param in shown if param.param_type_name == "option"]
    if arguments:
        parts.append(_table("argument", arguments))
    if options:
        parts.append(_table("option", options))
    return "\n\n".join(parts)


def _prose(text: str) -> str:
    """The help text with options as code: a paragraph a line."""
    paragraphs = [" ".join(it.split()) for it in text.split("\n\n")]
    return "\n\n".join(" ".join(map(_word, it.split(" "))) for it in paragraphs)


def _word(word: str) -> str:
    bare = word.rstrip(".,;:")
    return f"`{bare}`{word[len(bare) :]}" if re.match(r"--\w", bare) else word


def _table(kind: str, params: list[Any]) -> str:
    rows = [f"| {kind} | what it does | default |", "|---|---|---|"]
    rows += [f"| {_name(it)} | {_cell(it.help or '')} | {_default(it)} |" for it in params]
    return "\n".join(rows)


def _name(param: Any) -> str:
    value = "" if getattr(param, "is_flag", False) else param.metavar or ""
    if param.param_type_name == "argument":
        return f"`{_cell(value or param.name.upper())}`"
    names = ", ".join(sorted(param.opts, key=len))
    return f"`{names} {_cell(value)}`".replace(" `", "`")


def _default(param: Any) -> str:
    return f"`{param.default}`" if param.default not in (None, False, ()) else ""


def _cell(text: str) -> str:
    return _prose(text).replace("|", "\\|").replace("\n", " ")
