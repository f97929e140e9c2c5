"""The entry point: exit codes for what nobody foresaw, help, versions."""

import pytest

from proxar import __version__
from proxar.cli import version
from proxar.cli.app import VERBS
from tests.unit.cli.terminal import Shell


def test_an_internal_error_is_3_and_no_traceback(
    proxar: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """1 would say drift. The text of the exception stays out: it may quote a credential."""

    def broken(_: object) -> None:
        raise KeyError("s3cret")

    monkeypatch.setattr(version, "emit", broken)

    printed = proxar("version")

    assert printed.code == 3
    assert printed.err.startswith("error: InternalError: KeyError at cli/version.py:")
    assert "Traceback" not in printed.err
    assert "s3cret" not in printed.err


def test_prints_the_version(proxar: Shell) -> None:
    """As a verb and as an option."""
    assert proxar("version").out == proxar("--version").out == f"proxar {__version__}\n"


def test_nothing_typed_shows_the_help(proxar: Shell) -> None:
    """Every verb is in it."""
    printed = proxar()

    assert printed.code == 0
    assert all(f"\n  {verb} " in printed.out for verb in VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help(proxar: Shell, verb: str) -> None:
    """Short and long."""
    printed = proxar(verb, "-h")

    assert printed.code == 0
    assert printed.out == proxar(verb, "--help").out
    assert f"Usage: proxar {verb}" in printed.out


def test_an_unknown_verb_is_2_with_a_hint_after_a_blank_line(proxar: Shell) -> None:
    """On stderr."""
    printed = proxar("dif")

    assert (printed.code, printed.out) == (2, "")
    assert printed.err == (
        "error: No such command 'dif'. Did you mean 'diff'?\n"
        "\n"
        "'proxar --help' shows what can be typed.\n"
    )
