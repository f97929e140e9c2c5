"""Which tool list a word on the command line means: `pinned`, `baseline`, `previous`, or a hash.

Pure: the object as it was read goes in, a hash or a refusal comes out.
"""

from collections.abc import Iterable
from enum import StrEnum

from proxar.api import MCPServer
from proxar.errors import ProxarError, UsageError

__all__ = [
    "Against",
    "current",
    "known_hashes",
    "listed",
    "named",
    "resolve",
    "short",
]


class Against(StrEnum):
    """The lists that have a name."""

    PINNED = "pinned"
    BASELINE = "baseline"
    PREVIOUS = "previous"


def short(hash_: str | None) -> str:
    """The hash as a person compares it: twelve digits."""
    return hash_.removeprefix("sha256:")[:12] if hash_ else "-"


def current(server: MCPServer) -> str:
    """The hash of what the server reported when it was last reached."""
    if server.status.snapshot is None or server.status.snapshot.hash is None:
        raise ProxarError(
            "NotYetObserved",
            f"{named(server)}: no tool list was seen yet; 'proxar status {server.metadata.name}' "
            "says why",
        )
    return server.status.snapshot.hash


def known_hashes(server: MCPServer) -> tuple[str, ...]:
    """Every hash that the object speaks of, the newest first, each once."""
    status = server.status
    found = [
        status.snapshot.hash if status.snapshot else None,
        *(entry.hash for entry in status.history),
        status.baseline.hash if status.baseline else None,
        server.spec.pinned_hash,
    ]
    return tuple(dict.fromkeys(hash_ for hash_ in found if hash_))


def resolve(server: MCPServer, typed: str) -> str:
    """The hash that `--against` names.

    A full hash counts even when the object does not speak of it: Git may carry its snapshot.

    Raises:
        UsageError: There is no such list for this server.
        ProxarError: `NotYetObserved`: there is none yet.
    """
    match typed:
        case Against.PINNED:
            return _pinned(server)
        case Against.BASELINE:
            return _baseline(server)
        case Against.PREVIOUS:
            return _previous(server)
    return _by_prefix(server, typed)


def _pinned(server: MCPServer) -> str:
    if server.spec.pinned_hash is None:
        raise UsageError(
            f"--against pinned: {named(server)} has no pin; pin one with 'proxar pin "
            f"{server.metadata.name}', "
            "or use --against baseline"
        )
    return server.spec.pinned_hash


def _baseline(server: MCPServer) -> str:
    if server.status.baseline is None or server.status.baseline.hash is None:
        current(server)  # the better word when nothing was seen at all
        raise ProxarError("NotYetObserved", f"{named(server)}: has no baseline yet")
    return server.status.baseline.hash


def _previous(server: MCPServer) -> str:
    now = current(server)
    earlier = next((entry.hash for entry in server.status.history if entry.hash != now), None)
    if earlier is None:
        raise UsageError(
            f"--against previous: {named(server)} has reported one tool list only; use --against "
            "baseline"
        )
    return earlier


def _by_prefix(server: MCPServer, typed: str) -> str:
    digits = typed.removeprefix("sha256:")
    known = known_hashes(server)
    found = [hash_ for hash_ in known if hash_.removeprefix("sha256:").startswith(digits)]
    if len(digits) == 64:
        return f"sha256:{digits}"
    if len(found) == 1:
        return found[0]
    what = "is the beginning of several hashes" if found else "is no known hash"
    raise UsageError(f"{typed}: {what} of {named(server)}, which has {listed(found or known)}")


def listed(hashes: Iterable[str]) -> str:
    """The hashes in full, for a person to copy one."""
    return ", ".join(hashes) or "none yet"


def named(server: MCPServer) -> str:
    """The server as a message names it."""
    return f"{server.metadata.namespace}/{server.metadata.name}"
