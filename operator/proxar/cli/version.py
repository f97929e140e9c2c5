"""`proxar version`: the version of this program."""

from proxar import __version__
from proxar.cli.streams import emit

__all__ = ["version"]


def version() -> None:
    """Print the version."""
    emit(f"proxar {__version__}\n")
