"""Who one is towards a server, and whom one trusts there: what connections may be shared by."""

import hashlib
from dataclasses import dataclass, field
from functools import cache

from proxar.fetch.tls import TLSSettings

__all__ = ["Identity", "identity_of", "nobody"]


@dataclass(frozen=True, slots=True)
class Identity:
    """One lane's identity; two of one digest are the same."""

    digest: bytes = field(repr=False)
    in_cluster: bool
    """The cluster's Service ranges are open to it."""
    tls: TLSSettings | None


def identity_of(
    *secrets: object, in_cluster: bool = False, tls: TLSSettings | None = None
) -> Identity:
    """The identity of these secrets, over these connections.

    The digest stays in memory: from one written down a short secret could be guessed.
    """
    parts = (secrets, in_cluster, tls and tls.digest)
    return Identity(hashlib.sha256(repr(parts).encode()).digest(), in_cluster, tls)


@cache
def nobody(*, in_cluster: bool) -> Identity:
    """The identity of all who have no credentials. Most targets are such, and ask at each look."""
    return identity_of(in_cluster=in_cluster)
