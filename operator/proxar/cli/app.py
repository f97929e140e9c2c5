"""How typer is used here: verbs are imported on demand, and values stay text.

Typer checks each value through pydantic, whose import alone takes longer than everything that
`proxar diff A.json B.json` does (120 ms of 220 on the machine this was written on). Our parameters
are text, lists of text and flags; their meaning is checked in `proxar.cli.options`, with messages
of our own.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from proxar.cli.imports import cheaply
from proxar.cli.outcome import guarded

__all__ = ["HELP_NAMES", "VERBS", "Lean", "LeanCommand", "VerbGroup"]

VERBS = ("diff", "snapshot", "lint", "pin", "accept", "status", "doctor", "operator", "version")
"""In the order of the help page: each is a module of this folder with a function of the same name.
"""


COMMAND_TAKERS = ("diff", "snapshot", "lint")
"""Verbs that take a command after `--`, as in `proxar snapshot -- npx my-server --verbose`."""

HELP_NAMES = {"help_option_names": ["-h", "--help"]}


class AsTyped:
    """Stands where typer would build a pydantic adapter: hands on what the parser found."""

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:  # noqa: ARG002 - typer's signature
        several = param.multiple or param.nargs == -1
        if value is None:
            return () if several else None
        return list(value) if several else value


class Lean:
    """Mixed into a command: its parameters, `--help` included, are not coerced.

    A typer that does not know `get_runtime_param` ignores it: then it is slower, and as right.
    """

    def get_params(self, ctx: Any) -> Any:
        params = super().get_params(ctx)  # type: ignore[misc]
        for param in params:
            param.get_runtime_param = AsTyped
        return params


class LeanCommand(Lean, TyperCommand):
    """A command without coercion. Those that take a command get to see the `--` before it."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if self.name in COMMAND_TAKERS and "--" in args:
            # The parser swallows the first.
            args = [*args[: args.index("--")], "--", *args[args.index("--") :]]
        return super().parse_args(ctx, args)


class Verbs(Mapping[str, Any]):
    """The commands by name; one is made when it is asked for."""

    def __getitem__(self, name: str) -> Any:
        if name not in VERBS:
            raise KeyError(name)
        with cheaply():
            function = getattr(import_module(f"proxar.cli.{name}"), name)
        single = typer.Typer(add_completion=False, rich_markup_mode=None)
        single.command(name, cls=LeanCommand, context_settings=HELP_NAMES)(guarded(function))
        return get_command(single)

    def __iter__(self) -> Iterator[str]:
        return iter(VERBS)

    def __len__(self) -> int:
        return len(VERBS)

    def __contains__(self, name: object) -> bool:
        return name in VERBS


class VerbGroup(Lean, TyperGroup):
    """The root: knows the verbs by name and imports the one that was asked for."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = Verbs()  # type: ignore[assignment]  # typer only reads it
